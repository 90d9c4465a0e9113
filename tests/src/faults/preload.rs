//! Libraries preloaded before the C library of a program, so that its disk fails or its clock changes.
//! Neither needs root, and neither affects the machine.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a preload library from a C source in this crate.
///
/// # Panics
///
/// If the compiler fails.
pub fn build_library(folder: &Path, source: &str) -> PathBuf {
    let library = folder.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    let status = compiler
        .args(["-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(source)
        .status();
    assert!(status.expect("a C compiler, as for SQLite").success());
    library
}
