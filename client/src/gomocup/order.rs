//! What is said to a brain, as text.

use std::fmt;
use std::str::FromStr;

use super::{LineError, MAX_LINE, Point, number};

/// One line to a brain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Play on an empty square board of this side.
    Start(u8),
    /// Play on an empty board of this width and height.
    RectStart(u8, u8),
    /// The same board, empty again.
    Restart,
    /// You begin.
    Begin,
    /// The other has moved here.
    Turn(Point),
    /// A whole position follows, a stone a line.
    Board,
    /// A stone of that position.
    Stone(Point, Owner),
    /// The position is complete: your move.
    Done,
    /// The last stone, here, is taken back.
    TakeBack(Point),
    /// Something to know; has no answer.
    Info(Info),
    /// Who are you?
    About,
    /// Stop at once.
    End,
}

/// Whose stone it is in a position, as the brain sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The brain's own.
    Own,
    /// The other's.
    Other,
    /// Part of a line that was won before, in games that go on.
    Line,
}

/// Something to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Info {
    /// The most time for a move in milliseconds; 0: as fast as possible.
    TimeoutTurn(u64),
    /// The time for a game in milliseconds; 0: no limit.
    TimeoutMatch(u64),
    /// What is left of it in milliseconds; can be below 0 after an overstep.
    TimeLeft(i64),
    /// Memory in bytes; 0: no limit.
    MaxMemory(u64),
    /// The rules as bits.
    Rule(u8),
    /// A key that a brain need not know: the opponent's kind, a folder, what is evaluated, and others.
    Other,
}

impl Info {
    /// Only exactly five win.
    pub const EXACT: u8 = 1;
    /// The game goes on on the same board.
    pub const CONTINUOUS: u8 = 2;
    /// Renju: other rules than ours.
    pub const RENJU: u8 = 4;
    /// Caro: five that are closed at both ends do not win.
    pub const CARO: u8 = 8;
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Order::Start(side) => write!(f, "START {side}"),
            Order::RectStart(width, height) => write!(f, "RECTSTART {width},{height}"),
            Order::Restart => f.write_str("RESTART"),
            Order::Begin => f.write_str("BEGIN"),
            Order::Turn(point) => write!(f, "TURN {point}"),
            Order::Board => f.write_str("BOARD"),
            Order::Stone(point, Owner::Own) => write!(f, "{point},1"),
            Order::Stone(point, Owner::Other) => write!(f, "{point},2"),
            Order::Stone(point, Owner::Line) => write!(f, "{point},3"),
            Order::Done => f.write_str("DONE"),
            Order::TakeBack(point) => write!(f, "TAKEBACK {point}"),
            Order::Info(Info::TimeoutTurn(ms)) => write!(f, "INFO timeout_turn {ms}"),
            Order::Info(Info::TimeoutMatch(ms)) => write!(f, "INFO timeout_match {ms}"),
            Order::Info(Info::TimeLeft(ms)) => write!(f, "INFO time_left {ms}"),
            Order::Info(Info::MaxMemory(bytes)) => write!(f, "INFO max_memory {bytes}"),
            Order::Info(Info::Rule(bits)) => write!(f, "INFO rule {bits}"),
            Order::Info(Info::Other) => f.write_str("INFO other"),
            Order::About => f.write_str("ABOUT"),
            Order::End => f.write_str("END"),
        }
    }
}

impl FromStr for Order {
    type Err = LineError;

    /// Reads a line: the command in either case, blanks around it allowed.
    fn from_str(line: &str) -> Result<Order, LineError> {
        if line.len() > MAX_LINE {
            return Err(LineError::TooLong);
        }
        let line = line.trim();
        if line.starts_with(|first: char| first.is_ascii_digit()) {
            return stone(line);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let alone = |order: Order| if rest.is_empty() { Ok(order) } else { Err(LineError::Argument) };
        match word.to_ascii_uppercase().as_str() {
            "START" => Ok(Order::Start(number(rest)?)),
            "RECTSTART" => {
                let (width, height) = rest.split_once(',').ok_or(LineError::Argument)?;
                Ok(Order::RectStart(number(width)?, number(height)?))
            }
            "RESTART" => alone(Order::Restart),
            "BEGIN" => alone(Order::Begin),
            "TURN" => Ok(Order::Turn(rest.parse()?)),
            "BOARD" => alone(Order::Board),
            "DONE" => alone(Order::Done),
            "TAKEBACK" => Ok(Order::TakeBack(rest.parse()?)),
            "INFO" => Ok(Order::Info(info(rest)?)),
            "ABOUT" => alone(Order::About),
            "END" => alone(Order::End),
            _ => Err(LineError::Unknown),
        }
    }
}

fn stone(line: &str) -> Result<Order, LineError> {
    let (point, owner) = line.rsplit_once(',').ok_or(LineError::Argument)?;
    let owner = match owner.trim() {
        "1" => Owner::Own,
        "2" => Owner::Other,
        "3" => Owner::Line,
        _ => return Err(LineError::Argument),
    };
    Ok(Order::Stone(point.parse()?, owner))
}

fn info(rest: &str) -> Result<Info, LineError> {
    let (key, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match key.to_ascii_lowercase().as_str() {
        "timeout_turn" => Ok(Info::TimeoutTurn(number(value)?)),
        "timeout_match" => Ok(Info::TimeoutMatch(number(value)?)),
        "time_left" => value.trim().parse().map(Info::TimeLeft).map_err(|_| LineError::Argument),
        "max_memory" => Ok(Info::MaxMemory(number(value)?)),
        "rule" => Ok(Info::Rule(number(value)?)),
        "" => Err(LineError::Argument),
        _ => Ok(Info::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_round_trip() {
        let point = Point { x: 7, y: 8 };
        for (text, order) in [
            ("START 15", Order::Start(15)),
            ("RECTSTART 20,15", Order::RectStart(20, 15)),
            ("RESTART", Order::Restart),
            ("BEGIN", Order::Begin),
            ("TURN 7,8", Order::Turn(point)),
            ("BOARD", Order::Board),
            ("7,8,1", Order::Stone(point, Owner::Own)),
            ("7,8,2", Order::Stone(point, Owner::Other)),
            ("7,8,3", Order::Stone(point, Owner::Line)),
            ("DONE", Order::Done),
            ("TAKEBACK 7,8", Order::TakeBack(point)),
            ("INFO timeout_turn 5000", Order::Info(Info::TimeoutTurn(5_000))),
            ("INFO timeout_match 100000", Order::Info(Info::TimeoutMatch(100_000))),
            ("INFO time_left -20", Order::Info(Info::TimeLeft(-20))),
            ("INFO max_memory 83886080", Order::Info(Info::MaxMemory(83_886_080))),
            ("INFO rule 1", Order::Info(Info::Rule(1))),
            ("ABOUT", Order::About),
            ("END", Order::End),
        ] {
            assert_eq!((text.parse(), order.to_string().as_str()), (Ok(order.clone()), text));
            assert_eq!(format!("  {}\r", text.to_lowercase()).parse(), Ok(order), "{text}");
        }
    }

    #[test]
    fn what_is_no_order_is_told_apart() {
        for (text, error) in [
            ("", LineError::Unknown),
            ("PLAY 1,2", LineError::Unknown),
            ("SWAP2BOARD", LineError::Unknown),
            ("START", LineError::Argument),
            ("START 300", LineError::Argument),
            ("START -5", LineError::Argument),
            ("TURN 7", LineError::Argument),
            ("BEGIN now", LineError::Argument),
            ("7,8", LineError::Argument),
            ("7,8,9", LineError::Argument),
            ("INFO", LineError::Argument),
            ("INFO timeout_turn soon", LineError::Argument),
        ] {
            assert_eq!(text.parse::<Order>(), Err(error), "{text}");
        }
        assert_eq!("INFO folder /tmp/x y".parse(), Ok(Order::Info(Info::Other)));
        assert_eq!(format!("TURN {}", " ".repeat(MAX_LINE)).parse::<Order>(), Err(LineError::TooLong));
    }
}
