//! Answers the calls of the assistant. One game at a time, and one review.

use std::time::Duration;

use noughts_protocol::{Phase, Record};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use tokio::sync::{Mutex, MutexGuard, Semaphore};
use tokio_util::sync::CancellationToken;

use super::game_session::{CallLimits, GameLoop, GameSession, SessionHandle};
use super::session_report::{SessionReport, is_rejection, is_urgent};
use super::tool_call::{GameCommand, SeekArguments, ToolCall, tools};
use super::tool_result::{ToolError, error_result, game_result, review_result};
use crate::connection::server_url::ServerUrl;
use crate::facts::Notification;
use crate::i18n::lang::Lang;
use crate::model::FormResult;
use crate::settings::Settings;
use crate::update::InitialAction;

/// Maximum number of calls at the same time.
const MAX_CALLS: usize = 4;
/// Timeout for the effect of a command.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

const INSTRUCTIONS: &str = "Plays k-in-a-row games (tic-tac-toe, Gomoku, Connect Four, Qubic and others) against people \
and bots on a Noughts server. Call seek first. On your turn, call move with one of the free cells. When it is not your \
turn, call state, which waits for the opponent. After the game, review explains its moves.";

/// The tools, and the game and the review that they act on.
pub(super) struct AssistantServer {
    game_loop: GameLoop,
    settings: Settings,
    server: ServerUrl,
    closing: CancellationToken,
    game: Mutex<Option<GameSession>>,
    /// The last finished game, also after the assistant has left it.
    finished: Mutex<Option<Record>>,
    review: Mutex<Option<(Record, GameSession)>>,
    calls: Semaphore,
    /// Held by a call while it changes the game, but not while it waits for the opponent.
    acting: Mutex<()>,
}

impl AssistantServer {
    pub(super) fn new(
        game_loop: GameLoop,
        settings: Settings,
        server: ServerUrl,
        closing: CancellationToken,
    ) -> AssistantServer {
        AssistantServer {
            game_loop,
            settings: Settings {
                lang: Lang::En,
                ..settings
            },
            server,
            closing,
            game: Mutex::default(),
            finished: Mutex::default(),
            review: Mutex::default(),
            calls: Semaphore::new(MAX_CALLS),
            acting: Mutex::default(),
        }
    }

    /// Leaves the game before the program ends.
    pub(super) async fn leave_game(&self) {
        if let Some(game) = &mut *self.game.lock().await {
            game.leave().await;
        }
    }

    /// Waits until the game has handled the signal that ends the program.
    pub(super) async fn wait_for_game(&self) {
        if let Some(game) = &mut *self.game.lock().await {
            game.wait_for_end().await;
        }
    }

    async fn run(&self, call: ToolCall, limits: &CallLimits) -> Result<CallToolResult, ToolError> {
        match call {
            ToolCall::State(arguments) => {
                let mut game = self.current().await?;
                wait_for_turn(&mut game, arguments.wait_seconds.0, limits).await?;
                self.result(game, None, false).await
            }
            ToolCall::Seek(arguments) => self.seek(&arguments, limits).await,
            ToolCall::Command(command, wait) => self.act(command, wait.0, limits).await,
            ToolCall::Leave => {
                let _acting = self.start_acting()?;
                let mut slot = self.game.lock().await;
                let game = slot.as_mut().filter(|game| !game.has_ended());
                let game = game.ok_or(ToolError::NoGame)?;
                game.leave().await;
                let handle = game.handle();
                drop(slot);
                self.keep_finished(&handle).await;
                self.result(handle, None, false).await
            }
            ToolCall::Review(arguments) => self.review(arguments.wait_seconds.0, limits).await,
        }
    }

    fn start_acting(&self) -> Result<MutexGuard<'_, ()>, ToolError> {
        self.acting.try_lock().map_err(|_| ToolError::Busy)
    }

    /// Returns the game, also an ended game: the assistant may not have received its last events.
    async fn current(&self) -> Result<SessionHandle, ToolError> {
        let game = self.game.lock().await;
        Ok(game.as_ref().ok_or(ToolError::NoGame)?.handle())
    }

    async fn seek(
        &self,
        arguments: &SeekArguments,
        limits: &CallLimits,
    ) -> Result<CallToolResult, ToolError> {
        let (server, goal) = arguments.goal(self.settings.clone(), self.server.clone())?;
        let acting = self.start_acting()?;
        let mut slot = self.game.lock().await;
        if let Some(game) = slot.as_mut() {
            self.keep_finished(&game.handle()).await;
        }
        if let Some(game) = slot.as_mut().filter(|game| !game.has_ended()) {
            let phase = game.handle().reports.borrow().phase();
            match phase {
                Some(Phase::Over | Phase::Closed) => game.leave().await,
                Some(Phase::Playing) => return Err(ToolError::GameOn),
                Some(Phase::Waiting) | None => return Err(ToolError::Seeking),
            }
        }
        let form = FormResult::Server(server, self.settings.name.clone(), goal);
        let start = InitialAction::Apply(form);
        let game = slot.insert(GameSession::start(
            &self.game_loop,
            self.settings.clone(),
            start,
        ));
        let mut handle = game.handle();
        drop((slot, acting));
        let waited = wait_for_turn(&mut handle, arguments.wait_seconds.0, limits).await;
        if let Err(error) = waited {
            // The assistant would not play a game that is found now.
            let mut slot = self.game.lock().await;
            let has_game = handle.reports.borrow().is_playing();
            let game = slot.take_if(|game| game.is_of(&handle) && !has_game);
            if let Some(mut game) = game {
                game.leave().await;
            }
            return Err(error);
        }
        let is_rejected = handle.reports.borrow().events_after(0).any(is_rejection);
        self.result(handle, None, is_rejected).await
    }

    async fn act(
        &self,
        command: GameCommand,
        wait: Duration,
        limits: &CallLimits,
    ) -> Result<CallToolResult, ToolError> {
        let acting = self.start_acting()?;
        let mut game = self.current().await?;
        // Earlier events say nothing about this command.
        let before = game.reports.borrow().event_count;
        if let Err(error) = game.send(command.line()).await {
            return self.result(game, Some(error), false).await;
        }
        let is_done = |report: &SessionReport| {
            let mut events = report.events_after(before);
            events.any(|event| command.is_done_by(event))
        };
        let is_rejected = |report: &SessionReport| report.events_after(before).any(is_rejection);
        let is_settled = |report: &SessionReport| is_done(report) || is_rejected(report);
        let has_response = game.wait_until(COMMAND_TIMEOUT, limits, is_settled).await?;
        let (done, rejected) = {
            let report = game.reports.borrow();
            (is_done(&report), is_rejected(&report))
        };
        drop(acting);
        if done {
            wait_for_turn(&mut game, wait, limits).await?;
        }
        let error = match (done || rejected, has_response) {
            (true, _) => None,
            (false, true) => Some(ToolError::NoGame),
            (false, false) => Some(ToolError::NoResponse),
        };
        self.result(game, error, rejected).await
    }

    async fn review(
        &self,
        wait: Duration,
        limits: &CallLimits,
    ) -> Result<CallToolResult, ToolError> {
        if let Some(game) = &*self.game.lock().await {
            let handle = game.handle();
            if handle.reports.borrow().is_playing() {
                return Err(ToolError::GameOn);
            }
            self.keep_finished(&handle).await;
        }
        let record = self.finished.lock().await.clone();
        let record = record.ok_or(ToolError::NoFinishedGame)?;
        let is_done = |report: &SessionReport| {
            report
                .events_after(0)
                .any(|event| matches!(event, Notification::Review(_)))
        };
        let mut review = self.review.lock().await;
        let known = review.as_ref().filter(|(reviewed, session)| {
            // A review that has failed starts again.
            let has_failed = session.has_ended() && !is_done(&session.handle().reports.borrow());
            *reviewed == record && !has_failed
        });
        let mut session = match known {
            Some((_, session)) => session.handle(),
            None => {
                let start = InitialAction::Review(record.clone());
                let session = GameSession::start(&self.game_loop, self.settings.clone(), start);
                review.insert((record, session)).1.handle()
            }
        };
        drop(review);
        session.wait_until(wait, limits, is_done).await?;
        let report = session.reports.borrow();
        if !is_done(&report) {
            let failure = report.failure.clone().map(ToolError::NotStarted);
            return Err(failure.unwrap_or(ToolError::NotReviewed));
        }
        Ok(review_result(&report))
    }

    /// Keeps the finished game of a session for a review. A game that was left without a result replaces the game
    /// before it, so that no review explains another game.
    async fn keep_finished(&self, handle: &SessionHandle) {
        let (record, has_game) = {
            let report = handle.reports.borrow();
            (report.record.clone(), report.phase().is_some())
        };
        if record.is_some() || has_game {
            *self.finished.lock().await = record;
        }
    }

    /// Returns the result of a call with the events that the assistant has not received. `is_rejected` says whether
    /// one of the events rejects this call.
    async fn result(
        &self,
        mut handle: SessionHandle,
        error: Option<ToolError>,
        is_rejected: bool,
    ) -> Result<CallToolResult, ToolError> {
        handle.refresh().await?;
        let mut slot = self.game.lock().await;
        let report = handle.reports.borrow();
        let seen = handle.seen;
        if let Some(game) = slot.as_mut().filter(|game| game.is_of(&handle)) {
            game.seen = report.event_count;
        }
        Ok(game_result(&report, seen, error.as_ref(), is_rejected))
    }
}

/// Waits until the player can act, or until something else happens that the player should hear of.
async fn wait_for_turn(
    game: &mut SessionHandle,
    wait: Duration,
    limits: &CallLimits,
) -> Result<(), ToolError> {
    let seen = game.seen;
    let can_act =
        |report: &SessionReport| report.awaits_player() || report.events_after(seen).any(is_urgent);
    // The result says what has happened, also after the time.
    game.wait_until(wait, limits, can_act).await.map(drop)
}

impl ServerHandler for AssistantServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("noughts", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = ToolCall::parse(&request.name, request.arguments.unwrap_or_default());
        let call = call.ok_or_else(|| ErrorData::invalid_params("unknown tool", None))?;
        let limits = CallLimits {
            cancelled: context.ct,
            closing: self.closing.clone(),
        };
        let result = match (call, self.calls.try_acquire()) {
            (Ok(call), Ok(_permit)) => self.run(call, &limits).await,
            (Err(error), _) => Err(error),
            (Ok(_), Err(_)) => Err(ToolError::Busy),
        };
        Ok(result.unwrap_or_else(|error| error_result(&error)).into())
    }
}
