//! How wide the terminal draws a line character. Where it takes two columns, in terminals set up for Chinese,
//! every board would break: so it is asked, once. The answer comes between the keys.
//!
//! The library would ask for itself, and keep all keys back until an answer has come.

use std::io;
use std::time::Duration;

use crossterm::{cursor, execute, style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, read};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::input::Key;

/// How long the first picture waits for the answer.
const QUICK_REPLY_TIMEOUT: Duration = Duration::from_millis(100);
/// How long the answer may take in all. Until then nobody hears that the window has another size.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// The bytes of the shortest answer, `CSI 1 ; 2 R`. A key that is pressed has fewer, but for some rare ones.
const MIN_REPLY_BYTES: u64 = 6;
/// The most bytes that are read with the answer; what comes after them is for whoever listens next.
const MAX_REPLY_BYTES: usize = 256;

/// A terminal that was asked. As long as this is there, nobody else may listen for keys.
#[derive(Debug)]
pub struct GlyphWidthProbe(());

/// What has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ProbeReply {
    /// Whether a line takes one column, if that was it.
    pub narrow: Option<bool>,
    /// Keys that were pressed beside it.
    pub keys: Vec<Key>,
}

impl GlyphWidthProbe {
    /// Asks the terminal, which must have been taken.
    ///
    /// # Errors
    /// What the system says.
    pub fn start() -> io::Result<GlyphWidthProbe> {
        execute!(io::stdout(), cursor::MoveTo(0, 0), style::Print('\u{2500}'), style::Print("\u{1b}[6n"))?;
        Ok(GlyphWidthProbe(()))
    }

    /// What the terminal answers, if it does so at once, as most do.
    pub async fn wait_briefly(&self) -> Option<ProbeReply> {
        let deadline = Instant::now() + QUICK_REPLY_TIMEOUT;
        let mut bytes = wait_readable(QUICK_REPLY_TIMEOUT).await?;
        if bytes < MIN_REPLY_BYTES {
            // Keys were pressed before there was a screen, and are not in the way of the answer.
            sleep_until(deadline).await;
            bytes = ioctl_fionread(io::stdin()).ok()?;
        }
        if bytes < MIN_REPLY_BYTES { None } else { read_reply() }
    }

    /// The same, if it answers at all, and before somebody presses a key: that is not to wait.
    pub async fn wait(self) -> Option<ProbeReply> {
        if wait_readable(REPLY_TIMEOUT).await? < MIN_REPLY_BYTES { None } else { read_reply() }
    }
}

/// Waits until there is something to read, and tells how many bytes; none when nothing comes in this time.
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

/// Reads what is there.
fn read_reply() -> Option<ProbeReply> {
    let mut bytes = [0; MAX_REPLY_BYTES];
    let count = read(io::stdin(), &mut bytes).ok()?;
    Some(parse_reply(&String::from_utf8_lossy(&bytes[..count])))
}

/// The answer, and plain keys around it. What else there may be, such as a paste, is too rare within these moments
/// to be understood, and is passed over.
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
            // Behind a line of one column is the second.
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
