//! Input streams: events of the terminal, or lines of stdin.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use tokio::sync::{mpsc, oneshot};

use super::late_reply::{Filtered, LateReplyFilter};
use super::{ProbeReply, TerminalProbe};
use crate::input::{Input, Key};

/// Inputs that are read ahead of the loop. When the queue is full, the thread waits, and a writer of the pipe blocks.
const INPUT_QUEUE_LEN: usize = 16;
/// Maximum length of a line; the rest of a longer line becomes another line.
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
                    tracing::warn!(%error, "terminal event stream ended");
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

/// Waits until the terminal is closed. `SIGHUP` does not reach every process, and crossterm would then poll the closed
/// terminal in a busy loop.
async fn watch_hangup() {
    let (hangup_tx, hangup_rx) = oneshot::channel();
    let watcher = std::thread::Builder::new().name("terminal".to_owned());
    let spawned = watcher.spawn(move || {
        let stdin = io::stdin();
        // `POLLHUP` is reported without being requested; no other event is requested.
        let wait_for_hangup = || poll(&mut [PollFd::new(&stdin, PollFlags::empty())], None);
        while matches!(wait_for_hangup(), Err(Errno::INTR)) {}
        // The receiver is dropped when the program ends.
        let (Ok(()) | Err(())) = hangup_tx.send(());
    });
    if let Err(error) = spawned {
        tracing::warn!(%error, "hang-up watcher not started");
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

/// Returns the lines of stdin.
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
        tracing::warn!(%error, name, "input thread not started");
    }
    stream::unfold(input_rx, |mut inputs| async {
        inputs.recv().await.map(|input| (input, inputs))
    })
    .boxed()
}

/// Reads the next line without its line end; `None` at the end.
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
    // No key with Alt has a meaning, and the reply of a terminal to a query may begin like one.
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
}
