//! What `noughts doctor` has found: facts, and which of them are wrong. `app/doctor` looks, the views tell.

use std::path::PathBuf;

use crate::connection::Ended;
use crate::lang::Lang;
use crate::preferences::file::ReadError;
use crate::server_url::ServerUrl;
use crate::system::SystemError;

/// Everything that was looked at.
#[derive(Debug)]
pub struct Checkup {
    /// The terminal, if there is one at both ends.
    pub terminal: Option<Terminal>,
    /// What `TERM` says.
    pub term: Option<String>,
    /// Whether there are colours.
    pub colors: Colors,
    /// With what the grid is drawn.
    pub grid: Grid,
    /// The language.
    pub lang: Lang,
    /// Where the language comes from: a flag, a variable, a file.
    pub lang_from: String,
    /// The settings file and what is wrong with it; none where the platform has no place.
    pub settings: Option<(PathBuf, Option<ReadError>)>,
    /// The folder of games to continue; none where the platform has no place.
    pub state: Option<(PathBuf, Folder)>,
    /// A server, if one is named.
    pub server: Option<(ServerUrl, Result<Round, Ended>)>,
}

/// The terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The fewest columns and rows that are drawn on.
    pub needed: (u16, u16),
}

/// Whether there are colours, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// There are.
    Yes,
    /// `--color never`, or the theme.
    Unwanted,
    /// `NO_COLOR` is set.
    NoColor,
    /// `TERM` is `dumb` or not set.
    Dumb,
}

/// With what the grid is drawn, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// Lines: the terminal draws one in one column.
    Lines,
    /// As `--glyphs` says.
    Chosen { unicode: bool },
    /// ASCII: the locale is not UTF-8.
    NoUtf8,
    /// ASCII: the terminal draws a line in two columns.
    Wide,
    /// ASCII: the terminal does not say.
    Silent,
    /// ASCII: there is no terminal to ask.
    NotAsked,
}

/// The folder of games to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folder {
    /// It is there, for its owner only.
    Private,
    /// It is not there yet, and will be made.
    Missing,
    /// Others may look into it: its permissions.
    Open(u32),
    /// It cannot be written or looked at.
    Closed(SystemError),
}

/// How a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its software, as it calls itself.
    pub software: String,
    /// The version of the wire that both speak.
    pub version: u16,
    /// A request and its answer, in milliseconds.
    pub lag_ms: u64,
}

impl Terminal {
    /// Whether anything but a complaint has room.
    pub fn is_large_enough(self) -> bool {
        self.size.0 >= self.needed.0 && self.size.1 >= self.needed.1
    }
}

impl Grid {
    /// Whether it is drawn with lines.
    pub fn has_lines(self) -> bool {
        match self {
            Grid::Lines => true,
            Grid::Chosen { unicode } => unicode,
            Grid::NoUtf8 | Grid::Wide | Grid::Silent | Grid::NotAsked => false,
        }
    }
}

impl Checkup {
    /// Whether nothing is wrong. That there is no terminal, or no colour, is not.
    pub fn is_well(&self) -> bool {
        let settings = matches!(self.settings, None | Some((_, None)));
        let state = match &self.state {
            None | Some((_, Folder::Private | Folder::Missing)) => true,
            Some((_, Folder::Open(_) | Folder::Closed(_))) => false,
        };
        let server = !matches!(self.server, Some((_, Err(_))));
        self.terminal.is_none_or(Terminal::is_large_enough) && settings && state && server
    }
}
