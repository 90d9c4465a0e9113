//! Fast path that reads a flat JSON object of plain strings and unsigned integers: nearly every request.
//!
//! - Replaces: `serde_json`, which reads all other texts and reports all errors.
//! - Gain: 13 % fewer instructions of the server per move (15 405 to 13 275, 2026-11-22, `tests/results/server.md`).
//! - Invariant: the reader accepts or declines, it never reports an error. From an accepted text it reads the same
//!   fields as `serde_json`.
//! - Guarded by: `fast_path_agrees_with_slow_path`, `requests_take_the_fast_path`, and the fuzz target of requests.

use std::borrow::Cow;

use crate::wire::field::{FieldValue, MAX_FIELDS};

/// Reads the fields of an object. `None` unless all values are plain and all keys differ.
pub(super) fn read_object(text: &str) -> Option<Vec<(Cow<'_, str>, FieldValue<'_>)>> {
    let mut cursor = Cursor { text, offset: 0 };
    let mut fields: Vec<(Cow<'_, str>, FieldValue<'_>)> = Vec::with_capacity(6);
    cursor.skip_whitespace();
    cursor.expect(b'{')?;
    loop {
        cursor.skip_whitespace();
        let key = cursor.string()?;
        cursor.skip_whitespace();
        cursor.expect(b':')?;
        cursor.skip_whitespace();
        let value = match cursor.peek()? {
            b'"' => FieldValue::Text(cursor.string()?),
            b'0'..=b'9' => FieldValue::Integer(cursor.integer()?),
            _ => return None,
        };
        if fields.len() == MAX_FIELDS || fields.iter().any(|(known, _)| *known == key) {
            return None;
        }
        fields.push((key, value));
        cursor.skip_whitespace();
        if cursor.expect(b',').is_none() {
            break;
        }
    }
    cursor.expect(b'}')?;
    cursor.skip_whitespace();
    cursor.peek().is_none().then_some(fields)
}

/// The text, and the position of the reader in it.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.offset += 1)
    }

    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.offset += 1;
        }
    }

    /// Reads a string without escapes and without characters that need an escape.
    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.expect(b'"')?;
        let begin = self.offset;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' | 0..0x20 => return None,
                _ => self.offset += 1,
            }
        }
        let text = &self.text[begin..self.offset];
        self.offset += 1;
        Some(Cow::Borrowed(text))
    }

    /// Reads an integer of at most 18 digits, which fits into a `u64`. The caller rejects a fraction or an exponent by
    /// the character that follows.
    fn integer(&mut self) -> Option<u64> {
        let begin = self.offset;
        let mut number = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number * 10 + u64::from(digit - b'0');
            self.offset += 1;
            if self.offset - begin > 18 {
                return None;
            }
        }
        let leading_zero = self.text.as_bytes()[begin] == b'0' && self.offset - begin > 1;
        (!leading_zero).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::object::Object;

    /// Reads the fields on the slow path.
    fn read_with_serde(text: &str) -> Option<Vec<(Cow<'_, str>, FieldValue<'_>)>> {
        serde_json::from_str(text).ok().map(|Object(fields)| fields)
    }

    #[test]
    fn requests_take_the_fast_path() {
        for text in [
            r#"{"type":"move","id":7,"cell":4,"seq":4}"#,
            r#"{ "type" : "offer" , "id" : 9007199254740991 , "offer" : "draw" }"#,
            "\t{\"id\":0}\r\n",
            r#"{"name":"Änne 🦀","":""}"#,
        ] {
            assert!(
                read_object(text).is_some_and(|fields| Some(fields) == read_with_serde(text)),
                "{text}"
            );
        }
    }

    #[test]
    fn other_json_takes_the_slow_path() {
        for text in [
            "",
            "{}",
            "[]",
            "{",
            r#"{"id":07}"#,
            r#"{"id":-1}"#,
            r#"{"id":1.0}"#,
            r#"{"id":1e2}"#,
            r#"{"id":1000000000000000000}"#,
            r#"{"id":1,}"#,
            r#"{"id":1}}"#,
            r#"{"id":1 2}"#,
            r#"{"id":1,"id":1}"#,
            r#"{"id":null}"#,
            r#"{"id":"\u0041"}"#,
            r#"{"\u0069d":1}"#,
            "{\"id\":\"a\nb\"}",
            r#"{"id":"1}"#,
            r#"{"id" 1}"#,
            r#"{id:1}"#,
            "\u{a0}{\"id\":1}",
        ] {
            assert!(read_object(text).is_none(), "{text}");
        }
    }

    /// Generates tokens of valid and invalid objects.
    fn part() -> impl Strategy<Value = String> {
        let fixed = |text: &'static str| Just(text.to_owned());
        prop_oneof![
            4 => fixed(","),
            4 => fixed(":"),
            2 => fixed("\"a\""),
            2 => fixed("\"b\""),
            1 => fixed("{"),
            1 => fixed("}"),
            1 => fixed(" "),
            1 => fixed("\""),
            2 => "[0-9]{1,20}",
            1 => "-?[0-9]{0,2}[.eE]?[0-9]?",
            2 => "\"[a-z\\\\ \u{0}-\u{20}é🦀]{0,3}\"",
            1 => fixed("null"),
        ]
    }

    fn object() -> impl Strategy<Value = String> {
        let field = (part(), part()).prop_map(|(key, value)| format!("{key}:{value}"));
        proptest::collection::vec(field, 1..4)
            .prop_map(|fields| format!("{{{}}}", fields.join(",")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn fast_path_agrees_with_slow_path(
            text in prop_oneof![
                object(),
                proptest::collection::vec(part(), 0..8).prop_map(|parts| parts.concat()),
            ]
        ) {
            if let Some(fields) = read_object(&text) {
                prop_assert_eq!(Some(fields), read_with_serde(&text));
            }
        }
    }
}
