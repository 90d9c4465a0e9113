//! The files of the browser page, as data.
//!
//! The build script compresses the files of `page/` and checks their size. This crate contains no client code and
//! performs no I/O; the server sends the files.

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageFile {
    /// Path of its URL.
    pub path: &'static str,
    /// Value of its `Content-Type`.
    pub media_type: &'static str,
    /// Hash of its content, without quotes.
    pub hash: &'static str,
    /// Content.
    pub raw: &'static [u8],
    /// Content, compressed with gzip.
    pub gzip: &'static [u8],
    /// The URL contains the hash of the page, so that the content of this path never changes.
    pub is_immutable: bool,
}

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// Returns the file with this path.
pub fn find_page_file(path: &str) -> Option<&'static PageFile> {
    PAGE_FILES.binary_search_by(|file| file.path.cmp(path)).ok().map(|index| &PAGE_FILES[index])
}

/// Returns all files of the page, sorted by path.
pub fn page_files() -> &'static [PageFile] {
    PAGE_FILES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_found_by_its_path() {
        assert!(page_files().is_sorted_by_key(|file| file.path));
        for file in page_files() {
            assert_eq!(find_page_file(file.path).map(|found| found.hash), Some(file.hash), "{}", file.path);
        }
        assert!(find_page_file("/unknown").is_none());
    }

    #[test]
    fn the_document_names_only_files_of_the_page() {
        let index = find_page_file("/").map(|file| String::from_utf8_lossy(file.raw)).unwrap_or_default();
        let links: Vec<&str> =
            index.split('"').filter(|text| text.starts_with('/') && text.len() > 1).collect();
        assert!(links.len() > 5, "{links:?}");
        for link in links {
            assert!(find_page_file(link).is_some(), "{link}");
        }
    }

    /// Returns the path of a module that another one imports.
    fn resolve(importer: &str, name: &str) -> String {
        let mut folders: Vec<&str> = importer.split('/').collect();
        folders.pop();
        for part in name.split('/') {
            match part {
                "." => {}
                ".." => drop(folders.pop()),
                part => folders.push(part),
            }
        }
        folders.join("/")
    }

    #[test]
    fn the_document_preloads_every_module_of_the_first_screen() {
        let text = |path: &str| {
            find_page_file(path)
                .map(|file| String::from_utf8_lossy(file.raw).into_owned())
                .unwrap_or_default()
        };
        let index = text("/");
        let app = index.split('"').find(|link| link.ends_with("/app.js")).unwrap_or_default();
        let mut pending = vec![app.to_owned()];
        let mut modules: Vec<String> = Vec::new();
        while let Some(path) = pending.pop() {
            let source = text(&path);
            let imports =
                source.lines().filter(|line| line.starts_with("import ") || line.starts_with("} from "));
            for name in imports.filter_map(|line| line.split('"').nth(1)) {
                let path = resolve(&path, name);
                assert!(find_page_file(&path).is_some(), "{path}");
                if !modules.contains(&path) {
                    modules.push(path.clone());
                    pending.push(path);
                }
            }
        }
        assert!(modules.len() > 5, "{modules:?}");
        for module in modules {
            assert!(index.contains(&format!("\"{module}\"")), "{module} is not preloaded");
        }
    }
}
