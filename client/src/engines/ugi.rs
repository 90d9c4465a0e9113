//! The engine's side of the Universal Game Interface (UGI): UCI for any game, with positions and moves as plain text.
//! Turns lines into actions; runs no search and does no I/O.
//!
//! Specification: <https://github.com/kz04px/cutegames>. `client/ENGINES.md` describes the extensions: options, and
//! rules in the text of a position.

#[cfg(test)]
mod tests;

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::engine::{Evaluation, Level, SearchLimits, SearchResult, SearchScore};
use crate::engines::analysis::MoveValues;
use crate::engines::clock_share;

/// Maximum length of a line in bytes. The moves of a full board fit into a line.
pub(crate) const MAX_LINE_BYTES: usize = 32 * 1024;

/// Maximum value of the option MultiPV.
const MULTI_PV_MAX: u32 = 64;

/// Action that a line requires.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UgiAction {
    /// Send these lines, if any.
    Respond(Vec<String>),
    /// Search, report the progress with [`info_line`], and then the move with [`best_move_line`].
    Search(Box<UgiSearchRequest>),
    /// Stop the search and report its best move so far.
    Stop,
    /// Exit.
    Quit,
}

/// Search that a `go` command requests.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UgiSearchRequest {
    pub position: Position,
    /// Limits. Without a limit, the search ends when the game is solved or on `stop`.
    pub limits: SearchLimits,
    pub level: Level,
    /// `go infinite`: the result is reported only after `stop`.
    pub infinite: bool,
    /// Number of best moves to report.
    pub multi_pv: u32,
    /// Seed of the search; `None` means random.
    pub seed: Option<u64>,
}

/// State of an engine: its options and the position.
#[derive(Debug)]
pub(crate) struct Ugi {
    /// Rules of `startpos`.
    rules: Rules,
    level: Level,
    multi_pv: u32,
    own_book: bool,
    seed: Option<u64>,
    /// `None` after an invalid `position`.
    position: Option<Position>,
}

impl Ugi {
    /// Creates an engine with default options.
    pub(crate) fn new(rules: Rules, level: Level) -> Ugi {
        Ugi {
            rules,
            level,
            multi_pv: 1,
            own_book: true,
            seed: None,
            position: Some(Position::new(rules)),
        }
    }

    /// Processes a line. An invalid line is answered with `info string` and changes nothing. Only an invalid `position`
    /// removes the position.
    pub(crate) fn on_line(&mut self, line: &str) -> UgiAction {
        if line.len() > MAX_LINE_BYTES {
            return respond_error("line too long");
        }
        let mut words = line.split_whitespace();
        match words.next() {
            None => UgiAction::Respond(Vec::new()),
            Some("ugi") => UgiAction::Respond(self.on_ugi()),
            Some("isready") => respond("readyok"),
            Some("uginewgame") => {
                self.position = Some(Position::new(self.rules));
                UgiAction::Respond(Vec::new())
            }
            Some("setoption") => self.on_setoption(&words.collect::<Vec<_>>()),
            Some("position") => self.on_position(&words.collect::<Vec<_>>()),
            Some("go") => self.on_go(&words.collect::<Vec<_>>()),
            Some("query") => self.on_query(words.next()),
            Some("stop") => UgiAction::Stop,
            Some("quit") => UgiAction::Quit,
            Some(_) => respond_error("unknown command"),
        }
    }

    fn on_ugi(&self) -> Vec<String> {
        let levels: Vec<String> = Level::ALL
            .iter()
            .map(|level| format!("var {level}"))
            .collect();
        vec![
            format!("id name noughts {}", env!("CARGO_PKG_VERSION")),
            "id author the authors of noughts".to_owned(),
            format!("option name Rules type string default {}", self.rules),
            format!(
                "option name Level type combo default {} {}",
                self.level,
                levels.join(" ")
            ),
            format!("option name MultiPV type spin default 1 min 1 max {MULTI_PV_MAX}"),
            "option name OwnBook type check default true".to_owned(),
            // Many programs keep the limits of an option in 32 bits.
            format!(
                "option name Seed type spin default 0 min 0 max {}",
                i32::MAX
            ),
            "ugiok".to_owned(),
        ]
    }

    fn on_setoption(&mut self, words: &[&str]) -> UgiAction {
        let ["name", name, "value", value] = words else {
            return respond_error("setoption name N value V");
        };
        match name.to_ascii_lowercase().as_str() {
            "rules" => match value.parse() {
                Ok(rules) => {
                    self.rules = rules;
                    self.position = Some(Position::new(rules));
                }
                Err(_) => return respond_error("no such rules"),
            },
            "level" => match value.parse() {
                Ok(level) => self.level = level,
                Err(_) => return respond_error("no such level"),
            },
            "multipv" => match value.parse() {
                Ok(count @ 1..=MULTI_PV_MAX) => self.multi_pv = count,
                Ok(_) | Err(_) => return respond_error("MultiPV must be a number from 1 to 64"),
            },
            "ownbook" => match value.parse() {
                Ok(own_book) => self.own_book = own_book,
                Err(_) => return respond_error("OwnBook must be true or false"),
            },
            "seed" => match value.parse() {
                Ok(seed) => self.seed = (seed > 0).then_some(seed),
                Err(_) => return respond_error("Seed must be a number; 0 stands for a random one"),
            },
            _ => return respond_error("no such option"),
        }
        UgiAction::Respond(Vec::new())
    }

    fn on_position(&mut self, words: &[&str]) -> UgiAction {
        match self.parse_position(words) {
            Ok(position) => {
                self.position = Some(position);
                UgiAction::Respond(Vec::new())
            }
            Err(reason) => {
                self.position = None;
                respond_error(&reason)
            }
        }
    }

    fn parse_position(&self, words: &[&str]) -> Result<Position, String> {
        let (rules, rest) = match words {
            ["startpos", rest @ ..] => (Ok(self.rules), rest),
            ["fen", rules, rest @ ..] => (rules.parse(), rest),
            [] | [..] => return Err("position startpos|fen RULES [moves ...]".to_owned()),
        };
        let rules = rules.map_err(|_| "no such rules".to_owned())?;
        let moves = match rest {
            [] => &[],
            ["moves", moves @ ..] => moves,
            [_, ..] => return Err("expected the word moves before the moves".to_owned()),
        };
        let mut position = Position::new(rules);
        for (number, text) in (1..).zip(moves) {
            let played = rules
                .parse_cell(text)
                .ok()
                .is_some_and(|cell| position.play(cell).is_ok());
            if !played {
                return Err(format!("illegal move {number}"));
            }
        }
        Ok(position)
    }

    fn on_go(&self, words: &[&str]) -> UgiAction {
        let Some(position) = &self.position else {
            return UgiAction::Respond(vec![
                error_line("no valid position"),
                "bestmove none".to_owned(),
            ]);
        };
        if position.status() != Status::Ongoing {
            return respond("bestmove none");
        }
        let own = ["p1", "p2"][position.turn().index()];
        let (own_time, own_increment) = (format!("{own}time"), format!("{own}inc"));
        let without_book = !self.own_book;
        let mut limits = SearchLimits {
            without_book,
            ..SearchLimits::default()
        };
        let (mut time_left, mut increment) = (None, Duration::ZERO);
        let mut infinite = false;
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "infinite" {
                infinite = true;
                continue;
            }
            let Some(number) = words.next().and_then(|text| text.parse::<u64>().ok()) else {
                return respond_error("missing number");
            };
            let time = Duration::from_millis(number);
            match word {
                "depth" => limits.depth = Some(u32::try_from(number).unwrap_or(u32::MAX)),
                "nodes" => limits.nodes = Some(number),
                "movetime" => limits.time = Some(time),
                "p1time" | "p2time" if word == own_time => time_left = Some(time),
                "p1inc" | "p2inc" if word == own_increment => increment = time,
                "p1time" | "p2time" | "p1inc" | "p2inc" => {}
                _ => {
                    return respond_error(
                        "go takes movetime, depth, nodes, p1time, p2time, p1inc, p2inc, infinite",
                    );
                }
            }
        }
        if let (None, Some(left)) = (limits.time, time_left) {
            limits.time = Some(clock_share(left, increment));
        }
        let (position, level, multi_pv) = (position.clone(), self.level, self.multi_pv);
        UgiAction::Search(Box::new(UgiSearchRequest {
            position,
            limits,
            level,
            infinite,
            multi_pv,
            seed: self.seed,
        }))
    }

    fn on_query(&self, query: Option<&str>) -> UgiAction {
        let Some(position) = &self.position else {
            return respond_error("no valid position");
        };
        let response = match query {
            Some("gameover") => (position.status() != Status::Ongoing).to_string(),
            Some("p1turn") => (position.turn() == Seat::X).to_string(),
            Some("result") => match position.status() {
                Status::Ongoing => "none",
                Status::Drawn => "draw",
                Status::Won(Seat::X) => "p1win",
                Status::Won(Seat::O) => "p2win",
            }
            .to_owned(),
            Some(_) | None => return respond_error("query gameover|p1turn|result"),
        };
        respond(&format!("response {response}"))
    }
}

/// Formats the move of a search. `None` means that no move is legal.
pub(crate) fn best_move_line(rules: &Rules, best: Option<Cell>) -> String {
    let text = best.map_or_else(|| "none".to_owned(), |best| cell_text(rules, best));
    format!("bestmove {text}")
}

/// Formats the result of a search, or of one of its iterations, as an `info` line. The line has no score if nothing was
/// searched.
pub(crate) fn info_line(rules: &Rules, report: &SearchResult, elapsed: Duration) -> String {
    let score = match report.score {
        Evaluation::Estimate(_) if report.depth == 0 => String::new(),
        Evaluation::Win(_) | Evaluation::Loss(_) | Evaluation::Draw | Evaluation::Estimate(_) => {
            format!(" score {}", score_text(report.search_score()))
        }
    };
    let pv: Vec<String> = report
        .pv
        .iter()
        .map(|&cell: &Cell| cell_text(rules, cell))
        .collect();
    let (depth, nodes, ms) = (report.depth, report.nodes, elapsed.as_millis());
    format!(
        "info depth {depth}{score} nodes {nodes} time {ms} pv {}",
        pv.join(" ")
    )
}

/// Formats the best `count` moves as one `info` line each. Moves that were not searched are absent.
pub(crate) fn multi_pv_lines(values: &MoveValues, count: u32, elapsed: Duration) -> Vec<String> {
    let (rules, ms) = (values.position.rules(), elapsed.as_millis());
    let line = |(number, &(cell, score)): (u32, &(Cell, SearchScore))| {
        format!(
            "info multipv {number} score {} time {ms} pv {}",
            score_text(score),
            cell_text(rules, cell)
        )
    };
    (1..=count).zip(&values.cells).map(line).collect()
}

/// Formats a score as in UCI. Adds `wdl` to a proven score. If the distance is a bound, the score is a bound too.
fn score_text(score: SearchScore) -> String {
    let moves = |plies: u32| i64::from(plies.div_ceil(2));
    match (score.evaluation, score.exact) {
        (Evaluation::Win(plies), true) => format!("mate {} wdl 1000 0 0", moves(plies)),
        (Evaluation::Win(plies), false) => format!("mate {} lowerbound wdl 1000 0 0", moves(plies)),
        (Evaluation::Loss(plies), true) => format!("mate {} wdl 0 0 1000", -moves(plies)),
        (Evaluation::Loss(plies), false) => {
            format!("mate {} upperbound wdl 0 0 1000", -moves(plies))
        }
        (Evaluation::Draw, _) => "cp 0 wdl 0 1000 0".to_owned(),
        (Evaluation::Estimate(estimate), _) => format!("cp {estimate}"),
    }
}

/// Formats a cell as one word; no cell text contains blanks.
fn cell_text(rules: &Rules, cell: Cell) -> String {
    rules.cell_text(cell)
}

fn respond(line: &str) -> UgiAction {
    UgiAction::Respond(vec![line.to_owned()])
}

fn respond_error(reason: &str) -> UgiAction {
    respond(&error_line(reason))
}

fn error_line(reason: &str) -> String {
    format!("info string error: {reason}")
}
