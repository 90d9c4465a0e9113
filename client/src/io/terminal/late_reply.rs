//! Removes the reply to the colour query from the keys when it arrives after the probe has ended. The library for terminal
//! events does not know such replies, and reports their characters as keys, which would play moves.

use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::time::Instant;

use super::terminal_probe::{BACKGROUND_REPLY, parse_light_color};

/// Time after the start of the program in which a late reply is expected.
const LATE_REPLY_TIMEOUT: Duration = Duration::from_secs(60);
/// Time for the next character while the first ones may still be keys.
const KEY_TIMEOUT: Duration = Duration::from_millis(100);
/// Time for the next character after the start of a reply, which no person types.
const REPLY_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum length of the colour in a reply, `ffff/ffff/ffff`.
const MAX_COLOR_CHARS: usize = 14;

/// Result of filtering an event.
#[derive(Debug, PartialEq)]
pub(super) enum Filtered {
    /// These events are not part of a reply.
    Released(Vec<Event>),
    /// The event may be part of a reply; the next one decides.
    Held,
    /// The reply is complete. Its colour is light, dark, or cannot be parsed.
    Reply(Option<bool>),
}

/// The filter. It is inactive after one reply, or after a minute.
#[derive(Debug)]
pub(super) struct LateReplyFilter {
    expected_until: Option<Instant>,
    /// The part of the reply that has arrived.
    text: String,
    /// The events of that part, except those that the probe has read.
    held: Vec<Event>,
}

impl LateReplyFilter {
    /// Creates a filter for a reply of which `arrived` has arrived; `None` if none is expected.
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

    /// Takes the next event.
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
            // A resize, a click or the focus may come in the middle of a reply, but no other key.
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

    /// The time after which [`LateReplyFilter::on_silence`] is called if no event arrives; `None` while no event is held.
    pub(super) fn timeout(&self) -> Option<Duration> {
        match self.text.len() {
            0 => None,
            _ if self.has_reply_begun() => Some(REPLY_TIMEOUT),
            _ => Some(KEY_TIMEOUT),
        }
    }

    /// Returns the held events if they were keys.
    pub(super) fn on_silence(&mut self) -> Vec<Event> {
        let is_reply = self.has_reply_begun();
        let held = self.take_held();
        if is_reply { Vec::new() } else { held }
    }

    /// Whether the text can only be a reply.
    fn has_reply_begun(&self) -> bool {
        self.text.len() > BACKGROUND_REPLY.len()
    }

    fn take_held(&mut self) -> Vec<Event> {
        self.text.clear();
        std::mem::take(&mut self.held)
    }
}

/// The characters that the library has read for a key of a reply.
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
    /// With the text of the colour.
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

    /// The events that the library reports for a text. `is_split`: the escape characters arrive alone.
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

    /// Returns the released events, and the colours of replies.
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
        // Another key, and an event that is none, in the middle.
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
