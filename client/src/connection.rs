//! The line to a server: one handle, and a task behind it that owns the socket.
//!
//! The task connects, says hello, answers pings, and after a lost line comes back by itself: it takes the
//! seat again and sends again what was not answered. What the game means is none of its business.

mod backoff;
mod open;
mod rate_limit;
mod resume;
mod rng;
mod session;
mod socket;
#[cfg(test)]
pub(crate) mod tests;
pub mod tls;

use std::task::{Context, Poll};
use std::time::Duration;

use noughts_protocol::wire::{self, CloseCode, Hello, Message, Reject, Request, RequestBody};
use noughts_protocol::{Name, RequestId};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::io::io_error::LocalizableIoError;
use crate::server_url::ServerUrl;

pub use rng::ClientRng;
pub use socket::{Connector, TcpConnector};

/// Requests that wait for the task: beyond these [`ConnectionHandle::send`] says [`SendError::FullScreen`].
const MAX_QUEUED_REQUESTS: usize = 32;
/// News that wait for the consumer: beyond these the task reads no more, and the server feels it.
const MAX_QUEUED_EVENTS: usize = 64;
/// How long [`ConnectionHandle::close`] waits for an orderly end before it drops the line.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// What to connect to, as whom, and how stubbornly.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    /// The server.
    pub url: ServerUrl,
    /// What to say first, on each connection.
    pub hello: Hello,
    /// What to do about a lost line.
    pub retry: RetryPolicy,
}

/// How long to try to come back. The first connection is tried once: a wrong address should say so now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// A lost line is the end.
    Never,
    /// Tries for this long from the moment the line was lost.
    For(Duration),
}

impl Default for RetryPolicy {
    /// Longer than a server keeps a seat for sure, since nobody may have claimed the game.
    fn default() -> RetryPolicy {
        RetryPolicy::For(Duration::from_secs(5 * 60))
    }
}

/// The server's answer to hello.
#[derive(Clone, Debug)]
pub struct Welcome {
    /// The version of the wire that is spoken from here on.
    pub version: u16,
    /// The server's software.
    pub server: String,
    /// The name as it will be shown.
    pub name: Name,
    /// What the server allows.
    pub limits: wire::AnnouncedLimits,
}

/// What the task has to tell.
#[derive(Clone, Debug)]
pub enum ConnectionEvent {
    /// Begins to connect; 1 is the first attempt since the line was there.
    Connecting {
        /// Counted from 1.
        attempt: u32,
    },
    /// The server has welcomed this client, for the first time or again. In a room a resume follows by
    /// itself; a wish to be paired does not survive a lost line.
    Connected {
        /// What the server said.
        welcome: Welcome,
    },
    /// The line is lost, and the task will try again.
    Disconnected {
        /// The attempt to come.
        attempt: u32,
        /// How long until then.
        retry_in: Duration,
        /// What happened.
        reason: DisconnectReason,
    },
    /// A message from the server; all but the welcome. Answers to requests that the task itself made
    /// (resume) come too: their ids are unknown to the consumer.
    Message(Message),
    /// A request was cut off before its answer came and will not be sent again. Whether the server has
    /// done it is unknown.
    RequestLost(RequestId),
    /// Nothing more will come.
    Terminated(TerminationReason),
}

/// How a line was lost, if it may come back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DisconnectReason {
    /// The network or the system said so.
    #[error("{0}")]
    Io(LocalizableIoError),
    /// The server did not answer, or a write did not finish, within its time.
    #[error("no answer in time")]
    Timeout,
    /// Neither a message nor a ping came for longer than two pings should take.
    #[error("nothing heard from the server")]
    PingTimeout,
    /// The server announced that it restarts.
    #[error("the server restarts")]
    Restarting,
    /// The server closed the line, with this code if it gave one.
    #[error("closed by the server{}", .0.map(|code| format!(" ({code})")).unwrap_or_default())]
    Closed(Option<u16>),
    /// The server answered the handshake with this HTTP status.
    #[error("the server answered HTTP {0}")]
    Http(u16),
    /// The server sent what is no message of this wire.
    #[error("the server sent something else than this game's messages")]
    MalformedMessage,
    /// The server cannot give the seat back just now.
    #[error("the server is not ready: {0}")]
    NotReady(Reject),
}

/// Why nothing more will come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerminationReason {
    /// Closed from this side, by [`ConnectionHandle::close`].
    #[error("closed")]
    Closed,
    /// The first connection did not come about.
    #[error("cannot connect: {0}")]
    CannotConnect(DisconnectReason),
    /// The server does not take this client: its version, most likely.
    #[error("refused by the server: {0}")]
    Refused(Reject),
    /// The other end is no noughts server, or not for us: it answered with this HTTP status.
    #[error("refused by the server: HTTP {0}")]
    Http(u16),
    /// The other end is a WebSocket, but none of this game.
    #[error("not a noughts server")]
    NotNoughts,
    /// A newer connection holds the seat.
    #[error("a newer connection has taken this seat")]
    Replaced,
    /// The server closed the line for good.
    #[error("closed by the server: {}", .0.reason())]
    Final(CloseCode),
    /// The line is lost and was not to be had again within [`RetryPolicy`].
    #[error("connection lost: {0}")]
    RetriesExhausted(DisconnectReason),
}

impl TerminationReason {
    /// The exit code of a program that ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            TerminationReason::Closed => 0,
            TerminationReason::CannotConnect(_) | TerminationReason::NotNoughts => 3,
            TerminationReason::Refused(_) | TerminationReason::Http(_) => 4,
            TerminationReason::Replaced
            | TerminationReason::Final(_)
            | TerminationReason::RetriesExhausted(_) => 5,
        }
    }
}

/// Why a request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Too many requests wait already, most likely because the line is down.
    #[error("too many requests wait to be sent")]
    Full,
    /// The link has ended.
    #[error("the connection has ended")]
    Ended,
}

/// The handle of a connection. Dropping it closes the connection too, unattended.
#[derive(Debug)]
pub struct ConnectionHandle {
    events: mpsc::Receiver<ConnectionEvent>,
    requests: mpsc::Sender<Request>,
    next_id: u64,
    task: JoinHandle<()>,
}

impl ConnectionHandle {
    /// Spawns the task and returns at once; what comes of it is told as [`ConnectionEvent`].
    pub fn open(options: ConnectionOptions) -> ConnectionHandle {
        ConnectionHandle::with_connector(options, TcpConnector, ClientRng::default())
    }

    /// The same over any way to dial and with any chance, so that tests need no network and can do the
    /// same again.
    pub fn with_connector<D: Connector>(
        options: ConnectionOptions,
        connector: D,
        mut rng: ClientRng,
    ) -> ConnectionHandle {
        let (event_sender, events) = mpsc::channel(MAX_QUEUED_EVENTS);
        let (requests, request_receiver) = mpsc::channel(MAX_QUEUED_REQUESTS);
        let next_id = rng.request_id_base();
        let task = tokio::spawn(session::run(options, connector, rng, event_sender, request_receiver));
        ConnectionHandle { events: events, requests, next_id, task }
    }

    /// The next piece of news; `None` after [`ConnectionEvent::TerminationReason`]. May be dropped and called again: nothing
    /// is lost.
    pub async fn next(&mut self) -> Option<ConnectionEvent> {
        self.events.recv().await
    }

    /// The same for whoever waits for several lines at once.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<ConnectionEvent>> {
        self.events.poll_recv(context)
    }

    /// Hands a request to the task; while the line is down it waits there. Never blocks.
    ///
    /// # Errors
    /// When too many wait, or nothing can be sent any more.
    pub fn send(&mut self, body: RequestBody) -> Result<RequestId, SendError> {
        let id = request_id(self.next_id);
        self.requests.try_send(Request { id, body }).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SendError::Full,
            mpsc::error::TrySendError::Closed(_) => SendError::Ended,
        })?;
        self.next_id = self.next_id.wrapping_add(1);
        Ok(id)
    }

    /// Sends what still waits and closes the line in order, within a few seconds at most.
    pub async fn close(self) {
        let ConnectionHandle { events, requests, mut task, .. } = self;
        drop(requests);
        drop(events);
        if tokio::time::timeout(CLOSE_TIMEOUT, &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// The request with this number, of which only the bits that an id has count.
fn request_id(number: u64) -> RequestId {
    RequestId::new(number & RequestId::MAX).expect("masked to the range")
}
