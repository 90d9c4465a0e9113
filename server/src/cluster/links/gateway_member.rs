//! A client of this node in a room or in the lobby of another one: what the other node sends reaches the connection of the client.

use std::sync::Mutex;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use super::link_batch::{LinkEntry, LinkEntryKind};
use crate::limits::client_prefix::ClientPrefix;
use crate::limits::refusal_log::Refusal;
use crate::lobby::handle::SeekEnd;
use crate::room::handle::{MemberQueue, RoomHandle};
use crate::runtime::context::ServerContext;
use crate::runtime::ignore;
use crate::runtime::sync::lock;
use crate::send_queue::{EncodedFrame, Outgoing, SendOutcome};

/// A client of this node in a room or in the lobby of another one.
#[derive(Debug)]
pub(super) struct GatewayMember {
    send_queue: MemberQueue,
    /// Request to enter.
    entering: RequestId,
    client: ClientPrefix,
    handle: RoomHandle,
    /// Cancelled when the membership has ended.
    ended: CancellationToken,
    /// Takes the end of the seek of a client that is in the lobby.
    seek_end: Mutex<Option<oneshot::Sender<SeekEnd>>>,
}

impl Drop for GatewayMember {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl GatewayMember {
    /// The client with this send queue, whose request to enter is `entering`. `ended` is cancelled when it is dropped.
    pub(super) fn new(
        send_queue: MemberQueue,
        entering: RequestId,
        client: ClientPrefix,
        handle: RoomHandle,
        ended: CancellationToken,
    ) -> GatewayMember {
        GatewayMember {
            send_queue,
            entering,
            client,
            handle,
            ended,
            seek_end: Mutex::default(),
        }
    }

    /// The same client in the lobby, from which it can enter a room.
    pub(super) fn with_seek_end(mut self, seek_end: oneshot::Sender<SeekEnd>) -> GatewayMember {
        self.seek_end = Mutex::new(Some(seek_end));
        self
    }

    fn end_seek(&self, end: SeekEnd) {
        if let Some(sender) = lock(&self.seek_end).take() {
            ignore(sender.send(end), "without a receiver, the server stops");
        }
    }

    /// Makes the client connect again.
    pub(super) fn restart(&self, retry_after_ms: u64) {
        self.send_queue
            .send_reply(Outgoing::Restart { retry_after_ms });
    }

    /// Handles an entry of the room's node. Returns whether the client is still a member, or waits to be one.
    pub(super) fn on_entry(&self, entry: &LinkEntry, ctx: &ServerContext) -> bool {
        match entry.kind {
            LinkEntryKind::Entered => {
                let handle = if entry.value == 1 {
                    self.handle.clone()
                } else {
                    self.handle.without_seat()
                };
                if self.send_queue.send_reply(Outgoing::EnterRoom(handle)) == SendOutcome::Closed {
                    // The connection has ended before it knew the room.
                    self.handle.request_sweep();
                }
                self.end_seek(SeekEnd::Paired);
                true
            }
            LinkEntryKind::Frame => {
                let Some(text) = entry.text() else {
                    return false;
                };
                self.send_queue
                    .send_reply(Outgoing::Text(EncodedFrame::from(text)));
                true
            }
            LinkEntryKind::Left => {
                self.send_queue.send_reply(Outgoing::LeaveRoom);
                self.end_seek(SeekEnd::Rejected);
                true
            }
            LinkEntryKind::Ping => {
                let Some(ping) = entry.text().and_then(|number| number.parse().ok()) else {
                    return false;
                };
                self.send_queue.send_reply(Outgoing::Ping { ping });
                true
            }
            LinkEntryKind::SeekMoved => {
                self.end_seek(SeekEnd::Moved);
                false
            }
            LinkEntryKind::SeekWithdrawn => {
                self.end_seek(SeekEnd::Withdrawn);
                false
            }
            LinkEntryKind::Restart => {
                self.restart(u64::from(entry.value));
                false
            }
            LinkEntryKind::Close => {
                let code = CloseCode::ALL
                    .into_iter()
                    .find(|code| u32::from(code.code()) == entry.value);
                self.send_queue
                    .close_with(code.unwrap_or(CloseCode::Internal));
                false
            }
            LinkEntryKind::WrongKey => {
                self.reject_key(ctx);
                false
            }
            LinkEntryKind::Ended => false,
            LinkEntryKind::Enter
            | LinkEntryKind::Request
            | LinkEntryKind::Lag
            | LinkEntryKind::Exit
            | LinkEntryKind::Seek
            | LinkEntryKind::Withdraw
            | LinkEntryKind::Pong
            | LinkEntryKind::Leaving
            | LinkEntryKind::Lobby
            | LinkEntryKind::PartyQuery
            | LinkEntryKind::PartyAnswer => true,
        }
    }

    /// Rejects a key that no room has. Its limit counts here, where the address of the client is known.
    fn reject_key(&self, ctx: &ServerContext) {
        let reject = match ctx.try_take_bad_key(self.client) {
            Ok(()) => RejectCode::UnknownRoom.into(),
            Err(wait_ms) => {
                ctx.log_refusal(self.client, Refusal::BadKeys);
                Reject::new(RejectCode::RateLimited).wait_ms(wait_ms)
            }
        };
        self.reject_entry(ctx, reject);
    }

    /// Rejects the request to enter.
    pub(super) fn reject_entry(&self, ctx: &ServerContext, reject: Reject) {
        ctx.shared.metrics.count_reject(reject.code);
        self.send_queue.send_reply(Outgoing::LeaveRoom);
        self.send_queue
            .send_reply(Outgoing::message(&Message::Reject {
                re: Some(self.entering),
                reject,
            }));
    }
}
