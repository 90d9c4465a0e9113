//! The report of `noughts doctor`, which `app::doctor` collects.

use std::path::PathBuf;

use serde::Serialize;

use crate::connection::TerminationReason;
use crate::connection::server_url::ServerUrl;
use crate::facts::json_members;
use crate::i18n::lang::Lang;
use crate::io::io_error::LocalizableIoError;
use crate::settings::file::SettingsFileError;

#[derive(Debug)]
pub struct DoctorReport {
    /// `None` unless stdin and stdout are a terminal.
    pub terminal: Option<TerminalCheck>,
    /// Value of `TERM`.
    pub term: Option<String>,
    pub colors: ColorCheck,
    pub glyphs: GlyphCheck,
    pub lang: Lang,
    /// Where the language comes from: a flag, a variable or a file.
    pub lang_origin: String,
    /// Settings file and its error; `None` if the platform has no settings directory.
    pub settings: Option<(PathBuf, Option<SettingsFileError>)>,
    /// Folder of the resumable games; `None` if the platform has no state folder.
    pub saved_games: Option<(PathBuf, SavedGamesCheck)>,
    /// Result for the named server.
    pub server: Option<(ServerUrl, Result<ServerPing, TerminationReason>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalCheck {
    /// Size in columns and rows.
    pub size: (u16, u16),
    /// Minimum size in columns and rows.
    pub min_size: (u16, u16),
}

/// Whether colours are used, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ColorCheck {
    Yes,
    /// `NO_COLOR` is set.
    NoColor,
    /// `TERM` is `dumb` or not set.
    Dumb,
}

/// Characters of the grid, and the reason for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GlyphCheck {
    /// Box-drawing characters: the terminal draws them one column wide.
    Lines,
    /// Unicode: chosen by `--glyphs`.
    ChosenUnicode,
    /// ASCII: chosen by `--glyphs`.
    ChosenAscii,
    /// ASCII: the locale is not UTF-8.
    NoUtf8,
    /// ASCII: the terminal draws box-drawing characters two columns wide.
    Wide,
    /// ASCII: the terminal does not report its cursor position.
    Silent,
    /// ASCII, because no terminal is attached.
    NotAsked,
}

/// State of the folder of resumable games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum SavedGamesCheck {
    /// The folder exists, and only its owner has access.
    Private,
    /// The folder does not exist yet.
    Missing,
    /// Other users have access. Contains the permissions.
    #[serde(serialize_with = "json_members::permissions")]
    Open(u32),
    /// The folder cannot be read or written.
    Closed(LocalizableIoError),
}

/// Response of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ServerPing {
    /// Name of the server software.
    pub software: String,
    /// Protocol version in use.
    pub version: u16,
    /// Round-trip time in milliseconds.
    pub lag_ms: u64,
}

impl TerminalCheck {
    /// Returns whether the terminal is large enough for the screens.
    pub fn is_large_enough(self) -> bool {
        self.size.0 >= self.min_size.0 && self.size.1 >= self.min_size.1
    }
}

impl GlyphCheck {
    /// Returns whether box-drawing characters are used.
    pub fn has_box_drawing(self) -> bool {
        matches!(self, GlyphCheck::Lines | GlyphCheck::ChosenUnicode)
    }
}

impl DoctorReport {
    /// Returns whether the report is free of problems. A missing terminal and missing colours are not problems.
    pub fn is_healthy(&self) -> bool {
        let settings_ok = matches!(self.settings, None | Some((_, None)));
        let saved_games_ok = match &self.saved_games {
            None | Some((_, SavedGamesCheck::Private | SavedGamesCheck::Missing)) => true,
            Some((_, SavedGamesCheck::Open(_) | SavedGamesCheck::Closed(_))) => false,
        };
        let server_ok = !matches!(self.server, Some((_, Err(_))));
        self.terminal.is_none_or(TerminalCheck::is_large_enough)
            && settings_ok
            && saved_games_ok
            && server_ok
    }
}
