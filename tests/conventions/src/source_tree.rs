//! Reads the sources of the workspace into syntax trees.

use std::fs;
use std::path::{Path, PathBuf};

/// Crates with modules and public types that follow the conventions: name and root file.
pub(crate) const CRATES: [(&str, &str); 5] = [
    ("noughts_protocol", "protocol/src/lib.rs"),
    ("noughts_server", "server/src/lib.rs"),
    ("noughts_engine", "client/engine/src/lib.rs"),
    ("noughts", "client/src/lib.rs"),
    ("noughts_tests", "tests/src/lib.rs"),
];

/// Folders with Rust sources.
const SOURCE_FOLDERS: [&str; 4] = ["protocol", "server", "client", "tests"];

/// One module of a crate with its syntax tree.
pub(crate) struct SourceModule {
    /// Path from the crate's root, which itself has an empty path.
    pub(crate) path: Vec<String>,
    pub(crate) file: PathBuf,
    pub(crate) items: Vec<syn::Item>,
}

/// Returns the folder that holds the workspace's `Cargo.toml`.
pub(crate) fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Parses one source file.
///
/// # Panics
/// If the file cannot be read or is not Rust.
pub(crate) fn parse(file: &Path) -> syn::File {
    let text = fs::read_to_string(file)
        .unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    syn::parse_file(&text)
        .unwrap_or_else(|error| panic!("cannot parse {}: {error}", file.display()))
}

/// Returns all Rust files of the workspace, in order of their paths.
pub(crate) fn rust_files() -> Vec<PathBuf> {
    files_of("rs")
}

/// Returns all pages of the repository, in order of their paths.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut pages = files_of("md");
    let others = [
        "README.md",
        ".github/ARCHITECTURE.md",
        ".github/CONTRIBUTING.md",
    ];
    pages.extend(others.map(|page| workspace_root().join(page)));
    pages
}

/// Returns the files in the source folders that have this `extension`, in order of their paths.
pub(crate) fn files_of(extension: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = SOURCE_FOLDERS
        .iter()
        .map(|folder| workspace_root().join(folder))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a source folder is readable") {
            let path = entry.expect("a folder entry is readable").path();
            let is_hidden_or_build =
                path.file_name()
                    .and_then(|name| name.to_str())
                    .is_none_or(|name| {
                        name.starts_with('.') || name == "target" || name == "node_modules"
                    });
            if path.is_dir() && !is_hidden_or_build {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Returns the modules of a crate, without those that only tests compile.
pub(crate) fn modules(root_file: &str) -> Vec<SourceModule> {
    let root_file = workspace_root().join(root_file);
    let folder = root_file
        .parent()
        .expect("a root file lies in a folder")
        .to_path_buf();
    let mut modules = Vec::new();
    add_module(
        Vec::new(),
        root_file.clone(),
        folder,
        parse(&root_file).items,
        &mut modules,
    );
    modules
}

/// Returns whether an item is compiled for tests only.
pub(crate) fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string();
            condition == "test"
                || condition.starts_with("all (test")
                || condition.starts_with("all(test")
        }
        // Only tests include a file of another folder by `path`.
        syn::Meta::NameValue(value) => value.path.is_ident("path"),
        syn::Meta::Path(_) | syn::Meta::List(_) => false,
    })
}

fn add_module(
    path: Vec<String>,
    file: PathBuf,
    folder: PathBuf,
    items: Vec<syn::Item>,
    modules: &mut Vec<SourceModule>,
) {
    let mut own_items = Vec::new();
    for item in items {
        let syn::Item::Mod(module) = item else {
            own_items.push(item);
            continue;
        };
        if is_test_only(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        let mut child_path = path.clone();
        child_path.push(name.clone());
        match module.content {
            Some((_, child_items)) => {
                add_module(
                    child_path,
                    file.clone(),
                    folder.join(&name),
                    child_items,
                    modules,
                );
            }
            None => {
                let beside = folder.join(format!("{name}.rs"));
                let child_file = if beside.exists() {
                    beside
                } else {
                    folder.join(&name).join("mod.rs")
                };
                let child_items = parse(&child_file).items;
                add_module(
                    child_path,
                    child_file,
                    folder.join(&name),
                    child_items,
                    modules,
                );
            }
        }
    }
    modules.push(SourceModule {
        path,
        file,
        items: own_items,
    });
}
