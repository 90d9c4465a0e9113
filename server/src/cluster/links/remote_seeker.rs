//! A client of another node in the lobby of this one.

use std::net::IpAddr;

use noughts_protocol::wire::{Hello, RejectCode, Request, RequestBody, SessionRequest};
use noughts_protocol::{Player, RequestId, RoomId};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::link_batch::{LinkEntry, LinkEntryKind};
use super::remote_member::{EntryReplies, RemoteMember, rejected};
use crate::limits::client_prefix::ClientPrefix;
use crate::lobby::handle::{LobbyHandle, LobbyMessage, SeekContact, SeekEnd};
use crate::lobby::{Seek, Seeker};
use crate::room::handle::RoomHandle;
use crate::runtime::context::ServerContext;
use crate::send_queue::{self, SendQueueReceiver};

/// Stands for the absence of a room.
pub(super) const NO_ROOM: &str = "-";

/// A client that has entered the lobby.
pub(super) struct RemoteSeeker {
    pub(super) member: RemoteMember,
    /// Messages of the lobby, later of the room.
    pub(super) receiver: SendQueueReceiver<RoomHandle>,
    pub(super) seek_end: oneshot::Receiver<SeekEnd>,
}

/// The request of a client to seek.
struct SeekEntry {
    client: ClientPrefix,
    seat_room_at_hello: Option<RoomId>,
    hello: Hello,
    id: RequestId,
    request: SessionRequest,
}

impl SeekEntry {
    fn parse(entry: &LinkEntry) -> Option<SeekEntry> {
        let mut lines = entry.text()?.splitn(4, '\n');
        let client = ClientPrefix::from_ip(lines.next()?.parse::<IpAddr>().ok()?);
        let seat_room_at_hello = match lines.next()? {
            NO_ROOM => None,
            room => Some(room.parse().ok()?),
        };
        let RequestBody::Hello(hello) = Request::parse(lines.next()?).ok()?.body else {
            return None;
        };
        let Request { id, body } = Request::parse(lines.next()?).ok()?;
        let RequestBody::Session(request) = body else {
            return None;
        };
        Some(SeekEntry {
            client,
            seat_room_at_hello,
            hello,
            id,
            request,
        })
    }
}

impl RemoteSeeker {
    /// Hands the seek of a client to the lobby.
    ///
    /// # Errors
    /// The reply, if the seeks of its game do not meet here or the lobby is busy.
    pub(super) fn enter(
        entry: &LinkEntry,
        ctx: &ServerContext,
        lobby: Option<&LobbyHandle>,
    ) -> Result<RemoteSeeker, EntryReplies> {
        let moved = || vec![(LinkEntryKind::SeekMoved, 0, String::new())];
        let malformed = || vec![(LinkEntryKind::Restart, 0, String::new())];
        let SeekEntry {
            client,
            seat_room_at_hello,
            hello,
            id,
            request,
        } = SeekEntry::parse(entry).ok_or_else(malformed)?;
        let (Some(lobby), Some(placement)) = (lobby, ctx.lobby_placement()) else {
            return Err(moved());
        };
        if ctx.shared.draining.is_cancelled() {
            return Err(moved());
        }
        let permit = ctx.room_quota.try_acquire(client);
        let permit = permit.map_err(|_| rejected(ctx, id, RejectCode::ServerFull))?;
        let (send_queue, receiver) = send_queue::without_stream(ctx.limits.send_queue);
        let (ticket, holder, seek_end) = lobby.new_ticket();
        let member = ctx.next_member_id();
        let seeker = Seeker {
            member,
            client,
            player: Player {
                name: hello.name,
                kind: hello.kind,
            },
            party: hello.party_key,
            seat_room_at_hello,
            features: hello.wants,
        };
        let since = ctx.shared.time.now().saturating_sub(u64::from(entry.value));
        let contact = |already_answered| SeekContact {
            send_queue: send_queue.clone(),
            request_id: id,
            already_answered,
            permit,
            ticket: Some(ticket),
        };
        let message = if let SessionRequest::Seek { rules, clock, seat } = request {
            if !placement.is_here(rules, clock) {
                return Err(moved());
            }
            let seek = Seek {
                seeker,
                since,
                answers: None,
                rules,
                clock,
                seat,
            };
            LobbyMessage::Seek(seek, contact(true))
        } else if let SessionRequest::Answer { seek } = request {
            LobbyMessage::Answer(seek, (seeker, since), contact(false))
        } else {
            return Err(malformed());
        };
        lobby.try_send(message).map_err(|_| moved())?;
        let stop = CancellationToken::new();
        let ticket = Some(holder);
        let member = RemoteMember {
            member,
            room: None,
            ticket,
            send_queue,
            has_left: false,
            stop,
        };
        Ok(RemoteSeeker {
            member,
            receiver,
            seek_end,
        })
    }
}
