//! Properties of untrusted bytes: from a client, a server, a file or a corrupt disk.
//!
//! Each property takes any bytes, panics if it is violated, and returns whether the bytes were valid input.
//! The targets in `tests/fuzz` search for violations; the test in this crate replays the corpus.

mod connection;
mod store;
mod text;

pub use connection::connection;
pub use store::{checkpoint, event_history};
pub use text::{message, record, request, rules};

/// A property, and the name of its fuzz target, which is also the name of its corpus folder.
pub type Property = (&'static str, fn(&[u8]) -> bool);

/// All properties.
pub const PROPERTIES: &[Property] = &[
    ("request", request),
    ("message", message),
    ("rules", rules),
    ("record", record),
    ("event_history", event_history),
    ("checkpoint", checkpoint),
    ("connection", connection),
];
