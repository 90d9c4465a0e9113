//! The line to a server: one handle, and a task behind it that owns the socket.
//!
//! The task connects, says hello, answers pings, and after a lost line comes back by itself: it takes the
//! seat again and sends again what was not answered. What the game means is none of its business.

mod backoff;
mod chance;
mod line;
mod pace;
#[cfg(test)]
pub(crate) mod scripted;
mod session;
mod socket;
mod standing;
#[cfg(test)]
mod tests;
pub mod tls;

use std::time::Duration;

use noughts_protocol::wire::{self, Body, CloseCode, Hello, Message, Reject, Request};
use noughts_protocol::{Name, RequestId};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::server_url::ServerUrl;
use crate::system::SystemError;

pub use chance::Chance;
pub use socket::{Dial, Tcp};

/// Requests that wait for the task: beyond these [`Link::send`] says [`SendError::Full`].
const REQUESTS: usize = 32;
/// News that wait for the consumer: beyond these the task reads no more, and the server feels it.
const NEWS: usize = 64;
/// How long [`Link::close`] waits for an orderly end before it drops the line.
const CLOSE_WAIT: Duration = Duration::from_secs(2);

/// What to connect to, as whom, and how stubbornly.
#[derive(Clone, Debug)]
pub struct Options {
    /// The server.
    pub url: ServerUrl,
    /// What to say first, on each connection.
    pub hello: Hello,
    /// What to do about a lost line.
    pub retry: Retry,
}

/// How long to try to come back. The first connection is tried once: a wrong address should say so now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// A lost line is the end.
    Never,
    /// Tries for this long from the moment the line was lost.
    For(Duration),
}

impl Default for Retry {
    /// Longer than a server keeps a seat for sure, since nobody may have claimed the game.
    fn default() -> Retry {
        Retry::For(Duration::from_secs(5 * 60))
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
    pub limits: wire::Limits,
}

/// What the task has to tell.
#[derive(Clone, Debug)]
pub enum News {
    /// Begins to connect; 1 is the first attempt since the line was there.
    Connecting {
        /// Counted from 1.
        attempt: u32,
    },
    /// The server has welcomed this client, for the first time or again. In a room a resume follows by
    /// itself; a wish to be paired does not survive a lost line.
    Online {
        /// What the server said.
        welcome: Welcome,
    },
    /// The line is lost, and the task will try again.
    Offline {
        /// The attempt to come.
        attempt: u32,
        /// How long until then.
        retry_in: Duration,
        /// What happened.
        why: Offline,
    },
    /// A message from the server; all but the welcome. Answers to requests that the task itself made
    /// (resume) come too: their ids are unknown to the consumer.
    Message(Message),
    /// A request was cut off before its answer came and will not be sent again. Whether the server has
    /// done it is unknown.
    Lost(RequestId),
    /// Nothing more will come.
    Ended(Ended),
}

/// How a line was lost, if it may come back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Offline {
    /// The network or the system said so.
    #[error("{0}")]
    Io(SystemError),
    /// The server did not answer, or a write did not finish, within its time.
    #[error("no answer in time")]
    Timeout,
    /// Neither a message nor a ping came for longer than two pings should take.
    #[error("nothing heard from the server")]
    Silent,
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
    Garbled,
    /// The server cannot give the seat back just now.
    #[error("the server is not ready: {0}")]
    NotReady(Reject),
}

/// Why nothing more will come.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// Closed from this side, by [`Link::close`].
    #[error("closed")]
    Closed,
    /// The first connection did not come about.
    #[error("cannot connect: {0}")]
    CannotConnect(Offline),
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
    /// The line is lost and was not to be had again within [`Retry`].
    #[error("connection lost: {0}")]
    GaveUp(Offline),
}

impl Ended {
    /// The exit code of a program that ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            Ended::Closed => 0,
            Ended::CannotConnect(_) | Ended::NotNoughts => 3,
            Ended::Refused(_) | Ended::Http(_) => 4,
            Ended::Replaced | Ended::Final(_) | Ended::GaveUp(_) => 5,
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
pub struct Link {
    news: mpsc::Receiver<News>,
    requests: mpsc::Sender<Request>,
    next_id: u64,
    task: JoinHandle<()>,
}

impl Link {
    /// Spawns the task and returns at once; what comes of it is told as [`News`].
    pub fn open(options: Options) -> Link {
        Link::over(options, Tcp, Chance::default())
    }

    /// The same over any way to dial and with any chance, so that tests need no network and can do the
    /// same again.
    pub fn over<D: Dial>(options: Options, dial: D, mut chance: Chance) -> Link {
        let (to_consumer, news) = mpsc::channel(NEWS);
        let (requests, from_consumer) = mpsc::channel(REQUESTS);
        let next_id = chance.number();
        let task = tokio::spawn(session::run(options, dial, chance, to_consumer, from_consumer));
        Link { news, requests, next_id, task }
    }

    /// The next piece of news; `None` after [`News::Ended`]. May be dropped and called again: nothing
    /// is lost.
    pub async fn next(&mut self) -> Option<News> {
        self.news.recv().await
    }

    /// Hands a request to the task; while the line is down it waits there. Never blocks.
    ///
    /// # Errors
    /// When too many wait, or nothing can be sent any more.
    pub fn send(&mut self, body: Body) -> Result<RequestId, SendError> {
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
        let Link { news, requests, mut task, .. } = self;
        drop(requests);
        drop(news);
        if tokio::time::timeout(CLOSE_WAIT, &mut task).await.is_err() {
            task.abort();
        }
    }
}

/// The request with this number, of which only the bits that an id has count.
fn request_id(number: u64) -> RequestId {
    RequestId::new(number & RequestId::MAX).expect("masked to the range")
}
