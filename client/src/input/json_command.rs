//! Commands as JSON objects, as a program writes them: `{"do":"move","cell":"b2"}`.

use noughts_protocol::wire::Claim;
use noughts_protocol::{Offer, Rules};
use serde::Deserialize;

use super::text_command::{self, ScanTarget};
use super::{DigitOrder, TextCommand, TextCommandError};

/// A command, as it is written. A field that is not known is a mistake, and not passed over: what was meant
/// by it would not happen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum JsonCommand {
    /// To mark a cell; with `ply` only while so many moves are made.
    Move { cell: String, ply: Option<usize> },
    /// To be told the board.
    Board {},
    /// To be told a row or column, written as after the word `parse_scan`.
    Scan { what: String },
    /// To be told where one's marks are.
    Marks {},
    /// To be told the last move.
    Last {},
    /// To be told the clocks.
    Clocks {},
    /// To be told about the opponent.
    Opponent {},
    /// To propose.
    Offer { offer: Offer },
    /// To say yes, to this or to the only proposal.
    Accept { offer: Option<Offer> },
    /// To say no.
    Decline { offer: Option<Offer> },
    /// To give up.
    Resign {},
    /// To end the game of an absent player.
    Claim { result: Claim },
    /// To point out that the other's time is over.
    Flag {},
    /// To bring a bot into one's own room.
    Bot { level: Option<String> },
    /// To be told what each free cell is worth.
    Values {},
    /// To be told what each move was worth.
    Review {},
    /// To number cells in this order.
    Keys { order: String },
    /// To write the game to a file.
    Save { path: String },
    /// To be told the words that may be typed.
    Help {},
    /// To fill in the field that is asked for; nothing takes what stands there.
    Answer { text: Option<String> },
    /// To take an entry of the menu or a room of the list, from 1.
    Choose { number: usize },
    /// To watch a room of the list, from 1.
    Watch { number: usize },
    /// To watch the games of the list that are on.
    WatchAll {},
    /// To have the list again.
    Refresh {},
    /// To go.
    Quit {},
}

/// What an order is: a command as it might have been typed, or about what is asked or listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedJsonCommand {
    /// A command.
    Command(TextCommand),
    /// The same, while so many moves are made.
    CommandAtPly(usize, TextCommand),
    /// The text for a field.
    FillInField(String),
    /// An entry or a room, and whether only to watch it.
    Choose { number: usize, watch: bool },
    /// The games that are on.
    WatchAll,
    /// The list again.
    Refresh,
}

/// Whether a line is meant as an object.
pub fn is_object(line: &str) -> bool {
    line.trim_start().starts_with('{')
}

/// The room that an object names, and the object without it.
pub fn split_room(line: &str) -> Option<(String, String)> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let room = object.remove("room")?.as_str()?.to_owned();
    Some((room, serde_json::Value::Object(object).to_string()))
}

/// Reads an object. `rules` are those of the board in front of the player, if there is one.
///
/// # Errors
/// What is wrong with it.
pub fn parse(
    line: &str,
    rules: Option<&Rules>,
    digits: DigitOrder,
) -> Result<ParsedJsonCommand, TextCommandError> {
    let command: JsonCommand =
        serde_json::from_str(line).map_err(|error| TextCommandError::InvalidJson(error.to_string()))?;
    let parse_level = |text: Option<String>| {
        text.map(|text| text.parse().map_err(|_| TextCommandError::InvalidJson(format!("no level: {text}"))))
            .transpose()
    };
    let text_command = match command {
        JsonCommand::Move { cell, ply } => {
            let cell = parse_cell(&cell, rules, digits)?;
            return Ok(ply.map_or(ParsedJsonCommand::Command(cell.clone()), |ply| {
                ParsedJsonCommand::CommandAtPly(ply, cell)
            }));
        }
        JsonCommand::Answer { text } => return Ok(ParsedJsonCommand::FillInField(text.unwrap_or_default())),
        JsonCommand::Choose { number } => return Ok(ParsedJsonCommand::Choose { number, watch: false }),
        JsonCommand::Watch { number } => return Ok(ParsedJsonCommand::Choose { number, watch: true }),
        JsonCommand::WatchAll {} => return Ok(ParsedJsonCommand::WatchAll),
        JsonCommand::Refresh {} => return Ok(ParsedJsonCommand::Refresh),
        JsonCommand::Board {} => TextCommand::Board,
        JsonCommand::Scan { what } => TextCommand::Scan(parse_scan(&what, rules)?),
        JsonCommand::Marks {} => TextCommand::Marks,
        JsonCommand::Last {} => TextCommand::Last,
        JsonCommand::Clocks {} => TextCommand::Clocks,
        JsonCommand::Opponent {} => TextCommand::Opponent,
        JsonCommand::Offer { offer } => TextCommand::Offer(offer),
        JsonCommand::Accept { offer } => TextCommand::Accept(offer),
        JsonCommand::Decline { offer } => TextCommand::Decline(offer),
        JsonCommand::Resign {} => TextCommand::Resign,
        JsonCommand::Claim { result } => TextCommand::Claim(result),
        JsonCommand::Flag {} => TextCommand::Flag,
        JsonCommand::Bot { level: wanted } => TextCommand::InviteBot(parse_level(wanted)?),
        JsonCommand::Values {} => TextCommand::Values,
        JsonCommand::Review {} => TextCommand::Review,
        JsonCommand::Keys { order } => TextCommand::DigitOrder(order.parse()?),
        JsonCommand::Save { path } => TextCommand::Save(path),
        JsonCommand::Help {} => TextCommand::Help,
        JsonCommand::Quit {} => TextCommand::Leave,
    };
    Ok(ParsedJsonCommand::Command(text_command))
}

/// A cell in any of the ways in which it is typed, and nothing else that could be typed.
fn parse_cell(
    text: &str,
    rules: Option<&Rules>,
    digits: DigitOrder,
) -> Result<TextCommand, TextCommandError> {
    match text_command::parse(text, rules, digits) {
        Ok(cell @ TextCommand::Move(_)) => Ok(cell),
        Ok(_)
        | Err(
            TextCommandError::UnknownCommand | TextCommandError::Empty | TextCommandError::InvalidArgument(_),
        ) => Err(TextCommandError::InvalidCell(noughts_protocol::CellError::Syntax)),
        Err(error) => Err(error),
    }
}

fn parse_scan(what: &str, rules: Option<&Rules>) -> Result<ScanTarget, TextCommandError> {
    let rules = rules.ok_or(TextCommandError::NoBoard)?;
    text_command::parse_scan(what, rules)
        .ok_or(TextCommandError::InvalidCell(noughts_protocol::CellError::OffBoard))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::CellError;

    #[test]
    fn objects_are_commands() {
        let rules: Rules = "3x3:3".parse().unwrap();
        let b2 = TextCommand::Move(rules.parse_cell("b2").unwrap());
        let bad_cell = || Err(TextCommandError::InvalidCell(CellError::Syntax));
        for (line, expected) in [
            (r#"{"do":"move","cell":"b2"}"#, Ok(ParsedJsonCommand::Command(b2.clone()))),
            (r#" { "do" : "move", "cell" : "2 2" }"#, Ok(ParsedJsonCommand::Command(b2.clone()))),
            (r#"{"do":"move","cell":"5","ply":3}"#, Ok(ParsedJsonCommand::CommandAtPly(3, b2))),
            (r#"{"do":"move","cell":"z9"}"#, Err(TextCommandError::InvalidCell(CellError::OffBoard))),
            // A cell is a cell, whatever else could be typed there.
            (r#"{"do":"move","cell":"resign"}"#, bad_cell()),
            (r#"{"do":"move","cell":"claim"}"#, bad_cell()),
            (r#"{"do":"move","cell":""}"#, bad_cell()),
            (r#"{"do":"accept"}"#, Ok(ParsedJsonCommand::Command(TextCommand::Accept(None)))),
            (
                r#"{"do":"offer","offer":"takeback"}"#,
                Ok(ParsedJsonCommand::Command(TextCommand::Offer(Offer::Takeback))),
            ),
            (
                r#"{"do":"claim","result":"win"}"#,
                Ok(ParsedJsonCommand::Command(TextCommand::Claim(Claim::Win))),
            ),
            (r#"{"do":"choose","number":2}"#, Ok(ParsedJsonCommand::Choose { number: 2, watch: false })),
            (r#"{"do":"answer"}"#, Ok(ParsedJsonCommand::FillInField(String::new()))),
        ] {
            assert_eq!(parse(line, Some(&rules), DigitOrder::Reading), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_command_says_why() {
        for line in [
            "{",
            "{}",
            r#"{"do":"fly"}"#,
            r#"{"do":"resign","at":3}"#,
            r#"{"do":"move"}"#,
            r#"{"do":"bot","level":"brutal"}"#,
            r#"{"do":"quit"} x"#,
        ] {
            let read = parse(line, None, DigitOrder::Reading);
            assert!(
                matches!(&read, Err(TextCommandError::InvalidJson(why)) if !why.is_empty()),
                "{line}: {read:?}"
            );
        }
    }
}
