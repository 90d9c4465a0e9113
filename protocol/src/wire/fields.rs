//! A JSON object taken apart field by field, so that a refusal can name the field to blame.

use std::fmt;
use std::str::FromStr;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, IntoDeserializer, MapAccess, Visitor,
};
use serde_json::Value;

use super::{Reject, RejectCode};

/// The fields of one object. Keys are distinct: with two of the same name nobody could say which counts.
pub(super) struct Fields(Vec<(String, Value)>);

/// More fields than any request has, with room for those of later versions.
const MAX_FIELDS: usize = 32;

impl Fields {
    pub(super) fn parse(text: &str) -> Result<Fields, Reject> {
        serde_json::from_str(text)
            .map_err(|error| Reject::new(RejectCode::BadMessage).detail(error.to_string()))
    }

    fn get(&self, field: &str) -> Option<&Value> {
        self.0.iter().find(|(key, _)| key == field).map(|(_, value)| value).filter(|value| !value.is_null())
    }

    /// A whole number up to `max`.
    pub(super) fn number(&self, field: &'static str, max: u64) -> Result<u64, Reject> {
        optional(self.number_or_none(field, max)?, field)
    }

    pub(super) fn number_or_none(&self, field: &'static str, max: u64) -> Result<Option<u64>, Reject> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let number = value.as_u64().ok_or_else(|| bad(field, "not a whole number"))?;
        if number > max {
            return Err(bad(field, "out of range"));
        }
        Ok(Some(number))
    }

    pub(super) fn text(&self, field: &'static str) -> Result<&str, Reject> {
        optional(self.text_or_none(field)?, field)
    }

    pub(super) fn text_or_none(&self, field: &'static str) -> Result<Option<&str>, Reject> {
        let Some(value) = self.get(field) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| bad(field, "not a string"))
    }

    pub(super) fn flag(&self, field: &'static str) -> Result<bool, Reject> {
        let Some(value) = self.get(field) else { return Ok(false) };
        value.as_bool().ok_or_else(|| bad(field, "not true or false"))
    }

    /// A value with a text form of its own.
    pub(super) fn parsed<T: FromStr<Err: fmt::Display>>(&self, field: &'static str) -> Result<T, Reject> {
        optional(self.parsed_or_none(field)?, field)
    }

    pub(super) fn parsed_or_none<T: FromStr<Err: fmt::Display>>(
        &self,
        field: &'static str,
    ) -> Result<Option<T>, Reject> {
        let Some(text) = self.text_or_none(field)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error: T::Err| bad(field, error.to_string()))
    }

    /// One of a few words.
    pub(super) fn word<T: DeserializeOwned>(&self, field: &'static str) -> Result<T, Reject> {
        optional(self.word_or_none(field)?, field)
    }

    pub(super) fn word_or_none<T: DeserializeOwned>(&self, field: &'static str) -> Result<Option<T>, Reject> {
        // As a string only: serde would take an object of one key for a word too.
        let Some(text) = self.text_or_none(field)? else { return Ok(None) };
        let word: StrDeserializer<'_, serde_json::Error> = text.into_deserializer();
        T::deserialize(word).map(Some).map_err(|error| bad(field, error.to_string()))
    }

    /// Whole numbers, at most so many.
    pub(super) fn numbers(&self, field: &'static str, most: usize) -> Result<Vec<u16>, Reject> {
        let value = optional(self.get(field), field)?;
        let numbers = Vec::deserialize(value).map_err(|error| bad(field, error.to_string()))?;
        if numbers.len() > most { Err(bad(field, "too long")) } else { Ok(numbers) }
    }

    /// Two numbers, as `[1, 2]`.
    pub(super) fn pair(&self, field: &'static str) -> Result<[u16; 2], Reject> {
        let value = optional(self.get(field), field)?;
        <[u16; 2]>::deserialize(value).map_err(|error| bad(field, error.to_string()))
    }
}

fn optional<T>(value: Option<T>, field: &'static str) -> Result<T, Reject> {
    value.ok_or_else(|| bad(field, "missing"))
}

fn bad(field: &'static str, detail: impl Into<std::borrow::Cow<'static, str>>) -> Reject {
    Reject::new(RejectCode::BadField).field(field).detail(detail)
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields: Vec<(String, Value)> = Vec::with_capacity(6);
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if fields.len() == MAX_FIELDS {
                        return Err(A::Error::custom("too many fields"));
                    }
                    if fields.iter().any(|(known, _)| *known == key) {
                        return Err(A::Error::custom("a field is given twice"));
                    }
                    fields.push((key, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}
