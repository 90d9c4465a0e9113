//! The connection to a server: a handle, and a task that owns the socket.
//!
//! The task connects, sends hello, answers pings, and reconnects after a loss. It then resumes the seat and sends
//! unacknowledged commands again. It does not interpret the game; `update` does.
//!
//! All queues are bounded. While the consumer is slow, the task stops reading, which slows the server down. The task
//! ends when the consumer has dropped its handle.

mod backoff;
mod event;
mod open;
mod options;
mod rate_limit;
mod resume;
mod rng;
pub(crate) mod server_url;
mod session;
mod socket;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tls;

use std::task::{Context, Poll};
use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Request, RequestBody};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use session::request_id;

pub use event::{ConnectionEvent, DisconnectReason, TerminationReason};
pub(crate) use event::{SendError, Welcome};
pub use options::{ConnectionOptions, RetryPolicy};
pub use rng::ClientRng;
pub use socket::Connector;
pub(crate) use socket::TcpConnector;

/// Maximum number of requests that wait for the task. If the queue is full, [`ConnectionHandle::send`] returns
/// [`SendError::Busy`].
const MAX_QUEUED_REQUESTS: usize = 32;
/// Maximum number of events that wait for the consumer. While the queue is full, the task stops reading.
const MAX_QUEUED_EVENTS: usize = 64;
/// Timeout for [`ConnectionHandle::close`].
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Handle of a connection. Dropping it closes the connection in the background.
#[derive(Debug)]
pub struct ConnectionHandle {
    events: mpsc::Receiver<ConnectionEvent>,
    requests: mpsc::Sender<Request>,
    next_id: u64,
    task: JoinHandle<()>,
}

impl ConnectionHandle {
    /// Spawns the task and returns immediately. The task reports its progress as
    /// [`ConnectionEvent`]s.
    pub fn open(options: ConnectionOptions) -> ConnectionHandle {
        ConnectionHandle::with_connector(options, TcpConnector, ClientRng::default())
    }

    /// Like [`ConnectionHandle::open`], with this connector and these random numbers, so that tests are reproducible
    /// and need no network.
    pub fn with_connector<D: Connector>(
        options: ConnectionOptions,
        connector: D,
        mut rng: ClientRng,
    ) -> ConnectionHandle {
        let (event_sender, events) = mpsc::channel(MAX_QUEUED_EVENTS);
        let (requests, request_receiver) = mpsc::channel(MAX_QUEUED_REQUESTS);
        let next_id = rng.request_id_base();
        let task = tokio::spawn(session::run(
            options,
            connector,
            rng,
            event_sender,
            request_receiver,
        ));
        ConnectionHandle {
            events,
            requests,
            next_id,
            task,
        }
    }

    /// Returns the next event; `None` after [`ConnectionEvent::Terminated`]. Cancel safe.
    pub async fn next(&mut self) -> Option<ConnectionEvent> {
        self.events.recv().await
    }

    /// Like [`ConnectionHandle::next`], for a caller that polls several connections.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ConnectionEvent>> {
        self.events.poll_recv(context)
    }

    /// Queues a request. The request waits in the queue while the connection is down. Never blocks.
    ///
    /// # Errors
    /// Returns an error if the queue is full or the connection has ended.
    pub fn send(&mut self, body: RequestBody) -> Result<RequestId, SendError> {
        let id = request_id(self.next_id);
        self.requests
            .try_send(Request { id, body })
            .map_err(|error| match error {
                mpsc::error::TrySendError::Full(_) => SendError::Busy,
                mpsc::error::TrySendError::Closed(_) => SendError::Offline,
            })?;
        self.next_id = self.next_id.wrapping_add(1);
        Ok(id)
    }

    /// Sends the queued requests and closes the connection. Aborts it after 2 s.
    pub async fn close(self) {
        let ConnectionHandle {
            events,
            requests,
            mut task,
            ..
        } = self;
        drop(requests);
        drop(events);
        if tokio::time::timeout(CLOSE_TIMEOUT, &mut task)
            .await
            .is_err()
        {
            task.abort();
        }
    }
}
