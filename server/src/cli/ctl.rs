//! The subcommand `ctl`: sends a request to the socket of the server of a data directory, and prints the response.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use crate::config::{CtlArgs, CtlVerb};
use crate::operator::requests::OperatorEnd;
use crate::operator::socket::{EXECUTION_TIMEOUT, socket_path};

/// Time limit of each write and read, beyond the time of the request itself.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(10);

/// Sends a request, and prints the response.
///
/// # Errors
/// If no server uses the directory, or the server does not carry the request out.
pub(super) fn run(
    args: &CtlArgs,
    directory: &Path,
    out: &mut impl Write,
) -> anyhow::Result<ExitCode> {
    let path = socket_path(directory);
    let mut stream = UnixStream::connect(&path).with_context(|| {
        format!(
            "cannot open {}: is a server running with this --data, as this user?",
            path.display()
        )
    })?;
    stream.set_write_timeout(Some(TRANSFER_TIMEOUT))?;
    stream.set_read_timeout(Some(EXECUTION_TIMEOUT + TRANSFER_TIMEOUT))?;
    let request = serde_json::to_string(&args.verb.request())?;
    // A busy server responds before it reads the request.
    let sent = stream.write_all(format!("{request}\n").as_bytes());
    let mut rows = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.context("no response from the server")?;
        let end = serde_json::from_str::<OperatorEnd>(&line).ok();
        if args.json {
            writeln!(out, "{line}")?;
        }
        match end {
            None if args.json => {}
            None => {
                let row = serde_json::from_str(&line).context("a row of another version")?;
                write_row(&row, rows > 0, out)?;
                rows += 1;
            }
            Some(OperatorEnd::Done(_)) if args.json => return Ok(ExitCode::SUCCESS),
            Some(OperatorEnd::Done(count)) => {
                if let Some(summary) = summary(&args.verb, count) {
                    writeln!(out, "{summary}")?;
                }
                return Ok(ExitCode::SUCCESS);
            }
            Some(OperatorEnd::Failed(_)) if args.json => return Ok(ExitCode::FAILURE),
            Some(OperatorEnd::Failed(error)) => bail!(error),
        }
    }
    sent.context("cannot send the request")?;
    bail!("the server ended before its response");
}

/// Writes a row as `name: value` lines. A blank line separates rows.
fn write_row(row: &Map<String, Value>, is_next: bool, out: &mut impl Write) -> std::io::Result<()> {
    if is_next {
        writeln!(out)?;
    }
    for (name, value) in row {
        let value = match name.as_str() {
            "since" | "until" => shown_time(value),
            "uptime_ms" => shown_duration(value),
            _ => shown(value),
        };
        writeln!(out, "{}: {value}", name.trim_end_matches("_ms"))?;
    }
    Ok(())
}

/// A time of the server, as text.
fn shown_time(value: &Value) -> String {
    let time = value
        .as_u64()
        .and_then(|at| std::time::UNIX_EPOCH.checked_add(Duration::from_millis(at)));
    // The formatter refuses years beyond 9999.
    let is_shown = value.as_u64().is_some_and(|at| at < 250_000_000_000_000);
    match time.filter(|_| is_shown) {
        Some(time) => humantime::format_rfc3339_seconds(time).to_string(),
        None => shown(value),
    }
}

fn shown_duration(value: &Value) -> String {
    let seconds = value.as_u64().unwrap_or_default() / 1000;
    humantime::format_duration(Duration::from_secs(seconds)).to_string()
}

/// A value without the quotes of JSON. A player is the name, with the identity and the mark of a bot.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(player) => {
            let identity = player.get("identity").map(|id| format!(" {}", shown(id)));
            let is_bot = player.get("kind").is_some_and(|kind| kind == "bot");
            let name = player.get("name").map(shown).unwrap_or_default();
            let mark = if is_bot { " (bot)" } else { "" };
            format!("{name}{}{mark}", identity.unwrap_or_default())
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Says what the request has done. A report needs no more words.
fn summary(verb: &CtlVerb, count: u64) -> Option<String> {
    Some(match verb {
        CtlVerb::Status | CtlVerb::Room { .. } => return None,
        CtlVerb::Rooms { .. } => format!("({count} rooms)"),
        CtlVerb::Bans => format!("({count} bans)"),
        CtlVerb::Close { room, .. } => format!("room {room} closed"),
        CtlVerb::Kick { connection } => format!("connection {connection} ended"),
        CtlVerb::Ban { target, .. } => format!("{target} banned, {count} connections ended"),
        CtlVerb::Unban { target } => format!("ban of {target} lifted"),
        CtlVerb::Announce { .. } => format!("sent to {count} clients"),
        CtlVerb::Drain { end: false } => format!("no new games; {count} games continue"),
        CtlVerb::Drain { end: true } => "new games are possible again".to_owned(),
    })
}
