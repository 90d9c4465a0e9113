//! A brain's side of the protocol, around whatever thinks: lines in, what to do about them out. Pure.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{
    GomocupCommand, GomocupInfo, GomocupResponse, ParseGomocupError, Point, StoneOwner, printable_excerpt,
};
use crate::engines::time_budget::{clock_share, subtract_pipe_overhead};

/// A move when none is asked to take its time.
const MIN_MOVE_TIME: Duration = Duration::from_millis(20);
/// A manager that names no time has this one in mind, by the protocol.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(30);
/// Longest excerpt of an unknown command that the response repeats, in characters.
const ECHO_CHARS_MAX: usize = 40;

/// What a line comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BrainAction {
    /// Nothing to do.
    Nothing,
    /// An answer.
    Respond(GomocupResponse),
    /// A move is to be found within this time, and told by [`Brain::on_search_result`].
    Search(Box<Position>, Duration),
    /// It is over.
    Quit,
}

/// What a brain has been told.
#[derive(Debug)]
pub struct Brain {
    /// Width and height; none before the first start.
    size: Option<(u8, u8)>,
    rule_bits: u8,
    move_time: Duration,
    time_left: Option<Duration>,
    /// The stones in the order in which they came. Who begins has the first.
    moves: Vec<Point>,
    /// The position that is being told.
    pending_board: Option<Vec<(Point, StoneOwner)>>,
}

impl Default for Brain {
    fn default() -> Brain {
        Brain {
            size: None,
            rule_bits: 0,
            move_time: DEFAULT_MOVE_TIME,
            time_left: None,
            moves: Vec::new(),
            pending_board: None,
        }
    }
}

impl Brain {
    /// A line of the manager. What is not understood is answered and never ends the brain.
    pub fn on_line(&mut self, line: &str) -> BrainAction {
        if line.trim().is_empty() {
            return BrainAction::Nothing;
        }
        let command = match line.parse::<GomocupCommand>() {
            Ok(order) => order,
            Err(ParseGomocupError::Unknown) => {
                return BrainAction::Respond(GomocupResponse::Unknown(printable_excerpt(line.trim(), ECHO_CHARS_MAX)));
            }
            Err(error @ (ParseGomocupError::Argument | ParseGomocupError::TooLong)) => {
                return error_response(&error.to_string());
            }
        };
        if let Some(board) = &mut self.pending_board {
            match command {
                GomocupCommand::Stone(point, owner) => {
                    // A full board is enough; a longer list is found out when it is done.
                    if board.len() <= Rules::MAX_CELLS {
                        board.push((point, owner));
                    }
                    return BrainAction::Nothing;
                }
                GomocupCommand::Done => {
                    let stones = self.pending_board.take().unwrap_or_default();
                    return self.on_board(&stones);
                }
                GomocupCommand::Start(_)
                | GomocupCommand::RectStart(..)
                | GomocupCommand::Restart
                | GomocupCommand::Begin
                | GomocupCommand::Turn(_)
                | GomocupCommand::Board
                | GomocupCommand::TakeBack(_)
                | GomocupCommand::Info(_)
                | GomocupCommand::About
                | GomocupCommand::End => self.pending_board = None,
            }
        }
        self.on_command(command)
    }

    fn on_command(&mut self, command: GomocupCommand) -> BrainAction {
        match command {
            GomocupCommand::Start(side) => self.on_start(side, side),
            GomocupCommand::RectStart(width, height) => self.on_start(width, height),
            GomocupCommand::Restart => {
                self.moves.clear();
                if self.size.is_some() {
                    BrainAction::Respond(GomocupResponse::Ok)
                } else {
                    error_response("START first")
                }
            }
            GomocupCommand::Begin => self.start_search(),
            GomocupCommand::Turn(point) => {
                self.moves.push(point);
                self.start_search()
            }
            GomocupCommand::Board => {
                self.pending_board = Some(Vec::new());
                BrainAction::Nothing
            }
            GomocupCommand::Stone(..) | GomocupCommand::Done => error_response("BOARD first"),
            GomocupCommand::TakeBack(point) => {
                if self.moves.last() == Some(&point) {
                    self.moves.pop();
                    BrainAction::Respond(GomocupResponse::Ok)
                } else {
                    error_response("not the last stone")
                }
            }
            GomocupCommand::Info(info) => {
                self.on_info(info);
                BrainAction::Nothing
            }
            GomocupCommand::About => BrainAction::Respond(GomocupResponse::About(about_text())),
            GomocupCommand::End => BrainAction::Quit,
        }
    }

    /// The move that was found, to be told.
    pub fn on_search_result(&mut self, cell: Cell) -> GomocupResponse {
        let point = self.rules().ok().and_then(|rules| Point::from_cell(&rules, cell));
        let Some(point) = point else { return GomocupResponse::Error("no board".to_owned()) };
        self.moves.push(point);
        GomocupResponse::Move(point)
    }

    fn on_start(&mut self, width: u8, height: u8) -> BrainAction {
        let previous = (self.size, std::mem::take(&mut self.moves));
        self.size = Some((width, height));
        match self.rules() {
            Ok(_) => BrainAction::Respond(GomocupResponse::Ok),
            Err(reason) => {
                (self.size, self.moves) = previous;
                error_response(reason)
            }
        }
    }

    fn rules(&self) -> Result<Rules, &'static str> {
        let (width, height) = self.size.ok_or("START first")?;
        if self.rule_bits & (GomocupInfo::RENJU | GomocupInfo::CARO) != 0 {
            return Err("these rules are not known here");
        }
        let rules = Rules::new(&[width, height], 5).map_err(|_| "no board of this size here")?;
        Ok(if self.rule_bits & GomocupInfo::EXACT == 0 { rules } else { rules.with_exact() })
    }

    fn on_info(&mut self, info: GomocupInfo) {
        match info {
            GomocupInfo::TimeoutTurn(0) => self.move_time = MIN_MOVE_TIME,
            GomocupInfo::TimeoutTurn(ms) => self.move_time = Duration::from_millis(ms),
            // Without a limit for the game what is left of it means nothing either.
            GomocupInfo::TimeoutMatch(0) => self.time_left = None,
            GomocupInfo::TimeoutMatch(ms) => self.time_left = Some(Duration::from_millis(ms)),
            GomocupInfo::TimeLeft(ms) => {
                self.time_left = Some(Duration::from_millis(u64::try_from(ms).unwrap_or(0)))
            }
            GomocupInfo::Rule(bits) => self.rule_bits = bits,
            // The search has a small table of a fixed size.
            GomocupInfo::MaxMemory(_) | GomocupInfo::Other => {}
        }
    }

    /// A whole position: the stones of the two in the order told, one of each in turn.
    fn on_board(&mut self, stones: &[(Point, StoneOwner)]) -> BrainAction {
        let points_of =
            |owner: StoneOwner| stones.iter().filter(move |stone| stone.1 == owner).map(|stone| stone.0);
        let (own, other): (Vec<Point>, Vec<Point>) =
            (points_of(StoneOwner::Own).collect(), points_of(StoneOwner::Other).collect());
        let (first, second) = match other.len().checked_sub(own.len()) {
            Some(0) => (own, other),
            Some(1) => (other, own),
            Some(_) | None => return error_response("it is not our turn in this position"),
        };
        let seconds = second.into_iter().map(Some).chain([None]);
        self.moves =
            first.into_iter().zip(seconds).flat_map(|(one, two)| [Some(one), two]).flatten().collect();
        self.start_search()
    }

    /// Thinks about the position as told. One that cannot be is told so, and its last stone forgotten.
    fn start_search(&mut self) -> BrainAction {
        let rules = match self.rules() {
            Ok(rules) => rules,
            Err(reason) => {
                self.moves.clear();
                return error_response(reason);
            }
        };
        let mut position = Position::new(rules);
        for (ply, point) in self.moves.iter().enumerate() {
            let played = point.cell(&rules).is_some_and(|cell| position.play(cell).is_ok());
            if !played {
                self.moves.truncate(ply);
                return error_response("this stone cannot be there");
            }
        }
        if position.legal_count() == 0 {
            return error_response("the game is over");
        }
        BrainAction::Search(Box::new(position), self.move_budget())
    }

    fn move_budget(&self) -> Duration {
        let share = self.time_left.map_or(self.move_time, |left| clock_share(left, Duration::ZERO));
        subtract_pipe_overhead(self.move_time.min(share).max(MIN_MOVE_TIME))
    }
}

fn about_text() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("name=\"noughts\", version=\"{version}\", author=\"the authors of noughts\"")
}

fn error_response(reason: &str) -> BrainAction {
    BrainAction::Respond(GomocupResponse::Error(reason.to_owned()))
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
            last = match brain.on_line(line) {
                BrainAction::Nothing => String::new(),
                BrainAction::Respond(say) => say.to_string(),
                BrainAction::Quit => "end".to_owned(),
                BrainAction::Search(position, budget) => {
                    let rules = *position.rules();
                    let moves: Vec<String> =
                        position.moves().iter().map(|&cell| rules.cell_text(cell)).collect();
                    let text = format!("think {rules} {} {}", moves.join(" "), budget.as_millis());
                    // Always answers with the first free cell.
                    brain.on_search_result(position.legal_from(0).unwrap());
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
    fn invalid_input_is_an_error_and_ends_nothing() {
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
