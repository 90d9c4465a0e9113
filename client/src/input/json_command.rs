//! Commands of JSON mode: `{"do":"move","cell":"b2"}`.

use noughts_protocol::wire::{Claim, Phrase};
use noughts_protocol::{Offer, Rules};
use serde::Deserialize;

use super::cell_names::CellNotation;
use super::text_command::{self, ScanTarget};
use super::{DigitOrder, TextCommand, TextCommandError};

/// A command as it is written. Unknown fields are rejected, because ignoring them would change the meaning.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum JsonCommand {
    /// Plays a move; with `ply`, only if the game has this number of moves.
    Move {
        cell: String,
        ply: Option<usize>,
    },
    Board {},
    /// Lists a row or column, written as in the text command `scan`.
    Scan {
        #[serde(rename = "what")]
        target: String,
    },
    Marks {},
    Last {},
    Clocks {},
    Opponent {},
    Offer {
        offer: Offer,
    },
    /// Accepts this proposal, or the only one.
    Accept {
        offer: Option<Offer>,
    },
    /// Declines this proposal, or the only one.
    Decline {
        offer: Option<Offer>,
    },
    Resign {},
    /// Ends a game before both players have moved.
    Abort {},
    /// Claims the result of a game that the opponent has abandoned.
    Claim {
        result: Claim,
    },
    /// Reports that the opponent's time is up.
    Flag {},
    /// Invites a bot into the player's room.
    #[serde(rename = "bot")]
    InviteBot {
        level: Option<String>,
    },
    /// Says a phrase.
    Say {
        phrase: Phrase,
    },
    /// Hides the phrases of the other players, or shows them again.
    Mute {},
    /// Evaluates the free cells.
    Values {},
    /// Evaluates each move of the finished game.
    Review {},
    /// Sets how digits number the cells.
    #[serde(rename = "keys")]
    DigitOrder {
        order: String,
    },
    /// Writes the record to a file.
    Save {
        path: String,
    },
    /// Lists the text commands.
    Help {},
    /// Fills in the current form field; without a text, keeps its value.
    Answer {
        text: Option<String>,
    },
    /// Chooses an item of the menu or a room of the list, from 1.
    Choose {
        number: usize,
    },
    /// Watches a room of the list, from 1.
    Watch {
        number: usize,
    },
    /// Watches all listed games in progress.
    WatchAll {},
    /// Refreshes the room list.
    Refresh {},
    #[serde(rename = "quit")]
    Leave {},
}

/// A parsed JSON command: a text command, or a command about a form, a menu or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ParsedJsonCommand {
    Command(TextCommand),
    /// A command that is valid only if the game has this number of moves.
    CommandAtPly(usize, TextCommand),
    /// The text of the current form field.
    FillInField(String),
    /// An item or a room, and whether to enter the room as a spectator.
    Choose {
        number: usize,
        watch: bool,
    },
    WatchAll,
    Refresh,
}

/// Whether a line looks like a JSON object.
pub(crate) fn is_object(line: &str) -> bool {
    line.trim_start().starts_with('{')
}

/// Splits an object into the room that it names and the object without it; `None` if it names no room.
pub(crate) fn split_room(line: &str) -> Option<(String, String)> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let room = object.remove("room")?.as_str()?.to_owned();
    Some((room, serde_json::Value::Object(object).to_string()))
}

/// Parses an object. `rules` are those of the board on the screen, if there is one.
///
/// # Errors
/// Returns the reason why the object is not a command.
pub(crate) fn parse(
    line: &str,
    rules: Option<&Rules>,
    digits: DigitOrder,
) -> Result<ParsedJsonCommand, TextCommandError> {
    let command: JsonCommand = serde_json::from_str(line)
        .map_err(|error| TextCommandError::InvalidJson(error.to_string()))?;
    let parse_level = |text: Option<String>| {
        text.map(|text| {
            text.parse()
                .map_err(|_| TextCommandError::InvalidJson(format!("unknown level: {text}")))
        })
        .transpose()
    };
    let text_command = match command {
        JsonCommand::Move { cell, ply } => {
            let cell = parse_cell(&cell, rules, digits)?;
            return Ok(ply.map_or(ParsedJsonCommand::Command(cell.clone()), |ply| {
                ParsedJsonCommand::CommandAtPly(ply, cell)
            }));
        }
        JsonCommand::Answer { text } => {
            return Ok(ParsedJsonCommand::FillInField(text.unwrap_or_default()));
        }
        JsonCommand::Choose { number } => {
            return Ok(ParsedJsonCommand::Choose {
                number,
                watch: false,
            });
        }
        JsonCommand::Watch { number } => {
            return Ok(ParsedJsonCommand::Choose {
                number,
                watch: true,
            });
        }
        JsonCommand::WatchAll {} => return Ok(ParsedJsonCommand::WatchAll),
        JsonCommand::Refresh {} => return Ok(ParsedJsonCommand::Refresh),
        JsonCommand::Board {} => TextCommand::Board,
        JsonCommand::Scan { target } => TextCommand::Scan(parse_scan(&target, rules)?),
        JsonCommand::Marks {} => TextCommand::Marks,
        JsonCommand::Last {} => TextCommand::Last,
        JsonCommand::Clocks {} => TextCommand::Clocks,
        JsonCommand::Opponent {} => TextCommand::Opponent,
        JsonCommand::Offer { offer } => TextCommand::Offer(offer),
        JsonCommand::Accept { offer } => TextCommand::Accept(offer),
        JsonCommand::Decline { offer } => TextCommand::Decline(offer),
        JsonCommand::Resign {} => TextCommand::Resign,
        JsonCommand::Abort {} => TextCommand::Abort,
        JsonCommand::Claim { result } => TextCommand::Claim(result),
        JsonCommand::Flag {} => TextCommand::Flag,
        JsonCommand::InviteBot { level } => TextCommand::InviteBot(parse_level(level)?),
        JsonCommand::Say { phrase } => TextCommand::Say(phrase),
        JsonCommand::Mute {} => TextCommand::Mute,
        JsonCommand::Values {} => TextCommand::Values,
        JsonCommand::Review {} => TextCommand::Review,
        JsonCommand::DigitOrder { order } => TextCommand::DigitOrder(order.parse()?),
        JsonCommand::Save { path } => TextCommand::Save(path),
        JsonCommand::Help {} => TextCommand::Help,
        JsonCommand::Leave {} => TextCommand::Leave,
    };
    Ok(ParsedJsonCommand::Command(text_command))
}

/// Parses a cell in any notation of the text commands, but no other command.
fn parse_cell(
    text: &str,
    rules: Option<&Rules>,
    digits: DigitOrder,
) -> Result<TextCommand, TextCommandError> {
    match text_command::parse(text, rules, digits, CellNotation::Wire) {
        Ok(cell @ TextCommand::Move(_)) => Ok(cell),
        Ok(_)
        | Err(
            TextCommandError::UnknownCommand
            | TextCommandError::Empty
            | TextCommandError::InvalidArgument(_),
        ) => Err(TextCommandError::InvalidCell(
            noughts_protocol::CellError::Syntax,
        )),
        Err(error) => Err(error),
    }
}

fn parse_scan(target: &str, rules: Option<&Rules>) -> Result<ScanTarget, TextCommandError> {
    let rules = rules.ok_or(TextCommandError::NoBoard)?;
    text_command::parse_scan(target, rules, CellNotation::Wire).ok_or(
        TextCommandError::InvalidCell(noughts_protocol::CellError::OffBoard),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::CellError;

    #[test]
    fn json_objects_are_commands() {
        let rules: Rules = "3x3:3".parse().unwrap();
        let b2 = TextCommand::Move(rules.parse_cell("b2").unwrap());
        let bad_cell = || Err(TextCommandError::InvalidCell(CellError::Syntax));
        for (line, expected) in [
            (
                r#"{"do":"move","cell":"b2"}"#,
                Ok(ParsedJsonCommand::Command(b2.clone())),
            ),
            (
                r#" { "do" : "move", "cell" : "2 2" }"#,
                Ok(ParsedJsonCommand::Command(b2.clone())),
            ),
            (
                r#"{"do":"move","cell":"5","ply":3}"#,
                Ok(ParsedJsonCommand::CommandAtPly(3, b2)),
            ),
            (
                r#"{"do":"move","cell":"z9"}"#,
                Err(TextCommandError::InvalidCell(CellError::OffBoard)),
            ),
            // Other text commands are not cells.
            (r#"{"do":"move","cell":"resign"}"#, bad_cell()),
            (r#"{"do":"move","cell":"claim"}"#, bad_cell()),
            (r#"{"do":"move","cell":""}"#, bad_cell()),
            (
                r#"{"do":"accept"}"#,
                Ok(ParsedJsonCommand::Command(TextCommand::Accept(None))),
            ),
            (
                r#"{"do":"offer","offer":"takeback"}"#,
                Ok(ParsedJsonCommand::Command(TextCommand::Offer(
                    Offer::Takeback,
                ))),
            ),
            (
                r#"{"do":"claim","result":"win"}"#,
                Ok(ParsedJsonCommand::Command(TextCommand::Claim(Claim::Win))),
            ),
            (
                r#"{"do":"choose","number":2}"#,
                Ok(ParsedJsonCommand::Choose {
                    number: 2,
                    watch: false,
                }),
            ),
            (
                r#"{"do":"answer"}"#,
                Ok(ParsedJsonCommand::FillInField(String::new())),
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
