//! Validating access to the fields of a JSON object. Every error names the field to blame.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor,
};
use serde_json::Value;

use super::field::{FieldValue, MAX_FIELDS};
use super::flat_object_reader;
use super::{Reject, RejectCode};

/// The fields of one object. Duplicate keys are an error, because JSON does not define which value counts.
pub(super) struct Object<'a>(pub(super) Vec<(Cow<'a, str>, FieldValue<'a>)>);

impl Object<'_> {
    pub(super) fn parse(text: &str) -> Result<Object<'_>, Reject> {
        if let Some(fields) = flat_object_reader::read_object(text) {
            return Ok(Object(fields));
        }
        serde_json::from_str(text)
            .map_err(|error| Reject::new(RejectCode::BadMessage).detail(error.to_string()))
    }

    fn get(&self, field: &str) -> Option<&FieldValue<'_>> {
        let found = self.0.iter().find(|(key, _)| key == field);
        found
            .map(|(_, value)| value)
            .filter(|value| !matches!(value, FieldValue::Other(Value::Null)))
    }

    /// Returns an unsigned integer up to `max`.
    pub(super) fn number(&self, field: &'static str, max: u64) -> Result<u64, Reject> {
        required(self.number_or_none(field, max)?, field)
    }

    pub(super) fn number_or_none(
        &self,
        field: &'static str,
        max: u64,
    ) -> Result<Option<u64>, Reject> {
        let Some(value) = self.get(field) else {
            return Ok(None);
        };
        match value {
            FieldValue::Integer(number) if *number <= max => Ok(Some(*number)),
            FieldValue::Integer(_) => Err(bad_field(field, "out of range")),
            FieldValue::Text(_) | FieldValue::Other(_) => {
                Err(bad_field(field, "not an unsigned integer"))
            }
        }
    }

    pub(super) fn text(&self, field: &'static str) -> Result<&str, Reject> {
        required(self.text_or_none(field)?, field)
    }

    pub(super) fn text_or_none(&self, field: &'static str) -> Result<Option<&str>, Reject> {
        let Some(value) = self.get(field) else {
            return Ok(None);
        };
        match value {
            FieldValue::Text(text) => Ok(Some(text)),
            FieldValue::Integer(_) | FieldValue::Other(_) => Err(bad_field(field, "not a string")),
        }
    }

    pub(super) fn flag(&self, field: &'static str) -> Result<bool, Reject> {
        let Some(value) = self.get(field) else {
            return Ok(false);
        };
        match value {
            FieldValue::Other(Value::Bool(flag)) => Ok(*flag),
            FieldValue::Text(_) | FieldValue::Integer(_) | FieldValue::Other(_) => {
                Err(bad_field(field, "not true or false"))
            }
        }
    }

    /// Returns a value that is parsed from a string.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(
        &self,
        field: &'static str,
    ) -> Result<T, Reject> {
        required(self.parsed_or_none(field)?, field)
    }

    pub(super) fn parsed_or_none<T: FromStr<Err: fmt::Display>>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, Reject> {
        let Some(text) = self.text_or_none(field)? else {
            return Ok(None);
        };
        text.parse()
            .map(Some)
            .map_err(|error: T::Err| bad_field(field, error.to_string()))
    }

    /// Returns a string from a fixed set: a variant of an enum.
    pub(super) fn identifier<T: DeserializeOwned>(&self, field: &'static str) -> Result<T, Reject> {
        required(self.identifier_or_none(field)?, field)
    }

    pub(super) fn identifier_or_none<T: DeserializeOwned>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, Reject> {
        // Only strings are accepted, because serde would also read an object with one key as a variant.
        let Some(text) = self.text_or_none(field)? else {
            return Ok(None);
        };
        let deserializer: StrDeserializer<'_, serde_json::Error> = text.into_deserializer();
        T::deserialize(deserializer)
            .map(Some)
            .map_err(|error| bad_field(field, error.to_string()))
    }

    /// Returns an array of at most `max_len` unsigned integers.
    pub(super) fn numbers(&self, field: &'static str, max_len: usize) -> Result<Vec<u16>, Reject> {
        let numbers: Vec<u16> = self.array(field)?;
        if numbers.len() > max_len {
            Err(bad_field(field, "too long"))
        } else {
            Ok(numbers)
        }
    }

    /// Returns an array of two unsigned integers.
    pub(super) fn pair(&self, field: &'static str) -> Result<[u16; 2], Reject> {
        self.array(field)
    }

    /// Returns an array of strings; empty if the field is absent.
    pub(super) fn texts(&self, field: &'static str) -> Result<Vec<String>, Reject> {
        if self.get(field).is_none() {
            Ok(Vec::new())
        } else {
            self.array(field)
        }
    }

    fn array<T: DeserializeOwned>(&self, field: &'static str) -> Result<T, Reject> {
        let parsed = match required(self.get(field), field)? {
            FieldValue::Text(text) => T::deserialize(Value::from(&**text)),
            FieldValue::Integer(number) => T::deserialize(Value::from(*number)),
            FieldValue::Other(value) => T::deserialize(value),
        };
        parsed.map_err(|error| bad_field(field, error.to_string()))
    }
}

fn required<T>(value: Option<T>, field: &'static str) -> Result<T, Reject> {
    value.ok_or_else(|| bad_field(field, "missing"))
}

fn bad_field(field: &'static str, detail: impl Into<std::borrow::Cow<'static, str>>) -> Reject {
    Reject::new(RejectCode::BadField)
        .field(field)
        .detail(detail)
}

impl<'de> Deserialize<'de> for Object<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Object<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields: Vec<(Cow<'static, str>, FieldValue<'static>)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(A::Error::custom("too many fields"));
                    }
                    if fields.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom("field given twice"));
                    }
                    fields.push((key.into(), value.into()));
                }
                Ok(Object(fields))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}
