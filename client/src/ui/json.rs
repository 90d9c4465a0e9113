//! JSON mode: one object per line, for programs. Each event is printed once, and the state after each change.
//! `client/JSON.md` describes every field.
//!
//! The output does not depend on the language: codes replace sentences.

mod arena;
mod doctor;
mod state;

use serde::Serialize;

use crate::facts::{Exit, Notification};

pub(crate) use arena::{arena_game, bot_game, bot_summary, match_result};
pub(crate) use doctor::doctor;
#[cfg(feature = "mcp")]
pub(crate) use state::JsonGame;
pub(crate) use state::JsonState;

/// Version of the format. Additions keep the version. Removals and changes of meaning increase it.
pub(crate) const VERSION: u32 = 1;

#[derive(Serialize)]
struct JsonHello {
    noughts: u32,
    event: &'static str,
    program: &'static str,
}

#[derive(Serialize)]
struct JsonEnd {
    event: &'static str,
    exit: u8,
}

/// Returns the first line, which names the format version.
pub(crate) fn hello() -> String {
    to_line(&JsonHello {
        noughts: VERSION,
        event: "hello",
        program: env!("CARGO_PKG_VERSION"),
    })
}

/// An event, with its room if several games are watched.
#[derive(Serialize)]
struct EventLine<'a> {
    #[serde(flatten)]
    event: &'a Notification,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<&'a str>,
}

/// Returns the line for a notification; `None` for a notification that only people need.
pub(crate) fn event(room: Option<&str>, event: &Notification) -> Option<String> {
    if matches!(
        event,
        Notification::WatchingSeveral(_)
            | Notification::Hint
            | Notification::PlayAgain
            | Notification::OpponentFound(_)
            | Notification::Exiting(_)
    ) {
        return None;
    }
    // A room address names the room itself.
    let room = room.filter(|_| !matches!(event, Notification::RoomAddress { .. }));
    Some(to_line(&EventLine { event, room }))
}

pub(crate) fn state(state: &JsonState) -> String {
    to_line(state)
}

/// Returns the last line, with the exit code.
pub(crate) fn end(exit: Exit) -> String {
    to_line(&JsonEnd {
        event: "end",
        exit: exit.code(),
    })
}

fn to_line(object: &impl Serialize) -> String {
    // Serialisation fails only for maps with non-string keys, which these objects do not contain.
    serde_json::to_string(object).expect("plain objects have a text")
}

#[cfg(test)]
mod tests;
