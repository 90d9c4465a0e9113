//! The engine's side of the Universal Game Interface (UGI): UCI for any game, with positions and moves as plain text.
//! Turns lines into actions; runs no search and does no I/O.
//!
//! Specification: <https://github.com/kz04px/cutegames>. The extensions (rules as the text of a position, options) are
//! described in `client/README.md`.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::engine::{Evaluation, Level, SearchLimits, SearchResult};
use crate::engines::time_budget::clock_share;

/// Maximum length of a line in bytes. The moves of a full board fit.
pub(crate) const MAX_LINE_BYTES: usize = 32 * 1024;

/// Action that a line requires.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UgiAction {
    /// Send these lines; may be empty.
    Respond(Vec<String>),
    /// Search, then report the result with [`best_move_lines`].
    Search(Box<UgiSearchRequest>),
    /// Stop the search and report its best move so far.
    Stop,
    /// Exit.
    Quit,
}

/// Search that a `go` command asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UgiSearchRequest {
    pub position: Position,
    /// Limits. Without any limit the search ends when the game is solved or on `stop`.
    pub limits: SearchLimits,
    pub level: Level,
    /// `go infinite`: the result is reported only after `stop`.
    pub infinite: bool,
}

/// State of an engine: options and position.
#[derive(Debug)]
pub(crate) struct Ugi {
    /// Rules of `startpos`.
    rules: Rules,
    level: Level,
    position: Position,
}

impl Ugi {
    /// Creates an engine with default options.
    pub(crate) fn new(rules: Rules, level: Level) -> Ugi {
        Ugi { rules, level, position: Position::new(rules) }
    }

    /// Processes a line. An invalid line is answered with `info string` and changes nothing.
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
                self.position = Position::new(self.rules);
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
        let levels: Vec<String> = Level::ALL.iter().map(|level| format!("var {level}")).collect();
        vec![
            format!("id name noughts {}", env!("CARGO_PKG_VERSION")),
            "id author the authors of noughts".to_owned(),
            format!("option name Rules type string default {}", self.rules),
            format!("option name Level type combo default {} {}", self.level, levels.join(" ")),
            "ugiok".to_owned(),
        ]
    }

    fn on_setoption(&mut self, words: &[&str]) -> UgiAction {
        let ["name", name, "value", value] = words else { return respond_error("setoption name N value V") };
        match name.to_ascii_lowercase().as_str() {
            "rules" => match value.parse() {
                Ok(rules) => {
                    self.rules = rules;
                    self.position = Position::new(rules);
                }
                Err(_) => return respond_error("no such rules"),
            },
            "level" => match value.parse() {
                Ok(level) => self.level = level,
                Err(_) => return respond_error("no such level"),
            },
            _ => return respond_error("no such option"),
        }
        UgiAction::Respond(Vec::new())
    }

    fn on_position(&mut self, words: &[&str]) -> UgiAction {
        let (rules, rest) = match words {
            ["startpos", rest @ ..] => (Ok(self.rules), rest),
            ["fen", rules, rest @ ..] => (rules.parse(), rest),
            [] | [..] => return respond_error("position startpos|fen RULES [moves ...]"),
        };
        let Ok(rules) = rules else { return respond_error("no such rules") };
        let moves = match rest {
            [] => &[],
            ["moves", moves @ ..] => moves,
            [_, ..] => return respond_error("expected the word moves before the moves"),
        };
        let mut position = Position::new(rules);
        for text in moves {
            let played = rules.parse_cell(text).ok().is_some_and(|cell| position.play(cell).is_ok());
            if !played {
                return respond_error("illegal move");
            }
        }
        self.position = position;
        UgiAction::Respond(Vec::new())
    }

    fn on_go(&self, words: &[&str]) -> UgiAction {
        if self.position.status() != Status::Ongoing {
            return respond("bestmove none");
        }
        let own = ["p1", "p2"][self.position.turn().index()];
        let (own_time, own_increment) = (format!("{own}time"), format!("{own}inc"));
        let (mut limits, mut time_left, mut increment) = (SearchLimits::default(), None, Duration::ZERO);
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
        let (position, level) = (self.position.clone(), self.level);
        UgiAction::Search(Box::new(UgiSearchRequest { position, limits, level, infinite }))
    }

    fn on_query(&self, query: Option<&str>) -> UgiAction {
        let response = match query {
            Some("gameover") => (self.position.status() != Status::Ongoing).to_string(),
            Some("p1turn") => (self.position.turn() == Seat::X).to_string(),
            Some("result") => match self.position.status() {
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

/// Formats the result of a search: an `info` line and a `bestmove` line. `None` stands for no legal move.
pub(crate) fn best_move_lines(
    rules: &Rules,
    report: Option<&SearchResult>,
    elapsed: Duration,
) -> Vec<String> {
    let Some(report) = report else { return vec!["bestmove none".to_owned()] };
    let score = match report.score {
        Evaluation::Win(plies) => format!("mate {}", i64::from(plies.div_ceil(2))),
        Evaluation::Loss(plies) => format!("mate {}", -i64::from(plies.div_ceil(2))),
        Evaluation::Draw => "cp 0".to_owned(),
        Evaluation::Estimate(estimate) => format!("cp {estimate}"),
    };
    let pv: Vec<String> = report.pv.iter().map(|&cell: &Cell| cell_text(rules, cell)).collect();
    let (depth, nodes, ms) = (report.depth, report.nodes, elapsed.as_millis());
    vec![
        format!("info depth {depth} score {score} nodes {nodes} time {ms} pv {}", pv.join(" ")),
        format!("bestmove {}", cell_text(rules, report.best)),
    ]
}

/// Formats a cell as one word; no cell text contains blanks.
fn cell_text(rules: &Rules, cell: Cell) -> String {
    rules.cell_text(cell)
}

fn respond(line: &str) -> UgiAction {
    UgiAction::Respond(vec![line.to_owned()])
}

fn respond_error(reason: &str) -> UgiAction {
    respond(&format!("info string error: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Processes all lines and checks the result of the last one.
    fn check(lines: &[&str], expected: &str) {
        let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
        let mut last = String::new();
        for line in lines {
            last = match ugi.on_line(line) {
                UgiAction::Respond(lines) => lines.join("\n"),
                UgiAction::Stop => "stop".to_owned(),
                UgiAction::Quit => "quit".to_owned(),
                UgiAction::Search(search) => {
                    let UgiSearchRequest { position, limits, level, infinite } = *search;
                    let SearchLimits { depth, nodes, time } = limits;
                    let ms = time.map(|time| time.as_millis());
                    format!("{level} {position:?} {depth:?} {nodes:?} {ms:?} {infinite}")
                }
            };
        }
        assert_eq!(last, expected, "{lines:?}");
    }

    #[test]
    fn ugi_is_answered_with_the_options() {
        let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
        let UgiAction::Respond(lines) = ugi.on_line("ugi") else { panic!("ugi has a response") };
        assert_eq!(lines.last().map(String::as_str), Some("ugiok"));
        assert!(lines.contains(&"option name Rules type string default 3x3:3".to_owned()), "{lines:?}");
        check(&["isready"], "readyok");
        check(&["quit"], "quit");
        check(&["stop"], "stop");
    }

    #[test]
    fn positions_of_all_kinds_of_rules_are_accepted() {
        check(
            &["position startpos moves b2 a1", "go nodes 500"],
            "hard Position(3x3:3; b2 a1; Ongoing) None Some(500) None false",
        );
        check(
            &["position fen 7x6:4+gravity moves d1 d1", "go depth 9"],
            "hard Position(7x6:4+gravity; d6 d5; Ongoing) Some(9) None None false",
        );
        check(
            &["setoption name Rules value 4x4x4:4", "position startpos moves 2,2,2 1,1,1", "go infinite"],
            "hard Position(4x4x4:4; 2,2,2 1,1,1; Ongoing) None None None true",
        );
        check(
            &["setoption name Level value easy", "position fen misere", "go"],
            "easy Position(3x3:3+misere; ; Ongoing) None None None false",
        );
        check(
            &["position startpos moves b2", "uginewgame", "go movetime 30"],
            "hard Position(3x3:3; ; Ongoing) None None Some(30) false",
        );
    }

    #[test]
    fn the_clock_of_the_side_to_move_counts() {
        let clocks = "go p1time 20000 p2time 40000 p1inc 0 p2inc 1000";
        check(&[clocks], "hard Position(3x3:3; ; Ongoing) None None Some(1000) false");
        check(
            &["position startpos moves b2", clocks],
            "hard Position(3x3:3; b2; Ongoing) None None Some(2750) false",
        );
    }

    #[test]
    fn queries_report_the_state_of_the_game() {
        let won = "position startpos moves b2 a1 c1 b1 a3";
        for (query, going, over) in [
            ("query gameover", "response false", "response true"),
            ("query result", "response none", "response p1win"),
            ("query p1turn", "response true", "response false"),
        ] {
            check(&[query], going);
            check(&[won, query], over);
        }
        check(&[won, "go nodes 5"], "bestmove none");
        let drawn = "position fen 3x1:3 moves a1 b1 c1";
        check(&[drawn, "query result"], "response draw");
    }

    #[test]
    fn invalid_lines_are_reported_and_change_nothing() {
        for line in [
            "hello",
            "position",
            "position startpos b2",
            "position startpos moves b9",
            "position fen 3x3 moves b2",
            "position startpos moves b2 b2",
            "go fast 3",
            "go depth",
            "query weather",
            "setoption name Rules value nine",
            "setoption name Level value brutal",
            "setoption Hash 3",
        ] {
            let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
            ugi.on_line("position startpos moves c3");
            let UgiAction::Respond(lines) = ugi.on_line(line) else { panic!("{line}") };
            assert!(lines[0].starts_with("info string error"), "{line}: {lines:?}");
            assert_eq!(ugi.position.ply(), 1, "{line}");
        }
        check(&[""], "");
    }

    #[test]
    fn a_search_result_is_two_lines() {
        let rules: Rules = "3x3:3".parse().unwrap();
        for (score, expected) in [
            (Evaluation::Win(1), "mate 1"),
            (Evaluation::Win(3), "mate 2"),
            (Evaluation::Loss(2), "mate -1"),
            (Evaluation::Draw, "cp 0"),
            (Evaluation::Estimate(-7), "cp -7"),
        ] {
            let pv = vec![Cell::new(4), Cell::new(0)];
            let report = SearchResult { best: pv[0], score, depth: 2, nodes: 9, pv };
            let lines = best_move_lines(&rules, Some(&report), Duration::from_millis(5));
            let info = format!("info depth 2 score {expected} nodes 9 time 5 pv b2 a1");
            assert_eq!(lines, [info.as_str(), "bestmove b2"]);
        }
        assert_eq!(best_move_lines(&rules, None, Duration::ZERO), ["bestmove none"]);
    }
}
