//! Input and output primitives without knowledge of the game: bounded lines and localizable errors.

pub mod io_error;
pub mod line_reader;
