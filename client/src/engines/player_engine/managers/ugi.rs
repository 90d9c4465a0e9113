//! Manager of the Universal Game Interface: the counterpart of [`crate::engines::ugi`].

use std::time::Duration;

use noughts_protocol::{Cell, Position};

use crate::engines::player_engine::child_process::{
    ChildProcess, EngineError, ProcessLimits, START_TIMEOUT, TimeLimit, read_cell,
};
use crate::engines::subtract_pipe_overhead;

#[derive(Debug, Default)]
pub(super) struct UgiManager {
    /// Whether the program has answered `ugi`.
    has_started: bool,
}

impl UgiManager {
    /// Starts the conversation. Returns the name of the program, if any.
    pub(super) async fn query_name(
        &mut self,
        child: &mut ChildProcess,
    ) -> Result<Option<String>, EngineError> {
        let limit = TimeLimit::new(START_TIMEOUT);
        child.send("ugi\n", limit).await?;
        let mut name = None;
        loop {
            let read = |line: &str| {
                let line = line.trim();
                let is_read = line == "ugiok" || line.starts_with("id name ");
                Ok(is_read.then(|| line.to_owned()))
            };
            let line = child.wait_for_response(limit, read);
            match line.await?.strip_prefix("id name ") {
                Some(text) => name = Some(text.to_owned()),
                None => {
                    self.has_started = true;
                    return Ok(name);
                }
            }
        }
    }

    pub(super) async fn choose(
        &mut self,
        child: &mut ChildProcess,
        position: &Position,
        move_time: Duration,
        limits: ProcessLimits,
    ) -> Result<Cell, EngineError> {
        if !self.has_started {
            self.query_name(child).await?;
        }
        let (rules, mut moves) = (position.rules(), String::new());
        for &cell in position.moves() {
            moves.push(' ');
            moves.push_str(&rules.cell_text(cell));
        }
        let ms = subtract_pipe_overhead(move_time).as_millis().max(1);
        let lines = format!("position fen {rules} moves{moves}\ngo movetime {ms}\n");
        let limit = TimeLimit::new(move_time + limits.grace);
        child.send(&lines, limit).await?;
        let read = |line: &str| match line.trim().strip_prefix("bestmove") {
            Some(answer) => read_cell(position, answer.trim()).map(Some),
            None => Ok(None),
        };
        child.wait_for_response(limit, read).await
    }
}
