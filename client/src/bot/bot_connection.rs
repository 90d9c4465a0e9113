//! A worker's connection: reports the end of the connection as an error, and limits the wait for responses.

use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Message, OwnRole, RequestBody, SessionRequest};
use tokio::time::timeout;

use super::error::BotError;
use crate::connection::{ConnectionEvent, ConnectionHandle, SendError, TerminationReason};

/// Timeout for the response to a leave or cancel request.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// Connection handle that knows whether the connection is established.
pub(super) struct BotConnection {
    connection: ConnectionHandle,
    online: bool,
}

impl BotConnection {
    pub(super) fn new(connection: ConnectionHandle) -> BotConnection {
        BotConnection {
            connection,
            online: false,
        }
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

    /// Returns the next event; the end of the connection is an error. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<ConnectionEvent, BotError> {
        match self.connection.next().await {
            Some(ConnectionEvent::Terminated(ended)) => Err(ended.into()),
            None => Err(TerminationReason::Closed.into()),
            Some(event) => {
                match &event {
                    ConnectionEvent::Connected { .. } => self.online = true,
                    ConnectionEvent::Disconnected { .. } => self.online = false,
                    ConnectionEvent::Connecting { .. }
                    | ConnectionEvent::Message(_)
                    | ConnectionEvent::RequestLost(_)
                    | ConnectionEvent::Terminated(_) => {}
                }
                Ok(event)
            }
        }
    }

    /// Cancels the seek. Returns the snapshot of a room if the server paired the bot before it received the request.
    /// Waits at most [`LEAVE_TIMEOUT`], because the snapshot may arrive after the request was rejected.
    pub(super) async fn cancel_seek(&mut self) -> Result<Option<Message>, BotError> {
        let request_id = match self
            .connection
            .send(RequestBody::Session(SessionRequest::Cancel))
        {
            Ok(id) => id,
            // The end of the connection cancels the seek too.
            Err(SendError::Busy | SendError::Offline) => return Ok(None),
        };
        let response = async {
            loop {
                match self.next().await? {
                    ConnectionEvent::Message(
                        snapshot @ Message::Snapshot {
                            role: OwnRole { seat: Some(_), .. },
                            ..
                        },
                    ) => {
                        return Ok(Some(snapshot));
                    }
                    ConnectionEvent::Message(Message::Done { re, .. })
                    | ConnectionEvent::RequestLost(re)
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

    /// Leaves the room and waits at most [`LEAVE_TIMEOUT`] for the response.
    pub(super) async fn leave_room(&mut self) -> Result<(), BotError> {
        let request_id = match self
            .connection
            .send(RequestBody::Session(SessionRequest::Leave))
        {
            Ok(id) => id,
            // The request cannot be sent; the end of the connection leaves the room too.
            Err(SendError::Busy | SendError::Offline) => return Ok(()),
        };
        let response = async {
            loop {
                let re = match self.next().await? {
                    ConnectionEvent::Message(Message::Done { re, .. })
                    | ConnectionEvent::RequestLost(re) => Some(re),
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
