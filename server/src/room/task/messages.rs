//! What a room says: whole views, missed events, notices, refusals, and its face in the list.

use noughts_protocol::wire::{MAX_MESSAGE_BYTES, Message, Notice, OwnRole, Reject, RejectCode, RoomListing};
use noughts_protocol::{Phase, RequestId, Seat, Seq};

use super::RoomTask;
use crate::fault_injection::InjectedFault;
use crate::metrics::Metrics;
use crate::room::handle::JoinRequest;
use crate::room::members::{MemberId, Role};
use crate::send_queue::{EncodedFrame, Outgoing, SendQueue};

impl RoomTask {
    /// The events after `seq` if they are at hand and fit a message, else the whole view.
    pub(super) fn catch_up_message(&self, re: Option<RequestId>, seq: Option<Seq>, role: Role) -> Outgoing {
        let now = self.room.game().seq();
        let oldest = self.tail.front().map_or(now.next(), |first| first.seq);
        let is_buffered =
            |seq: Seq| seq.next() >= oldest || self.faults().has(InjectedFault::ResumeWithoutSnapshot);
        let Some(seq) = seq.filter(|seq| *seq <= now && is_buffered(*seq) && *seq >= self.replayable_from)
        else {
            return self.snapshot_message(re, role);
        };
        let gap = usize::from(self.faults().has(InjectedFault::GapOnResume));
        let events = self.tail.iter().filter(|stamped| stamped.seq > seq).skip(gap).cloned().collect();
        let text = Message::Events { re, room: self.secrets.room, events }.to_json();
        if text.len() > MAX_MESSAGE_BYTES {
            self.snapshot_message(re, role)
        } else {
            Outgoing::Text(EncodedFrame::from(&*text))
        }
    }

    pub(super) fn snapshot_message(&self, re: Option<RequestId>, role: Role) -> Outgoing {
        let game = self.room.game();
        let you = match role {
            Role::Spectator if self.faults().has(InjectedFault::LeakTokensToSpectators) => {
                OwnRole { token: Some(self.secrets.tokens[0]), ..OwnRole::default() }
            }
            Role::Spectator => OwnRole::default(),
            Role::Player(seat) => OwnRole {
                seat: Some(seat),
                token: Some(self.secrets.token(seat, game.number())),
                code: self.secrets.code,
            },
        };
        let mut state = game.snapshot(self.now());
        // Where time stands still, this is what is left at whatever moment it is seen.
        state.at = state.at.max(self.time.now());
        Outgoing::message(&Message::Snapshot { re, room: self.secrets.room, you, state })
    }

    pub(super) fn presence_notice(&self, seat: Seat) -> Notice {
        let (presence, claim_in_ms) = self.room.presence(seat, self.now());
        // A claim is a matter of a running game.
        let claim_in_ms = claim_in_ms.filter(|_| self.room.game().phase() == Phase::Playing);
        Notice::Presence { seat, presence, claim_in_ms }
    }

    pub(super) fn spectator_count_notice(&self) -> Notice {
        Notice::Crowd { watching: u32::try_from(self.members.spectator_count()).unwrap_or(u32::MAX) }
    }

    pub(super) fn lag_notice(&self) -> Notice {
        Notice::Lag { ms: Seat::ALL.map(|seat| self.members.seat_holder(seat).and_then(|member| member.lag)) }
    }

    pub(super) fn notice_message(&self, notice: Notice) -> Outgoing {
        Outgoing::message(&Message::Notice { room: self.secrets.room, notice })
    }

    pub(super) fn broadcast_lossy(&self, notice: Notice) {
        let droppable = match notice {
            Notice::Presence { .. } => false,
            Notice::Lag { .. } | Notice::Crowd { .. } | Notice::Remark { .. } => true,
        };
        let message = Message::Notice { room: self.secrets.room, notice };
        self.members.broadcast_lossy(&EncodedFrame::from(&message), droppable);
    }

    pub(super) fn send_reject(&self, send_queue: &SendQueue, re: Option<RequestId>, reject: Reject) {
        self.ctx.metrics.count_reject(reject.code);
        let reject = reject.at_seq(self.room.game().seq());
        send_queue.send_reply(Outgoing::message(&Message::Reject { re, reject }));
    }

    /// The same to a member, if it is still there.
    pub(super) fn reject_member(&self, member: MemberId, re: RequestId, code: RejectCode) {
        if let Some(member) = self.members.get(member) {
            self.send_reject(&member.send_queue, Some(re), code.into());
        }
    }

    /// Refuses somebody who is not in the room: with nothing about the room.
    pub(super) fn reject_joiner(&self, joiner: &JoinRequest, reject: Reject) {
        reject_joiner(&self.ctx.metrics, joiner, reject);
    }

    /// Shows the room's public face to the list, whose players may have changed.
    pub(super) fn publish_listing(&self) {
        self.update_listing(true);
    }

    /// The same on the path of every move, where they have not: they are not looked at.
    pub(super) fn publish_listing_state(&self) {
        self.update_listing(false);
    }

    fn update_listing(&self, players: bool) {
        let game = self.room.game();
        if !game.is_public() {
            return;
        }
        let mut listing = self.handle.listing_mut();
        let players = players || listing.is_none();
        let listing = listing.get_or_insert_with(|| RoomListing {
            room: self.secrets.room,
            rules: *game.rules(),
            clock: game.control(),
            phase: Phase::Waiting,
            players: [None, None],
            moves: 0,
            watching: 0,
        });
        if players {
            listing.players = Seat::ALL.map(|seat| game.player(seat).cloned());
        }
        listing.phase = game.phase();
        listing.moves = u32::try_from(game.position().ply()).unwrap_or(u32::MAX);
        listing.watching = u32::try_from(self.members.spectator_count()).unwrap_or(u32::MAX);
    }
}

/// Refuses somebody who is in no room.
pub(super) fn reject_joiner(metrics: &Metrics, joiner: &JoinRequest, reject: Reject) {
    metrics.count_reject(reject.code);
    joiner.send_queue.send_reply(Outgoing::LeaveLobby);
    joiner.send_queue.send_reply(Outgoing::message(&Message::Reject { re: Some(joiner.request_id), reject }));
}
