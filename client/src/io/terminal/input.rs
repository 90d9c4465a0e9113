//! Input streams: events from the terminal, or lines from stdin.
//!
//! The reply to the colour query is removed from the keys if it arrives after the probe has ended. The library for
//! terminal events does not know such replies. It would report their characters as keys, which would play moves.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::time::Duration;

use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::input::{Input, Key};
use crate::io::terminal::terminal_probe::{BACKGROUND_REPLY, parse_light_color};
use crate::io::terminal::{ProbeReply, TerminalProbe};

/// Maximum number of inputs that are read ahead of the loop. While the queue is full, the thread waits, and a writer to
/// the pipe blocks.
const INPUT_QUEUE_LEN: usize = 16;
/// Maximum length of a line. The rest of a longer line becomes another line.
const MAX_LINE_BYTES: u64 = 4096;

/// Returns the inputs of an acquired terminal.
pub(crate) fn full_screen_inputs() -> BoxStream<'static, Input> {
    inputs_of_events(LateReplyFilter::new(None))
}

fn inputs_of_events(mut filter: LateReplyFilter) -> BoxStream<'static, Input> {
    let mut inputs = VecDeque::new();
    let events = spawn_reader("keys", move || {
        loop {
            if let Some(input) = inputs.pop_front() {
                return input;
            }
            match read_events(&mut filter) {
                Ok(read) => inputs.extend(read),
                Err(error) => {
                    tracing::warn!(%error, "cannot read terminal events");
                    return Input::Hangup;
                }
            }
        }
    });
    stream::select(events, stream::once(watch_hangup()).map(|()| Input::Hangup)).boxed()
}

/// Reads the next event, and returns the inputs that it completes.
fn read_events(filter: &mut LateReplyFilter) -> io::Result<Vec<Input>> {
    let is_silent = match filter.timeout() {
        Some(timeout) => !event::poll(timeout)?,
        None => false,
    };
    let filtered = if is_silent {
        Filtered::Released(filter.on_silence())
    } else {
        filter.on_event(event::read()?)
    };
    Ok(match filtered {
        Filtered::Released(events) => events.into_iter().filter_map(translate).collect(),
        Filtered::Held => Vec::new(),
        Filtered::Reply(is_light) => is_light.map(Input::LightBackground).into_iter().collect(),
    })
}

/// Waits until the terminal is closed. `SIGHUP` does not reach every process, and crossterm would poll the closed
/// terminal in a busy loop.
async fn watch_hangup() {
    let (hangup_tx, hangup_rx) = oneshot::channel();
    let watcher = std::thread::Builder::new().name("terminal".to_owned());
    let spawned = watcher.spawn(move || {
        let stdin = io::stdin();
        // `POLLHUP` is reported without being requested, and no other event is requested.
        let wait_for_hangup = || poll(&mut [PollFd::new(&stdin, PollFlags::empty())], None);
        while matches!(wait_for_hangup(), Err(Errno::INTR)) {}
        // The receiver is dropped when the program ends.
        let (Ok(()) | Err(())) = hangup_tx.send(());
    });
    if let Err(error) = spawned {
        tracing::warn!(%error, "cannot start hang-up watcher");
    }
    if hangup_rx.await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Like [`full_screen_inputs`], after the probe has ended.
pub(crate) fn full_screen_inputs_after_probe(probe: TerminalProbe) -> BoxStream<'static, Input> {
    stream::once(async { full_screen_inputs_after_reply(probe.wait().await) })
        .flatten()
        .boxed()
}

/// Like [`full_screen_inputs`], preceded by the result of the probe.
pub(crate) fn full_screen_inputs_after_reply(reply: ProbeReply) -> BoxStream<'static, Input> {
    let ProbeReply {
        narrow,
        has_light_background,
        keys,
        late_background,
    } = reply;
    let background = has_light_background.map(Input::LightBackground);
    let replies = narrow
        .map(Input::NarrowGlyphs)
        .into_iter()
        .chain(background);
    let early_inputs = replies.chain(keys.into_iter().map(Input::Key));
    stream::iter(early_inputs)
        .chain(inputs_of_events(LateReplyFilter::new(late_background)))
        .boxed()
}

/// Returns the lines from stdin.
pub(crate) fn line_inputs() -> BoxStream<'static, Input> {
    spawn_reader("stdin", || match read_line(&mut io::stdin().lock()) {
        Ok(Some(line)) => Input::Line(line),
        Ok(None) => Input::Eof,
        // A failure counts as a closed terminal.
        Err(error) => {
            tracing::warn!(%error, "stdin read failed");
            Input::Hangup
        }
    })
}

/// Returns the items that a thread reads. A blocking read cannot be cancelled, so the thread ends with the process.
fn spawn_reader(
    name: &str,
    mut read: impl FnMut() -> Input + Send + 'static,
) -> BoxStream<'static, Input> {
    let (input_tx, input_rx) = mpsc::channel(INPUT_QUEUE_LEN);
    let spawned = std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            loop {
                let input = read();
                let is_last = matches!(input, Input::Eof | Input::Hangup);
                if input_tx.blocking_send(input).is_err() || is_last {
                    return;
                }
            }
        });
    if let Err(error) = spawned {
        tracing::warn!(%error, name, "cannot start input thread");
    }
    stream::unfold(input_rx, |mut inputs| async {
        inputs.recv().await.map(|input| (input, inputs))
    })
    .boxed()
}

/// Reads the next line without its line end; `None` at the end of the input.
fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if reader.take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&line);
    Ok(Some(
        text.trim_end_matches(['\n', '\r'])
            .trim_start_matches('\u{feff}')
            .to_owned(),
    ))
}

/// Converts an event; `None` for events that the program does not use.
fn translate(event: Event) -> Option<Input> {
    match event {
        // Some terminals report key releases as well.
        Event::Key(key) if key.kind == KeyEventKind::Release => None,
        Event::Key(key) => self::translate_key(key).map(Input::Key),
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::Down(MouseButton::Left) => {
            Some(Input::Click(mouse.column, mouse.row))
        }
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollUp => {
            Some(Input::Wheel { down: false })
        }
        Event::Mouse(mouse) if mouse.kind == MouseEventKind::ScrollDown => {
            Some(Input::Wheel { down: true })
        }
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
        Event::Mouse(_) => None,
    }
}

fn translate_key(key: KeyEvent) -> Option<Key> {
    if key.modifiers.contains(KeyModifiers::CONTROL)
        && let KeyCode::Char(letter) = key.code
    {
        return Some(Key::Ctrl(letter.to_ascii_lowercase()));
    }
    // No key with Alt has a meaning, and a terminal's reply to a query may begin like such a key.
    if let (KeyCode::Char(_), KeyModifiers::ALT) = (key.code, key.modifiers & KeyModifiers::ALT) {
        return None;
    }
    const NAMED_KEYS: &[(KeyCode, Key)] = &[
        (KeyCode::Up, Key::Up),
        (KeyCode::Down, Key::Down),
        (KeyCode::Left, Key::Left),
        (KeyCode::Right, Key::Right),
        (KeyCode::Enter, Key::Enter),
        (KeyCode::Esc, Key::Esc),
        (KeyCode::Tab, Key::Tab),
        (KeyCode::BackTab, Key::BackTab),
        (KeyCode::Backspace, Key::Backspace),
        (KeyCode::Delete, Key::Delete),
        (KeyCode::Home, Key::Home),
        (KeyCode::End, Key::End),
        (KeyCode::PageUp, Key::PageUp),
        (KeyCode::PageDown, Key::PageDown),
        (KeyCode::F(1), Key::F1),
    ];
    if let KeyCode::Char(letter) = key.code {
        return Some(Key::Char(letter));
    }
    NAMED_KEYS
        .iter()
        .find(|(code, _)| *code == key.code)
        .map(|(_, key)| *key)
}

/// Maximum time after the start of the program for a late reply.
const LATE_REPLY_TIMEOUT: Duration = Duration::from_secs(60);
/// Timeout for the next character while the first characters may still be keys.
const KEY_TIMEOUT: Duration = Duration::from_millis(100);
/// Timeout for the next character after the start of a reply. A person does not type such a start.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum length of the colour in a reply, such as `ffff/ffff/ffff`.
const MAX_COLOR_CHARS: usize = 14;

/// Result of filtering an event.
#[derive(Debug, PartialEq)]
pub(super) enum Filtered {
    /// These events are not part of a reply.
    Released(Vec<Event>),
    /// The event may be part of a reply. The next event decides.
    Held,
    /// The reply is complete. Its colour is light or dark, or cannot be parsed.
    Reply(Option<bool>),
}

/// Filter for a late reply. It becomes inactive after a reply, or after a minute.
#[derive(Debug)]
pub(super) struct LateReplyFilter {
    expected_until: Option<Instant>,
    /// The part of the reply that has arrived so far.
    text: String,
    /// The events of this text, without the events that the probe has read.
    held: Vec<Event>,
}

impl LateReplyFilter {
    /// Creates a filter for a reply that began with `arrived`; `None` if no reply is expected.
    pub(super) fn new(arrived: Option<String>) -> LateReplyFilter {
        let expected_until = arrived
            .as_ref()
            .map(|_| Instant::now() + LATE_REPLY_TIMEOUT);
        LateReplyFilter {
            expected_until,
            text: arrived.unwrap_or_default(),
            held: Vec::new(),
        }
    }

    /// Processes the next event.
    pub(super) fn on_event(&mut self, event: Event) -> Filtered {
        if self.text.is_empty()
            && self
                .expected_until
                .is_none_or(|until| Instant::now() > until)
        {
            self.expected_until = None;
            return Filtered::Released(vec![event]);
        }
        let Some(part) = reply_part(&event) else {
            // A resize, a click or a focus event may come in the middle of a reply, but no other key.
            let is_key = matches!(&event, Event::Key(key) if key.kind != KeyEventKind::Release);
            let mut released = if is_key { self.take_held() } else { Vec::new() };
            released.push(event);
            return Filtered::Released(released);
        };
        self.text.push_str(&part);
        self.held.push(event);
        match progress(&self.text) {
            Progress::Partial => Filtered::Held,
            Progress::Complete(color) => {
                let is_light = parse_light_color(color);
                *self = LateReplyFilter::new(None);
                Filtered::Reply(is_light)
            }
            Progress::Mismatch => Filtered::Released(self.take_held()),
        }
    }

    /// Returns how long to wait for an event before [`LateReplyFilter::on_silence`] is called; `None` while no event is
    /// held.
    pub(super) fn timeout(&self) -> Option<Duration> {
        match self.text.len() {
            0 => None,
            _ if self.has_reply_begun() => Some(REPLY_TIMEOUT),
            _ => Some(KEY_TIMEOUT),
        }
    }

    /// Returns the held events if they turn out to be keys.
    pub(super) fn on_silence(&mut self) -> Vec<Event> {
        let is_reply = self.has_reply_begun();
        let held = self.take_held();
        if is_reply { Vec::new() } else { held }
    }

    /// Returns whether the text can only be the start of a reply.
    fn has_reply_begun(&self) -> bool {
        self.text.len() > BACKGROUND_REPLY.len()
    }

    fn take_held(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }
}

/// Returns the characters of a reply that the library has reported as this key.
fn reply_part(event: &Event) -> Option<String> {
    let Event::Key(KeyEvent {
        code,
        modifiers,
        kind,
        ..
    }) = event
    else {
        return None;
    };
    if *kind == KeyEventKind::Release {
        return None;
    }
    match (code, *modifiers) {
        (KeyCode::Esc, KeyModifiers::NONE) => Some("\u{1b}".to_owned()),
        (KeyCode::Char(letter), KeyModifiers::ALT) => Some(format!("\u{1b}{letter}")),
        (KeyCode::Char('g'), KeyModifiers::CONTROL) => Some("\u{7}".to_owned()),
        (KeyCode::Char(letter), KeyModifiers::NONE | KeyModifiers::SHIFT) => {
            Some(letter.to_string())
        }
        _ => None,
    }
}

#[derive(Debug)]
enum Progress<'a> {
    Mismatch,
    Partial,
    /// Contains the text of the colour.
    Complete(&'a str),
}

fn progress(text: &str) -> Progress<'_> {
    let Some(reply) = text.strip_prefix('\u{1b}') else {
        return Progress::Mismatch;
    };
    if BACKGROUND_REPLY.starts_with(reply) {
        return Progress::Partial;
    }
    let Some(rest) = reply.strip_prefix(BACKGROUND_REPLY) else {
        return Progress::Mismatch;
    };
    let end = rest
        .find(|letter: char| letter != '/' && !letter.is_ascii_hexdigit())
        .unwrap_or(rest.len());
    let (color, terminator) = rest.split_at(end);
    match terminator {
        _ if color.len() > MAX_COLOR_CHARS => Progress::Mismatch,
        "" | "\u{1b}" => Progress::Partial,
        "\u{7}" | "\u{1b}\\" => Progress::Complete(color),
        _ => Progress::Mismatch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_and_length_limit() {
        let mut text = io::Cursor::new(format!(
            "\u{feff}b2\r\n\nя\nbad \u{fffd}\n{}\nlast",
            "x".repeat(5000)
        ));
        let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut text).unwrap()).collect();
        let lengths: Vec<usize> = lines.iter().map(String::len).collect();
        assert_eq!(&lines[..3], ["b2", "", "я"]);
        assert_eq!(lengths[4..], [4096, 5000 - 4096, 4]);
    }

    #[test]
    fn shift_and_control_keys_are_translated() {
        let press = |code, modifiers| translate_key(KeyEvent::new(code, modifiers));
        assert_eq!(
            press(KeyCode::Char('C'), KeyModifiers::CONTROL),
            Some(Key::Ctrl('c'))
        );
        assert_eq!(
            press(KeyCode::Char('Ж'), KeyModifiers::SHIFT),
            Some(Key::Char('Ж'))
        );
        assert_eq!(press(KeyCode::F(1), KeyModifiers::NONE), Some(Key::F1));
        assert_eq!(press(KeyCode::F(2), KeyModifiers::NONE), None);
        assert_eq!(press(KeyCode::Char('5'), KeyModifiers::ALT), None);
    }

    /// Returns the events that the library reports for a text. With `is_split`, the escape characters arrive alone.
    fn events(text: &str, is_split: bool) -> Vec<Event> {
        let mut letters = text.chars().peekable();
        let mut events = Vec::new();
        while let Some(letter) = letters.next() {
            let key = match letter {
                '\u{1b}' if is_split || letters.peek().is_none() => {
                    (KeyCode::Esc, KeyModifiers::NONE)
                }
                '\u{1b}' => (KeyCode::Char(letters.next().unwrap()), KeyModifiers::ALT),
                '\u{7}' => (KeyCode::Char('g'), KeyModifiers::CONTROL),
                letter if letter.is_ascii_uppercase() => {
                    (KeyCode::Char(letter), KeyModifiers::SHIFT)
                }
                letter => (KeyCode::Char(letter), KeyModifiers::NONE),
            };
            events.push(Event::Key(KeyEvent::new(key.0, key.1)));
        }
        events
    }

    /// Returns the released events, and the colours in replies.
    fn filter(filter: &mut LateReplyFilter, events: Vec<Event>) -> (Vec<Event>, Vec<Option<bool>>) {
        let (mut released, mut colors) = (Vec::new(), Vec::new());
        for event in events {
            match filter.on_event(event) {
                Filtered::Released(events) => released.extend(events),
                Filtered::Held => assert!(filter.timeout().is_some()),
                Filtered::Reply(color) => colors.push(color),
            }
        }
        (released, colors)
    }

    #[test]
    fn a_late_reply_is_not_typed() {
        for (reply, is_light) in [
            ("\u{1b}]11;rgb:ffff/ffff/ffff\u{1b}\\", true),
            ("\u{1b}]11;rgb:0000/2b2b/3636\u{7}", false),
            ("\u{1b}]11;rgb:FD/F6/E3\u{1b}\\", true),
        ] {
            for is_split in [false, true] {
                let mut late = LateReplyFilter::new(Some(String::new()));
                let typed = events(&format!("5{reply}1"), is_split);
                let (released, colors) = filter(&mut late, typed);
                assert_eq!(
                    (released, colors),
                    (events("51", false), vec![Some(is_light)]),
                    "{reply:?}"
                );
                assert_eq!(late.timeout(), None);
            }
            // The probe has read the first half.
            let mut late = LateReplyFilter::new(Some(reply[..12].to_owned()));
            let (released, colors) = filter(&mut late, events(&reply[12..], false));
            assert_eq!(
                (released, colors),
                (Vec::new(), vec![Some(is_light)]),
                "{reply:?}"
            );
        }
    }

    #[test]
    fn keys_that_begin_like_a_reply_are_released() {
        for typed in ["\u{1b}", "\u{1b}]", "\u{1b}]11;r"] {
            let mut late = LateReplyFilter::new(Some(String::new()));
            assert_eq!(
                filter(&mut late, events(typed, true)),
                (Vec::new(), Vec::new())
            );
            assert_eq!(late.timeout(), Some(KEY_TIMEOUT));
            assert_eq!(late.on_silence(), events(typed, true), "{typed:?}");
            assert_eq!(late.timeout(), None);
        }
        for typed in ["\u{1b}q", "\u{1b}]12", "\u{1b}\u{1b}", "\u{1b}]11;rgb:x"] {
            let mut late = LateReplyFilter::new(Some(String::new()));
            assert_eq!(
                filter(&mut late, events(typed, true)).0,
                events(typed, true),
                "{typed:?}"
            );
        }
        // Another key, and an event that is not a key, arrive in the middle.
        let mut late = LateReplyFilter::new(Some(String::new()));
        let up = Event::Key(KeyEvent::new(KeyCode::Up, KeyModifiers::NONE));
        let mut typed = events("\u{1b}", true);
        typed.extend([Event::FocusLost, up.clone()]);
        let expected = [vec![Event::FocusLost], events("\u{1b}", true), vec![up]].concat();
        assert_eq!(filter(&mut late, typed).0, expected);
    }

    #[test]
    fn an_unfinished_reply_is_dropped() {
        let mut late = LateReplyFilter::new(Some(String::new()));
        assert_eq!(
            filter(&mut late, events("\u{1b}]11;rgb:ff", false)),
            (Vec::new(), Vec::new())
        );
        assert_eq!(late.timeout(), Some(REPLY_TIMEOUT));
        assert_eq!(late.on_silence(), Vec::new());
    }

    #[test]
    fn without_a_query_nothing_is_held() {
        let mut late = LateReplyFilter::new(None);
        let reply = events("\u{1b}]11;rgb:ff/ff/ff\u{7}", false);
        assert_eq!(filter(&mut late, reply.clone()).0, reply);
    }
}
