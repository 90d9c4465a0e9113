//! A bot's link to the server: its news with the end as an error, and an orderly leave.

use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Body, Lobby, Message, You};
use tokio::time::timeout;

use super::BotError;
use crate::connection::{Ended, Link, News, SendError};

/// For the answer to a leave, or to a wish taken back.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);

/// A link, and whether it is up.
pub(super) struct Line {
    link: Link,
    online: bool,
}

impl Line {
    pub(super) fn new(link: Link) -> Line {
        Line { link, online: false }
    }

    pub(super) fn is_online(&self) -> bool {
        self.online
    }

    pub(super) fn send(&mut self, body: Body) -> Result<RequestId, SendError> {
        self.link.send(body)
    }

    pub(super) async fn close(self) {
        self.link.close().await;
    }

    /// The next piece of news. May be cancelled.
    pub(super) async fn next(&mut self) -> Result<News, BotError> {
        match self.link.next().await {
            Some(News::Ended(ended)) => Err(ended.into()),
            None => Err(Ended::Closed.into()),
            Some(news) => {
                match news {
                    News::Online { .. } => self.online = true,
                    News::Offline { .. } => self.online = false,
                    News::Connecting { .. } | News::Message(_) | News::Lost(_) | News::Ended(_) => {}
                }
                Ok(news)
            }
        }
    }

    /// Takes its wish back, and says with which view of a room it came true before the server heard of that.
    /// Waits within a limit: a view may come behind the refusal.
    pub(super) async fn withdraw(&mut self) -> Result<Option<Message>, BotError> {
        let asked = match self.link.send(Body::Lobby(Lobby::Cancel)) {
            Ok(id) => id,
            // A line that ends takes its wishes along.
            Err(SendError::Full | SendError::Ended) => return Ok(None),
        };
        let answered = async {
            loop {
                match self.next().await? {
                    News::Message(seated @ Message::Snapshot { you: You { seat: Some(_), .. }, .. }) => {
                        return Ok(Some(seated));
                    }
                    News::Message(Message::Done { re, .. }) | News::Lost(re) if re == asked => {
                        return Ok(None);
                    }
                    News::Ended(ended) => return Err(ended.into()),
                    News::Message(_)
                    | News::Lost(_)
                    | News::Connecting { .. }
                    | News::Online { .. }
                    | News::Offline { .. } => {}
                }
            }
        };
        timeout(LEAVE_WITHIN, answered).await.unwrap_or(Ok(None))
    }

    /// Leaves the room and waits for the server to know, within a limit.
    pub(super) async fn leave(&mut self) -> Result<(), BotError> {
        let asked = match self.link.send(Body::Lobby(Lobby::Leave)) {
            Ok(id) => id,
            // It cannot be told: a line that ends tells it too.
            Err(SendError::Full | SendError::Ended) => return Ok(()),
        };
        let answered = async {
            loop {
                let re = match self.next().await? {
                    News::Message(Message::Done { re, .. }) | News::Lost(re) => Some(re),
                    News::Message(Message::Reject { re, .. }) => re,
                    News::Message(_)
                    | News::Connecting { .. }
                    | News::Online { .. }
                    | News::Offline { .. } => None,
                    News::Ended(ended) => return Err(ended.into()),
                };
                if re == Some(asked) {
                    return Ok(());
                }
            }
        };
        timeout(LEAVE_WITHIN, answered).await.unwrap_or(Ok(()))
    }
}
