//! Error texts.

mod command_line;
mod connection;
mod host;
mod input;
pub(crate) mod io;
mod parse;
mod reject;
mod settings;
mod unavailable;

use crate::i18n::is_printable;

/// Removes control and bidirectional characters from typed or external text, and shortens it to 80
/// characters.
pub(crate) fn sanitize(text: &str) -> String {
    text.chars()
        .filter(|&letter| is_printable(letter))
        .take(80)
        .collect()
}

/// Returns the text with its first letter in upper case.
pub(crate) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|first| first.to_uppercase().to_string())
        .unwrap_or_default();
    format!("{first}{}", letters.as_str())
}
