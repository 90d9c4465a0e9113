//! `noughts doctor`: looks at everything that a game needs, and says what is wrong. Nothing is changed.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use noughts_protocol::wire::{self, Body, CloseCode, Hello, Lobby, Message};
use noughts_protocol::{Kind, Name};
use tokio::time::Instant;

use super::commands::{colors, grid, print};
use super::config::Chosen;
use crate::checkup::{Checkup, Folder, Grid, Round, Terminal};
use crate::cli::Ui;
use crate::connection::{Ended, Link, News, Offline, Options, Retry};
use crate::lang;
use crate::model::{Exit, Settings};
use crate::preferences::Setting;
use crate::server_url::ServerUrl;
use crate::terminal::{self, Guard, Width};
use crate::ui;
use crate::words::{Cannot, Words};

/// How long a server may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// Looks at everything and tells it. The program fails when something is wrong.
pub(super) async fn doctor(
    server: Option<ServerUrl>,
    chosen: &Chosen,
    settings: &Settings,
    state: Option<PathBuf>,
    words: Words,
) -> anyhow::Result<Exit> {
    let view = &chosen.cli.view;
    let server = match server {
        Some(url) => Some((url.clone(), round_trip(url, settings.name.clone()).await)),
        None => None,
    };
    let checkup = Checkup {
        terminal: terminal::is_terminal()
            .then(|| Terminal { size: crossterm::terminal::size().unwrap_or_default(), needed: ui::MIN }),
        term: std::env::var("TERM").ok(),
        colors: colors(view),
        grid: match grid(view.glyphs) {
            Some(grid) => grid,
            None => ask_width(words).await?,
        },
        lang: words.lang(),
        lang_from: lang_from(chosen),
        settings: chosen.path.clone().map(|path| (path, chosen.mistake.clone())),
        state: state.map(|path| (path.clone(), folder(&path))),
        server,
    };
    let text = match view.ui {
        Ui::Json => format!("{}\n", ui::json::checkup(&checkup)),
        Ui::Auto | Ui::Full | Ui::Line => words.checkup(&checkup),
    };
    let printed = print(text.as_bytes())?;
    if printed != Exit::Done {
        return Ok(printed);
    }
    Ok(if checkup.is_well() { Exit::Done } else { Exit::Failed })
}

/// Asks the terminal how wide it draws a line.
async fn ask_width(words: Words) -> anyhow::Result<Grid> {
    let guard = Guard::take().context(words.cannot(Cannot::Terminal))?;
    let narrow =
        Width::ask().context(words.cannot(Cannot::Terminal))?.late().await.and_then(|heard| heard.narrow);
    drop(guard);
    Ok(match narrow {
        Some(true) => Grid::Lines,
        Some(false) => Grid::Wide,
        None => Grid::Silent,
    })
}

/// Where the language comes from.
fn lang_from(chosen: &Chosen) -> String {
    if let Some(origin) = chosen.origin(Setting::Lang) {
        return origin;
    }
    let set = |name: &&&str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].iter().find(set);
    locale.map_or_else(|| lang::VARIABLE.to_owned(), |name| (*name).to_owned())
}

/// The folder of games to continue. It is made private when it is made; it may have been opened since.
fn folder(path: &Path) -> Folder {
    match fs::metadata(path) {
        Ok(found) => {
            let mode = found.permissions().mode() & 0o777;
            let readable = fs::read_dir(path).map(drop);
            match readable {
                Err(error) => Folder::Closed(error.into()),
                Ok(()) if mode & 0o077 != 0 => Folder::Open(mode),
                Ok(()) if mode & 0o200 == 0 => {
                    Folder::Closed(io::Error::from(io::ErrorKind::PermissionDenied).into())
                }
                Ok(()) => Folder::Private,
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Folder::Missing,
        Err(error) => Folder::Closed(error.into()),
    }
}

/// Goes to a server, asks for its list, and takes the time.
async fn round_trip(url: ServerUrl, name: Name) -> Result<Round, Ended> {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name,
        kind: Kind::Human,
        client: Some(concat!("noughts ", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
    };
    let mut link = Link::open(Options { url, hello, retry: Retry::Never });
    let round = tokio::time::timeout(ANSWER, ask(&mut link)).await;
    link.close().await;
    round.unwrap_or(Err(Ended::CannotConnect(Offline::Timeout)))
}

async fn ask(link: &mut Link) -> Result<Round, Ended> {
    let mut asked = None;
    while let Some(news) = link.next().await {
        match news {
            News::Online { welcome } => {
                link.send(Body::Lobby(Lobby::List)).map_err(|_| Ended::Closed)?;
                asked = Some((welcome, Instant::now()));
            }
            News::Message(Message::Rooms { .. }) => {
                let Some((welcome, at)) = asked else { continue };
                let lag_ms = u64::try_from(at.elapsed().as_millis()).unwrap_or(u64::MAX);
                return Ok(Round { software: welcome.server, version: welcome.version, lag_ms });
            }
            News::Ended(ended) => return Err(ended),
            News::Connecting { .. } | News::Offline { .. } | News::Lost(_) | News::Message(_) => {}
        }
    }
    Err(Ended::Final(CloseCode::Normal))
}
