//! `noughts doctor`: checks everything that a game needs, and changes nothing.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use noughts_protocol::wire::{CloseCode, FeatureSet, Message, RequestBody, SessionRequest};
use noughts_protocol::{Name, PlayerKind};
use tokio::time::Instant;

use super::output::print;
use super::output::{check_colors, check_glyphs};
use crate::connection::server_url::ServerUrl;
use crate::connection::{
    ConnectionEvent, ConnectionHandle, ConnectionOptions, DisconnectReason, RetryPolicy,
    TerminationReason,
};
use crate::facts::Exit;
use crate::facts::doctor::{DoctorReport, GlyphCheck, SavedGamesCheck, ServerPing, TerminalCheck};
use crate::i18n::Texts;
use crate::io::terminal::{self, TerminalGuard, TerminalProbe};
use crate::model::layout::MIN_SIZE;
use crate::settings::effective::EffectiveSettings;
use crate::settings::{Setting, Settings, Ui};
use crate::ui;

/// Timeout for the server's response.
const REPLY_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs all checks and prints the report. The exit status is [`Exit::Failed`] if a check fails.
pub(super) async fn run(
    server: Option<ServerUrl>,
    effective: &EffectiveSettings,
    settings: &Settings,
    state_dir: Option<PathBuf>,
    texts: Texts,
) -> anyhow::Result<Exit> {
    let server = match server {
        Some(url) => Some((url.clone(), ping_server(url, settings.name.clone()).await)),
        None => None,
    };
    let report = DoctorReport {
        terminal: terminal::is_terminal().then(|| TerminalCheck {
            size: crossterm::terminal::size().unwrap_or_default(),
            min_size: MIN_SIZE,
        }),
        term: std::env::var("TERM").ok(),
        colors: check_colors(),
        glyphs: match check_glyphs(settings.glyphs) {
            Some(glyph_check) => glyph_check,
            None => probe_glyph_width(texts).await?,
        },
        lang: texts.lang(),
        lang_origin: lang_origin(effective),
        settings: effective
            .path
            .clone()
            .map(|path| (path, effective.settings_error.clone())),
        saved_games: state_dir.map(|dir| (dir.clone(), check_saved_games(&dir))),
        server,
    };
    let text = match settings.ui {
        Ui::Json => format!("{}\n", ui::json::doctor(&report)),
        Ui::Auto | Ui::Full | Ui::Line => texts.doctor_report(&report),
    };
    let printed = print(text.as_bytes())?;
    if printed != Exit::Done {
        return Ok(printed);
    }
    Ok(if report.is_healthy() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// Probes the width of box-drawing characters on the terminal.
async fn probe_glyph_width(texts: Texts) -> anyhow::Result<GlyphCheck> {
    let guard = TerminalGuard::acquire().context(texts.cannot_acquire_terminal())?;
    let narrow = TerminalProbe::start(true, false)
        .context(texts.cannot_acquire_terminal())?
        .wait()
        .await
        .narrow;
    drop(guard);
    Ok(match narrow {
        Some(true) => GlyphCheck::Lines,
        Some(false) => GlyphCheck::Wide,
        None => GlyphCheck::Silent,
    })
}

/// Returns where the language comes from: a flag, a variable or the settings file.
fn lang_origin(effective: &EffectiveSettings) -> String {
    if let Some(origin) = effective.origin(Setting::Lang) {
        return origin.to_owned();
    }
    let is_set = |name: &&&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find(is_set);
    locale.map_or_else(
        || Setting::Lang.entry().variable.to_owned(),
        |name| (*name).to_owned(),
    )
}

/// Checks the folder of the resumable games. The program creates it with private permissions, which may have been
/// changed since.
fn check_saved_games(path: &Path) -> SavedGamesCheck {
    match fs::metadata(path) {
        Ok(metadata) => {
            let mode = metadata.permissions().mode() & 0o777;
            let listing = fs::read_dir(path).map(drop);
            match listing {
                Err(error) => SavedGamesCheck::Closed(error.into()),
                Ok(()) if mode & 0o077 != 0 => SavedGamesCheck::Open(mode),
                Ok(()) if mode & 0o200 == 0 => {
                    SavedGamesCheck::Closed(io::Error::from(io::ErrorKind::PermissionDenied).into())
                }
                Ok(()) => SavedGamesCheck::Private,
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => SavedGamesCheck::Missing,
        Err(error) => SavedGamesCheck::Closed(error.into()),
    }
}

/// Connects to a server, requests its room list, and measures the response time.
async fn ping_server(url: ServerUrl, name: Name) -> Result<ServerPing, TerminationReason> {
    let options = ConnectionOptions::for_player(
        url,
        (name, None),
        PlayerKind::Person,
        RetryPolicy::Never,
        FeatureSet::default(),
    );
    let mut connection = ConnectionHandle::open(options);
    let result = tokio::time::timeout(REPLY_TIMEOUT, await_room_list(&mut connection)).await;
    connection.close().await;
    result.unwrap_or(Err(TerminationReason::CannotConnect(
        DisconnectReason::Timeout,
    )))
}

async fn await_room_list(
    connection: &mut ConnectionHandle,
) -> Result<ServerPing, TerminationReason> {
    let mut request = None;
    while let Some(event) = connection.next().await {
        match event {
            ConnectionEvent::Connected { welcome } => {
                connection
                    .send(RequestBody::Session(SessionRequest::List))
                    .map_err(|_| TerminationReason::Closed)?;
                request = Some((welcome, Instant::now()));
            }
            ConnectionEvent::Message(Message::Rooms { .. }) => {
                let Some((welcome, at)) = request else {
                    continue;
                };
                let lag_ms = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Ok(ServerPing {
                    software: welcome.server,
                    version: welcome.version,
                    lag_ms,
                });
            }
            ConnectionEvent::Terminated(reason) => return Err(reason),
            ConnectionEvent::Connecting { .. }
            | ConnectionEvent::Disconnected { .. }
            | ConnectionEvent::RequestLost(_)
            | ConnectionEvent::Message(_) => {}
        }
    }
    Err(TerminationReason::Final(CloseCode::Normal))
}
