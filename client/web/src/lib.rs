//! The files of the browser page, as data. The server sends them; this crate performs no I/O and contains no code of a
//! client.
//!
//! ```text
//!  page/: modules, style, engine ─┐  build script: joins modules, removes blanks
//!  texts of `noughts-texts` ──────┼─ and comments, compresses, checks the size ──► PageFile ──► server
//!  puzzles.txt ───────────────────┘
//! ```
//!
//! [`find_page_file`] finds the file for the path of a URL. The server sends `gzip` or `raw`, with the hash as `ETag`.

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
    /// Whether the URL contains the hash of the page, so that the content of this path never changes.
    pub is_immutable: bool,
}

#[cfg(test)]
#[path = "../build/bundle.rs"]
mod bundle;
#[cfg(test)]
#[path = "../build/style.rs"]
mod style;
#[cfg(test)]
#[path = "../build/tokens.rs"]
mod tokens;

include!(concat!(env!("OUT_DIR"), "/page_files.rs"));

/// Returns the file with this path.
pub fn find_page_file(path: &str) -> Option<&'static PageFile> {
    PAGE_FILES
        .binary_search_by(|file| file.path.cmp(path))
        .ok()
        .map(|index| &PAGE_FILES[index])
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
            assert_eq!(
                find_page_file(file.path).map(|found| found.hash),
                Some(file.hash),
                "{}",
                file.path
            );
        }
        assert!(find_page_file("/unknown").is_none());
    }

    #[test]
    fn the_document_names_only_files_of_the_page() {
        let index = find_page_file("/")
            .map(|file| String::from_utf8_lossy(file.raw))
            .unwrap_or_default();
        let links: Vec<&str> = index
            .split('"')
            .filter(|text| text.starts_with('/') && text.len() > 1)
            .collect();
        assert!(links.len() > 4, "{links:?}");
        for link in links {
            assert!(find_page_file(link).is_some(), "{link}");
        }
    }
}
