//! Refusal of a WebSocket handshake in a form that a web page can read.
//!
//! A page sees neither the status nor the headers of a failed handshake. The server therefore completes the handshake of
//! a browser and closes the WebSocket with a code. All other clients get the HTTP response.

use std::sync::Arc;

use futures::StreamExt;
use hyper::body::Incoming;
use hyper::header::ORIGIN;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use noughts_protocol::wire::{CloseCode, MAX_REQUEST_BYTES};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode as Number;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_util::task::TaskTracker;
use tracing::debug;

use super::handshake::upgrade::accept_handshake;
use super::responses::ResponseBody;

/// Maximum number of browsers that are being refused at the same time; more get the HTTP response.
const REFUSED_MAX: usize = 256;

/// Refuses browsers without waiting for them.
#[derive(Clone, Debug)]
pub(super) struct BrowserRefusals {
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl BrowserRefusals {
    /// Spawns the tasks of refused connections on `tasks`.
    pub(super) fn new(tasks: TaskTracker) -> BrowserRefusals {
        BrowserRefusals {
            permits: Arc::new(Semaphore::new(REFUSED_MAX)),
            tasks,
        }
    }

    /// Returns the response that upgrades the handshake of a browser at `path`, and then closes the WebSocket with
    /// `code`, at the latest at `deadline`. `None` for any other request.
    pub(super) fn refuse(
        &self,
        mut request: Request<Incoming>,
        path: &str,
        code: CloseCode,
        deadline: Instant,
    ) -> Option<Response<ResponseBody>> {
        let is_candidate = request.method() == Method::GET
            && request.uri().path() == path
            && request.headers().contains_key(ORIGIN);
        if !is_candidate {
            return None;
        }
        let response = accept_handshake(&request).ok()?;
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok()?;
        let upgrade = hyper::upgrade::on(&mut request);
        self.tasks.spawn(async move {
            if timeout_at(deadline, close_upgraded(upgrade, code))
                .await
                .is_err()
            {
                debug!("refused browser did not close in time");
            }
            drop(permit);
        });
        Some(response)
    }
}

/// Closes an upgraded WebSocket with `code`, and reads until the peer closes as well.
async fn close_upgraded(upgrade: OnUpgrade, code: CloseCode) {
    let upgraded = match upgrade.await {
        Ok(upgraded) => TokioIo::new(upgraded),
        Err(error) => return debug!(%error, "upgrade failed"),
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_REQUEST_BYTES))
        .max_frame_size(Some(MAX_REQUEST_BYTES));
    let mut socket = WebSocketStream::from_raw_socket(upgraded, Role::Server, Some(config)).await;
    let frame = CloseFrame {
        code: Number::from(code.code()),
        reason: code.reason().into(),
    };
    if let Err(error) = socket.close(Some(frame)).await {
        return debug!(%error, "close frame not sent");
    }
    // Messages that the page sent before it saw the close frame.
    while let Some(Ok(_)) = socket.next().await {}
}
