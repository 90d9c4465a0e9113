//! Input and output primitives: bounded lines, localizable errors, optional deadlines. They know nothing of the game.

pub mod io_error;
pub mod line_reader;
pub mod timer;
