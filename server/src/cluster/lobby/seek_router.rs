//! Takes the requests of this node's clients to the lobby, and starts a task for each seek.

use std::collections::BTreeMap;
use std::sync::Arc;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{Message, Reject, RejectCode};
use tracing::debug;

use super::node_lobby::NodeLobby;
use super::seek_control::SeekControl;
use super::seek_task::{SeekRequest, SeekTask};
use crate::lobby::handle::{LobbyHandle, LobbyInbox, LobbyMessage, SeekContact};
use crate::room::handle::{MemberId, MemberQueue};
use crate::runtime::context::ServerContext;
use crate::send_queue::Outgoing;

/// Number of seeks from which on those that have ended are forgotten.
const MIN_REMEMBERED_SEEKS: usize = 64;

/// The seeks of this node's clients.
#[derive(Debug)]
pub(crate) struct SeekRouter {
    ctx: ServerContext,
    node: Arc<NodeLobby>,
    /// Lobby of this node.
    lobby: LobbyHandle,
    /// Also some that have ended.
    seeks: BTreeMap<MemberId, Arc<SeekControl>>,
    /// Number of seeks at which those that have ended are forgotten.
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
                    self.seeks.values().for_each(|seek| seek.check_connection());
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
                let member = seek.seeker.member;
                self.start(member, SeekRequest::from_seek(seek), contact);
            }
            LobbyMessage::Answer(seek, (seeker, since), contact) => {
                let member = seeker.member;
                self.start(
                    member,
                    SeekRequest::from_answer(seek, seeker, since),
                    contact,
                );
            }
            LobbyMessage::Cancel(member, id, send_queue) => {
                let seek = self.seeks.get(&member);
                let cancelled = seek.map_or(Err(RejectCode::NotSeeking), |seek| seek.cancel(id));
                if let Err(code) = cancelled {
                    self.reject(&send_queue, id, code);
                }
            }
            LobbyMessage::Pong(member, ping) => {
                if let Some(seek) = self.seeks.get(&member) {
                    seek.on_pong(ping);
                }
            }
            message @ (LobbyMessage::List(..) | LobbyMessage::ListSeeks(_)) => {
                if let Err(code) = self.lobby.send(message).await {
                    debug!(%code, "lobby not listed");
                }
            }
        }
    }

    fn start(&mut self, member: MemberId, request: SeekRequest, contact: SeekContact) {
        let control = Arc::new(SeekControl::new(
            contact.send_queue.clone(),
            request.since(),
        ));
        self.seeks.insert(member, Arc::clone(&control));
        if self.seeks.len() >= self.forget_at {
            self.forget_ended();
        }
        let (ctx, node) = (self.ctx.clone(), Arc::clone(&self.node));
        let task = SeekTask::new(ctx, node, self.lobby.clone(), control, request, contact);
        self.ctx.actors.spawn(task.run());
    }

    fn forget_ended(&mut self) {
        self.seeks.retain(|_, seek| !seek.has_ended());
        self.forget_at = (2 * self.seeks.len()).max(MIN_REMEMBERED_SEEKS);
    }

    fn reject(&self, send_queue: &MemberQueue, id: RequestId, code: RejectCode) {
        self.ctx.shared.metrics.count_reject(code);
        let reject = Reject::new(code);
        send_queue.send_reply(Outgoing::message(&Message::Reject {
            re: Some(id),
            reject,
        }));
    }
}
