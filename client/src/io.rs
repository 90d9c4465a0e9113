//! Input and output primitives: bounded lines, localizable errors, optional deadlines. They know nothing of the game.

pub(crate) mod io_error;
pub(crate) mod line_reader;
pub(crate) mod timer;
