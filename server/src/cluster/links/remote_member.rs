//! A client of another node in a room or in the lobby of this one: hands its requests to them, and their frames to the link.

use std::net::IpAddr;

use noughts_protocol::wire::{
    Hello, Message, Reject, RejectCode, Request, RequestBody, SessionRequest,
};
use noughts_protocol::{Player, RequestId, ResumeToken, RoomRef, Seq};
use tokio_util::sync::CancellationToken;
use tracing::debug;

use super::link_batch::{EntryFlags, LinkEntry, LinkEntryKind};
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::PingId;
use crate::lobby::handle::TicketHolder;
use crate::room::handle::{JoinRequest, MemberId, MemberQueue, RoomHandle, RoomRequest};
use crate::room::registry::Registry;
use crate::runtime::context::{AbsentRoom, ServerContext};
use crate::send_queue::{self, EncodedFrame, Outgoing, SendQueueReceiver};

/// A client of another node. When it is dropped, the room or the lobby notices that the client has disconnected.
#[derive(Debug)]
pub(super) struct RemoteMember {
    pub(super) member: MemberId,
    /// None in the lobby.
    pub(super) room: Option<RoomHandle>,
    /// Ticket of the seek that has led here.
    pub(super) ticket: Option<TicketHolder>,
    pub(super) send_queue: MemberQueue,
    /// It has left the room, and at most one response follows.
    pub(super) has_left: bool,
    /// Cancelled when the member is dropped.
    pub(super) stop: CancellationToken,
}

impl Drop for RemoteMember {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Entries that reply to a request to enter which reaches no room.
pub(super) type EntryReplies = Vec<(LinkEntryKind, u32, String)>;

/// Reason for which a request to enter reaches no room.
#[derive(Debug)]
pub(super) enum EntryFailure {
    Rejected(EntryReplies),
    /// This node has no such room. Another one may have it if it has replaced this one.
    NoSuchRoom(UnknownRoom),
}

/// A room that this node does not have, and the request to enter it.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnknownRoom {
    id: RequestId,
    absent: AbsentRoom,
}

impl UnknownRoom {
    /// The reply, when it is certain that this node may give it.
    pub(super) async fn reply(self, ctx: &ServerContext) -> EntryReplies {
        match ctx.confirm_absence(self.absent).await {
            Ok(()) => vec![(LinkEntryKind::WrongKey, 0, String::new())],
            Err(code) => rejected(ctx, self.id, code),
        }
    }
}

/// The request of a client to enter a room of this node.
struct EntryRequest {
    client: ClientPrefix,
    hello: Hello,
    id: RequestId,
    key: RoomRef,
    role: EntryRole,
    flags: EntryFlags,
}

/// Role in which a client requests to enter.
enum EntryRole {
    Player,
    Spectator { wants_remarks: bool },
    Returning(ResumeToken, Option<Seq>),
}

impl EntryRequest {
    fn parse(entry: &LinkEntry) -> Option<EntryRequest> {
        let mut lines = entry.text()?.splitn(3, '\n');
        let client = ClientPrefix::from_ip(lines.next()?.parse::<IpAddr>().ok()?);
        let RequestBody::Hello(hello) = Request::parse(lines.next()?).ok()?.body else {
            return None;
        };
        let Request { id, body } = Request::parse(lines.next()?).ok()?;
        let (key, role) = if let RequestBody::Session(SessionRequest::Join { room }) = body {
            (room, EntryRole::Player)
        } else if let RequestBody::Session(SessionRequest::Watch { room, remarks }) = body {
            (
                room,
                EntryRole::Spectator {
                    wants_remarks: remarks,
                },
            )
        } else if let RequestBody::Session(SessionRequest::Resume { room, token, seq }) = body {
            (RoomRef::Id(room), EntryRole::Returning(token, seq))
        } else {
            return None;
        };
        Some(EntryRequest {
            client,
            hello,
            id,
            key,
            role,
            flags: EntryFlags::from_bits(entry.value),
        })
    }
}

impl RemoteMember {
    /// Hands a request to enter to the room. Returns the member, which waits for the reply of the room, and the queue to
    /// which the room replies.
    ///
    /// # Errors
    /// If there is no such room, or it accepts no request.
    pub(super) fn enter(
        entry: &LinkEntry,
        ctx: &ServerContext,
    ) -> Result<(RemoteMember, SendQueueReceiver<RoomHandle>), EntryFailure> {
        let malformed = || EntryFailure::Rejected(vec![(LinkEntryKind::Restart, 0, String::new())]);
        let failed = |id, code| EntryFailure::Rejected(rejected(ctx, id, code));
        let EntryRequest {
            client,
            hello,
            id,
            key,
            role,
            flags,
        } = EntryRequest::parse(entry).ok_or_else(malformed)?;
        let find = |registry: &Registry| match role {
            EntryRole::Player | EntryRole::Spectator { .. } => registry.find(key),
            EntryRole::Returning(token, _) => match key {
                RoomRef::Id(room) => registry.find_by_token(room, token),
                RoomRef::Code(_) => None,
            },
        };
        let found = ctx.find_here(key, find).map_err(|code| failed(id, code))?;
        let room = found.map_err(|absent| EntryFailure::NoSuchRoom(UnknownRoom { id, absent }))?;
        let (send_queue, receiver) = send_queue::without_stream(ctx.limits.send_queue);
        let member = ctx.next_member_id();
        let is_spectator = matches!(role, EntryRole::Spectator { .. });
        let joiner = Box::new(JoinRequest {
            member,
            send_queue: send_queue.clone(),
            player: Player {
                name: hello.name,
                kind: hello.kind,
            },
            party: hello.party_key,
            request_id: id,
            already_answered: flags.already_answered,
            yields_to_holder: flags.yields_to_holder,
            wants_remarks: matches!(
                role,
                EntryRole::Spectator {
                    wants_remarks: true
                }
            ),
            features: hello.wants,
            spectator_budget: is_spectator.then(|| ctx.shared.spectator_budgets.of_client(client)),
        });
        let request = match role {
            EntryRole::Player => RoomRequest::Join(joiner),
            EntryRole::Spectator { .. } => RoomRequest::Watch(joiner),
            EntryRole::Returning(token, seq) => RoomRequest::Resume(joiner, token, seq),
        };
        room.try_send(request).map_err(|code| failed(id, code))?;
        let stop = CancellationToken::new();
        let room = Some(room);
        Ok((
            RemoteMember {
                member,
                room,
                ticket: None,
                send_queue,
                has_left: false,
                stop,
            },
            receiver,
        ))
    }

    /// Changes the handle to that for a member.
    pub(super) fn set_room(&mut self, room: RoomHandle) {
        self.room = Some(room);
    }

    /// Handles a later entry of the member.
    pub(super) fn on_entry(&self, entry: &LinkEntry, ctx: &ServerContext) {
        match entry.kind {
            LinkEntryKind::Request => self.on_request(entry, ctx),
            LinkEntryKind::Lag => {
                let request = RoomRequest::Lag(self.member, entry.value);
                if self
                    .room
                    .as_ref()
                    .is_none_or(|room| room.try_send(request).is_err())
                {
                    debug!("round-trip time dropped: no room, or its inbox is full");
                }
            }
            LinkEntryKind::Withdraw => {
                if let Some(ticket) = &self.ticket {
                    ticket.withdraw();
                }
            }
            LinkEntryKind::Pong => {
                let ping = entry.text().and_then(|number| number.parse().ok());
                if let (Some(ticket), Some(ping)) = (&self.ticket, ping) {
                    ticket.on_pong(PingId(ping));
                }
            }
            LinkEntryKind::Enter
            | LinkEntryKind::Exit
            | LinkEntryKind::Entered
            | LinkEntryKind::Frame
            | LinkEntryKind::Left
            | LinkEntryKind::Restart
            | LinkEntryKind::Close
            | LinkEntryKind::WrongKey
            | LinkEntryKind::Ended
            | LinkEntryKind::Seek
            | LinkEntryKind::Leaving
            | LinkEntryKind::Lobby
            | LinkEntryKind::PartyQuery
            | LinkEntryKind::PartyAnswer
            | LinkEntryKind::Ping
            | LinkEntryKind::SeekMoved
            | LinkEntryKind::SeekWithdrawn => {}
        }
    }

    fn on_request(&self, entry: &LinkEntry, ctx: &ServerContext) {
        let Some(Ok(Request { id, body })) = entry.text().map(Request::parse) else {
            return debug!("malformed request of a remote member");
        };
        let member = self.member;
        let request = match body {
            RequestBody::Command(command) => {
                // The delay of the link counts for the player, like that of the network.
                let at = ctx.shared.time.now().saturating_sub(u64::from(entry.value));
                RoomRequest::Command {
                    member,
                    at,
                    id,
                    command,
                }
            }
            RequestBody::Remark(remark) => RoomRequest::Remark(member, id, Box::new(remark)),
            RequestBody::Session(SessionRequest::Say { phrase }) => {
                RoomRequest::Say(member, id, phrase)
            }
            RequestBody::Session(SessionRequest::Substitute { end }) => {
                RoomRequest::Substitute(member, id, end)
            }
            RequestBody::Session(SessionRequest::Sync { seq }) => {
                RoomRequest::Sync(member, id, seq)
            }
            RequestBody::Session(SessionRequest::Leave) => RoomRequest::Leave(member, id),
            RequestBody::Session(_) | RequestBody::Hello(_) => {
                return debug!("request of a remote member is not for a room");
            }
        };
        let sent = self
            .room
            .as_ref()
            .map_or(Err(RejectCode::NotInRoom), |room| room.try_send(request));
        if let Err(code) = sent {
            let code = if code == RejectCode::UnknownRoom {
                RejectCode::NotInRoom
            } else {
                code
            };
            let text = reject_text(ctx, id, code);
            self.send_queue
                .send_reply(Outgoing::Text(EncodedFrame::from(&*text)));
        }
    }
}

fn reject_text(ctx: &ServerContext, id: RequestId, code: RejectCode) -> String {
    ctx.shared.metrics.count_reject(code);
    Message::Reject {
        re: Some(id),
        reject: Reject::new(code),
    }
    .to_json()
}

pub(super) fn rejected(ctx: &ServerContext, id: RequestId, code: RejectCode) -> EntryReplies {
    vec![
        (LinkEntryKind::Left, 0, String::new()),
        (LinkEntryKind::Frame, 0, reject_text(ctx, id, code)),
        (LinkEntryKind::Ended, 0, String::new()),
    ]
}
