//! Manager of the Gomocup protocol.

use std::time::Duration;

use noughts_protocol::{Cell, MoveError, Position, Rules};
use tokio::time::{Instant, sleep_until};

use crate::engines::gomocup::command::KnownPosition;
use crate::engines::gomocup::{GomocupCommand, GomocupResponse, can_play, printable_excerpt};
use crate::engines::player_engine::child_process::{
    ChildProcess, EngineError, IllegalMoveReason, MAX_EXCERPT_CHARS, ProcessLimits, START_TIMEOUT,
    TimeLimit,
};
use crate::engines::subtract_pipe_overhead;

/// Timeout for the answer to `ABOUT`.
const NAME_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a response. Some engines lose a command that follows their move within a millisecond.
const COMMAND_GAP: Duration = Duration::from_millis(20);

#[derive(Debug, Default)]
pub(in crate::engines::player_engine) struct GomocupManager {
    known_position: KnownPosition,
    last_response_at: Option<Instant>,
}

impl GomocupManager {
    /// Checks that the engine accepts the board. Returns the name that it reports, if any.
    pub(super) async fn query_name(
        &mut self,
        child: &mut ChildProcess,
        rules: &Rules,
    ) -> Result<Option<String>, EngineError> {
        if !can_play(rules) {
            return Err(EngineError::UnsupportedRules);
        }
        let (width, height) = (rules.width(), rules.height());
        let start = if width == height {
            GomocupCommand::Start(width)
        } else {
            GomocupCommand::RectStart(width, height)
        };
        self.start(child, start).await?;
        let limit = TimeLimit::new(NAME_TIMEOUT);
        send(child, &[GomocupCommand::About], limit).await?;
        let name = |response: &GomocupResponse| Some(response.name().map(str::to_owned));
        let result = self.wait_for(child, limit, name).await;
        match result {
            Ok(name) => Ok(name),
            Err(EngineError::Timeout(_) | EngineError::ErrorResponse(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn choose(
        &mut self,
        child: &mut ChildProcess,
        position: &Position,
        move_time: Duration,
        limits: ProcessLimits,
    ) -> Result<Cell, EngineError> {
        let reported_time = subtract_pipe_overhead(move_time);
        let commands = self
            .known_position
            .move_commands(position, reported_time)
            .ok_or(EngineError::UnsupportedRules)?;
        if let Some(answered) = self.last_response_at {
            sleep_until(answered + COMMAND_GAP).await;
        }
        if let Some(start) = commands.start {
            self.start(child, start).await?;
        }
        let limit = TimeLimit::new(move_time + limits.grace);
        send(child, &commands.search, limit).await?;
        let point = self.wait_for(child, limit, |response| match response {
            GomocupResponse::Move(point) => Some(*point),
            GomocupResponse::Ok
            | GomocupResponse::Opening(_)
            | GomocupResponse::Swap
            | GomocupResponse::Error(_)
            | GomocupResponse::Unknown(_)
            | GomocupResponse::Message(_)
            | GomocupResponse::Debug(_)
            | GomocupResponse::About(_) => None,
        });
        let point = point.await?;
        let cell = point.cell(position.rules()).ok_or(MoveError::OffBoard);
        let cell = cell
            .and_then(|cell| position.landing_cell(cell))
            .map_err(|error| {
                EngineError::illegal_move(&point.to_string(), IllegalMoveReason::Move(error))
            })?;
        self.known_position.record_move(position, cell);
        Ok(cell)
    }

    /// Sends an empty board, and waits until the engine accepts it.
    async fn start(
        &mut self,
        child: &mut ChildProcess,
        start: GomocupCommand,
    ) -> Result<(), EngineError> {
        let limit = TimeLimit::new(START_TIMEOUT);
        send(child, &[start], limit).await?;
        let is_ok =
            |response: &GomocupResponse| matches!(response, GomocupResponse::Ok).then_some(());
        self.wait_for(child, limit, is_ok).await
    }

    /// Waits for a response that `wanted` accepts, and skips other output. A move or an `ERROR` that was not asked for
    /// is a failure.
    async fn wait_for<T>(
        &mut self,
        child: &mut ChildProcess,
        limit: TimeLimit,
        wanted: impl Fn(&GomocupResponse) -> Option<T>,
    ) -> Result<T, EngineError> {
        let read = |line: &str| {
            let response = line.parse::<GomocupResponse>();
            if let Some(answer) = response.as_ref().ok().and_then(&wanted) {
                return Ok(Some(answer));
            }
            match response {
                Ok(GomocupResponse::Error(text)) => Err(EngineError::ErrorResponse(
                    printable_excerpt(&text, MAX_EXCERPT_CHARS),
                )),
                Ok(
                    GomocupResponse::Move(_) | GomocupResponse::Opening(_) | GomocupResponse::Swap,
                ) => Err(EngineError::illegal_move(line, None)),
                // The line is a malformed move.
                Err(_) if looks_like_move(line) => Err(EngineError::illegal_move(line, None)),
                // `UNKNOWN` is not a failure, because an engine may ignore optional commands, such as the commands
                // about time.
                Ok(
                    GomocupResponse::Unknown(_)
                    | GomocupResponse::Message(_)
                    | GomocupResponse::Debug(_)
                    | GomocupResponse::About(_)
                    | GomocupResponse::Ok,
                )
                | Err(_) => Ok(None),
            }
        };
        let response = child.wait_for_response(limit, read).await?;
        self.last_response_at = Some(Instant::now());
        Ok(response)
    }
}

async fn send(
    child: &mut ChildProcess,
    commands: &[GomocupCommand],
    limit: TimeLimit,
) -> Result<(), EngineError> {
    let lines: String = commands
        .iter()
        .map(|command| format!("{command}\n"))
        .collect();
    child.send(&lines, limit).await
}

/// Returns whether a line is an attempt at a move: it begins with `NUMBER,NUMBER`, or it has no letters and begins with
/// a digit or `-`. Other lines are free text.
fn looks_like_move(line: &str) -> bool {
    let line = line.trim_start();
    let begins_with_digit = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
    let after_first = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_point =
        begins_with_digit(line) && after_first.strip_prefix(',').is_some_and(begins_with_digit);
    let has_letters = line.contains(|letter: char| letter.is_alphabetic());
    is_point || ((begins_with_digit(line) || line.starts_with('-')) && !has_letters)
}

#[cfg(test)]
mod tests;
