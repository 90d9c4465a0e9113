//! Connections to servers: opening one, sending requests, and the set of connections of the watched games.

use std::task::{Context, Poll};

use noughts_protocol::Name;
use noughts_protocol::wire::RequestBody;

use crate::connection::server_url::ServerUrl;
use crate::connection::{
    ConnectionEvent, ConnectionHandle, ConnectionOptions, RetryPolicy, SendError,
};
use crate::facts::PendingRequest;
use crate::update::Msg;

/// Connections of the watched games, each at the index of its game.
#[derive(Debug, Default)]
pub(super) struct WatchLinks {
    links: Vec<Option<ConnectionHandle>>,
    /// Index that is polled first, so that a busy connection does not starve the others.
    next_polled: usize,
}

impl WatchLinks {
    /// Sets the connection of a game. The caller has closed the previous one.
    pub(super) fn insert(&mut self, index: usize, connection: ConnectionHandle) {
        if self.links.len() <= index {
            self.links.resize_with(index + 1, || None);
        }
        self.links[index] = Some(connection);
    }

    pub(super) fn get(&mut self, index: usize) -> Option<&mut ConnectionHandle> {
        self.links.get_mut(index)?.as_mut()
    }

    /// Removes a connection, so that the caller can close it.
    pub(super) fn take(&mut self, index: usize) -> Option<ConnectionHandle> {
        self.links.get_mut(index)?.take()
    }

    /// Removes all connections.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = ConnectionHandle> {
        std::mem::take(&mut self.links).into_iter().flatten()
    }

    /// Waits for the next event of any connection, and returns it with the index of the game; without connections,
    /// waits forever. Cancel safe.
    pub(super) async fn next(&mut self) -> (usize, ConnectionEvent) {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(usize, ConnectionEvent)> {
        let count = self.links.len();
        for step in 0..count {
            let index = (self.next_polled + step) % count;
            let Some(link) = &mut self.links[index] else {
                continue;
            };
            match link.poll_next(context) {
                Poll::Ready(Some(event)) => {
                    self.next_polled = (index + 1) % count;
                    return Poll::Ready((index, event));
                }
                // The connection has sent its last event.
                Poll::Ready(None) => self.links[index] = None,
                Poll::Pending => {}
            }
        }
        Poll::Pending
    }
}

/// Opens a connection to a server.
pub(super) fn connect(server: ServerUrl, name: Name) -> ConnectionHandle {
    ConnectionHandle::open(ConnectionOptions::for_person(
        server,
        name,
        RetryPolicy::default(),
    ))
}

/// Opens a connection that ends when it is lost.
pub(super) fn connect_once(server: ServerUrl, name: Name) -> ConnectionHandle {
    ConnectionHandle::open(ConnectionOptions::for_person(
        server,
        name,
        RetryPolicy::Never,
    ))
}

/// Queues a request. Returns its id or the failure as a message if the request has a purpose to report it for.
pub(super) fn send_request(
    link: Option<&mut ConnectionHandle>,
    body: RequestBody,
    request: Option<PendingRequest>,
) -> Option<Msg> {
    let sent = match link {
        Some(link) => link.send(body),
        None => Err(SendError::Ended),
    };
    match (sent, request) {
        (Ok(id), Some(request)) => Some(Msg::Sent { request, id }),
        (Ok(_), None) => None,
        // Only the request to leave has no purpose, and its failure does not matter.
        (Err(_), None) => None,
        (Err(error), request) => Some(Msg::SendFailed { request, error }),
    }
}

/// Waits for the next event of a connection; without a connection, waits forever.
pub(super) async fn next_event(link: &mut Option<ConnectionHandle>) -> Option<ConnectionEvent> {
    match link {
        Some(link) => link.next().await,
        None => std::future::pending().await,
    }
}
