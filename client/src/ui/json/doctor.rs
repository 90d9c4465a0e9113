//! The report of `noughts doctor` in JSON.

use std::path::Path;

use serde::Serialize;

use super::VERSION;
use crate::connection::TerminationReason;
use crate::connection::server_url::ServerUrl;
use crate::facts::doctor::{ColorCheck, DoctorReport, GlyphCheck, SavedGamesCheck, ServerPing};
use crate::settings::file::SettingsFileError;

#[derive(Debug, Serialize)]
struct JsonDoctorReport<'a> {
    noughts: u32,
    event: &'static str,
    ok: bool,
    /// Columns and rows; null unless stdin and stdout are a terminal.
    size: Option<(u16, u16)>,
    term: Option<&'a str>,
    colors: ColorCheck,
    grid: GlyphCheck,
    lang: String,
    lang_from: &'a str,
    settings: Option<JsonPath<SettingsCheck<'a>>>,
    state: Option<JsonPath<&'a SavedGamesCheck>>,
    server: Option<JsonServer<'a>>,
}

/// A file or folder, and its state.
#[derive(Debug, Serialize)]
struct JsonPath<T: Serialize> {
    path: String,
    #[serde(flatten)]
    state: T,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum SettingsCheck<'a> {
    Ok { is: &'static str },
    Error(&'a SettingsFileError),
}

#[derive(Debug, Serialize)]
struct JsonServer<'a> {
    url: &'a ServerUrl,
    #[serde(flatten)]
    ping: Option<&'a ServerPing>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<&'a TerminationReason>,
}

/// Returns the line for a report.
pub(crate) fn doctor(report: &DoctorReport) -> String {
    let text = |path: &Path| path.display().to_string();
    super::to_line(&JsonDoctorReport {
        noughts: VERSION,
        event: "doctor",
        ok: report.is_healthy(),
        size: report.terminal.map(|terminal| terminal.size),
        term: report.term.as_deref(),
        colors: report.colors,
        grid: report.glyphs,
        lang: report.lang.to_string(),
        lang_from: &report.lang_origin,
        settings: report.settings.as_ref().map(|(path, error)| JsonPath {
            path: text(path),
            state: match error {
                None => SettingsCheck::Ok { is: "ok" },
                Some(error) => SettingsCheck::Error(error),
            },
        }),
        state: report.saved_games.as_ref().map(|(path, state)| JsonPath {
            path: text(path),
            state,
        }),
        server: report.server.as_ref().map(|(url, ping)| JsonServer {
            url,
            ping: ping.as_ref().ok(),
            failed: ping.as_ref().err(),
        }),
    })
}
