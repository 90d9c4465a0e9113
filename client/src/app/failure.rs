//! A failure that ends the program, in the player's language.

use crate::i18n::Texts;

/// What failed, and why, as far as anybody knows.
pub fn format_error(error: &anyhow::Error, texts: Texts) -> String {
    let cause = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<std::io::Error>() {
        Some(error) => texts.io_error(&error.into()),
        None => cause.to_string(),
    };
    let causes = error.chain().map(cause).reduce(|outer, inner| texts.with_reason(&outer, &inner));
    causes.unwrap_or_default()
}
