//! The plain protocol: a program reads one position per line as a JSON object, and writes one cell per line.

use std::time::Duration;

use noughts_protocol::{Cell, Position, Rules, Seat};
use serde::Serialize;

use crate::engines::player_engine::child_process::{
    ChildProcess, EngineError, ProcessLimits, START_TIMEOUT, TimeLimit, read_cell,
};
use crate::engines::subtract_pipe_overhead;
use crate::facts::json_members::{board_rows, cell_texts};

/// Time for the move that checks whether a program can play at all.
const CHECK_MOVE_TIME: Duration = Duration::from_secs(1);

/// A position as the program reads it.
#[derive(Debug, Serialize)]
struct PlainPosition<'a> {
    rules: &'a Rules,
    seat: Seat,
    moves: Vec<String>,
    /// Rows from the top, layer by layer.
    board: Vec<String>,
    legal: Vec<String>,
    time_ms: u64,
}

impl PlainPosition<'_> {
    /// Returns the line for a position. `time` is the time for the move.
    fn line(position: &Position, time: Duration) -> String {
        let rules = position.rules();
        let question = PlainPosition {
            rules,
            seat: position.turn(),
            moves: cell_texts(position.moves(), rules),
            board: board_rows(position),
            legal: cell_texts(&position.legal_moves().collect::<Vec<_>>(), rules),
            time_ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
        };
        let line = serde_json::to_string(&question).expect("texts and numbers have a text");
        line + "\n"
    }
}

#[derive(Debug, Default)]
pub(super) struct PlainManager {
    /// Whether the program has answered once, and has therefore started.
    has_answered: bool,
}

impl PlainManager {
    /// Asks for a first move, so that a program that cannot play fails before its first game. The protocol has no
    /// command for the name.
    pub(super) async fn check(
        &mut self,
        child: &mut ChildProcess,
        rules: &Rules,
        limits: ProcessLimits,
    ) -> Result<Option<String>, EngineError> {
        let position = Position::new(*rules);
        self.choose(child, &position, CHECK_MOVE_TIME, limits)
            .await?;
        Ok(None)
    }

    pub(super) async fn choose(
        &mut self,
        child: &mut ChildProcess,
        position: &Position,
        move_time: Duration,
        limits: ProcessLimits,
    ) -> Result<Cell, EngineError> {
        let start = if self.has_answered {
            // A second answer to the last position would be mistaken for the answer to this position.
            child.check_silence().await?;
            Duration::ZERO
        } else {
            START_TIMEOUT
        };
        let limit = TimeLimit::new(start + move_time + limits.grace);
        let line = PlainPosition::line(position, subtract_pipe_overhead(move_time));
        child.send(&line, limit).await?;
        let read = |line: &str| match line.trim() {
            "" => Ok(None),
            answer => read_cell(position, answer).map(Some),
        };
        let cell = child.wait_for_response(limit, read).await?;
        self.has_answered = true;
        Ok(cell)
    }
}

#[cfg(test)]
mod tests;
