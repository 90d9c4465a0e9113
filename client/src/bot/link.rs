//! A bot's link to the server: its news with the end as an error, and an orderly leave.

use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{LobbyRequest, Message, OwnRole, RequestBody};
use tokio::time::timeout;

use super::error::BotError;
use crate::connection::{ConnectionEvent, ConnectionHandle, SendError, TerminationReason};

/// For the answer to a leave, or to a wish taken back.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// A link, and whether it is up.
pub(super) struct BotLink {
    connection: ConnectionHandle,
    online: bool,
}

impl BotLink {
    pub(super) fn new(connection: ConnectionHandle) -> BotLink {
        BotLink { connection, online: false }
    }

    pub(super) fn is_online(&self) -> bool {
        self.online
    }

    pub(super) fn send(&mut self, body: RequestBody) -> Result<RequestId, SendError> {
        self.connection.send(body)
    }

    pub(super) async fn close(self) {
        self.connection.close().await;
    }

    /// The next piece of news. May be cancelled.
    pub(super) async fn next(&mut self) -> Result<ConnectionEvent, BotError> {
        match self.connection.next().await {
            Some(ConnectionEvent::Terminated(ended)) => Err(ended.into()),
            None => Err(TerminationReason::Closed.into()),
            Some(news) => {
                match news {
                    ConnectionEvent::Connected { .. } => self.online = true,
                    ConnectionEvent::Disconnected { .. } => self.online = false,
                    ConnectionEvent::Connecting { .. }
                    | ConnectionEvent::Message(_)
                    | ConnectionEvent::RequestLost(_)
                    | ConnectionEvent::Terminated(_) => {}
                }
                Ok(news)
            }
        }
    }

    /// Takes its wish back, and says with which view of a room it came true before the server heard of that.
    /// Waits within a limit: a view may come behind the refusal.
    pub(super) async fn cancel_seek(&mut self) -> Result<Option<Message>, BotError> {
        let request_id = match self.connection.send(RequestBody::Lobby(LobbyRequest::Cancel)) {
            Ok(id) => id,
            // A line that ends takes its wishes along.
            Err(SendError::Full | SendError::Ended) => return Ok(None),
        };
        let response = async {
            loop {
                match self.next().await? {
                    ConnectionEvent::Message(
                        seated @ Message::Snapshot { you: OwnRole { seat: Some(_), .. }, .. },
                    ) => {
                        return Ok(Some(seated));
                    }
                    ConnectionEvent::Message(Message::Done { re, .. }) | ConnectionEvent::RequestLost(re)
                        if re == request_id =>
                    {
                        return Ok(None);
                    }
                    ConnectionEvent::Terminated(ended) => return Err(ended.into()),
                    ConnectionEvent::Message(_)
                    | ConnectionEvent::RequestLost(_)
                    | ConnectionEvent::Connecting { .. }
                    | ConnectionEvent::Connected { .. }
                    | ConnectionEvent::Disconnected { .. } => {}
                }
            }
        };
        timeout(LEAVE_TIMEOUT, response).await.unwrap_or(Ok(None))
    }

    /// Leaves the room and waits for the server to know, within a limit.
    pub(super) async fn leave_room(&mut self) -> Result<(), BotError> {
        let request_id = match self.connection.send(RequestBody::Lobby(LobbyRequest::Leave)) {
            Ok(id) => id,
            // It cannot be told: a line that ends tells it too.
            Err(SendError::Full | SendError::Ended) => return Ok(()),
        };
        let response = async {
            loop {
                let re = match self.next().await? {
                    ConnectionEvent::Message(Message::Done { re, .. }) | ConnectionEvent::RequestLost(re) => {
                        Some(re)
                    }
                    ConnectionEvent::Message(Message::Reject { re, .. }) => re,
                    ConnectionEvent::Message(_)
                    | ConnectionEvent::Connecting { .. }
                    | ConnectionEvent::Connected { .. }
                    | ConnectionEvent::Disconnected { .. } => None,
                    ConnectionEvent::Terminated(ended) => return Err(ended.into()),
                };
                if re == Some(request_id) {
                    return Ok(());
                }
            }
        };
        timeout(LEAVE_TIMEOUT, response).await.unwrap_or(Ok(()))
    }
}
