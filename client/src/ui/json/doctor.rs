//! The report of `noughts doctor`.

use serde::Serialize;

use super::VERSION;
use super::codes::JsonDisconnect;
use crate::facts::notification::{ColorCheck, DoctorReport, GlyphCheck, SavedGamesCheck};
use crate::settings::file::SettingsFileError;

#[derive(Debug, Serialize)]
struct JsonDoctorReport<'a> {
    noughts: u32,
    event: &'static str,
    ok: bool,
    /// Columns and rows; null unless stdin and stdout are a terminal.
    size: Option<(u16, u16)>,
    term: Option<&'a str>,
    colors: &'static str,
    #[serde(rename = "grid")]
    glyphs: &'static str,
    lang: String,
    #[serde(rename = "lang_from")]
    lang_origin: &'a str,
    settings: Option<JsonPath>,
    #[serde(rename = "state")]
    saved_games: Option<JsonPath>,
    server: Option<JsonServer<'a>>,
}

/// State of a file or directory.
#[derive(Debug, Serialize)]
struct JsonPath {
    path: String,
    #[serde(rename = "is")]
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Debug, Serialize)]
struct JsonServer<'a> {
    url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    software: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lag_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "failed")]
    disconnect: Option<JsonDisconnect<'a>>,
}

/// Returns the line of a report.
pub(crate) fn doctor(report: &DoctorReport) -> String {
    super::to_line(&JsonDoctorReport {
        noughts: VERSION,
        event: "doctor",
        ok: report.is_healthy(),
        size: report.terminal.map(|terminal| terminal.size),
        term: report.term.as_deref(),
        colors: match report.colors {
            ColorCheck::Yes => "yes",
            ColorCheck::NoColor => "no_color",
            ColorCheck::Dumb => "dumb",
        },
        glyphs: match report.glyphs {
            GlyphCheck::BoxDrawing => "lines",
            GlyphCheck::Chosen { unicode: true } => "chosen_unicode",
            GlyphCheck::Chosen { unicode: false } => "chosen_ascii",
            GlyphCheck::NoUtf8 => "no_utf8",
            GlyphCheck::Wide => "wide",
            GlyphCheck::NoReply => "silent",
            GlyphCheck::NoTerminal => "not_asked",
        },
        lang: report.lang.to_string(),
        lang_origin: &report.lang_origin,
        settings: report.settings.as_ref().map(|(path, error)| {
            let (status, line, detail) = match error {
                None => ("ok", None, None),
                Some(SettingsFileError::NoConfigDir) => ("no_place", None, None),
                Some(SettingsFileError::Io(_, detail)) => {
                    ("not_read", None, Some(detail.to_string()))
                }
                Some(SettingsFileError::Invalid(_, mistake)) => {
                    ("mistake", Some(mistake.line), None)
                }
            };
            JsonPath {
                path: path.display().to_string(),
                status,
                line,
                detail,
            }
        }),
        saved_games: report.saved_games.as_ref().map(|(path, check)| {
            let (status, detail) = match check {
                SavedGamesCheck::Private => ("private", None),
                SavedGamesCheck::Missing => ("missing", None),
                SavedGamesCheck::Shared(mode) => ("open", Some(format!("{mode:o}"))),
                SavedGamesCheck::Inaccessible(detail) => ("closed", Some(detail.to_string())),
            };
            JsonPath {
                path: path.display().to_string(),
                status,
                line: None,
                detail,
            }
        }),
        server: report.server.as_ref().map(|(url, ping)| {
            let pong = ping.as_ref().ok();
            JsonServer {
                url: url.to_string(),
                software: pong.map(|round| round.software.as_str()),
                version: pong.map(|round| round.version),
                lag_ms: pong.map(|round| round.lag_ms),
                disconnect: ping.as_ref().err().map(JsonDisconnect::from_close),
            }
        }),
    })
}
