//! Commands as JSON objects, as a program writes them: `{"do":"move","cell":"b2"}`.

use noughts_protocol::wire::Claim;
use noughts_protocol::{Offer, Rules};
use serde::Deserialize;

use super::typed::{self, Scan};
use super::{DigitOrder, Typed, TypedError};

/// A command, as it is written. A field that is not known is a mistake, and not passed over: what was meant
/// by it would not happen.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Order {
    /// To mark a cell; with `ply` only while so many moves are made.
    Move { cell: String, ply: Option<usize> },
    /// To be told the board.
    Board {},
    /// To be told a row or column, written as after the word `scan`.
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
pub enum Ordered {
    /// A command.
    Typed(Typed),
    /// The same, while so many moves are made.
    At(usize, Typed),
    /// The text for a field.
    Answer(String),
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
pub fn of_room(line: &str) -> Option<(String, String)> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let room = object.remove("room")?.as_str()?.to_owned();
    Some((room, serde_json::Value::Object(object).to_string()))
}

/// Reads an object. `rules` are those of the board in front of the player, if there is one.
///
/// # Errors
/// What is wrong with it.
pub fn parse(line: &str, rules: Option<&Rules>, digits: DigitOrder) -> Result<Ordered, TypedError> {
    let order: Order = serde_json::from_str(line).map_err(|error| TypedError::Object(error.to_string()))?;
    let level = |text: Option<String>| {
        text.map(|text| text.parse().map_err(|_| TypedError::Object(format!("no level: {text}")))).transpose()
    };
    let typed = match order {
        Order::Move { cell, ply } => {
            let cell = typed_cell(&cell, rules, digits)?;
            return Ok(ply.map_or(Ordered::Typed(cell.clone()), |ply| Ordered::At(ply, cell)));
        }
        Order::Answer { text } => return Ok(Ordered::Answer(text.unwrap_or_default())),
        Order::Choose { number } => return Ok(Ordered::Choose { number, watch: false }),
        Order::Watch { number } => return Ok(Ordered::Choose { number, watch: true }),
        Order::WatchAll {} => return Ok(Ordered::WatchAll),
        Order::Refresh {} => return Ok(Ordered::Refresh),
        Order::Board {} => Typed::Board,
        Order::Scan { what } => Typed::Scan(scan(&what, rules)?),
        Order::Marks {} => Typed::Mine,
        Order::Last {} => Typed::Last,
        Order::Clocks {} => Typed::Clocks,
        Order::Opponent {} => Typed::Opponent,
        Order::Offer { offer } => Typed::Offer(offer),
        Order::Accept { offer } => Typed::Accept(offer),
        Order::Decline { offer } => Typed::Decline(offer),
        Order::Resign {} => Typed::Resign,
        Order::Claim { result } => Typed::Claim(result),
        Order::Flag {} => Typed::Flag,
        Order::Bot { level: wanted } => Typed::Bot(level(wanted)?),
        Order::Values {} => Typed::Values,
        Order::Review {} => Typed::Review,
        Order::Keys { order } => Typed::Keys(order.parse()?),
        Order::Save { path } => Typed::Save(path),
        Order::Help {} => Typed::Help,
        Order::Quit {} => Typed::Leave,
    };
    Ok(Ordered::Typed(typed))
}

/// A cell in any of the ways in which it is typed, and nothing else that could be typed.
fn typed_cell(text: &str, rules: Option<&Rules>, digits: DigitOrder) -> Result<Typed, TypedError> {
    match typed::parse(text, rules, digits) {
        Ok(cell @ Typed::Move(_)) => Ok(cell),
        Ok(_) | Err(TypedError::Unknown | TypedError::Empty | TypedError::Argument(_)) => {
            Err(TypedError::Cell(noughts_protocol::CellError::Syntax))
        }
        Err(error) => Err(error),
    }
}

fn scan(what: &str, rules: Option<&Rules>) -> Result<Scan, TypedError> {
    let rules = rules.ok_or(TypedError::NoBoard)?;
    typed::scan(what, rules).ok_or(TypedError::Cell(noughts_protocol::CellError::OffBoard))
}

#[cfg(test)]
mod tests {
    use super::*;
    use noughts_protocol::CellError;

    #[test]
    fn objects_are_commands() {
        let rules: Rules = "3x3:3".parse().unwrap();
        let b2 = Typed::Move(rules.parse_cell("b2").unwrap());
        let bad_cell = || Err(TypedError::Cell(CellError::Syntax));
        for (line, expected) in [
            (r#"{"do":"move","cell":"b2"}"#, Ok(Ordered::Typed(b2.clone()))),
            (r#" { "do" : "move", "cell" : "2 2" }"#, Ok(Ordered::Typed(b2.clone()))),
            (r#"{"do":"move","cell":"5","ply":3}"#, Ok(Ordered::At(3, b2))),
            (r#"{"do":"move","cell":"z9"}"#, Err(TypedError::Cell(CellError::OffBoard))),
            // A cell is a cell, whatever else could be typed there.
            (r#"{"do":"move","cell":"resign"}"#, bad_cell()),
            (r#"{"do":"move","cell":"claim"}"#, bad_cell()),
            (r#"{"do":"move","cell":""}"#, bad_cell()),
            (r#"{"do":"accept"}"#, Ok(Ordered::Typed(Typed::Accept(None)))),
            (r#"{"do":"offer","offer":"takeback"}"#, Ok(Ordered::Typed(Typed::Offer(Offer::Takeback)))),
            (r#"{"do":"claim","result":"win"}"#, Ok(Ordered::Typed(Typed::Claim(Claim::Win)))),
            (r#"{"do":"choose","number":2}"#, Ok(Ordered::Choose { number: 2, watch: false })),
            (r#"{"do":"answer"}"#, Ok(Ordered::Answer(String::new()))),
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
            assert!(matches!(&read, Err(TypedError::Object(why)) if !why.is_empty()), "{line}: {read:?}");
        }
    }
}
