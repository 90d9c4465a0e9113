//! A checkup as one object.

use serde::Serialize;

use super::VERSION;
use super::codes::Loss;
use crate::checkup::{Checkup, Colors, Folder, Grid};
use crate::preferences::file::ReadError;

#[derive(Debug, Serialize)]
struct Doctor<'a> {
    noughts: u32,
    event: &'static str,
    ok: bool,
    /// Columns and rows; null without a terminal at both ends.
    size: Option<(u16, u16)>,
    term: Option<&'a str>,
    colors: &'static str,
    grid: &'static str,
    lang: String,
    lang_from: &'a str,
    settings: Option<Place>,
    state: Option<Place>,
    server: Option<Server<'a>>,
}

/// A file or folder.
#[derive(Debug, Serialize)]
struct Place {
    path: String,
    is: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Serialize)]
struct Server<'a> {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    software: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Loss<'a>>,
}

/// The line of a checkup.
pub fn checkup(checkup: &Checkup) -> String {
    super::line(&Doctor {
        noughts: VERSION,
        event: "doctor",
        ok: checkup.is_well(),
        size: checkup.terminal.map(|terminal| terminal.size),
        term: checkup.term.as_deref(),
        colors: match checkup.colors {
            Colors::Yes => "yes",
            Colors::Unwanted => "unwanted",
            Colors::NoColor => "no_color",
            Colors::Dumb => "dumb",
        },
        grid: match checkup.grid {
            Grid::Lines => "lines",
            Grid::Chosen { unicode: true } => "chosen_unicode",
            Grid::Chosen { unicode: false } => "chosen_ascii",
            Grid::NoUtf8 => "no_utf8",
            Grid::Wide => "wide",
            Grid::Silent => "silent",
            Grid::NotAsked => "not_asked",
        },
        lang: checkup.lang.to_string(),
        lang_from: &checkup.lang_from,
        settings: checkup.settings.as_ref().map(|(path, mistake)| {
            let (is, line, detail) = match mistake {
                None => ("ok", None, None),
                Some(ReadError::NoPlace) => ("no_place", None, None),
                Some(ReadError::Io(_, detail)) => ("not_read", None, Some(detail.to_string())),
                Some(ReadError::Mistake(_, mistake)) => ("mistake", Some(mistake.line), None),
            };
            Place { path: path.display().to_string(), is, line, detail }
        }),
        state: checkup.state.as_ref().map(|(path, folder)| {
            let (is, detail) = match folder {
                Folder::Private => ("private", None),
                Folder::Missing => ("missing", None),
                Folder::Open(mode) => ("open", Some(format!("{mode:o}"))),
                Folder::Closed(detail) => ("closed", Some(detail.to_string())),
            };
            Place { path: path.display().to_string(), is, line: None, detail }
        }),
        server: checkup.server.as_ref().map(|(url, round)| {
            let found = round.as_ref().ok();
            Server {
                url: url.to_string(),
                software: found.map(|round| round.software.as_str()),
                version: found.map(|round| round.version),
                lag_ms: found.map(|round| round.lag_ms),
                failed: round.as_ref().err().map(Loss::ended),
            }
        }),
    })
}
