//! Commands in JSON mode: `{"do":"move","cell":"b2"}`. Their words are in the table of commands.

use noughts_protocol::Rules;
use serde_json::Value;

use super::commands::{COMMANDS, TextCommand};
use super::text_command;
use super::{DigitOrder, TextCommandError};

/// Returns whether a line looks like a JSON object.
pub(crate) fn is_object(line: &str) -> bool {
    line.trim_start().starts_with('{')
}

/// Splits an object into the room that it names and the rest of the object. Returns `None` if it names no room.
pub(crate) fn split_room(line: &str) -> Option<(String, String)> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let room = object.remove("room")?.as_str()?.to_owned();
    Some((room, serde_json::Value::Object(object).to_string()))
}

/// Parses an object into a command, and the number of moves that the game must have for the command to be valid.
/// `rules` are the rules of the displayed board. Unknown fields are rejected, because ignoring them would change the
/// meaning.
///
/// # Errors
/// Returns why the object is not a command.
pub(crate) fn parse(
    line: &str,
    rules: Option<&Rules>,
    digits: DigitOrder,
) -> Result<(TextCommand, Option<usize>), TextCommandError> {
    let invalid = |reason: String| TextCommandError::BadObject(reason);
    let mut fields: serde_json::Map<String, Value> =
        serde_json::from_str(line).map_err(|error| invalid(error.to_string()))?;
    let word = fields.remove("do");
    let word = word.as_ref().and_then(Value::as_str).unwrap_or_default();
    let is_move = word == "move";
    let entry = COMMANDS
        .iter()
        .find(|entry| entry.json.0 == word && !word.is_empty());
    let field = match entry {
        Some(entry) => entry.json.1,
        None if is_move => "cell",
        None => return Err(invalid(format!("unknown command: {word}"))),
    };
    let ply = if is_move { fields.remove("ply") } else { None };
    let ply = ply
        .map(|ply| serde_json::from_value(ply).map_err(|error| invalid(error.to_string())))
        .transpose()?;
    // A command without an argument accepts no field, whatever its name.
    let value = if field.is_empty() {
        None
    } else {
        fields.remove(field)
    };
    let argument = match value {
        None | Some(Value::Null) if is_move => {
            return Err(invalid("missing field: cell".to_owned()));
        }
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => {
            return Err(invalid(format!("invalid field: {field}")));
        }
    };
    if let Some(unknown) = fields.keys().next() {
        return Err(invalid(format!("unknown field: {unknown}")));
    }
    let command = match entry {
        Some(entry) => {
            (entry.parse)(&argument, rules).ok_or(TextCommandError::BadArgument(entry))?
        }
        None => TextCommand::Move(text_command::parse_move(&argument, rules, digits)?),
    };
    Ok((command, ply.flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::wire::Claim;
    use noughts_protocol::{CellError, Offer};

    #[test]
    fn json_objects_are_commands() {
        let rules: Rules = "3x3:3".parse().unwrap();
        let b2 = TextCommand::Move(rules.parse_cell("b2").unwrap());
        let bad_cell = || Err(TextCommandError::BadCell(CellError::Syntax));
        for (line, expected) in [
            (r#"{"do":"move","cell":"b2"}"#, Ok((b2.clone(), None))),
            (
                r#" { "do" : "move", "cell" : "2 2" }"#,
                Ok((b2.clone(), None)),
            ),
            (r#"{"do":"move","cell":"5","ply":3}"#, Ok((b2, Some(3)))),
            (
                r#"{"do":"move","cell":"z9"}"#,
                Err(TextCommandError::BadCell(CellError::OffBoard)),
            ),
            // The text of another command is not a cell.
            (r#"{"do":"move","cell":"resign"}"#, bad_cell()),
            (r#"{"do":"move","cell":"claim"}"#, bad_cell()),
            (r#"{"do":"move","cell":""}"#, bad_cell()),
            (r#"{"do":"accept"}"#, Ok((TextCommand::Accept(None), None))),
            (
                r#"{"do":"offer","offer":"takeback"}"#,
                Ok((TextCommand::Offer(Offer::Takeback), None)),
            ),
            (
                r#"{"do":"claim","result":"win"}"#,
                Ok((TextCommand::Claim(Claim::Win), None)),
            ),
            (
                r#"{"do":"choose","number":2}"#,
                Ok((
                    TextCommand::Choose {
                        number: 2,
                        watch: false,
                    },
                    None,
                )),
            ),
            (
                r#"{"do":"answer"}"#,
                Ok((TextCommand::Answer(String::new()), None)),
            ),
        ] {
            assert_eq!(
                parse(line, Some(&rules), DigitOrder::Reading),
                expected,
                "{line}"
            );
        }
    }

    #[test]
    fn invalid_commands_have_reasons() {
        for line in [
            "{",
            "{}",
            r#"{"do":"fly"}"#,
            r#"{"do":"resign","at":3}"#,
            r#"{"do":"resign","":null}"#,
            r#"{"do":"move"}"#,
            r#"{"do":"move","cell":"b2","ply":"x"}"#,
            r#"{"do":"save","path":[]}"#,
            r#"{"do":"quit"} x"#,
        ] {
            let read = parse(line, None, DigitOrder::Reading);
            assert!(
                matches!(&read, Err(TextCommandError::BadObject(why)) if !why.is_empty()),
                "{line}: {read:?}"
            );
        }
    }

    #[test]
    fn an_invalid_argument_is_reported() {
        for line in [
            r#"{"do":"bot","level":"brutal"}"#,
            r#"{"do":"choose","number":"two"}"#,
            r#"{"do":"offer"}"#,
            r#"{"do":"scan","what":"8"}"#,
        ] {
            let read = parse(line, None, DigitOrder::Reading);
            assert!(
                matches!(read, Err(TextCommandError::BadArgument(_))),
                "{line}: {read:?}"
            );
        }
    }

    #[test]
    fn each_word_is_documented_once() {
        let page = include_str!("../../JSON.md");
        let words: Vec<&str> = COMMANDS
            .iter()
            .map(|entry| entry.json.0)
            .filter(|word| !word.is_empty())
            .collect();
        for (place, word) in words.iter().enumerate() {
            assert!(!words[..place].contains(word), "{word} is a word twice");
            let is_documented =
                page.contains(&format!("\"do\":\"{word}\"")) || page.contains(&format!("`{word}`"));
            assert!(is_documented, "the page does not name {word}");
        }
    }
}
