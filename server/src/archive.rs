//! What an operator does with the data from the command line, also beside a running server.

use std::io::Write;
use std::path::Path;

use noughts_protocol::{Rules, Seat};
use serde::Serialize;

use crate::config::{Command, Games};
use crate::log::sqlite::{Archive, Kept};

/// Games read in one go.
const PAGE: u32 = 500;

/// Does it, and writes what there is to say.
///
/// # Errors
/// When the data cannot be read, or the output not written.
pub fn run(command: &Command, directory: &Path, out: &mut impl Write) -> anyhow::Result<()> {
    let archive = Archive::open(directory)?;
    match command {
        Command::Games(Games::List { limit }) => {
            for kept in archive.newest(*limit)? {
                writeln!(out, "{}", line(&kept))?;
            }
        }
        Command::Games(Games::Show { game }) => match archive.game(*game)? {
            Some(kept) => write!(out, "{}", kept.record)?,
            None => anyhow::bail!("there is no game {game}"),
        },
        Command::Games(Games::Export) => {
            // A number that was damaged is named, not passed over.
            let mut after = i64::MIN;
            loop {
                let page = archive.after(after, PAGE)?;
                let Some(last) = page.last() else { break };
                after = last.id;
                for kept in &page {
                    writeln!(out, "{}", serde_json::to_string(&Exported::from(kept))?)?;
                }
            }
        }
        Command::Backup { file } => archive.back_up(file)?,
    }
    Ok(())
}

fn line(kept: &Kept) -> String {
    let [x, o] = &kept.record.players;
    let ended = std::time::UNIX_EPOCH + std::time::Duration::from_millis(kept.ended);
    let result = kept.record.outcome.as_ref().map(ToString::to_string).unwrap_or_default();
    let (id, rules) = (kept.id, kept.record.rules);
    format!("{id}  {}  {rules}  {x} (X) – {o} (O)  {result}", humantime::format_rfc3339_seconds(ended))
}

/// A game as a line of JSON.
#[derive(Serialize)]
struct Exported<'a> {
    game: i64,
    room: noughts_protocol::RoomId,
    number: u32,
    ended: u64,
    rules: Rules,
    #[serde(skip_serializing_if = "Option::is_none")]
    clock: Option<noughts_protocol::TimeControl>,
    players: &'a [String; 2],
    moves: &'a [noughts_protocol::Cell],
    #[serde(skip_serializing_if = "Option::is_none")]
    winner: Option<Seat>,
    outcome: &'a Option<noughts_protocol::Outcome>,
}

impl<'a> From<&'a Kept> for Exported<'a> {
    fn from(kept: &'a Kept) -> Exported<'a> {
        let record = &kept.record;
        Exported {
            game: kept.id,
            room: kept.room,
            number: kept.number,
            ended: kept.ended,
            rules: record.rules,
            clock: record.control,
            players: &record.players,
            moves: &record.moves,
            winner: record.outcome.as_ref().and_then(|outcome| outcome.winner()),
            outcome: &record.outcome,
        }
    }
}
