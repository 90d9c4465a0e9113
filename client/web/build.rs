//! Compresses the files of `page/`, puts their common hash into their URLs, and fails if the page exceeds its budget.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;

/// Folder of the files at fixed paths. All others except the document are below `/a/HASH/`.
const ROOT_FOLDER: &str = "install/";
/// Maximum compressed size of document, style, scripts and one language, which every first visit loads.
const FIRST_VISIT_MAX_BYTES: usize = 72 * 1024;
/// Maximum compressed size of the texts of one language.
const LANGUAGE_MAX_BYTES: usize = 6 * 1024;
/// Maximum compressed size of all files.
const TOTAL_MAX_BYTES: usize = 128 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=build.rs");
    let page = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join("page");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut sources = BTreeMap::new();
    read_folder(&page, &page, &mut sources)?;
    let version = hash_of(&sources);
    let mut entries = BTreeMap::new();
    let (mut first_visit, mut total) = (0, 0);
    for (name, mut content) in sources {
        let is_immutable = name != "index.html" && !name.starts_with(ROOT_FOLDER);
        let path = match (name.as_str(), name.strip_prefix(ROOT_FOLDER)) {
            ("index.html", _) => "/".to_owned(),
            (_, Some(root)) => format!("/{root}"),
            (hashed, None) => format!("/a/{version}/{hashed}"),
        };
        if name == "index.html" {
            content = String::from_utf8(content)?.replace("{{files}}", &format!("/a/{version}")).into_bytes();
        }
        let gzip = compress(&content)?;
        let is_language = name.starts_with("i18n/");
        if is_language && gzip.len() > LANGUAGE_MAX_BYTES {
            return Err(format!("{name} has {} bytes, more than {LANGUAGE_MAX_BYTES}", gzip.len()).into());
        }
        total += gzip.len();
        let is_first_visit = name.ends_with(".css") || name.ends_with(".html") || name.ends_with(".js");
        if is_first_visit && (!is_language || name == "i18n/en.js") {
            first_visit += gzip.len();
        }
        let stem = name.replace('/', "_");
        fs::write(out.join(format!("{stem}.raw")), &content)?;
        fs::write(out.join(format!("{stem}.gz")), &gzip)?;
        let (media_type, hash) = (media_type(&name)?, hash_of(&content));
        let entry = format!(
            "PageFile {{ path: {path:?}, media_type: {media_type:?}, hash: {hash:?}, is_immutable: {is_immutable}, \
             raw: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{stem}.raw\")), \
             gzip: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{stem}.gz\")) }},\n"
        );
        entries.insert(path, entry);
    }
    if first_visit > FIRST_VISIT_MAX_BYTES || total > TOTAL_MAX_BYTES {
        return Err(format!(
            "the page has {first_visit} bytes on the first visit (at most {FIRST_VISIT_MAX_BYTES}) and {total} in \
             total (at most {TOTAL_MAX_BYTES}), compressed"
        )
        .into());
    }
    let mut code = "/// All files, sorted by path.\nstatic PAGE_FILES: &[PageFile] = &[\n".to_owned();
    for entry in entries.values() {
        write!(code, "{entry}")?;
    }
    code.push_str("];\n");
    fs::write(out.join("page_files.rs"), code)?;
    Ok(())
}

fn read_folder(
    root: &Path,
    folder: &Path,
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_folder(root, &path, files)?;
            continue;
        }
        let name = path.strip_prefix(root)?.to_str().ok_or("a file name is not UTF-8")?.replace('\\', "/");
        if !name.ends_with(".json") {
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(())
}

fn compress(content: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

fn hash_of(content: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn media_type(name: &str) -> Result<&'static str, Box<dyn Error>> {
    Ok(match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("webmanifest") => "application/manifest+json",
        _ => return Err(format!("the type of {name} is unknown").into()),
    })
}
