//! The engine's side of the Gomocup protocol. Turns lines of the manager into actions; runs no search and does no
//! I/O.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules};

use super::{
    GomocupCommand, GomocupInfo, GomocupResponse, ParseGomocupError, Point, StoneOwner, printable_excerpt,
};
use crate::engines::time_budget::{clock_share, subtract_pipe_overhead};

/// Time for a move if the manager asks for the fastest possible one.
const MIN_MOVE_TIME: Duration = Duration::from_millis(20);
/// Time for a move if the manager sets none, as the protocol defines.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(30);
/// Longest excerpt of an unknown command that the response repeats, in characters.
const MAX_ECHO_CHARS: usize = 40;

/// Action that a line of the manager requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BrainAction {
    Nothing,
    /// Send this response.
    Respond(GomocupResponse),
    /// Search this position for this time, then report the move to [`Brain::on_search_result`].
    Search(Box<Position>, Duration),
    /// Exit.
    Quit,
}

/// State that the manager has set: board, rules, time and moves.
#[derive(Debug)]
pub(crate) struct Brain {
    /// Width and height; `None` before the first `START`.
    size: Option<(u8, u8)>,
    rule_bits: u8,
    move_time: Duration,
    time_left: Option<Duration>,
    /// Stones in the order of play; the first belongs to the side that begins.
    moves: Vec<Point>,
    /// Stones received since `BOARD`, until `DONE`.
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
    /// Processes a line of the manager. An invalid line yields a response, never the end of the engine.
    pub(crate) fn on_line(&mut self, line: &str) -> BrainAction {
        if line.trim().is_empty() {
            return BrainAction::Nothing;
        }
        let command = match line.parse::<GomocupCommand>() {
            Ok(command) => command,
            Err(ParseGomocupError::Unknown) => {
                return BrainAction::Respond(GomocupResponse::Unknown(printable_excerpt(
                    line.trim(),
                    MAX_ECHO_CHARS,
                )));
            }
            Err(error @ (ParseGomocupError::Argument | ParseGomocupError::TooLong)) => {
                return error_response(&error.to_string());
            }
        };
        if let Some(board) = &mut self.pending_board {
            match command {
                GomocupCommand::Stone(point, owner) => {
                    // Bounded: one stone too many is enough to reject the position at `DONE`.
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

    /// Records the move that a search found, and returns the response that reports it.
    pub(crate) fn on_search_result(&mut self, cell: Cell) -> GomocupResponse {
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
            return Err("unsupported rules");
        }
        let rules = Rules::new(&[width, height], 5).map_err(|_| "unsupported board size")?;
        Ok(if self.rule_bits & GomocupInfo::EXACT == 0 { rules } else { rules.with_exact() })
    }

    fn on_info(&mut self, info: GomocupInfo) {
        match info {
            GomocupInfo::TimeoutTurn(0) => self.move_time = MIN_MOVE_TIME,
            GomocupInfo::TimeoutTurn(ms) => self.move_time = Duration::from_millis(ms),
            // Without a time limit for the game, the remaining time has no meaning either.
            GomocupInfo::TimeoutMatch(0) => self.time_left = None,
            GomocupInfo::TimeoutMatch(ms) => self.time_left = Some(Duration::from_millis(ms)),
            GomocupInfo::TimeLeft(ms) => {
                self.time_left = Some(Duration::from_millis(u64::try_from(ms).unwrap_or(0)));
            }
            GomocupInfo::Rule(bits) => self.rule_bits = bits,
            // The transposition table of the search is small and of fixed size.
            GomocupInfo::MaxMemory(_) | GomocupInfo::Other => {}
        }
    }

    /// Sets up a position. The stones of each side keep their order; the sides alternate.
    fn on_board(&mut self, stones: &[(Point, StoneOwner)]) -> BrainAction {
        let points_of =
            |owner: StoneOwner| stones.iter().filter(move |stone| stone.1 == owner).map(|stone| stone.0);
        let (own, other): (Vec<Point>, Vec<Point>) =
            (points_of(StoneOwner::Own).collect(), points_of(StoneOwner::Other).collect());
        let (first, second) = match other.len().checked_sub(own.len()) {
            Some(0) => (own, other),
            Some(1) => (other, own),
            Some(_) | None => return error_response("it is not the turn of this engine in this position"),
        };
        let seconds = second.into_iter().map(Some).chain([None]);
        self.moves =
            first.into_iter().zip(seconds).flat_map(|(one, two)| [Some(one), two]).flatten().collect();
        self.start_search()
    }

    /// Starts a search of the current position. An impossible position yields an error, and the moves from the first
    /// illegal one on are dropped.
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
                return error_response("illegal stone");
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

    /// Processes all lines and checks the result of the last one. A search is written as `search`, the rules, the moves
    /// and the milliseconds.
    fn check(lines: &[&str], expected: &str) {
        let mut brain = Brain::default();
        let mut last = String::new();
        for line in lines {
            last = match brain.on_line(line) {
                BrainAction::Nothing => String::new(),
                BrainAction::Respond(response) => response.to_string(),
                BrainAction::Quit => "quit".to_owned(),
                BrainAction::Search(position, budget) => {
                    let rules = *position.rules();
                    let moves: Vec<String> =
                        position.moves().iter().map(|&cell| rules.cell_text(cell)).collect();
                    let text = format!("search {rules} {} {}", moves.join(" "), budget.as_millis());
                    // The search always finds the first free cell.
                    brain.on_search_result(position.legal_from(0).unwrap());
                    text
                }
            };
        }
        assert_eq!(last, expected, "{lines:?}");
    }

    const TURN: &str = "INFO timeout_turn 1000";

    #[test]
    fn commands_of_a_game_start_searches() {
        check(&["START 15"], "OK");
        check(&["RECTSTART 20,10"], "OK");
        check(&["START 15", TURN, "BEGIN"], "search 15x15:5  900");
        check(&["START 15", TURN, "BEGIN", "TURN 7,7"], "search 15x15:5 a1 h8 900");
        check(&["START 15", TURN, "TURN 7,7", "TURN 8,8"], "search 15x15:5 h8 a1 i9 900");
        check(&["START 15", "INFO rule 1", TURN, "BEGIN"], "search 15x15:5+exact  900");
        check(&["START 15", TURN, "BEGIN", "RESTART"], "OK");
        check(&["START 15", TURN, "BEGIN", "RESTART", "TURN 1,0"], "search 15x15:5 b1 900");
        check(
            &["START 15", TURN, "TURN 7,7", "TAKEBACK 0,0", "TAKEBACK 7,7", "BEGIN"],
            "search 15x15:5  900",
        );
        check(&["start 15", "end"], "quit");
    }

    #[test]
    fn a_board_sets_up_a_position() {
        let board = |stones: &[&str], expected: &str| {
            let lines = [&["START 15", TURN, "BOARD"], stones, &["DONE"]].concat();
            check(&lines, expected);
        };
        board(&[], "search 15x15:5  900");
        board(&["7,7,2"], "search 15x15:5 h8 900");
        board(&["7,7,1", "8,8,2"], "search 15x15:5 h8 i9 900");
        // Grouped by owner, not in the order of play.
        board(&["1,0,2", "2,0,2", "0,0,1"], "search 15x15:5 b1 a1 c1 900");
        board(&["7,7,1"], "ERROR it is not the turn of this engine in this position");
        board(&["7,7,2", "8,8,2"], "ERROR it is not the turn of this engine in this position");
        board(&["7,7,1", "7,7,2"], "ERROR illegal stone");
        board(&["15,0,2"], "ERROR illegal stone");
        check(&["START 15", "BOARD", "7,7,2", "START 15"], "OK");
        check(&["START 15", "DONE"], "ERROR BOARD first");
    }

    #[test]
    fn the_search_time_follows_the_time_settings() {
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
            check(&lines, &format!("search 15x15:5  {expected}"));
        }
    }

    #[test]
    fn invalid_input_is_answered_with_an_error() {
        check(&["BEGIN"], "ERROR START first");
        check(&["RESTART"], "ERROR START first");
        check(&["START 4"], "ERROR unsupported board size");
        check(&["START 26"], "ERROR unsupported board size");
        check(&["START 15", "INFO rule 4", "BEGIN"], "ERROR unsupported rules");
        check(&["START 15", "TURN 15,15"], "ERROR illegal stone");
        check(&["START 15", TURN, "TURN 15,15", "TURN 7,7"], "search 15x15:5 h8 900");
        check(&["START 15", "TURN x"], "ERROR bad argument");
        check(&["YXHASHCLEAR \u{1b}[2J"], "UNKNOWN YXHASHCLEAR [2J");
        check(&[""], "");
        let five = ["BOARD", "0,0,1", "0,1,2", "1,0,1", "1,1,2", "2,0,1", "2,1,2", "3,0,1", "3,1,2"];
        let over = [&["START 15"], &five[..], &["4,0,1", "9,9,2", "DONE"]].concat();
        check(&over, "ERROR illegal stone");
    }
}
