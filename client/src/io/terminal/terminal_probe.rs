//! Probes the terminal once for the width of box-drawing characters (with a cursor position report) and the background
//! colour (OSC 11). Terminals that are set up for Chinese draw these characters two columns wide, which would break
//! every board. The replies arrive among the keys.
//!
//! A terminal that does not know the colour query ignores it. The position report, which nearly all terminals send,
//! ends the wait. Crossterm's cursor query is not used, because it holds back all keys until the report arrives.

use std::io;
use std::time::Duration;

use crossterm::{cursor, execute, style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread, read};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

use crate::input::Key;

/// Maximum delay of the first frame while replies may arrive.
const QUICK_REPLY_TIMEOUT: Duration = Duration::from_millis(100);
/// Timeout for the replies. Resize events are not read until then.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Length of the shortest reply, `CSI 1 ; 2 R`. Almost all keys send fewer bytes.
const MIN_REPLY_BYTES: u64 = 6;
/// Maximum number of bytes that are read with the replies. The input stream reads the rest.
const MAX_REPLY_BYTES: usize = 256;
/// Query for the background colour.
const BACKGROUND_QUERY: &str = "\u{1b}]11;?\u{1b}\\";
/// Start of the reply with the background colour, after the escape character.
pub(super) const BACKGROUND_REPLY: &str = "]11;rgb:";

/// A probe in progress. No other code may read input while it exists.
#[derive(Debug)]
pub(crate) struct TerminalProbe {
    received: String,
    asks_width: bool,
    asks_background: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ProbeReply {
    /// Whether a box-drawing character takes one column; `None` without a report.
    pub narrow: Option<bool>,
    /// Whether the background is light; `None` without a reply.
    pub has_light_background: Option<bool>,
    /// Keys that arrived with the replies.
    pub keys: Vec<Key>,
    /// The part of the background reply that has arrived, if the rest may still be on its way; empty before the reply
    /// starts.
    pub late_background: Option<String>,
}

impl TerminalProbe {
    /// Sends the queries. The terminal must be acquired.
    ///
    /// # Errors
    /// Returns an error if the system fails.
    pub(crate) fn start(asks_width: bool, asks_background: bool) -> io::Result<TerminalProbe> {
        if asks_background {
            execute!(io::stdout(), style::Print(BACKGROUND_QUERY))?;
        }
        if asks_width {
            execute!(io::stdout(), cursor::MoveTo(0, 0), style::Print('\u{2500}'))?;
        }
        execute!(io::stdout(), style::Print("\u{1b}[6n"))?;
        Ok(TerminalProbe {
            received: String::new(),
            asks_width,
            asks_background,
        })
    }

    /// Returns the result if the replies arrive immediately, as most terminals' replies do.
    pub(crate) async fn wait_briefly(&mut self) -> Option<ProbeReply> {
        let deadline = Instant::now() + QUICK_REPLY_TIMEOUT;
        loop {
            let mut bytes =
                wait_readable(deadline.saturating_duration_since(Instant::now())).await?;
            if bytes < MIN_REPLY_BYTES && self.received.is_empty() {
                // Keys that were pressed before the first frame may precede the replies.
                sleep_until(deadline).await;
                bytes = ioctl_fionread(io::stdin()).ok()?;
                if bytes < MIN_REPLY_BYTES {
                    return None;
                }
            }
            self.read()?;
            if has_position_report(&self.received) {
                return Some(self.reply());
            }
        }
    }

    /// Waits for the replies until the timeout or the first key, because a key must not wait.
    pub(crate) async fn wait(mut self) -> ProbeReply {
        let deadline = Instant::now() + REPLY_TIMEOUT;
        while !has_position_report(&self.received) {
            let left = deadline.saturating_duration_since(Instant::now());
            match wait_readable(left).await {
                Some(bytes) if bytes >= MIN_REPLY_BYTES || is_cut(&self.received) => {}
                Some(_) | None => break,
            }
            if self.read().is_none() {
                break;
            }
        }
        self.reply()
    }

    fn reply(&self) -> ProbeReply {
        let reply = parse_reply(&self.received);
        let late_background = reply.late_background.filter(|_| self.asks_background);
        ProbeReply {
            narrow: reply.narrow.filter(|_| self.asks_width),
            late_background,
            ..reply
        }
    }

    /// Reads the available input. Returns `None` at the size limit, at the end of the input, or on an error.
    fn read(&mut self) -> Option<()> {
        let mut bytes = [0; MAX_REPLY_BYTES];
        let room = MAX_REPLY_BYTES
            .checked_sub(self.received.len())
            .filter(|&room| room > 0)?;
        let count = read(io::stdin(), &mut bytes[..room])
            .ok()
            .filter(|&count| count > 0)?;
        self.received
            .push_str(&String::from_utf8_lossy(&bytes[..count]));
        Some(())
    }
}

/// Returns whether the input contains a cursor position report.
fn has_position_report(text: &str) -> bool {
    text.split('\u{1b}').skip(1).any(|part| {
        let params = part
            .strip_prefix('[')
            .and_then(|rest| rest.split_once('R'))
            .map(|(params, _)| params);
        params.is_some_and(|params| {
            params
                .chars()
                .all(|letter| letter.is_ascii_digit() || letter == ';')
        })
    })
}

/// Returns whether the input ends in the middle of a reply.
fn is_cut(text: &str) -> bool {
    let Some((_, last)) = text.rsplit_once('\u{1b}') else {
        return false;
    };
    match last.strip_prefix('[') {
        Some(params) => !params.contains(|letter: char| matches!(letter, '\u{40}'..='\u{7e}')),
        None => last.is_empty() || (last.starts_with(']') && !last.contains('\u{7}')),
    }
}

/// Waits until input is available, and returns its length; `None` after the time limit.
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

/// Parses the replies and the plain keys around them. Other input, such as a paste, is rare at the start and is
/// dropped.
fn parse_reply(text: &str) -> ProbeReply {
    let mut reply = ProbeReply {
        late_background: Some(String::new()),
        ..ProbeReply::default()
    };
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter == '\u{1b}' && rest.starts_with(']') {
            let end = rest.find(['\u{7}', '\u{1b}']).unwrap_or(rest.len());
            let (command, after) = rest.split_at(end);
            reply.has_light_background = command
                .strip_prefix(BACKGROUND_REPLY)
                .and_then(parse_light_color);
            let is_complete = !matches!(after, "" | "\u{1b}");
            reply.late_background = (!is_complete).then(|| format!("\u{1b}{rest}"));
            let after = after
                .strip_prefix("\u{1b}\\")
                .or_else(|| after.strip_prefix('\u{7}'))
                .unwrap_or(after);
            rest = if is_complete { after } else { "" };
            continue;
        }
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

/// Returns whether a colour such as `ffff/ffff/ffff` is light; `None` for another text.
pub(super) fn parse_light_color(text: &str) -> Option<bool> {
    let mut parts = text.split('/').map(|part| {
        let limit = 16_u32
            .checked_pow(part.len().try_into().ok()?)?
            .checked_sub(1)
            .filter(|&limit| limit > 0)?;
        Some(u32::from_str_radix(part, 16).ok()? * 1000 / limit)
    });
    let (red, green, blue) = (parts.next()??, parts.next()??, parts.next()??);
    // Perceived brightness in thousandths.
    Some(299 * red + 587 * green + 114 * blue > 500_000)
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
            (
                "5\r\u{1b}[1;2Rй",
                Some(true),
                vec![Key::Char('5'), Key::Enter, Key::Char('й')],
            ),
            (
                "\u{1b}[A\u{1b}[B\u{3}",
                None,
                vec![Key::Up, Key::Down, Key::Ctrl('c')],
            ),
            ("\u{1b}", None, vec![Key::Esc]),
            ("\u{1b}[200~q\u{1b}[201~", None, vec![]),
            ("\u{1b}[<0;3;3M\u{1b}[I", None, vec![]),
            ("\u{1b}[1;", None, vec![]),
        ] {
            let late_background = Some(String::new());
            let expected = ProbeReply {
                narrow,
                has_light_background: None,
                keys,
                late_background,
            };
            assert_eq!(parse_reply(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_background_is_light_or_dark() {
        for (text, light, narrow, keys) in [
            (
                "\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\\u{1b}[1;2R",
                Some(true),
                Some(true),
                vec![],
            ),
            (
                "\u{1b}]11;rgb:0000/2b2b/3636\u{7}\u{1b}[1;2R",
                Some(false),
                Some(true),
                vec![],
            ),
            (
                "x\u{1b}]11;rgb:fd/f6/e3\u{7}y\u{1b}[1;3R",
                Some(true),
                Some(false),
                vec![Key::Char('x'), Key::Char('y')],
            ),
            ("\u{1b}]11;rgb:fd/f6\u{7}", None, None, vec![]),
        ] {
            let expected = ProbeReply {
                narrow,
                has_light_background: light,
                keys,
                late_background: None,
            };
            assert_eq!(parse_reply(text), expected, "{text:?}");
        }
        for cut in ["\u{1b}]11;rgb:fd", "\u{1b}]11;rgb:fd/f6/e3\u{1b}"] {
            assert_eq!(parse_reply(cut).late_background.as_deref(), Some(cut));
        }
    }

    #[test]
    fn a_reply_that_arrives_in_parts_is_recognized() {
        for (text, is_complete, cut) in [
            ("", false, false),
            ("\u{1b}", false, true),
            ("\u{1b}]11;rgb:ffff/ff", false, true),
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}", false, true),
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}", false, false),
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}\u{1b}[1;", false, true),
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{7}\u{1b}[1;2R", true, false),
            ("qR", false, false),
        ] {
            assert_eq!(
                (has_position_report(text), is_cut(text)),
                (is_complete, cut),
                "{text:?}"
            );
        }
    }
}
