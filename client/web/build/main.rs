//! Joins and compresses the files in `page/` and the texts in `client/texts`, puts their common hash into their URLs,
//! and fails if the page exceeds its budget.

mod bundle;
mod style;
mod tokens;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::{env, fs};

use noughts_texts::Catalogue;
use zopfli::{Format, Options};

/// Folder of the files with fixed paths. All other files except the document are below `/a/HASH/`.
const ROOT_FOLDER: &str = "install/";
/// Files that every first visit loads, in addition to the texts of one language.
const FIRST_VISIT_FILES: [&str; 4] = ["index.html", "page.css", "io/before-paint.js", "app.js"];
/// Maximum compressed size of the first visit's files and the texts of one language.
const FIRST_VISIT_MAX_BYTES: usize = 30 * 1024;
/// Maximum compressed size of the texts of one language.
const LANGUAGE_MAX_BYTES: usize = 7 * 1024 + 512;
/// The engine, which the page loads for a game against its bot.
const ENGINE: &str = "bot/engine.wasm";
/// Maximum compressed size of the engine.
const ENGINE_MAX_BYTES: usize = 160 * 1024;
/// Puzzles of the day, which the page shares with the terminal client.
const PUZZLES: &str = "puzzle/puzzles.txt";
/// Maximum compressed size of all files except the engine: the code and the puzzles.
const TOTAL_MAX_BYTES: usize = 202 * 1024;

const COMPRESSION_ROUNDS: NonZeroU64 = NonZeroU64::new(5).unwrap();

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=page");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=../texts");
    println!("cargo::rerun-if-changed=../puzzles.txt");
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut sources = read_folder(&folder.join("page"))?;
    sources.insert(PUZZLES.to_owned(), fs::read(folder.join("../puzzles.txt"))?);
    let catalogue = Catalogue::read(&folder.join("../texts"))?;
    for (path, module) in noughts_texts::page_modules::texts(&catalogue) {
        sources.insert(path, module.into_bytes());
    }
    let files = join_files(sources)?;
    let version = hash_of(&files);
    let mut entries = BTreeMap::new();
    let (mut first_visit, mut language, mut screen_texts, mut engine, mut total) = (0, 0, 0, 0, 0);
    for (name, mut content) in files {
        let is_immutable = name != "index.html" && !name.starts_with(ROOT_FOLDER);
        let path = match (name.as_str(), name.strip_prefix(ROOT_FOLDER)) {
            ("index.html", _) => "/".to_owned(),
            (_, Some(root)) => format!("/{root}"),
            (hashed, None) => format!("/a/{version}/{hashed}"),
        };
        if name == "index.html" {
            let document = String::from_utf8(content)?;
            let lines: Vec<&str> = document.lines().map(str::trim).collect();
            content = lines
                .join("\n")
                .replace("{{files}}", &format!("/a/{version}"))
                .into_bytes();
        }
        let gzip = compress(&content)?;
        *(if name == ENGINE {
            &mut engine
        } else {
            &mut total
        }) += gzip.len();
        if FIRST_VISIT_FILES.contains(&name.as_str()) {
            first_visit += gzip.len();
        }
        if name.starts_with("i18n/screens/") {
            screen_texts = screen_texts.max(gzip.len());
        } else if name.starts_with("i18n/") {
            language = language.max(gzip.len());
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
    for (what, size, limit) in [
        (
            "the first visit",
            first_visit + language,
            FIRST_VISIT_MAX_BYTES,
        ),
        ("a language", language.max(screen_texts), LANGUAGE_MAX_BYTES),
        ("the engine", engine, ENGINE_MAX_BYTES),
        ("the page", total, TOTAL_MAX_BYTES),
    ] {
        if size > limit {
            return Err(format!("{what} has {size} bytes, compressed, more than {limit}").into());
        }
    }
    let mut code =
        "/// All files, sorted by path.\nstatic PAGE_FILES: &[PageFile] = &[\n".to_owned();
    for entry in entries.values() {
        write!(code, "{entry}")?;
    }
    code.push_str("];\n");
    fs::write(out.join("page_files.rs"), code)?;
    Ok(())
}

/// Returns all files in a folder and its subfolders, by their paths.
fn read_folder(root: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path
                .strip_prefix(root)?
                .to_str()
                .ok_or("a file name is not UTF-8")?
                .replace('\\', "/");
            files.insert(name, fs::read(&path)?);
        }
    }
    Ok(files)
}

/// Joins modules, and shortens scripts and style sheets.
fn join_files(
    sources: BTreeMap<String, Vec<u8>>,
) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let (mut files, mut modules) = (BTreeMap::new(), BTreeMap::new());
    for (name, content) in sources {
        match name.rsplit('.').next() {
            Some("js") => drop(modules.insert(name, String::from_utf8(content)?)),
            Some("css") => {
                let style = style::shorten_style(&String::from_utf8(content)?);
                files.insert(name, style.into_bytes());
            }
            _ => drop(files.insert(name, content)),
        }
    }
    let joined = bundle::join_modules(&modules)?;
    files.extend(
        joined
            .into_iter()
            .map(|(name, text)| (name, text.into_bytes())),
    );
    Ok(files)
}

/// Compresses with gzip. Zopfli takes longer than other compressors, but saves each visitor 4 % of the bytes.
fn compress(content: &[u8]) -> Result<Vec<u8>, std::io::Error> {
    let mut compressed = Vec::new();
    let options = Options {
        iteration_count: COMPRESSION_ROUNDS,
        ..Options::default()
    };
    zopfli::compress(options, Format::Gzip, content, &mut compressed)?;
    Ok(compressed)
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
        Some("txt") => "text/plain; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        _ => return Err(format!("the type of {name} is unknown").into()),
    })
}
