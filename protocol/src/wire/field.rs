//! The value of one field of a request.

use std::borrow::Cow;

use serde_json::Value;

/// Maximum number of fields of an object. Requests have fewer fields, so that later versions can add some.
pub(super) const MAX_FIELDS: usize = 32;

/// The value of a field. Texts and unsigned integers, which make up nearly all fields, need no [`Value`].
#[derive(Debug, PartialEq)]
pub(super) enum FieldValue<'a> {
    Text(Cow<'a, str>),
    Integer(u64),
    Other(Value),
}

impl From<Value> for FieldValue<'_> {
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => FieldValue::Text(text.into()),
            Value::Number(number) => number
                .as_u64()
                .map_or(FieldValue::Other(number.into()), FieldValue::Integer),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                FieldValue::Other(value)
            }
        }
    }
}
