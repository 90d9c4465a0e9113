//! The short way to the fields of a request: an object of plain texts and whole numbers, as nearly each is. Anything
//! else, and all that is wrong, is left to `serde_json`, which says what is wrong with it.

use std::borrow::Cow;

use super::fields::{Field, MAX_FIELDS};

/// The fields, if they are plain and all different.
pub(super) fn fields(text: &str) -> Option<Vec<(Cow<'_, str>, Field<'_>)>> {
    let mut rest = Rest { text, at: 0 };
    let mut fields: Vec<(Cow<'_, str>, Field<'_>)> = Vec::with_capacity(6);
    rest.blanks();
    rest.pass(b'{')?;
    loop {
        rest.blanks();
        let key = rest.text()?;
        rest.blanks();
        rest.pass(b':')?;
        rest.blanks();
        let value = match rest.next()? {
            b'"' => Field::Text(rest.text()?),
            b'0'..=b'9' => Field::Whole(rest.whole()?),
            _ => return None,
        };
        if fields.len() == MAX_FIELDS || fields.iter().any(|(known, _)| *known == key) {
            return None;
        }
        fields.push((key, value));
        rest.blanks();
        if rest.pass(b',').is_none() {
            break;
        }
    }
    rest.pass(b'}')?;
    rest.blanks();
    rest.next().is_none().then_some(fields)
}

/// What has not been read.
struct Rest<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn next(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        (self.next()? == byte).then(|| self.at += 1)
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.next() {
            self.at += 1;
        }
    }

    /// A string with nothing in it that is escaped, or would have to be.
    fn text(&mut self) -> Option<Cow<'a, str>> {
        self.pass(b'"')?;
        let begin = self.at;
        loop {
            match self.next()? {
                b'"' => break,
                b'\\' | 0..0x20 => return None,
                _ => self.at += 1,
            }
        }
        let text = &self.text[begin..self.at];
        self.at += 1;
        Some(Cow::Borrowed(text))
    }

    /// A whole number that surely is one: of at most 18 digits, and what follows is no part of it.
    fn whole(&mut self) -> Option<u64> {
        let begin = self.at;
        let mut number = 0;
        while let Some(digit @ b'0'..=b'9') = self.next() {
            number = number * 10 + u64::from(digit - b'0');
            self.at += 1;
            if self.at - begin > 18 {
                return None;
            }
        }
        let leading_zero = self.text.as_bytes()[begin] == b'0' && self.at - begin > 1;
        (!leading_zero).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wire::fields::Fields;

    /// The long way.
    fn read(text: &str) -> Option<Vec<(Cow<'_, str>, Field<'_>)>> {
        serde_json::from_str(text).ok().map(|Fields(fields)| fields)
    }

    #[test]
    fn what_players_ask_goes_the_short_way() {
        for text in [
            r#"{"type":"move","id":7,"cell":4,"seq":4}"#,
            r#"{ "type" : "offer" , "id" : 9007199254740991 , "offer" : "draw" }"#,
            "\t{\"id\":0}\r\n",
            r#"{"name":"Änne 🦀","":""}"#,
        ] {
            assert!(fields(text).is_some_and(|fields| Some(fields) == read(text)), "{text}");
        }
    }

    #[test]
    fn what_is_not_plain_goes_the_long_way() {
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
            assert!(fields(text).is_none(), "{text}");
        }
    }

    /// Parts that make up objects, good and bad.
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
        proptest::collection::vec(field, 1..4).prop_map(|fields| format!("{{{}}}", fields.join(",")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn the_short_way_leads_where_the_long_one_does(
            text in prop_oneof![
                object(),
                proptest::collection::vec(part(), 0..8).prop_map(|parts| parts.concat()),
            ]
        ) {
            if let Some(fields) = fields(&text) {
                prop_assert_eq!(Some(fields), read(&text));
            }
        }
    }
}
