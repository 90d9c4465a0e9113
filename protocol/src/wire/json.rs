//! JSON text of messages and stored values.

use serde::Serialize;

/// Initial capacity in bytes: most messages fit.
const TYPICAL_LEN: usize = 256;

/// Returns the JSON text of a message, or of a value to store.
///
/// # Panics
/// When the value has a map key that is not a string. No type of this crate has one.
pub fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    let mut text = Vec::with_capacity(TYPICAL_LEN);
    write_json(value, &mut text);
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Appends the JSON text of a value.
///
/// # Panics
/// As [`to_json`].
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut Vec<u8>) {
    serde_json::to_writer(out, value)
        .expect("messages have only string keys, and memory does not fail to write");
}
