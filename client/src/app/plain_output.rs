//! Plain output outside the event loop.

use std::io::{self, Write};

use crate::facts::Exit;
use crate::i18n::Texts;

/// Exit status after stdout was closed, as if `SIGPIPE` had ended the process.
pub(super) const CLOSED_PIPE: Exit = Exit::Signal(13);

/// Prints a whole text on stdout. A closed pipe is not an error.
pub(super) fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(CLOSED_PIPE),
        result => Ok(result.map(|()| Exit::Done)?),
    }
}

/// Formats an error with its causes in the player's language.
pub(super) fn format_error(error: &anyhow::Error, texts: Texts) -> String {
    let cause =
        |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref::<std::io::Error>() {
            Some(error) => texts.io_error(&error.into()),
            None => cause.to_string(),
        };
    let causes = error
        .chain()
        .map(cause)
        .reduce(|outer, inner| texts.with_reason(&outer, &inner));
    causes.unwrap_or_default()
}
