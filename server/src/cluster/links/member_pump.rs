//! Forwards messages of a room or the lobby of this node to a client of another one.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::link_batch::{LinkEntryKind, MembershipId};
use super::link_table::LinkTable;
use super::remote_member::RemoteMember;
use crate::cluster::shard::NodeId;
use crate::lobby::handle::{SeekEnd, TicketHolder};
use crate::room::handle::{MemberQueue, RoomHandle};
use crate::send_queue::{Outgoing, QueueEvent, SendQueueReceiver};

/// Time in which the response to the request that ended a membership follows, and in which requests of the client arrive
/// that were sent before. Longer than the silence that closes a link.
const LAST_RESPONSE_TIME: Duration = Duration::from_secs(4);

/// Hands what the room sends to a member over to the link.
pub(super) struct MemberPump {
    links: Arc<LinkTable>,
    peer: NodeId,
    member: MembershipId,
    /// None in the lobby.
    room: Option<RoomHandle>,
    ticket: Option<TicketHolder>,
    send_queue: MemberQueue,
    stop: CancellationToken,
}

impl MemberPump {
    /// The pump of a member.
    pub(super) fn new(
        remote_member: &RemoteMember,
        links: Arc<LinkTable>,
        peer: NodeId,
        member: MembershipId,
    ) -> MemberPump {
        let RemoteMember {
            room,
            ticket,
            send_queue,
            stop,
            ..
        } = remote_member;
        let (room, ticket) = (room.clone(), ticket.clone());
        MemberPump {
            links,
            peer,
            member,
            room,
            ticket,
            send_queue: send_queue.clone(),
            stop: stop.clone(),
        }
    }

    /// Runs until the client has left the room or the lobby, or its connection has ended. `seek_end` is that of a client in
    /// the lobby.
    pub(super) async fn run(
        mut self,
        mut receiver: SendQueueReceiver<RoomHandle>,
        mut seek_end: Option<oneshot::Receiver<SeekEnd>>,
    ) {
        // Set when the client has left: the response to its request follows.
        let mut ends_at: Option<Instant> = None;
        loop {
            let event = tokio::select! {
                biased;
                () = self.stop.cancelled() => break,
                event = poll_fn(|context| receiver.poll_next(context)) => event,
                end = async { seek_end.as_mut().expect("checked").await }, if seek_end.is_some() => {
                    seek_end = None;
                    match end {
                        Ok(SeekEnd::Moved) => self.end(LinkEntryKind::SeekMoved, 0),
                        Ok(SeekEnd::Withdrawn) => self.end(LinkEntryKind::SeekWithdrawn, 0),
                        // Frames of the queue follow.
                        Ok(SeekEnd::Paired | SeekEnd::Rejected) | Err(_) => continue,
                    }
                    break;
                }
                () = sleep_until(ends_at.unwrap_or_else(Instant::now)), if ends_at.is_some() => {
                    self.end(LinkEntryKind::Ended, 0);
                    break;
                }
            };
            match event {
                QueueEvent::Outgoing(Outgoing::Text(frame)) => {
                    self.links
                        .send(self.peer, LinkEntryKind::Frame, self.member, 0, &frame);
                }
                QueueEvent::Outgoing(Outgoing::EnterRoom(handle)) => {
                    let is_seated = u32::from(handle.is_seated());
                    self.links.set_room(self.peer, self.member, handle.clone());
                    self.links.send(
                        self.peer,
                        LinkEntryKind::Entered,
                        self.member,
                        is_seated,
                        "",
                    );
                    self.room = Some(handle);
                }
                QueueEvent::Outgoing(Outgoing::LeaveRoom | Outgoing::LeaveLobby) => {
                    self.links
                        .send(self.peer, LinkEntryKind::Left, self.member, 0, "");
                    self.links.set_left(self.peer, self.member);
                    ends_at = Some(Instant::now() + LAST_RESPONSE_TIME);
                }
                QueueEvent::Outgoing(Outgoing::Restart { retry_after_ms }) => {
                    self.end(
                        LinkEntryKind::Restart,
                        u32::try_from(retry_after_ms).unwrap_or(u32::MAX),
                    );
                    break;
                }
                QueueEvent::Close(code) => {
                    self.end(LinkEntryKind::Close, u32::from(code.code()));
                    break;
                }
                QueueEvent::Behind => {
                    self.send_queue.request_snapshot();
                    self.request_sweep();
                }
                QueueEvent::Outgoing(Outgoing::Ping { ping }) => {
                    let number = ping.to_string();
                    self.links
                        .send(self.peer, LinkEntryKind::Ping, self.member, 0, &number);
                }
                QueueEvent::WritePending => {}
            }
        }
        // The room or the lobby notices that the member has disconnected.
        drop(receiver);
        self.request_sweep();
    }

    fn request_sweep(&self) {
        match (&self.room, &self.ticket) {
            (Some(room), _) => room.request_sweep(),
            (None, Some(ticket)) => ticket.notify(),
            (None, None) => {}
        }
    }

    fn end(&self, kind: LinkEntryKind, value: u32) {
        self.links.end_member(self.peer, self.member, kind, value);
    }
}
