//! The engine's side of the Gomocup protocol. Turns the manager's lines into actions. Runs no search and does no I/O.

#[cfg(test)]
mod tests;

use std::time::Duration;

use noughts_protocol::wire::Evaluation;
use noughts_protocol::{Cell, Position, RuleFlag, Rules};

use super::{
    GomocupCommand, GomocupInfo, GomocupResponse, ParseGomocupError, Point, StoneOwner,
    printable_excerpt,
};
use crate::engines::{clock_share, subtract_pipe_overhead};

/// Time for a move if the manager asks for moves as fast as possible.
const MIN_MOVE_TIME: Duration = Duration::from_millis(20);
/// Time for a move if the manager sets no time, as the protocol defines.
const DEFAULT_MOVE_TIME: Duration = Duration::from_secs(30);
/// Maximum number of stones of a swap2 opening.
const MAX_OPENING_STONES: usize = 5;
/// The swap2 opening that the engine proposes, as offsets from the centre. It fits on every board.
const OPENING: [(i8, i8); 3] = [(0, 0), (1, 1), (-2, 2)];
/// Maximum length of the unknown command that the response repeats, in characters.
const MAX_ECHO_CHARS: usize = 40;

/// Action that a line from the manager requires.
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
    /// Stones in the order of play. The first belongs to the side that begins.
    moves: Vec<Point>,
    /// Stones received since `BOARD`, until `DONE`.
    pending_board: Option<Vec<(Point, StoneOwner)>>,
    /// Stones received since `SWAP2BOARD`, until `DONE`.
    pending_opening: Option<Vec<Point>>,
    /// Whether the running search chooses a side in a swap2 opening.
    chooses_side: bool,
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
            pending_opening: None,
            chooses_side: false,
        }
    }
}

impl Brain {
    /// Processes a line from the manager. An invalid line yields a response, and never ends the engine.
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
                    // One stone too many is enough to reject the position at `DONE`.
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
                | GomocupCommand::SwapBoard
                | GomocupCommand::OpeningStone(_)
                | GomocupCommand::TakeBack(_)
                | GomocupCommand::Info(_)
                | GomocupCommand::About
                | GomocupCommand::End => self.pending_board = None,
            }
        }
        if let Some(mut stones) = self.pending_opening.take() {
            if let GomocupCommand::OpeningStone(point) = command {
                // One stone too many is enough to reject the opening at `DONE`.
                if stones.len() <= MAX_OPENING_STONES {
                    stones.push(point);
                }
                self.pending_opening = Some(stones);
                return BrainAction::Nothing;
            }
            if command == GomocupCommand::Done {
                return self.on_opening(stones);
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
            GomocupCommand::SwapBoard => {
                self.pending_opening = Some(Vec::new());
                BrainAction::Nothing
            }
            GomocupCommand::Stone(..) | GomocupCommand::Done => error_response("BOARD first"),
            GomocupCommand::OpeningStone(_) => error_response("SWAP2BOARD first"),
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

    /// Records the move that a search found, with its evaluation. Returns the response that reports it. In a swap2
    /// opening, the engine swaps instead if the opponent's side is better.
    pub(crate) fn on_search_result(&mut self, cell: Cell, score: Evaluation) -> GomocupResponse {
        let chooses_side = std::mem::take(&mut self.chooses_side);
        if chooses_side && matches!(score, Evaluation::Loss(_) | Evaluation::Estimate(..0)) {
            return GomocupResponse::Swap;
        }
        let point = self
            .rules()
            .ok()
            .and_then(|rules| Point::from_cell(&rules, cell));
        let Some(point) = point else {
            return GomocupResponse::Error("no board".to_owned());
        };
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
        if self.rule_bits & GomocupInfo::EXACT == 0 {
            Ok(rules)
        } else {
            rules.with(RuleFlag::Exact).map_err(|_| "unsupported rules")
        }
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
            // The limit is ignored, because the transposition table of the search is small and of fixed size.
            GomocupInfo::MaxMemory(_) | GomocupInfo::Other => {}
        }
    }

    /// Sets up a position. The stones of each side keep their order; the sides alternate.
    fn on_board(&mut self, stones: &[(Point, StoneOwner)]) -> BrainAction {
        let points_of = |owner: StoneOwner| {
            stones
                .iter()
                .filter(move |stone| stone.1 == owner)
                .map(|stone| stone.0)
        };
        let (own, other): (Vec<Point>, Vec<Point>) = (
            points_of(StoneOwner::Own).collect(),
            points_of(StoneOwner::Other).collect(),
        );
        let (first, second) = match other.len().checked_sub(own.len()) {
            Some(0) => (own, other),
            Some(1) => (other, own),
            Some(_) | None => {
                return error_response("it is not the turn of this engine in this position");
            }
        };
        let seconds = second.into_iter().map(Some).chain([None]);
        self.moves = first
            .into_iter()
            .zip(seconds)
            .flat_map(|(one, two)| [Some(one), two])
            .flatten()
            .collect();
        self.start_search()
    }

    /// Answers the stones of a swap2 opening: no stones with an opening, three or five stones with a search that
    /// chooses the side. The protocol allows three answers to three stones; the engine never adds two stones.
    fn on_opening(&mut self, stones: Vec<Point>) -> BrainAction {
        match stones.len() {
            0 => self.propose_opening(),
            3 | 5 => {
                self.moves = stones;
                let action = self.start_search();
                self.chooses_side = matches!(action, BrainAction::Search(..));
                action
            }
            _ => error_response("a swap2 opening has no stones, three or five"),
        }
    }

    fn propose_opening(&mut self) -> BrainAction {
        let (width, height) = match (self.rules(), self.size) {
            (Ok(_), Some(size)) => size,
            (Ok(_), None) => return error_response("START first"),
            (Err(reason), _) => return error_response(reason),
        };
        let stones = OPENING.map(|(x, y)| Point {
            x: (width / 2).saturating_add_signed(x).min(width - 1),
            y: (height / 2).saturating_add_signed(y).min(height - 1),
        });
        self.moves = stones.to_vec();
        BrainAction::Respond(GomocupResponse::Opening(stones))
    }

    /// Starts a search of the current position. An impossible position yields an error. The first illegal move and the
    /// moves after it are dropped.
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
            let played = point
                .cell(&rules)
                .is_some_and(|cell| position.play(cell).is_ok());
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
        let share = self
            .time_left
            .map_or(self.move_time, |left| clock_share(left, Duration::ZERO));
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
