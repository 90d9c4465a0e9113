//! Fast paths of the wire beside `serde_json`: a reader of flat requests and a writer of messages.

pub(super) mod reader;
pub(super) mod writer;
