//! Receives the requests that this node's clients send to the lobby, and starts a task for each seek.

use std::collections::BTreeMap;
use std::sync::Arc;

use noughts_protocol::wire::{RejectCode, SessionRequest};
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tracing::debug;

use super::node_lobby::NodeLobby;
use super::seek_task::{MAX_WAITING_EVENTS, SeekEvent, SeekTask};
use crate::lobby::Seeker;
use crate::lobby::handle::{LobbyHandle, LobbyInbox, LobbyMessage, SeekContact};
use crate::lobby::task::send_reject;
use crate::room::handle::{ConnectionId, MemberQueue};
use crate::runtime::context::ServerContext;

/// Minimum number of seeks before the router forgets ended seeks.
const MIN_REMEMBERED_SEEKS: usize = 64;

/// A seek of a client, which may have ended.
#[derive(Debug)]
struct KnownSeek {
    /// Sends events of the connection to the task of the seek. Dropped when the connection has ended.
    events: mpsc::Sender<SeekEvent>,
    send_queue: MemberQueue,
}

/// The seeks of this node's clients.
#[derive(Debug)]
pub(crate) struct SeekRouter {
    ctx: ServerContext,
    node: Arc<NodeLobby>,
    /// Lobby of this node.
    lobby: LobbyHandle,
    seeks: BTreeMap<ConnectionId, KnownSeek>,
    /// When the router knows this number of seeks, it forgets the ended seeks.
    forget_at: usize,
}

impl SeekRouter {
    pub(crate) fn new(ctx: ServerContext, node: Arc<NodeLobby>, lobby: LobbyHandle) -> SeekRouter {
        SeekRouter {
            ctx,
            node,
            lobby,
            seeks: BTreeMap::new(),
            forget_at: MIN_REMEMBERED_SEEKS,
        }
    }

    /// Runs until the server stops.
    pub(crate) async fn run(mut self, mut inbox: LobbyInbox) {
        let ctx = self.ctx.clone();
        loop {
            tokio::select! {
                biased;
                () = ctx.stopping.cancelled() => return,
                () = inbox.notify.notified() => {
                    self.forget_ended();
                    self.lobby.notify();
                }
                message = inbox.receiver.recv() => match message {
                    Some(message) => self.handle(message).await,
                    None => return,
                },
            }
        }
    }

    async fn handle(&mut self, message: LobbyMessage) {
        match message {
            LobbyMessage::Seek(seek, contact) => {
                let request = SessionRequest::Seek {
                    rules: seek.rules,
                    clock: seek.clock,
                    seat: seek.seat,
                    opponents: seek.opponents,
                };
                self.start(seek.seeker, request, contact);
            }
            LobbyMessage::AcceptSeek(seek, seeker, contact) => {
                self.start(seeker, SessionRequest::AcceptSeek { seek }, contact);
            }
            LobbyMessage::Cancel(connection, id, send_queue) => {
                let sent = match self.seeks.get(&connection) {
                    Some(seek) => seek.events.try_send(SeekEvent::Cancel(id)),
                    None => Err(TrySendError::Closed(SeekEvent::Cancel(id))),
                };
                match sent {
                    Ok(()) => {}
                    Err(TrySendError::Full(_)) => {
                        send_reject(&self.ctx, &send_queue, id, RejectCode::Busy);
                    }
                    Err(TrySendError::Closed(_)) => {
                        send_reject(&self.ctx, &send_queue, id, RejectCode::NotSeeking);
                    }
                }
            }
            LobbyMessage::Pong(connection, ping) => {
                let seek = self.seeks.get(&connection);
                if seek.is_some_and(|seek| seek.events.try_send(SeekEvent::Pong(ping)).is_err()) {
                    debug!("pong dropped: the seek has ended, or its queue is full");
                }
            }
            LobbyMessage::Withdraw(_) => debug!("request to withdraw a seek ignored"),
            message @ (LobbyMessage::List(..) | LobbyMessage::ListSeeks(_)) => {
                if let Err(code) = self.lobby.send(message).await {
                    debug!(%code, "cannot list lobby");
                }
            }
        }
    }

    fn start(&mut self, seeker: Seeker, request: SessionRequest, contact: SeekContact) {
        let send_queue = contact.send_queue.clone();
        if send_queue.is_closed() {
            return debug!("client disconnected before its seek started");
        }
        if self.seeks.len() >= self.forget_at {
            self.forget_ended();
        }
        let (events, receiver) = mpsc::channel(MAX_WAITING_EVENTS);
        self.seeks
            .insert(seeker.connection, KnownSeek { events, send_queue });
        let (ctx, node) = (self.ctx.clone(), Arc::clone(&self.node));
        let lobby = self.lobby.clone();
        let task = SeekTask::new(ctx, node, lobby, (seeker, request), contact, receiver);
        self.ctx.actors.spawn(task.run());
    }

    /// Forgets the seeks that have ended, and ends the seeks that have lost their connection.
    fn forget_ended(&mut self) {
        self.seeks
            .retain(|_, seek| !seek.events.is_closed() && !seek.send_queue.is_closed());
        self.forget_at = (2 * self.seeks.len()).max(MIN_REMEMBERED_SEEKS);
    }
}
