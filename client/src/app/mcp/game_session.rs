//! A game of the assistant: the loop of the program as a task, with commands in and reports out.

use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::session_report::{SessionReport, SessionReporter};
use super::tool_result::ToolError;
use crate::facts::Exit;
use crate::input::Input;
use crate::settings::Settings;
use crate::update::InitialAction;

/// The commands of the assistant, as inputs of the loop.
pub(in crate::app) type AssistantInputs = BoxStream<'static, Input>;

/// Starts the loop of the program with a reporter as its output.
pub(in crate::app) type GameLoop = Box<
    dyn Fn(
            Settings,
            SessionReporter,
            AssistantInputs,
            InitialAction,
        ) -> BoxFuture<'static, anyhow::Result<Exit>>
        + Send
        + Sync,
>;

/// Maximum number of commands that wait for the loop.
const MAX_QUEUED_INPUTS: usize = 16;
/// Timeout for the loop to take a command and to draw. It waits for nothing but local files meanwhile.
const LOOP_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout for the end of the loop: it closes its connections in at most 3 s.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Reasons for a call to stop waiting: the assistant has cancelled it, or the program ends.
#[derive(Clone, Debug)]
pub(super) struct CallLimits {
    pub cancelled: CancellationToken,
    pub closing: CancellationToken,
}

/// A running or ended loop. Ends the loop when dropped.
#[derive(Debug)]
pub(super) struct GameSession {
    inputs: mpsc::Sender<Input>,
    reports: watch::Receiver<SessionReport>,
    task: JoinHandle<()>,
    /// Number of events that the assistant has received.
    pub seen: usize,
}

/// The part of a session that a waiting call needs.
#[derive(Clone, Debug)]
pub(super) struct SessionHandle {
    inputs: mpsc::Sender<Input>,
    pub reports: watch::Receiver<SessionReport>,
    pub seen: usize,
}

impl GameSession {
    pub(super) fn start(
        game_loop: &GameLoop,
        settings: Settings,
        start: InitialAction,
    ) -> GameSession {
        let (inputs, mut commands) = mpsc::channel(MAX_QUEUED_INPUTS);
        let (reporter, reports) = SessionReporter::new();
        let stream = futures::stream::poll_fn(move |context| commands.poll_recv(context));
        let app = game_loop(settings, reporter.clone(), stream.boxed(), start);
        let task = tokio::spawn(async move {
            if let Err(error) = app.await {
                tracing::warn!(%error, "game failed");
                reporter.report_failure(&error);
            }
        });
        GameSession {
            inputs,
            reports,
            task,
            seen: 0,
        }
    }

    pub(super) fn handle(&self) -> SessionHandle {
        SessionHandle {
            inputs: self.inputs.clone(),
            reports: self.reports.clone(),
            seen: self.seen,
        }
    }

    /// Returns whether a handle belongs to this session.
    pub(super) fn is_of(&self, handle: &SessionHandle) -> bool {
        self.reports.same_channel(&handle.reports)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.task.is_finished() || self.reports.borrow().exit.is_some()
    }

    /// Waits for the end of the loop, at most 5 s.
    pub(super) async fn wait_for_end(&mut self) {
        if self.task.is_finished() {
            return;
        }
        match tokio::time::timeout(END_TIMEOUT, &mut self.task).await {
            Ok(Ok(())) => {}
            // The panic hook has ended the program already.
            Ok(Err(error)) => tracing::error!(%error, "game task panicked"),
            Err(_) => {
                tracing::warn!("end of game timed out");
                self.task.abort();
            }
        }
    }

    /// Resigns the game if it is in progress, leaves it, and waits for the end of the loop.
    pub(super) async fn leave(&mut self) {
        if self.reports.borrow().is_playing() {
            self.command(r#"{"do":"resign"}"#).await;
            let is_over = self.reports.wait_for(|report| !report.is_playing());
            if tokio::time::timeout(END_TIMEOUT, is_over).await.is_err() {
                tracing::warn!("game left before the server confirmed that it was resigned");
            }
        }
        self.command(r#"{"do":"quit"}"#).await;
        self.wait_for_end().await;
    }

    async fn command(&self, line: &str) {
        let line = Input::Line(line.to_owned());
        if !self.task.is_finished() && self.inputs.send(line).await.is_err() {
            tracing::debug!("game ended before it was left");
        }
    }
}

impl Drop for GameSession {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl SessionHandle {
    /// Sends a command of JSON mode.
    ///
    /// # Errors
    /// Returns an error if the loop has ended, or does not take the command in time.
    pub(super) async fn send(&self, line: String) -> Result<(), ToolError> {
        self.send_input(Input::Line(line)).await
    }

    async fn send_input(&self, input: Input) -> Result<(), ToolError> {
        match self.inputs.send_timeout(input, LOOP_TIMEOUT).await {
            Ok(()) => Ok(()),
            Err(mpsc::error::SendTimeoutError::Closed(_)) => Err(ToolError::NoGame),
            Err(mpsc::error::SendTimeoutError::Timeout(_)) => Err(ToolError::NoResponse),
        }
    }

    /// Waits until a report fulfils a condition or the loop has ended. Returns whether that happened in time.
    ///
    /// # Errors
    /// Returns an error if the call was cancelled.
    pub(super) async fn wait_until(
        &mut self,
        limit: Duration,
        limits: &CallLimits,
        is_met: impl Fn(&SessionReport) -> bool,
    ) -> Result<bool, ToolError> {
        let met = self
            .reports
            .wait_for(|report| report.exit.is_some() || is_met(report));
        tokio::select! {
            biased;
            () = limits.cancelled.cancelled() => Err(ToolError::Cancelled),
            // An error means that the loop has ended.
            met = tokio::time::timeout(limit, met) => Ok(met.is_ok()),
            () = limits.closing.cancelled() => Ok(false),
        }
    }

    /// Makes the loop report the current clocks: it draws after every input, even if the input has no effect.
    ///
    /// # Errors
    /// Returns an error if the loop does not respond in time.
    pub(super) async fn refresh(&mut self) -> Result<(), ToolError> {
        self.reports.mark_unchanged();
        match self.send_input(Input::Focus(true)).await {
            // The last report of an ended loop stays valid.
            Err(ToolError::NoGame) => return Ok(()),
            sent => sent?,
        }
        match tokio::time::timeout(LOOP_TIMEOUT, self.reports.changed()).await {
            Ok(Ok(()) | Err(_)) => Ok(()),
            Err(_) => Err(ToolError::NoResponse),
        }
    }
}
