//! Probes the width of box-drawing characters once, with a cursor position report. Terminals that are set up for Chinese
//! draw them in two columns, which would break every board. The report arrives among the keys.
//!
//! The cursor query of crossterm is not used: it holds all keys back until the report arrives.

use std::io;
use std::time::Duration;

use crossterm::{cursor, execute, style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, read};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::input::Key;

/// Delay of the first frame for the report.
const QUICK_REPLY_TIMEOUT: Duration = Duration::from_millis(100);
/// Timeout for the report. Resize events are not read until then.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Bytes of the shortest report, `CSI 1 ; 2 R`. All but a few rare keys send fewer.
const MIN_REPLY_BYTES: u64 = 6;
/// Maximum number of bytes that are read with the report; the rest is left to the input stream.
const MAX_REPLY_BYTES: usize = 256;

/// A probe in progress. No other code may read input while it exists.
#[derive(Debug)]
pub(crate) struct GlyphWidthProbe(());

/// Result of a probe.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProbeReply {
    /// Whether a box-drawing character takes one column; `None` without a report.
    pub narrow: Option<bool>,
    /// Keys that arrived with the report.
    pub keys: Vec<Key>,
}

impl GlyphWidthProbe {
    /// Sends the query. The terminal must be acquired.
    ///
    /// # Errors
    /// Returns an error of the system.
    pub(crate) fn start() -> io::Result<GlyphWidthProbe> {
        execute!(io::stdout(), cursor::MoveTo(0, 0), style::Print('\u{2500}'), style::Print("\u{1b}[6n"))?;
        Ok(GlyphWidthProbe(()))
    }

    /// Returns the result if the report arrives at once, as from most terminals.
    pub(crate) async fn wait_briefly(&self) -> Option<ProbeReply> {
        let deadline = Instant::now() + QUICK_REPLY_TIMEOUT;
        let mut bytes = wait_readable(QUICK_REPLY_TIMEOUT).await?;
        if bytes < MIN_REPLY_BYTES {
            // Keys that were pressed before the first frame may precede the report.
            sleep_until(deadline).await;
            bytes = ioctl_fionread(io::stdin()).ok()?;
        }
        if bytes < MIN_REPLY_BYTES { None } else { read_reply() }
    }

    /// Waits for the report until the limit, but not longer than until the first key, which must not wait.
    pub(crate) async fn wait(self) -> Option<ProbeReply> {
        if wait_readable(REPLY_TIMEOUT).await? < MIN_REPLY_BYTES { None } else { read_reply() }
    }
}

/// Waits until input is available, and returns its length; `None` after this time.
async fn wait_readable(limit: Duration) -> Option<u64> {
    let readable = spawn_blocking(move || {
        let stdin = io::stdin();
        let limit = Timespec::try_from(limit).ok();
        loop {
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref()) {
                Ok(0) => return None,
                Ok(_) => return ioctl_fionread(&stdin).ok(),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    });
    readable.await.ok()?
}

/// Reads the available input.
fn read_reply() -> Option<ProbeReply> {
    let mut bytes = [0; MAX_REPLY_BYTES];
    let count = read(io::stdin(), &mut bytes).ok()?;
    Some(parse_reply(&String::from_utf8_lossy(&bytes[..count])))
}

/// Parses the report and the plain keys around it. Other input, such as a paste, is rare at the start and is
/// dropped.
fn parse_reply(text: &str) -> ProbeReply {
    let mut reply = ProbeReply::default();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        let Some(sequence) = rest.strip_prefix('[').filter(|_| letter == '\u{1b}') else {
            reply.keys.extend(parse_key(letter));
            continue;
        };
        let end = sequence.find(|letter: char| matches!(letter, '\u{40}'..='\u{7e}'));
        let (params, terminator) = sequence.split_at(end.unwrap_or(sequence.len()));
        rest = terminator.get(1..).unwrap_or_default();
        match terminator.chars().next() {
            // After a character of one column, the cursor is in column 2.
            Some('R') => reply.narrow = params.split_once(';').map(|(_, column)| column == "2"),
            Some('A') => reply.keys.push(Key::Up),
            Some('B') => reply.keys.push(Key::Down),
            Some('C') => reply.keys.push(Key::Right),
            Some('D') => reply.keys.push(Key::Left),
            Some('~') if params == "200" => rest = "",
            Some(_) | None => {}
        }
    }
    reply
}

fn parse_key(letter: char) -> Option<Key> {
    match letter {
        '\r' | '\n' => Some(Key::Enter),
        '\t' => Some(Key::Tab),
        '\u{1b}' => Some(Key::Esc),
        '\u{7f}' => Some(Key::Backspace),
        '\u{1}'..='\u{1a}' => char::from_u32(u32::from(letter) + 0x60).map(Key::Ctrl),
        letter if letter.is_control() || letter == char::REPLACEMENT_CHARACTER => None,
        letter => Some(Key::Char(letter)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reply_is_found_between_keys() {
        for (text, narrow, keys) in [
            ("\u{1b}[1;2R", Some(true), vec![]),
            ("\u{1b}[1;3R", Some(false), vec![]),
            ("5\r\u{1b}[1;2Rй", Some(true), vec![Key::Char('5'), Key::Enter, Key::Char('й')]),
            ("\u{1b}[A\u{1b}[B\u{3}", None, vec![Key::Up, Key::Down, Key::Ctrl('c')]),
            ("\u{1b}", None, vec![Key::Esc]),
            ("\u{1b}[200~q\u{1b}[201~", None, vec![]),
            ("\u{1b}[<0;3;3M\u{1b}[I", None, vec![]),
            ("\u{1b}[1;", None, vec![]),
        ] {
            assert_eq!(parse_reply(text), ProbeReply { narrow, keys }, "{text:?}");
        }
    }
}
