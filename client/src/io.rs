//! The border to the operating system: the terminal, the files of resumable games, bounded lines, localizable errors, and
//! optional deadlines. The network is in `connection`.

pub(crate) mod io_error;
pub(crate) mod line_reader;
pub(crate) mod saved_games;
pub(crate) mod terminal;
pub(crate) mod timer;
