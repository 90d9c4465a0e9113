//! The engine as a WebAssembly module, which the bot of the browser page runs in a Worker.
//!
//! [`EngineSession`] is one game. The module exports it as functions that take and return numbers, so that no memory is
//! shared and no generated glue is needed:
//!
//! | export | contract |
//! |---|---|
//! | `rules_byte(byte)` | appends a byte to the text of the rules |
//! | `start()` | begins a game by these rules and clears the text; the number of cells, or -1 if the rules are not valid |
//! | `play(cell)` | plays a cell; 0, or -1 if the move is not legal |
//! | `best_move(level, nodes, millis, seed)` | chooses a move; -1 if the game is over. `level` counts from 0, the weakest; 0 disables a limit |
//! | `accepts_draw()` | 1 if the last choice was not better for the side to move, else 0 |
//! | `evaluate(nodes, millis)` | searches for a review; the best move, or -1 if the game is over |
//! | `forced_result()` | after a search: 1 if the side to move wins by force, -1 if it loses, 0 if neither was found |
//!
//! It imports `page.now()`, a clock in milliseconds.
//!
//! Replaces: wasm-bindgen; its tool generates JavaScript for each change of the interface. Gain: no second generated
//! file, no tool of an exact version; 7 exports of numbers (2026-11-22, `client/web/rebuild-engine`). Invariant: all
//! arguments and results are numbers, and only the module `exports` contains `unsafe` attributes. Test:
//! `tests/system/web/engine.test.mjs` compares the moves of the module with the moves of the engine.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::{
    Evaluation, Level, SearchLimits, SearchResult, best_move, claims_win, evaluate,
};
use noughts_protocol::{Cell, Position, Rules};

/// A game that the engine plays, and its last evaluation.
#[derive(Debug)]
pub struct EngineSession {
    position: Position,
    score: Option<Evaluation>,
}

impl EngineSession {
    /// Returns the empty board of these rules. Returns `None` if the text is not valid.
    pub fn new(rules: &str) -> Option<EngineSession> {
        let rules: Rules = rules.parse().ok()?;
        Some(EngineSession {
            position: Position::new(rules),
            score: None,
        })
    }

    /// Returns the number of cells of the board.
    pub fn cells(&self) -> usize {
        self.position.rules().cells()
    }

    /// Plays a cell. Returns whether the move is legal; an illegal move changes nothing.
    pub fn play(&mut self, cell: u16) -> bool {
        self.position.play(Cell::new(cell)).is_ok()
    }

    /// Chooses a move within `limits`. `elapsed` is the time since the start of the search. Returns `None` if the game
    /// is over.
    pub fn best_move(
        &mut self,
        level: Level,
        limits: SearchLimits,
        seed: u64,
        elapsed: &dyn Fn() -> Duration,
    ) -> Option<usize> {
        let stop = AtomicBool::new(false);
        self.keep(best_move(
            &self.position,
            level,
            limits,
            seed,
            elapsed,
            &stop,
        ))
    }

    /// Evaluates the position within `limits`, and returns its best move. Returns `None` if the game is over.
    pub fn evaluate(
        &mut self,
        limits: SearchLimits,
        elapsed: &dyn Fn() -> Duration,
    ) -> Option<usize> {
        let stop = AtomicBool::new(false);
        self.keep(evaluate(&self.position, limits, elapsed, &stop))
    }

    fn keep(&mut self, result: Option<SearchResult>) -> Option<usize> {
        let result = result?;
        self.score = Some(result.score);
        Some(result.best.index())
    }

    /// Returns `true` if the last search found a forced win of the side to move, `false` if it found a forced loss, and
    /// `None` if it found neither.
    pub fn forced_win(&self) -> Option<bool> {
        match self.score? {
            Evaluation::Win(_) => Some(true),
            Evaluation::Loss(_) => Some(false),
            Evaluation::Estimate(estimate) => claims_win(estimate),
            Evaluation::Draw => None,
        }
    }

    /// Returns whether the side that chose last should accept a draw. False before the first choice.
    pub fn accepts_draw(&self) -> bool {
        self.score.is_some_and(Evaluation::is_draw_acceptable)
    }
}

#[cfg(target_arch = "wasm32")]
mod exports;

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(session: &mut EngineSession) -> Option<usize> {
        let limits = SearchLimits {
            nodes: Some(10_000),
            ..SearchLimits::default()
        };
        session.best_move(Level::Perfect, limits, 1, &|| Duration::ZERO)
    }

    #[test]
    fn a_session_plays_a_game_to_its_end() {
        let mut session = EngineSession::new("tictactoe").unwrap();
        assert_eq!(session.cells(), 9);
        assert!(!session.accepts_draw());
        for cell in [4, 0, 2, 1] {
            assert!(session.play(cell));
        }
        assert!(!session.play(4) && !session.play(9));
        assert_eq!(choose(&mut session), Some(6));
        assert!(!session.accepts_draw());
        assert!(session.play(6));
        assert_eq!(choose(&mut session), None);
    }

    #[test]
    fn the_last_search_tells_who_wins_by_force() {
        let mut session = EngineSession::new("tictactoe").unwrap();
        let mut forced = |cell| {
            assert!(session.play(cell));
            session.evaluate(SearchLimits::default(), &|| Duration::ZERO);
            session.forced_win()
        };
        // The edge is a losing reply to the centre.
        assert_eq!([4, 1].map(&mut forced), [None, Some(true)]);
        assert_eq!(forced(0), Some(false));
    }

    #[test]
    fn a_drawn_game_is_acceptable_as_a_draw() {
        let mut session = EngineSession::new("3x3:3").unwrap();
        choose(&mut session).unwrap();
        assert!(session.accepts_draw());
    }

    #[test]
    fn rules_that_are_not_valid_start_no_game() {
        for text in ["", "3x3", "99x99:5", "chess"] {
            assert!(EngineSession::new(text).is_none(), "{text}");
        }
    }
}
