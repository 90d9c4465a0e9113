//! `noughts mcp`: a server of the Model Context Protocol on stdin and stdout, so that an assistant can play.
//!
//! The games run in the loop of the program, as in JSON mode: `game_session` sends it commands, and `session_report`
//! holds its states and events. `tool_call` parses the calls, `assistant_server` answers them, and `tool_result` writes
//! the results. The crate `rmcp` implements the protocol itself.
//!
//! When stdin ends, the program resigns and leaves the game, because the assistant is gone. A signal that ends the
//! program keeps the seat, as it does in JSON mode, except for SIGINT.

mod assistant_server;
mod game_session;
mod session_report;
mod tool_call;
mod tool_result;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncWriteExt;
use tokio_util::sync::CancellationToken;

use crate::connection::server_url::ServerUrl;
use crate::facts::Exit;
use crate::io::terminal::Signals;
use crate::settings::Settings;
use assistant_server::AssistantServer;
pub(super) use game_session::{AssistantInputs, GameLoop};
pub(super) use session_report::SessionReporter;

/// Maximum length of a message of the assistant. A longer message is dropped.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;
/// Timeout for the responses to the calls in progress when the program ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves an assistant until stdin closes or a signal ends the program.
///
/// # Errors
/// Returns an error if the system fails, or if the first message does not belong to the protocol.
pub(super) async fn run(
    game_loop: GameLoop,
    settings: Settings,
    server: ServerUrl,
) -> anyhow::Result<Exit> {
    let mut signals = Signals::listen()?;
    let (closing, stopped) = (CancellationToken::new(), CancellationToken::new());
    let (mut pipe, input) = tokio::io::duplex(MAX_MESSAGE_BYTES);
    let stdin_closed = closing.clone();
    tokio::spawn(async move {
        if let Err(error) = tokio::io::copy(&mut tokio::io::stdin(), &mut pipe).await {
            tracing::warn!(%error, "stdin read failed");
        }
        // A call does not wait for an opponent when its result has no reader.
        stdin_closed.cancel();
        if let Err(error) = pipe.shutdown().await {
            tracing::debug!(%error, "input closed before stdin");
        }
    });
    let transport = AsyncRwTransport::new_server(input, tokio::io::stdout())
        .with_max_line_length(MAX_MESSAGE_BYTES);
    let assistant = Arc::new(AssistantServer::new(
        game_loop,
        settings,
        server,
        closing.clone(),
    ));
    let service = Arc::clone(&assistant);
    let stop = stopped.clone();
    let mut serve = tokio::spawn(async move {
        match service.serve_with_ct(transport, stop).await {
            Ok(running) => running.waiting().await.map(drop).map_err(Into::into),
            // The assistant has looked at the program and gone.
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                Ok(())
            }
            Err(error) => Err(anyhow::Error::from(error)),
        }
    });
    let signal = tokio::select! {
        served = &mut serve => {
            assistant.leave_game().await;
            served??;
            return Ok(Exit::Done);
        }
        number = signals.end() => number,
    };
    closing.cancel();
    stopped.cancel();
    // The loop of the game receives the signal too, and decides about the seat.
    assistant.wait_for_game().await;
    match tokio::time::timeout(CLOSE_TIMEOUT, serve).await {
        Ok(served) => served??,
        Err(_) => tracing::warn!("end of service timed out"),
    }
    Ok(Exit::Signal(signal))
}
