//! Replays the fuzzing corpus: each file against the property of its folder. Inputs of fixed violations stay
//! in the corpus.

use std::fs;
use std::path::PathBuf;

use noughts_fuzz_properties::PROPERTIES;

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../fuzz/corpus")
        .join(target);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths
        .map(|path| (path.clone(), fs::read(path).expect("a readable file")))
        .collect()
}

#[test]
fn every_property_holds_for_its_corpus() {
    for (target, property) in PROPERTIES {
        let files = corpus(target);
        assert!(files.len() >= 5, "{target}: empty corpus");
        let mut accepted = 0;
        for (path, bytes) in files {
            let result = std::panic::catch_unwind(|| property(&bytes));
            accepted += u32::from(result.unwrap_or_else(|_| panic!("{}", path.display())));
        }
        assert!(
            accepted >= 5,
            "{target}: too few valid inputs in the corpus"
        );
    }
}

/// Replays each file with small changes at every offset.
#[test]
fn every_property_holds_for_mutated_corpus() {
    for (target, property) in PROPERTIES {
        for (path, bytes) in corpus(target)
            .into_iter()
            .filter(|(_, bytes)| bytes.len() <= 200)
            .take(20)
        {
            for at in 0..bytes.len() {
                for change in [0x01, 0x20, 0x80] {
                    let mut changed = bytes.clone();
                    changed[at] ^= change;
                    let result = std::panic::catch_unwind(|| property(&changed));
                    assert!(
                        result.is_ok(),
                        "{} with byte {at} ^ {change:#x}",
                        path.display()
                    );
                }
                let result = std::panic::catch_unwind(|| property(&bytes[..at]));
                assert!(result.is_ok(), "{} cut at {at}", path.display());
            }
        }
    }
}
