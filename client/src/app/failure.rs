//! A failure that ends the program, in the player's language.

use crate::words::Words;

/// What failed, and why, as far as anybody knows.
pub fn told(error: &anyhow::Error, words: Words) -> String {
    let cause = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<std::io::Error>() {
        Some(error) => words.system(&error.into()),
        None => cause.to_string(),
    };
    let causes = error.chain().map(cause).reduce(|outer, inner| words.because(&outer, &inner));
    causes.unwrap_or_default()
}
