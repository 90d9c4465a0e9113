//! JSON mode: one object a line, for programs. What happened is an event, told once; how things stand is
//! the state, told when it has changed. The page of the player describes every field.
//!
//! Nothing here depends on a language: what a person would read as a sentence is a code.

mod arena;
mod codes;
mod doctor;
mod event;
mod state;

use serde::Serialize;

use crate::model::{Exit, Notification};

pub use arena::match_result;
pub use doctor::doctor;
pub use state::JsonState;

/// The form of the lines. Fields, events and codes may be added to it; when one is taken away or means
/// something else, the number rises.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize)]
struct JsonHello {
    noughts: u32,
    event: &'static str,
    program: &'static str,
}

/// The last line.
#[derive(Serialize)]
struct JsonEnd {
    event: &'static str,
    exit: u8,
}

/// The first line: which form the others have.
pub fn hello() -> String {
    to_line(&JsonHello { noughts: VERSION, event: "hello", program: env!("CARGO_PKG_VERSION") })
}

/// An event, with the room that it is about where there are several.
#[derive(Serialize)]
struct EventLine<'a> {
    #[serde(flatten)]
    event: event::JsonEvent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<&'a str>,
}

/// The line of a note, of this room where there are several; none for what only people need.
pub fn event(room: Option<&str>, note: &Notification) -> Option<String> {
    event::JsonEvent::from_note(note).map(|event| to_line(&EventLine { event, room }))
}

/// The line of a state.
pub fn state(state: &JsonState) -> String {
    to_line(state)
}

/// The last line: how the program ends.
pub fn end(exit: Exit) -> String {
    to_line(&JsonEnd { event: "end", exit: exit.code() })
}

fn to_line(object: &impl Serialize) -> String {
    // Strings, numbers and lists of these: there is nothing that could fail.
    serde_json::to_string(object).expect("plain objects have a text")
}

#[cfg(test)]
mod tests;
