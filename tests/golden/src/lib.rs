//! Files and parts of pages that tests write from the code, and compare.
//!
//! ```text
//!  code ──► text ──► check_file, check_part ──► equal: the test passes
//!                         │                 └─► stale: the test fails, and names the command that writes
//!                         └─ NOUGHTS_TEST_GOLDEN=write: writes first
//! ```
//!
//! [`check_file`] owns a whole file. [`check_part`] owns the lines between two marks, and people write the rest. After
//! a writing run `git diff` shows the change. The functions panic where a test would: if a file is stale, missing or
//! not writable.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

/// Serialises the writes, because several tests write parts of one page.
static PAGES: Mutex<()> = Mutex::new(());

/// Returns whether the checks write.
pub fn is_writing() -> bool {
    env::var_os("NOUGHTS_TEST_GOLDEN").is_some_and(|mode| mode == "write")
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn compare(path: &Path, part: &str, expected: &str, found: &str) {
    let package = env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "PACKAGE".into());
    let differing = expected
        .lines()
        .zip(found.lines())
        .find(|(one, other)| one != other);
    assert!(
        expected == found,
        "{}{part} is stale. `NOUGHTS_TEST_GOLDEN=write cargo test -p {package}` writes it. First difference: {differing:#?}",
        path.display()
    );
}

/// Compares a file with `text`.
pub fn check_file(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    if is_writing() && fs::read(path).ok().as_deref() != Some(text.as_bytes()) {
        write(path, text);
    }
    compare(path, "", text, &read(path));
}

/// Compares a part of a file with `text`: the lines between the line that contains `begin NAME` and the line that
/// contains `end NAME`.
pub fn check_part(path: impl AsRef<Path>, name: &str, text: &str) {
    let path = path.as_ref();
    let _guard = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    let page = read(path);
    let (begin, end) = (format!("begin {name}"), format!("end {name}"));
    let lines: Vec<&str> = page.split_inclusive('\n').collect();
    let position = |mark: &str| lines.iter().position(|line| line.contains(mark));
    let (Some(first), Some(last)) = (position(&begin), position(&end)) else {
        panic!("{}: no lines with {begin} and {end}", path.display());
    };
    let [before, found, after] =
        [&lines[..=first], &lines[first + 1..last], &lines[last..]].map(<[&str]>::concat);
    if is_writing() && found != text {
        return write(path, &[&before[..], text, &after[..]].concat());
    }
    compare(path, &format!(", part {name},"), text, &found);
}
