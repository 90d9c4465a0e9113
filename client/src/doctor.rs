//! What `noughts doctor` has found: facts, and which of them are wrong. `app/doctor` looks, the views tell.

use std::path::PathBuf;

use crate::connection::TerminationReason;
use crate::i18n::lang::Lang;
use crate::io::io_error::LocalizableIoError;
use crate::server_url::ServerUrl;
use crate::settings::file::SettingsFileError;

/// Everything that was looked at.
#[derive(Debug)]
pub struct DoctorReport {
    /// The terminal, if there is one at both ends.
    pub terminal: Option<TerminalCheck>,
    /// What `TERM` says.
    pub term: Option<String>,
    /// Whether there are colours.
    pub colors: ColorCheck,
    /// With what the grid is drawn.
    pub glyphs: GlyphCheck,
    /// The language.
    pub lang: Lang,
    /// Where the language comes from: a flag, a variable, a file.
    pub lang_origin: String,
    /// The settings file and what is wrong with it; none where the platform has no place.
    pub settings: Option<(PathBuf, Option<SettingsFileError>)>,
    /// The folder of games to continue; none where the platform has no place.
    pub saved_games: Option<(PathBuf, SavedGamesCheck)>,
    /// A server, if one is named.
    pub server: Option<(ServerUrl, Result<ServerPing, TerminationReason>)>,
}

/// The terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalCheck {
    /// Columns and rows.
    pub size: (u16, u16),
    /// The fewest columns and rows that are drawn on.
    pub min_size: (u16, u16),
}

/// Whether there are colours, and who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorCheck {
    /// There are.
    Yes,
    /// `--color never`, or the theme.
    Disabled,
    /// `NO_COLOR` is set.
    NoColor,
    /// `TERM` is `dumb` or not set.
    Dumb,
}

/// With what the grid is drawn, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GlyphCheck {
    /// Lines: the terminal draws one in one column.
    BoxDrawing,
    /// As `--glyphs` says.
    Chosen { unicode: bool },
    /// ASCII: the locale is not UTF-8.
    NoUtf8,
    /// ASCII: the terminal draws a line in two columns.
    Wide,
    /// ASCII: the terminal does not say.
    NoReply,
    /// ASCII: there is no terminal to ask.
    NoTerminal,
}

/// The folder of games to continue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedGamesCheck {
    /// It is there, for its owner only.
    Private,
    /// It is not there yet, and will be made.
    Missing,
    /// Others may look into it: its permissions.
    Shared(u32),
    /// It cannot be written or looked at.
    Inaccessible(LocalizableIoError),
}

/// How a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerPing {
    /// Its software, as it calls itself.
    pub software: String,
    /// The version of the wire that both speak.
    pub version: u16,
    /// A request and its answer, in milliseconds.
    pub lag_ms: u64,
}

impl TerminalCheck {
    /// Whether anything but a complaint has room.
    pub fn is_large_enough(self) -> bool {
        self.size.0 >= self.min_size.0 && self.size.1 >= self.min_size.1
    }
}

impl GlyphCheck {
    /// Whether it is drawn with lines.
    pub fn has_box_drawing(self) -> bool {
        match self {
            GlyphCheck::BoxDrawing => true,
            GlyphCheck::Chosen { unicode } => unicode,
            GlyphCheck::NoUtf8 | GlyphCheck::Wide | GlyphCheck::NoReply | GlyphCheck::NoTerminal => false,
        }
    }
}

impl DoctorReport {
    /// Whether nothing is wrong. That there is no terminal, or no colour, is not.
    pub fn is_healthy(&self) -> bool {
        let settings_ok = matches!(self.settings, None | Some((_, None)));
        let saved_games_ok = match &self.saved_games {
            None | Some((_, SavedGamesCheck::Private | SavedGamesCheck::Missing)) => true,
            Some((_, SavedGamesCheck::Shared(_) | SavedGamesCheck::Inaccessible(_))) => false,
        };
        let server_ok = !matches!(self.server, Some((_, Err(_))));
        self.terminal.is_none_or(TerminalCheck::is_large_enough) && settings_ok && saved_games_ok && server_ok
    }
}
