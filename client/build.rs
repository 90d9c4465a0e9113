//! Generates the texts of the client from the files of `texts/`.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use noughts_texts::Catalogue;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=texts");
    let catalogue = Catalogue::read(Path::new("texts"))?;
    let out = env::var("OUT_DIR")?;
    fs::write(
        Path::new(&out).join("texts.rs"),
        noughts_texts::rust::generate(&catalogue),
    )?;
    Ok(())
}
