//! Lines to servers: how one is opened and used, and those of games that are watched side by side, with news of all
//! of them as of one.

use std::task::{Context, Poll};

use noughts_protocol::wire::{self, Hello, RequestBody};
use noughts_protocol::{Name, PlayerKind};

use crate::connection::{ConnectionEvent, ConnectionHandle, ConnectionOptions, RetryPolicy, SendError};
use crate::facts::PendingRequest;
use crate::server_url::ServerUrl;
use crate::update::Msg;

/// The lines, each at the place of its game.
#[derive(Debug, Default)]
pub(super) struct WatchLinks {
    links: Vec<Option<ConnectionHandle>>,
    /// Which is asked first for news, so that none is kept waiting by a busier one.
    next_polled: usize,
}

impl WatchLinks {
    /// Puts a line in its place. What was there is gone: closed before by whoever put it there.
    pub(super) fn insert(&mut self, index: usize, link: ConnectionHandle) {
        if self.links.len() <= index {
            self.links.resize_with(index + 1, || None);
        }
        self.links[index] = Some(link);
    }

    /// The line in a place.
    pub(super) fn get(&mut self, index: usize) -> Option<&mut ConnectionHandle> {
        self.links.get_mut(index)?.as_mut()
    }

    /// Takes a line away, to be closed.
    pub(super) fn take(&mut self, index: usize) -> Option<ConnectionHandle> {
        self.links.get_mut(index)?.take()
    }

    /// Takes all of them away.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = ConnectionHandle> {
        std::mem::take(&mut self.links).into_iter().flatten()
    }

    /// The next piece of news, and of which game; waits for ever when there is no line. May be dropped and
    /// called again: nothing is lost.
    pub(super) async fn next(&mut self) -> (usize, ConnectionEvent) {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(usize, ConnectionEvent)> {
        let count = self.links.len();
        for step in 0..count {
            let index = (self.next_polled + step) % count;
            let Some(link) = &mut self.links[index] else { continue };
            match link.poll_next(context) {
                Poll::Ready(Some(event)) => {
                    self.next_polled = (index + 1) % count;
                    return Poll::Ready((index, event));
                }
                // It has nothing more to say.
                Poll::Ready(None) => self.links[index] = None,
                Poll::Pending => {}
            }
        }
        Poll::Pending
    }
}

/// Opens a line to a server.
pub(super) fn connect(server: ServerUrl, name: Name) -> ConnectionHandle {
    let hello = Hello {
        versions: [wire::VERSION; 2],
        name,
        kind: PlayerKind::Human,
        client: Some(concat!("noughts ", env!("CARGO_PKG_VERSION")).to_owned()),
        party: None,
    };
    ConnectionHandle::open(ConnectionOptions { url: server, hello, retry: RetryPolicy::default() })
}

/// Hands a request to a line, and says what became of it if anybody waits for that.
pub(super) fn send_request(
    link: Option<&mut ConnectionHandle>,
    body: RequestBody,
    ask: Option<PendingRequest>,
) -> Option<Msg> {
    let sent = match link {
        Some(link) => link.send(body),
        None => Err(SendError::Ended),
    };
    match (sent, ask) {
        (Ok(id), Some(ask)) => Some(Msg::Sent { request: ask, id }),
        (Ok(_), None) => None,
        // Nobody waits for what was sent without a purpose of its own: a farewell.
        (Err(_), None) => None,
        (Err(error), ask) => Some(Msg::SendFailed { request: ask, error }),
    }
}

/// Waits for news of a line; for ever when there is none.
pub(super) async fn next_news(link: &mut Option<ConnectionHandle>) -> Option<ConnectionEvent> {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}
