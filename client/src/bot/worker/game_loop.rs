//! Game loop of a [`Worker`]: plays in one room until there is a reason to leave it.

use std::time::Duration;

use futures::future::BoxFuture;
use noughts_protocol::Seq;
use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use tokio::time::{Instant, sleep_until};

use super::engine_failures::EngineFailures;
use super::{BotReport, LeaveReason, Worker};
use crate::bot::bot_connection::BotConnection;
use crate::bot::error::BotError;
use crate::bot::game::{BotGame, BotGameAction};
use crate::connection::{ConnectionEvent, SendError};
use crate::engine::SearchLimits;
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{BestMove, PlayerEngine};

/// Time that a retiring bot waits for a lost server before it gives up its game.
const RETIRE_RECONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A running search. Dropping it stops the search.
struct BotSearch {
    board_seq: Seq,
    result: BoxFuture<'static, (PlayerEngine, Result<BestMove, EngineError>)>,
}

impl Worker {
    /// Plays in a room until there is a reason to leave it.
    pub(super) async fn play(
        &self,
        connection: &mut BotConnection,
        game: &mut BotGame,
        failures: &mut EngineFailures,
    ) -> Result<LeaveReason, BotError> {
        let mut engine = None;
        let reason = self
            .play_with_engine(&mut engine, connection, game, failures)
            .await;
        if let Some(engine) = engine {
            engine.end().await;
        }
        reason
    }

    async fn play_with_engine(
        &self,
        engine: &mut Option<PlayerEngine>,
        connection: &mut BotConnection,
        game: &mut BotGame,
        failures: &mut EngineFailures,
    ) -> Result<LeaveReason, BotError> {
        let mut search: Option<BotSearch> = None;
        let mut retiring_since: Option<Instant> = None;
        let mut offline_since: Option<Instant> = None;
        loop {
            let now = Instant::now();
            let mut wake = None;
            match game.next_action(now) {
                BotGameAction::Wait(until) => wake = until,
                BotGameAction::Leave => return Ok(LeaveReason::Finished),
                BotGameAction::Send(command) => {
                    match connection.send(RequestBody::Command(command)) {
                        Ok(id) => game.on_sent(id),
                        // The next event says why the connection was closed.
                        Err(SendError::Busy | SendError::Offline) => game.on_send_failed(now),
                    }
                }
                BotGameAction::SendRemark(remark) => {
                    game.on_remark_sent(connection.send(RequestBody::Remark(remark)).ok());
                    continue;
                }
                BotGameAction::Sync(seq) => {
                    match connection.send(RequestBody::Session(SessionRequest::Sync { seq })) {
                        Ok(id) => game.on_sync_sent(id),
                        Err(SendError::Busy | SendError::Offline) => game.on_send_failed(now),
                    }
                }
                BotGameAction::Search(position, move_time) => {
                    let board_seq = game.board_seq();
                    if search
                        .as_ref()
                        .is_none_or(|search| search.board_seq != board_seq)
                    {
                        let chosen_engine = engine.take().unwrap_or_else(|| {
                            PlayerEngine::new(&self.engine_spec, &self.resources)
                        });
                        let limits = SearchLimits {
                            time: Some(move_time),
                            ..SearchLimits::default()
                        };
                        search = Some(BotSearch {
                            board_seq,
                            result: Box::pin(chosen_engine.choose(*position, limits)),
                        });
                    }
                }
            }
            // The send may have changed the state, and with it the deadline.
            if let BotGameAction::Wait(until) = game.next_action(now) {
                wake = until;
            }
            let give_up_at = retiring_since
                .zip(offline_since)
                .map(|(retiring, offline)| retiring.max(offline) + RETIRE_RECONNECT_TIMEOUT);
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return Ok(LeaveReason::Shutdown),
                () = self.retire.cancelled(), if retiring_since.is_none() => {
                    retiring_since = Some(now);
                    game.retire_after_game();
                }
                event = connection.next() => match event? {
                    ConnectionEvent::Message(Message::Reject { reject, .. })
                        if matches!(reject.code, RejectCode::UnknownRoom | RejectCode::NotInRoom) =>
                    {
                        return Ok(LeaveReason::RoomGone);
                    }
                    ConnectionEvent::Message(message) => game.on_message(&message, Instant::now()),
                    ConnectionEvent::RequestLost(id) => game.on_request_lost(id, Instant::now()),
                    ConnectionEvent::Connecting { .. } => {}
                    ConnectionEvent::Connected { .. } => offline_since = None,
                    ConnectionEvent::Disconnected { .. } => {
                        offline_since.get_or_insert_with(Instant::now);
                    }
                    ConnectionEvent::Terminated(ended) => return Err(ended.into()),
                },
                (board_seq, returned_engine, result) = wait_for_search(&mut search), if search.is_some() => {
                    search = None;
                    *engine = Some(returned_engine);
                    match result {
                        Ok(choice) => {
                            if let Some(report) = &choice.report {
                                let (depth, nodes) = (report.depth, report.nodes);
                                tracing::debug!(score = %report.score, depth, nodes, "move chosen");
                            }
                            game.on_search_result(board_seq, &choice);
                        }
                        Err(error) => {
                            // The next game starts the engine again.
                            *engine = None;
                            self.on_engine_failure(error, game, failures).await;
                        }
                    }
                }
                () = sleep_until(give_up_at.unwrap_or(now)), if give_up_at.is_some() => {
                    tracing::warn!("server did not return in time; bot ended");
                    return Ok(LeaveReason::Shutdown);
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => {}
            }
            if let Some(result) = game.take_result() {
                self.report(BotReport::GameEnded(Box::new(result))).await;
            }
            // The board has changed, so the search is obsolete.
            if search
                .as_ref()
                .is_some_and(|search| search.board_seq != game.board_seq())
            {
                search = None;
            }
        }
    }

    async fn on_engine_failure(
        &self,
        error: EngineError,
        game: &mut BotGame,
        failures: &mut EngineFailures,
    ) {
        tracing::warn!(%error, "engine failed");
        let position = Box::new(game.position().clone());
        self.report(BotReport::EngineFailed(error.clone(), position))
            .await;
        failures.record_failure(game.finished_games(), error);
        game.resign();
        if failures.fatal_error().is_some() {
            game.retire_after_game();
        }
    }

    /// Queues a report. Waits while earlier reports fill the queue.
    async fn report(&self, report: BotReport) {
        if let Some(reports) = &self.reports
            && reports.send(report).await.is_err()
        {
            tracing::debug!("bot report dropped: receiver closed");
        }
    }
}

/// Waits for the end of the search. Cancel safe: the search continues.
async fn wait_for_search(
    search: &mut Option<BotSearch>,
) -> (Seq, PlayerEngine, Result<BestMove, EngineError>) {
    let Some(search) = search else {
        return std::future::pending().await;
    };
    let (engine, result) = (&mut search.result).await;
    (search.board_seq, engine, result)
}
