//! Laws about bytes from anywhere: from a client, a server, a file, a damaged disk. Each takes any bytes at
//! all, panics when the law is broken, and says whether the bytes were taken for what they should be. A fuzzer looks for such bytes (`tests/fuzz`); the normal suite
//! holds the laws to the corpus that is kept there.

mod connection;
mod store;
mod text;

pub use connection::connection;
pub use store::{checkpoint, event_history};
pub use text::{message, record, request, rules};

/// A law, by the name of its fuzz target and of the folder of its corpus.
pub type Property = (&'static str, fn(&[u8]) -> bool);

/// All of them.
pub const PROPERTIES: &[Property] = &[
    ("request", request),
    ("message", message),
    ("rules", rules),
    ("record", record),
    ("event_history", event_history),
    ("checkpoint", checkpoint),
    ("connection", connection),
];
