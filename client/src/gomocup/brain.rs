//! A brain's side of the protocol, around whatever thinks: lines in, what to do about them out. Pure.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{Info, LineError, Order, Owner, Point, Say};

/// A move when none is asked to take its time.
const AT_ONCE: Duration = Duration::from_millis(20);
/// A manager that names no time has this one in mind, by the protocol.
const TURN: Duration = Duration::from_secs(30);
/// A game has about so many moves of ours to come.
const MOVES_TO_COME: u32 = 20;
/// Of the time for a move, what is left to the pipe and a busy machine at most.
const RESERVE: Duration = Duration::from_millis(100);

/// What a line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing to do.
    Nothing,
    /// An answer.
    Say(Say),
    /// A move is to be found within this time, and told by [`Brain::moved`].
    Think(Box<Position>, Duration),
    /// It is over.
    End,
}

/// What a brain has been told.
#[derive(Debug)]
pub struct Brain {
    /// Width and height; none before the first start.
    size: Option<(u8, u8)>,
    rule: u8,
    turn: Duration,
    left: Option<Duration>,
    /// The stones in the order in which they came. Who begins has the first.
    moves: Vec<Point>,
    /// The position that is being told.
    board: Option<Vec<(Point, Owner)>>,
}

impl Default for Brain {
    fn default() -> Brain {
        Brain { size: None, rule: 0, turn: TURN, left: None, moves: Vec::new(), board: None }
    }
}

impl Brain {
    /// A line of the manager. What is not understood is answered and never ends the brain.
    pub fn hears(&mut self, line: &str) -> Reaction {
        if line.trim().is_empty() {
            return Reaction::Nothing;
        }
        let order = match line.parse::<Order>() {
            Ok(order) => order,
            Err(LineError::Unknown) => return Reaction::Say(Say::Unknown(shortened(line))),
            Err(error @ (LineError::Argument | LineError::TooLong)) => return fault(&error.to_string()),
        };
        if let Some(board) = &mut self.board {
            match order {
                Order::Stone(point, owner) => {
                    // A full board is enough; a longer list is found out when it is done.
                    if board.len() <= Rules::MAX_CELLS {
                        board.push((point, owner));
                    }
                    return Reaction::Nothing;
                }
                Order::Done => {
                    let stones = self.board.take().unwrap_or_default();
                    return self.set_up(&stones);
                }
                Order::Start(_)
                | Order::RectStart(..)
                | Order::Restart
                | Order::Begin
                | Order::Turn(_)
                | Order::Board
                | Order::TakeBack(_)
                | Order::Info(_)
                | Order::About
                | Order::End => self.board = None,
            }
        }
        self.carry_out(order)
    }

    fn carry_out(&mut self, order: Order) -> Reaction {
        match order {
            Order::Start(side) => self.start(side, side),
            Order::RectStart(width, height) => self.start(width, height),
            Order::Restart => {
                self.moves.clear();
                if self.size.is_some() { Reaction::Say(Say::Ok) } else { fault("START first") }
            }
            Order::Begin => self.thinks(),
            Order::Turn(point) => {
                self.moves.push(point);
                self.thinks()
            }
            Order::Board => {
                self.board = Some(Vec::new());
                Reaction::Nothing
            }
            Order::Stone(..) | Order::Done => fault("BOARD first"),
            Order::TakeBack(point) => {
                if self.moves.last() == Some(&point) {
                    self.moves.pop();
                    Reaction::Say(Say::Ok)
                } else {
                    fault("not the last stone")
                }
            }
            Order::Info(info) => {
                self.knows(info);
                Reaction::Nothing
            }
            Order::About => Reaction::Say(Say::About(about())),
            Order::End => Reaction::End,
        }
    }

    /// The move that was found, to be told.
    pub fn moved(&mut self, cell: Cell) -> Say {
        let point = self.rules().ok().and_then(|rules| Point::of(&rules, cell));
        let Some(point) = point else { return Say::Error("no board".to_owned()) };
        self.moves.push(point);
        Say::Move(point)
    }

    fn start(&mut self, width: u8, height: u8) -> Reaction {
        let before = (self.size, std::mem::take(&mut self.moves));
        self.size = Some((width, height));
        match self.rules() {
            Ok(_) => Reaction::Say(Say::Ok),
            Err(why) => {
                (self.size, self.moves) = before;
                fault(why)
            }
        }
    }

    fn rules(&self) -> Result<Rules, &'static str> {
        let (width, height) = self.size.ok_or("START first")?;
        if self.rule & (Info::RENJU | Info::CARO) != 0 {
            return Err("these rules are not known here");
        }
        let rules = Rules::new(&[width, height], 5).map_err(|_| "no board of this size here")?;
        Ok(if self.rule & Info::EXACT == 0 { rules } else { rules.with_exact() })
    }

    fn knows(&mut self, info: Info) {
        match info {
            Info::TimeoutTurn(0) => self.turn = AT_ONCE,
            Info::TimeoutTurn(ms) => self.turn = Duration::from_millis(ms),
            // Without a limit for the game what is left of it means nothing either.
            Info::TimeoutMatch(0) => self.left = None,
            Info::TimeoutMatch(ms) => self.left = Some(Duration::from_millis(ms)),
            Info::TimeLeft(ms) => self.left = Some(Duration::from_millis(u64::try_from(ms).unwrap_or(0))),
            Info::Rule(bits) => self.rule = bits,
            // The search has a small table of a fixed size.
            Info::MaxMemory(_) | Info::Other => {}
        }
    }

    /// A whole position: the stones of the two in the order told, one of each in turn.
    fn set_up(&mut self, stones: &[(Point, Owner)]) -> Reaction {
        let of = |owner: Owner| stones.iter().filter(move |stone| stone.1 == owner).map(|stone| stone.0);
        let (own, other): (Vec<Point>, Vec<Point>) = (of(Owner::Own).collect(), of(Owner::Other).collect());
        let (first, second) = match other.len().checked_sub(own.len()) {
            Some(0) => (own, other),
            Some(1) => (other, own),
            Some(_) | None => return fault("it is not our turn in this position"),
        };
        let seconds = second.into_iter().map(Some).chain([None]);
        self.moves =
            first.into_iter().zip(seconds).flat_map(|(one, two)| [Some(one), two]).flatten().collect();
        self.thinks()
    }

    /// Thinks about the position as told. One that cannot be is told so, and its last stone forgotten.
    fn thinks(&mut self) -> Reaction {
        let rules = match self.rules() {
            Ok(rules) => rules,
            Err(why) => {
                self.moves.clear();
                return fault(why);
            }
        };
        let mut position = Position::new(rules);
        for (ply, point) in self.moves.iter().enumerate() {
            let played = point.cell(&rules).is_some_and(|cell| position.play(cell).is_ok());
            if !played {
                self.moves.truncate(ply);
                return fault("this stone cannot be there");
            }
        }
        if position.legal_count() == 0 {
            return fault("the game is over");
        }
        Reaction::Think(Box::new(position), self.budget())
    }

    fn budget(&self) -> Duration {
        let share = self.left.map_or(self.turn, |left| left / MOVES_TO_COME);
        let turn = self.turn.min(share).max(AT_ONCE);
        turn - (turn / 5).min(RESERVE)
    }
}

fn about() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("name=\"noughts\", version=\"{version}\", author=\"the authors of noughts\"")
}

fn fault(why: &str) -> Reaction {
    Reaction::Say(Say::Error(why.to_owned()))
}

/// As much of a strange line as is worth saying again.
fn shortened(line: &str) -> String {
    line.trim().chars().filter(|letter| !letter.is_control()).take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hears all lines; checks what came of the last one. A thought is written as `think`, the moves so far
    /// and its milliseconds.
    fn check(lines: &[&str], expected: &str) {
        let mut brain = Brain::default();
        let mut last = String::new();
        for line in lines {
            last = match brain.hears(line) {
                Reaction::Nothing => String::new(),
                Reaction::Say(say) => say.to_string(),
                Reaction::End => "end".to_owned(),
                Reaction::Think(position, budget) => {
                    let rules = *position.rules();
                    let moves: Vec<String> =
                        position.moves().iter().map(|&cell| rules.cell_text(cell)).collect();
                    let text = format!("think {rules} {} {}", moves.join(" "), budget.as_millis());
                    // Always answers with the first free cell.
                    brain.moved(position.legal_from(0).unwrap());
                    text
                }
            };
        }
        assert_eq!(last, expected, "{lines:?}");
    }

    const TURN: &str = "INFO timeout_turn 1000";

    #[test]
    fn games_are_played() {
        check(&["START 15"], "OK");
        check(&["RECTSTART 20,10"], "OK");
        check(&["START 15", TURN, "BEGIN"], "think 15x15:5  900");
        check(&["START 15", TURN, "BEGIN", "TURN 7,7"], "think 15x15:5 a1 h8 900");
        check(&["START 15", TURN, "TURN 7,7", "TURN 8,8"], "think 15x15:5 h8 a1 i9 900");
        check(&["START 15", "INFO rule 1", TURN, "BEGIN"], "think 15x15:5+exact  900");
        check(&["START 15", TURN, "BEGIN", "RESTART"], "OK");
        check(&["START 15", TURN, "BEGIN", "RESTART", "TURN 1,0"], "think 15x15:5 b1 900");
        check(&["START 15", TURN, "TURN 7,7", "TAKEBACK 0,0", "TAKEBACK 7,7", "BEGIN"], "think 15x15:5  900");
        check(&["start 15", "end"], "end");
    }

    #[test]
    fn a_position_is_set_up() {
        let board = |stones: &[&str], expected: &str| {
            let lines = [&["START 15", TURN, "BOARD"], stones, &["DONE"]].concat();
            check(&lines, expected);
        };
        board(&[], "think 15x15:5  900");
        board(&["7,7,2"], "think 15x15:5 h8 900");
        board(&["7,7,1", "8,8,2"], "think 15x15:5 h8 i9 900");
        // By owner, not in turn.
        board(&["1,0,2", "2,0,2", "0,0,1"], "think 15x15:5 b1 a1 c1 900");
        board(&["7,7,1"], "ERROR it is not our turn in this position");
        board(&["7,7,2", "8,8,2"], "ERROR it is not our turn in this position");
        board(&["7,7,1", "7,7,2"], "ERROR this stone cannot be there");
        board(&["15,0,2"], "ERROR this stone cannot be there");
        check(&["START 15", "BOARD", "7,7,2", "START 15"], "OK");
        check(&["START 15", "DONE"], "ERROR BOARD first");
    }

    #[test]
    fn time_is_shared_out() {
        for (info, expected) in [
            (&["INFO timeout_turn 0"][..], 16),
            (&["INFO timeout_turn 100"], 80),
            (&["INFO timeout_turn 60000"], 59_900),
            (&["INFO timeout_turn 60000", "INFO timeout_match 100000"], 4_900),
            (&["INFO timeout_turn 1000", "INFO timeout_match 100000", "INFO time_left 2000"], 80),
            (&["INFO timeout_turn 1000", "INFO time_left -5"], 16),
            (&["INFO timeout_turn 1000", "INFO time_left 0", "INFO timeout_match 0"], 900),
        ] {
            let lines = [&["START 15"], info, &["BEGIN"]].concat();
            check(&lines, &format!("think 15x15:5  {expected}"));
        }
    }

    #[test]
    fn what_cannot_be_is_told_and_ends_nothing() {
        check(&["BEGIN"], "ERROR START first");
        check(&["RESTART"], "ERROR START first");
        check(&["START 4"], "ERROR no board of this size here");
        check(&["START 26"], "ERROR no board of this size here");
        check(&["START 15", "INFO rule 4", "BEGIN"], "ERROR these rules are not known here");
        check(&["START 15", "TURN 15,15"], "ERROR this stone cannot be there");
        check(&["START 15", TURN, "TURN 15,15", "TURN 7,7"], "think 15x15:5 h8 900");
        check(&["START 15", "TURN x"], "ERROR bad argument");
        check(&["YXHASHCLEAR \u{1b}[2J"], "UNKNOWN YXHASHCLEAR [2J");
        check(&[""], "");
        let five = ["BOARD", "0,0,1", "0,1,2", "1,0,1", "1,1,2", "2,0,1", "2,1,2", "3,0,1", "3,1,2"];
        let over = [&["START 15"], &five[..], &["4,0,1", "9,9,2", "DONE"]].concat();
        check(&over, "ERROR this stone cannot be there");
    }
}
