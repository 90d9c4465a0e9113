//! Worker: one connection of a bot, which finds a game, plays it, and finds the next one.

use std::time::Duration;

use futures::future::BoxFuture;
use noughts_protocol::wire::{LobbyRequest, Message, OwnRole, RejectCode, RequestBody};
use noughts_protocol::{Name, PlayerKind, Seq};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::behaviour::Behaviour;
use super::error::BotError;
use super::game::{BotGame, BotGameAction};
use super::link::BotLink;
use super::matchmaking::{BotTarget, Matchmaking, MatchmakingAction};
use super::shared::{BotGameGuard, BotShared};
use crate::connection::{ConnectionEvent, ConnectionHandle, SendError};
use crate::engine::{Level, SearchLimits};
use crate::engines::player_engine::child_process::EngineError;
use crate::engines::player_engine::{BestMove, EngineResources, EngineSpec, PlayerEngine};

/// Number of consecutive games with an engine failure after which the bot stops.
const MAX_ENGINE_FAILURES: u32 = 3;

/// Configuration of one connection of a bot.
pub(super) struct Worker {
    pub(super) open: Box<dyn Fn() -> ConnectionHandle + Send + Sync>,
    pub(super) own_name: Name,
    pub(super) target: BotTarget,
    pub(super) behaviour: Behaviour,
    pub(super) engine_spec: EngineSpec,
    pub(super) resources: EngineResources,
    /// Level that finishes a game in which the engine has failed; `None` resigns the game.
    pub(super) fallback_level: Option<Level>,
    pub(super) move_time: Duration,
    /// Shared by all connections of the bot: when cancelled, no other game is started.
    pub(super) retire: CancellationToken,
    /// Shared by all connections of the bot: when cancelled, every game is left.
    pub(super) shutdown: CancellationToken,
    pub(super) shared: BotShared,
    /// Receives the failures of the engine; a failure that does not fit is only logged.
    pub(super) engine_errors: Option<mpsc::Sender<EngineError>>,
}

/// Reason for leaving a room.
enum LeaveReason {
    /// No further game is played in the room.
    Finished,
    /// The room no longer exists on the server.
    RoomGone,
    /// The bot is shutting down.
    Shutdown,
}

/// A running search. Dropping it stops the search.
struct BotSearch {
    board_seq: Seq,
    result: BoxFuture<'static, (PlayerEngine, Result<BestMove, EngineError>)>,
}

/// A game that was found, with the guard that counts it if the opponent is a bot.
struct JoinedGame {
    game: BotGame,
    bot_game_guard: Option<BotGameGuard>,
}

/// Failures of the engine of one connection.
#[derive(Default)]
struct EngineFailures {
    /// Number of consecutive games with a failure.
    consecutive_failures: u32,
    /// Number of games that had been finished before the last game with a failure.
    last_failed_game: Option<u32>,
    last_error: Option<EngineError>,
}

impl EngineFailures {
    fn has_failed_in(&self, game: u32) -> bool {
        self.last_failed_game == Some(game)
    }

    fn record_failure(&mut self, game: u32, error: EngineError) {
        let in_a_row = self.last_failed_game.is_some_and(|before| before + 1 >= game);
        self.consecutive_failures = if in_a_row { self.consecutive_failures + 1 } else { 1 };
        (self.last_failed_game, self.last_error) = (Some(game), Some(error));
    }
}

impl Worker {
    /// Plays games until the work is done or the bot stops.
    pub(super) async fn run(self) -> Result<(), BotError> {
        // Each connection is opened only when it may seek, so that they connect one after the other.
        let seek_turn = tokio::select! {
            biased;
            () = self.shutdown.cancelled() => return Ok(()),
            () = self.retire.cancelled() => return Ok(()),
            turn = self.shared.acquire_seek_turn() => turn,
        };
        let mut link = BotLink::new((self.open)());
        let result = self.play_games(&mut link, seek_turn).await;
        link.close().await;
        result
    }

    async fn play_games(
        &self,
        link: &mut BotLink,
        mut seek_turn: Option<OwnedSemaphorePermit>,
    ) -> Result<(), BotError> {
        let mut finished_games = 0;
        let mut failures = EngineFailures::default();
        loop {
            let Some(joined) = self.find_game(link, seek_turn.take(), finished_games).await? else {
                return Ok(());
            };
            let JoinedGame { mut game, bot_game_guard } = joined;
            let reason = self.play(link, &mut game, &mut failures).await?;
            drop(bot_game_guard);
            finished_games = game.finished_games();
            match reason {
                LeaveReason::Finished | LeaveReason::Shutdown => link.leave_room().await?,
                LeaveReason::RoomGone => {}
            }
            if failures.consecutive_failures >= MAX_ENGINE_FAILURES
                && let Some(error) = failures.last_error
            {
                return Err(BotError::Engine(error));
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
        link: &mut BotLink,
        mut seek_turn: Option<OwnedSemaphorePermit>,
        finished_games: u32,
    ) -> Result<Option<JoinedGame>, BotError> {
        let mut matchmaking: Option<Matchmaking> = None;
        let mut has_requested_game = false;
        loop {
            let now = Instant::now();
            // Decide about bots as opponents only with the turn to seek: no other connection can start a game then.
            if seek_turn.is_some() && link.is_online() && matchmaking.is_none() {
                matchmaking = Some(self.new_matchmaking(now));
            }
            let action = match &matchmaking {
                Some(matchmaking) if link.is_online() => matchmaking.next_action(now),
                Some(_) | None => MatchmakingAction::Wait(None),
            };
            let wake = match (action, &mut matchmaking) {
                (MatchmakingAction::Send(lobby), Some(matchmaking)) => {
                    has_requested_game |= !matches!(lobby, LobbyRequest::List);
                    match link.send(RequestBody::Lobby(lobby)) {
                        Ok(id) => matchmaking.on_sent(id),
                        // The next event reports the reason of a closed connection.
                        Err(SendError::Full | SendError::Ended) => matchmaking.on_send_failed(now),
                    }
                    continue;
                }
                (MatchmakingAction::Wait(until), _) => until,
                (MatchmakingAction::Send(_), None) => None,
            };
            let event = tokio::select! {
                biased;
                () = self.wait_for_stop() => {
                    if !has_requested_game || !link.is_online() {
                        return Ok(None);
                    }
                    // The server may have paired the bot already; such a game is played.
                    let now = Instant::now();
                    let snapshot = if self.shutdown.is_cancelled() { None } else { link.cancel_seek().await? };
                    let joined = snapshot.and_then(|snapshot| self.accept_seat(&snapshot, matchmaking.as_ref(), finished_games, now));
                    if joined.is_none() {
                        link.leave_room().await?;
                    }
                    return Ok(joined);
                }
                permit = self.shared.acquire_seek_turn(), if seek_turn.is_none() => {
                    seek_turn = permit;
                    continue;
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => continue,
                event = link.next() => event.inspect_err(|_| self.on_connection_failed())?,
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
                    snapshot @ Message::Snapshot { role: OwnRole { seat: Some(_), .. }, .. },
                ) => {
                    if let Some(joined) =
                        self.accept_seat(&snapshot, matchmaking.as_ref(), finished_games, now)
                    {
                        return Ok(Some(joined));
                    }
                    link.leave_room().await?;
                }
                ConnectionEvent::Message(message) => {
                    if let Message::Reject { reject, .. } = &message
                        && reject.code == RejectCode::AlreadyInRoom
                    {
                        link.leave_room().await?;
                    }
                    if let Some(matchmaking) = &mut matchmaking {
                        matchmaking.on_message(&message, now).map_err(BotError::Rejected)?;
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

    /// Creates the game of a snapshot with a seat; returns `None` if the snapshot is inconsistent.
    fn accept_seat(
        &self,
        snapshot: &Message,
        matchmaking: Option<&Matchmaking>,
        finished_games: u32,
        now: Instant,
    ) -> Option<JoinedGame> {
        let Message::Snapshot { room, role: OwnRole { seat: Some(seat), .. }, state, .. } = snapshot else {
            return None;
        };
        let mut game =
            BotGame::new(*room, *seat, state, self.behaviour, self.move_time, finished_games, now)?;
        tracing::info!(%room, %seat, rules = %state.rules, "joined game");
        let bot = game.opponent_kind() == Some(PlayerKind::Bot);
        if bot && matchmaking.is_some_and(Matchmaking::is_people_only) {
            // Another bot joined just before the person. End the game at once, so that it does not wait.
            game.resign();
            game.retire_after_game();
        }
        Some(JoinedGame { game, bot_game_guard: bot.then(|| self.shared.track_bot_game()) })
    }

    fn new_matchmaking(&self, now: Instant) -> Matchmaking {
        let people_only = match &self.target {
            BotTarget::Play(policy) => {
                policy.reserved_for_people > 0
                    && self.shared.bot_game_count()
                        >= policy.concurrent_games.saturating_sub(policy.reserved_for_people)
            }
            BotTarget::Join(_) => false,
        };
        Matchmaking::new(self.target.clone(), self.own_name.clone(), people_only, now)
    }

    /// Waits until the bot retires or shuts down.
    async fn wait_for_stop(&self) {
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = self.retire.cancelled() => {}
        }
    }

    /// Stops all connections if none has ever been accepted by the server.
    fn on_connection_failed(&self) {
        if !self.shared.has_connected() {
            self.shutdown.cancel();
        }
    }

    /// Plays in a room until there is a reason to leave it.
    async fn play(
        &self,
        link: &mut BotLink,
        game: &mut BotGame,
        failures: &mut EngineFailures,
    ) -> Result<LeaveReason, BotError> {
        let mut engine = None;
        let reason = self.play_with_engine(&mut engine, link, game, failures).await;
        if let Some(engine) = engine {
            engine.end().await;
        }
        reason
    }

    async fn play_with_engine(
        &self,
        engine: &mut Option<PlayerEngine>,
        link: &mut BotLink,
        game: &mut BotGame,
        failures: &mut EngineFailures,
    ) -> Result<LeaveReason, BotError> {
        let mut search: Option<BotSearch> = None;
        let mut retiring = false;
        loop {
            let now = Instant::now();
            let mut wake = None;
            match game.next_action(now) {
                BotGameAction::Wait(until) => wake = until,
                BotGameAction::Leave => return Ok(LeaveReason::Finished),
                BotGameAction::Send(command) => match link.send(RequestBody::Command(command)) {
                    Ok(id) => game.on_sent(id),
                    // The next event reports the reason of a closed connection.
                    Err(SendError::Full | SendError::Ended) => game.on_send_failed(now),
                },
                BotGameAction::SendRemark(remark) => {
                    game.on_remark_sent(link.send(RequestBody::Remark(remark)).ok());
                    continue;
                }
                BotGameAction::Sync(seq) => match link.send(RequestBody::Lobby(LobbyRequest::Sync { seq })) {
                    Ok(id) => game.on_sync_sent(id),
                    Err(SendError::Full | SendError::Ended) => game.on_send_failed(now),
                },
                BotGameAction::Search(position, move_time) => {
                    let board_seq = game.board_seq();
                    if search.as_ref().is_none_or(|search| search.board_seq != board_seq) {
                        let chosen_engine = self.engine_for(engine.take(), game, failures);
                        let limits = SearchLimits { time: Some(move_time), ..SearchLimits::default() };
                        search = Some(BotSearch {
                            board_seq,
                            result: Box::pin(chosen_engine.choose(*position, limits)),
                        });
                    }
                }
            }
            // The state after a send may have its own deadline.
            if let BotGameAction::Wait(until) = game.next_action(now) {
                wake = until;
            }
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return Ok(LeaveReason::Shutdown),
                () = self.retire.cancelled(), if !retiring => {
                    retiring = true;
                    game.retire_after_game();
                }
                event = link.next() => match event? {
                    ConnectionEvent::Message(Message::Reject { reject, .. })
                        if matches!(reject.code, RejectCode::UnknownRoom | RejectCode::NotInRoom) =>
                    {
                        return Ok(LeaveReason::RoomGone);
                    }
                    ConnectionEvent::Message(message) => game.on_message(&message, Instant::now()),
                    ConnectionEvent::RequestLost(id) => game.on_request_lost(id, Instant::now()),
                    ConnectionEvent::Connecting { .. } | ConnectionEvent::Connected { .. } | ConnectionEvent::Disconnected { .. } => {}
                    ConnectionEvent::Terminated(ended) => return Err(ended.into()),
                },
                (board_seq, returned_engine, result) = wait_for_search(&mut search), if search.is_some() => {
                    search = None;
                    // A fallback engine is used only for one game.
                    *engine = Some(returned_engine).filter(|_| !failures.has_failed_in(game.finished_games()));
                    match result {
                        Ok(choice) => {
                            if let Some(report) = &choice.report {
                                let (depth, nodes) = (report.depth, report.nodes);
                                tracing::debug!(score = %report.score, depth, nodes, "move chosen");
                            }
                            game.on_search_result(board_seq, &choice);
                        }
                        Err(error) => {
                            // The fallback engine replaces it, or the game is resigned.
                            *engine = None;
                            self.on_engine_failure(error, game, failures);
                        }
                    }
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => {}
            }
            // The board has changed: the search is obsolete.
            if search.as_ref().is_some_and(|search| search.board_seq != game.board_seq()) {
                search = None;
            }
        }
    }

    /// Returns the engine for the next move: the previous one or a new one, or the fallback if the engine has failed in
    /// this game.
    fn engine_for(
        &self,
        previous: Option<PlayerEngine>,
        game: &BotGame,
        failures: &EngineFailures,
    ) -> PlayerEngine {
        match self.fallback_level {
            Some(level) if failures.has_failed_in(game.finished_games()) => {
                PlayerEngine::new(&EngineSpec::Level(level), &self.resources)
            }
            Some(_) | None => {
                previous.unwrap_or_else(|| PlayerEngine::new(&self.engine_spec, &self.resources))
            }
        }
    }

    fn on_engine_failure(&self, error: EngineError, game: &mut BotGame, failures: &mut EngineFailures) {
        tracing::warn!(%error, "engine failed");
        if let Some(errors) = &self.engine_errors
            && errors.try_send(error.clone()).is_err()
        {
            tracing::debug!("engine failure not reported: channel full or closed");
        }
        failures.record_failure(game.finished_games(), error);
        if self.fallback_level.is_none() {
            game.resign();
        }
        if failures.consecutive_failures >= MAX_ENGINE_FAILURES {
            game.retire_after_game();
        }
    }
}

/// Waits for the end of the search. Cancel safe: the search continues.
async fn wait_for_search(
    search: &mut Option<BotSearch>,
) -> (Seq, PlayerEngine, Result<BestMove, EngineError>) {
    let Some(search) = search else { return std::future::pending().await };
    let (engine, result) = (&mut search.result).await;
    (search.board_seq, engine, result)
}
