//! A room of another node: the task behind the [`RoomHandle`] of one client, which forwards the requests of that client.
//!
//! The other node sends the frames as the client gets them, so that only the connection of the client, here, knows how fast
//! it reads. A client that reads too slowly is disconnected, also a spectator.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::wire::{
    Hello, Message, Reject, RejectCode, Request, RequestBody, SessionRequest, VERSION,
};
use noughts_protocol::{RequestId, RoomRef};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::gateway_member::GatewayMember;
use super::link_batch::{EntryFlags, LinkEntryKind, MembershipId};
use super::link_table::LinkTable;
use crate::cluster::shard::NodeId;
use crate::limits::client_prefix::ClientPrefix;
use crate::room::handle::{
    InboxEvent, JoinRequest, MemberQueue, RoomHandle, RoomInbox, RoomRequest,
};
use crate::runtime::context::ServerContext;
use crate::send_queue::Outgoing;

/// Time in which the client for which the room was found must request to enter it, which it does at once.
const ENTER_TIMEOUT: Duration = Duration::from_secs(10);

/// A room of another node, for one client.
#[derive(Debug)]
pub(super) struct RemoteRoom {
    pub(super) links: Arc<LinkTable>,
    pub(super) ctx: ServerContext,
    /// Node of the room.
    pub(super) peer: NodeId,
    pub(super) member: MembershipId,
    pub(super) client: ClientPrefix,
    pub(super) handle: RoomHandle,
}

impl RemoteRoom {
    /// Forwards requests until the client has left the room with this key.
    pub(super) async fn run(self, key: RoomRef, mut inbox: RoomInbox) {
        let first = timeout(ENTER_TIMEOUT, poll_fn(|context| inbox.poll_next(context)));
        let first = self.ctx.stopping.run_until_cancelled(first).await;
        let Some(Ok(InboxEvent::Request(request))) = first else {
            return;
        };
        let Some((send_queue, ended)) = self.enter(key, request) else {
            return;
        };
        self.forward_requests(inbox, send_queue, ended).await;
    }

    /// Forwards the requests of a client until it has left the room.
    pub(super) async fn forward_requests(
        self,
        mut inbox: RoomInbox,
        send_queue: MemberQueue,
        ended: CancellationToken,
    ) {
        loop {
            let event = tokio::select! {
                biased;
                () = ended.cancelled() => break,
                () = self.ctx.stopping.cancelled() => break,
                event = poll_fn(|context| inbox.poll_next(context)) => event,
            };
            match event {
                InboxEvent::Request(request) => self.forward(request, &send_queue),
                InboxEvent::Sweep if send_queue.is_closed() => {
                    self.links.exit(self.peer, self.member);
                    break;
                }
                InboxEvent::Sweep => {}
            }
        }
        for request in inbox.close(RejectCode::NotInRoom) {
            if let Some(id) = request_id(&request) {
                self.reject(&send_queue, id, RejectCode::NotInRoom);
            }
        }
    }

    fn reject(&self, send_queue: &MemberQueue, id: RequestId, code: RejectCode) {
        self.ctx.shared.metrics.count_reject(code);
        let reject = Reject::new(code);
        send_queue.send_reply(Outgoing::message(&Message::Reject {
            re: Some(id),
            reject,
        }));
    }

    /// Forwards the request to enter.
    fn enter(
        &self,
        key: RoomRef,
        request: RoomRequest,
    ) -> Option<(MemberQueue, CancellationToken)> {
        let (joiner, body) = match request {
            RoomRequest::Join(joiner) => (joiner, SessionRequest::Join { room: key }),
            RoomRequest::Watch(joiner) => {
                let remarks = joiner.wants_remarks;
                (joiner, SessionRequest::Watch { room: key, remarks })
            }
            RoomRequest::Resume(joiner, token, seq) => {
                let RoomRef::Id(room) = key else { return None };
                (joiner, SessionRequest::Resume { room, token, seq })
            }
            other @ (RoomRequest::Command { .. }
            | RoomRequest::Remark(..)
            | RoomRequest::Say(..)
            | RoomRequest::Substitute(..)
            | RoomRequest::Sync(..)
            | RoomRequest::Leave(..)
            | RoomRequest::Lag(..)
            | RoomRequest::GiveWay) => {
                debug!(request = ?other, "request before the one to enter a remote room");
                return None;
            }
        };
        let JoinRequest {
            send_queue,
            player,
            party,
            request_id: id,
            features,
            already_answered,
            yields_to_holder,
            ..
        } = *joiner;
        let ended = CancellationToken::new();
        let gateway_member = GatewayMember::new(
            send_queue.clone(),
            id,
            self.client,
            self.handle.clone(),
            ended.clone(),
        );
        let hello = Hello {
            versions: [VERSION; 2],
            name: player.name,
            kind: player.kind,
            client: None,
            party_key: party,
            wants: features,
        };
        let request = Request {
            id,
            body: RequestBody::Session(body),
        }
        .to_json();
        let hello = Request::hello(id, hello).to_json();
        let body = format!("{}\n{hello}\n{request}", self.client.address());
        let flags = EntryFlags {
            already_answered,
            yields_to_holder,
        };
        let kind = (LinkEntryKind::Enter, flags.bits());
        let entered = self
            .links
            .enter(self.peer, self.member, gateway_member, kind, &body);
        if let Err((refused, code)) = entered {
            refused.reject_entry(&self.ctx, code.into());
            return None;
        }
        Some((send_queue, ended))
    }

    /// Forwards a request of the member.
    fn forward(&self, request: RoomRequest, send_queue: &MemberQueue) {
        let now = self.ctx.shared.time.now();
        let (id, age, body) = match request {
            RoomRequest::Command {
                at, id, command, ..
            } => (id, now.saturating_sub(at), RequestBody::Command(command)),
            RoomRequest::Remark(_, id, remark) => (id, 0, RequestBody::Remark(*remark)),
            RoomRequest::Say(_, id, phrase) => {
                (id, 0, RequestBody::Session(SessionRequest::Say { phrase }))
            }
            RoomRequest::Substitute(_, id, end) => (
                id,
                0,
                RequestBody::Session(SessionRequest::Substitute { end }),
            ),
            RoomRequest::Sync(_, id, seq) => {
                (id, 0, RequestBody::Session(SessionRequest::Sync { seq }))
            }
            RoomRequest::Leave(_, id) => (id, 0, RequestBody::Session(SessionRequest::Leave)),
            RoomRequest::Lag(_, ms) => {
                return self
                    .links
                    .send(self.peer, LinkEntryKind::Lag, self.member, ms, "");
            }
            RoomRequest::Join(joiner)
            | RoomRequest::Watch(joiner)
            | RoomRequest::Resume(joiner, _, _) => {
                return self.reject(send_queue, joiner.request_id, RejectCode::Busy);
            }
            RoomRequest::GiveWay => return,
        };
        let age = u32::try_from(age).unwrap_or(u32::MAX);
        let request = Request { id, body }.to_json();
        self.links.send(
            self.peer,
            LinkEntryKind::Request,
            self.member,
            age,
            &request,
        );
    }
}

/// The id of a request that expects a response.
fn request_id(request: &RoomRequest) -> Option<RequestId> {
    match request {
        RoomRequest::Command { id, .. }
        | RoomRequest::Remark(_, id, _)
        | RoomRequest::Say(_, id, _)
        | RoomRequest::Substitute(_, id, _)
        | RoomRequest::Sync(_, id, _)
        | RoomRequest::Leave(_, id) => Some(*id),
        RoomRequest::Join(joiner)
        | RoomRequest::Watch(joiner)
        | RoomRequest::Resume(joiner, _, _) => Some(joiner.request_id),
        RoomRequest::Lag(..) | RoomRequest::GiveWay => None,
    }
}
