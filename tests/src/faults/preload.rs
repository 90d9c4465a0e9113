//! Libraries put before the C library of a program, so that its disk fails or its clock is set: no root is needed,
//! and nothing is done to this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds a library from a source in this crate, with the compiler that builds SQLite.
///
/// # Panics
/// When it does not build.
pub fn build_library(folder: &Path, source: &str) -> PathBuf {
    let library = folder.join("shim.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let mut compiler = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
    let status = compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).status();
    assert!(status.expect("a C compiler, as for SQLite").success());
    library
}
