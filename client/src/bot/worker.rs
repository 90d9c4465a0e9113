//! Worker: one connection of a bot. It finds a game, plays it, and finds the next game.

mod engine_failures;
mod game_loop;

use std::time::Duration;

use noughts_protocol::wire::{Message, OwnRole, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Name, Position};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::behaviour::Behaviour;
use super::bot_connection::BotConnection;
use super::error::BotError;
use super::game::{BotGame, BotGameResult};
use super::matchmaking::{BotTarget, Matchmaking, MatchmakingAction};
use super::shared::BotShared;
use crate::connection::{ConnectionEvent, ConnectionHandle, SendError};
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{EngineResources, EngineSpec};
use engine_failures::EngineFailures;

/// What a bot reports to the program that runs it.
#[derive(Clone, Debug)]
pub enum BotReport {
    GameEnded(Box<BotGameResult>),
    /// The engine failed in this position.
    EngineFailed(EngineError, Box<Position>),
}

/// Configuration of one connection of a bot.
pub(super) struct Worker {
    pub(super) open: Box<dyn Fn() -> ConnectionHandle + Send + Sync>,
    pub(super) own_name: Name,
    pub(super) target: BotTarget,
    pub(super) behaviour: Behaviour,
    pub(super) engine_spec: EngineSpec,
    pub(super) resources: EngineResources,
    pub(super) move_time: Duration,
    /// Shared by all connections of the bot: when cancelled, no further game is started.
    pub(super) retire: CancellationToken,
    /// Shared by all connections of the bot: when cancelled, every game is left.
    pub(super) shutdown: CancellationToken,
    pub(super) shared: BotShared,
    /// Receives results and failures.
    pub(super) reports: Option<mpsc::Sender<BotReport>>,
}

enum LeaveReason {
    /// No further game is played in the room.
    Finished,
    /// The room no longer exists on the server.
    RoomGone,
    /// The bot is shutting down.
    Shutdown,
}

impl Worker {
    /// Plays games until the work is done or the bot stops.
    pub(super) async fn run(self) -> Result<(), BotError> {
        // A connection is opened only when it may seek, so that the connections open one after another.
        let seek_turn = tokio::select! {
            biased;
            () = self.shutdown.cancelled() => return Ok(()),
            () = self.retire.cancelled() => return Ok(()),
            turn = self.shared.acquire_seek_turn() => turn,
        };
        let mut connection = BotConnection::new((self.open)());
        let result = self.play_games(&mut connection, seek_turn).await;
        connection.close().await;
        result
    }

    async fn play_games(
        &self,
        connection: &mut BotConnection,
        mut seek_turn: Option<OwnedSemaphorePermit>,
    ) -> Result<(), BotError> {
        let mut finished_games = 0;
        let mut failures = EngineFailures::default();
        loop {
            let Some(mut game) = self
                .find_game(connection, seek_turn.take(), finished_games)
                .await?
            else {
                return Ok(());
            };
            let reason = self.play(connection, &mut game, &mut failures).await?;
            finished_games = game.finished_games();
            match reason {
                LeaveReason::Finished | LeaveReason::Shutdown => connection.leave_room().await?,
                LeaveReason::RoomGone => {}
            }
            if let Some(error) = failures.fatal_error() {
                return Err(BotError::Engine(error.clone()));
            }
            if matches!(reason, LeaveReason::Shutdown)
                || self.retire.is_cancelled()
                || matches!(self.target, BotTarget::Join(_))
                || self.behaviour.has_played_enough(finished_games)
            {
                return Ok(());
            }
        }
    }

    /// Sends lobby requests until a game is found. Returns `None` if the bot stops.
    async fn find_game(
        &self,
        connection: &mut BotConnection,
        mut seek_turn: Option<OwnedSemaphorePermit>,
        finished_games: u32,
    ) -> Result<Option<BotGame>, BotError> {
        let mut matchmaking: Option<Matchmaking> = None;
        let mut has_requested_game = false;
        loop {
            let now = Instant::now();
            if seek_turn.is_some() && connection.is_online() && matchmaking.is_none() {
                matchmaking = Some(Matchmaking::new(
                    self.target.clone(),
                    self.own_name.clone(),
                    now,
                ));
            }
            let action = match &mut matchmaking {
                Some(matchmaking) if connection.is_online() => matchmaking.next_action(now),
                Some(_) | None => MatchmakingAction::Wait(None),
            };
            let wake = match (action, &mut matchmaking) {
                (MatchmakingAction::Send(lobby), Some(matchmaking)) => {
                    has_requested_game |= !matches!(lobby, SessionRequest::Lobby { .. });
                    match connection.send(RequestBody::Session(lobby)) {
                        Ok(id) => matchmaking.on_sent(id),
                        // The next event says why the connection was closed.
                        Err(SendError::Busy | SendError::Offline) => {
                            matchmaking.on_send_failed(now);
                        }
                    }
                    continue;
                }
                (MatchmakingAction::Wait(until), _) => until,
                (MatchmakingAction::Send(_), None) => None,
            };
            let event = tokio::select! {
                biased;
                () = self.wait_for_stop() => {
                    if !has_requested_game || !connection.is_online() {
                        return Ok(None);
                    }
                    // The server may already have paired the bot. Then the bot plays the game.
                    let now = Instant::now();
                    let snapshot = if self.shutdown.is_cancelled() { None } else { connection.cancel_seek().await? };
                    let joined = snapshot.and_then(|snapshot| self.accept_seat(&snapshot, finished_games, now));
                    if joined.is_none() {
                        connection.leave_room().await?;
                    }
                    return Ok(joined);
                }
                permit = self.shared.acquire_seek_turn(), if seek_turn.is_none() => {
                    seek_turn = permit;
                    continue;
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => continue,
                event = connection.next() => event.inspect_err(|_| self.on_connection_failed())?,
            };
            let now = Instant::now();
            match event {
                ConnectionEvent::Connected { .. } => {
                    self.shared.mark_connected();
                    if let Some(matchmaking) = &mut matchmaking {
                        matchmaking.start(now);
                    }
                }
                ConnectionEvent::Message(
                    snapshot @ Message::Snapshot {
                        role: OwnRole { seat: Some(_), .. },
                        ..
                    },
                ) => {
                    if let Some(joined) = self.accept_seat(&snapshot, finished_games, now) {
                        if matchmaking.is_some_and(|matchmaking| matchmaking.is_subscribed())
                            && let Err(error) = connection
                                .send(RequestBody::Session(SessionRequest::Lobby { end: true }))
                        {
                            tracing::debug!(%error, "cannot end subscription to the lobby");
                        }
                        return Ok(Some(joined));
                    }
                    connection.leave_room().await?;
                }
                ConnectionEvent::Message(message) => {
                    if let Message::Reject { reject, .. } = &message
                        && reject.code == RejectCode::AlreadyInRoom
                    {
                        connection.leave_room().await?;
                    }
                    if let Some(matchmaking) = &mut matchmaking {
                        matchmaking
                            .on_message(&message, now)
                            .map_err(BotError::Rejected)?;
                    }
                }
                ConnectionEvent::RequestLost(id) => {
                    if let Some(matchmaking) = &mut matchmaking {
                        matchmaking.on_request_lost(id, now);
                    }
                }
                ConnectionEvent::Connecting { .. } | ConnectionEvent::Disconnected { .. } => {}
                ConnectionEvent::Terminated(ended) => return Err(ended.into()),
            }
        }
    }

    /// Creates the game from a snapshot of a seated player. Returns `None` if the snapshot is inconsistent.
    fn accept_seat(
        &self,
        snapshot: &Message,
        finished_games: u32,
        now: Instant,
    ) -> Option<BotGame> {
        let Message::Snapshot {
            room,
            role: OwnRole {
                seat: Some(seat), ..
            },
            state,
            ..
        } = snapshot
        else {
            return None;
        };
        let game = BotGame::new(
            *room,
            *seat,
            state,
            self.behaviour,
            self.move_time,
            finished_games,
            now,
        )?;
        tracing::info!(%room, %seat, rules = %state.rules, "game joined");
        Some(game)
    }

    /// Waits until the bot retires or shuts down.
    async fn wait_for_stop(&self) {
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = self.retire.cancelled() => {}
        }
    }

    /// Stops all connections if the server has never accepted any of them.
    fn on_connection_failed(&self) {
        if !self.shared.has_connected() {
            self.shutdown.cancel();
        }
    }
}
