//! JSON mode: one object a line, for programs. What happened is an event, told once; how things stand is
//! the state, told when it has changed. The page of the player describes every field.
//!
//! Nothing here depends on a language: what a person would read as a sentence is a code.

mod checkup;
mod codes;
mod meeting;
mod state;
mod told;

use serde::Serialize;

use crate::model::{Exit, Note};

pub use checkup::checkup;
pub use meeting::meeting;
pub use state::Stated;

/// The form of the lines. Fields, events and codes may be added to it; when one is taken away or means
/// something else, the number rises.
pub const VERSION: u32 = 1;

/// The first line.
#[derive(Serialize)]
struct Hello {
    noughts: u32,
    event: &'static str,
    program: &'static str,
}

/// The last line.
#[derive(Serialize)]
struct End {
    event: &'static str,
    exit: u8,
}

/// The first line: which form the others have.
pub fn hello() -> String {
    line(&Hello { noughts: VERSION, event: "hello", program: env!("CARGO_PKG_VERSION") })
}

/// An event, with the room that it is about where there are several.
#[derive(Serialize)]
struct Told<'a> {
    #[serde(flatten)]
    told: told::Told<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    room: Option<&'a str>,
}

/// The line of a note, of this room where there are several; none for what only people need.
pub fn told(room: Option<&str>, note: &Note) -> Option<String> {
    told::Told::of(note).map(|told| line(&Told { told, room }))
}

/// The line of a state.
pub fn state(state: &Stated) -> String {
    line(state)
}

/// The last line: how the program ends.
pub fn end(exit: Exit) -> String {
    line(&End { event: "end", exit: exit.code() })
}

fn line(object: &impl Serialize) -> String {
    // Strings, numbers and lists of these: there is nothing that could fail.
    serde_json::to_string(object).expect("plain objects have a text")
}

#[cfg(test)]
mod tests;
