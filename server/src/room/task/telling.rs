//! What a room says: whole views, missed events, notices, refusals, and its face in the list.

use noughts_protocol::wire::{Listing, MAX_MESSAGE_BYTES, Message, Notice, Reject, RejectCode, You};
use noughts_protocol::{Phase, RequestId, Seat, Seq};

use super::RoomTask;
use crate::fault::Fault;
use crate::metrics::Metrics;
use crate::outbox::{Frame, Out, Outbox};
use crate::room::audience::{MemberId, Role};
use crate::room::handle::Newcomer;

impl RoomTask {
    /// The events after `seq` if they are at hand and fit a message, else the whole view.
    pub(super) fn catch_up_message(&self, re: Option<RequestId>, seq: Option<Seq>, role: Role) -> Out {
        let now = self.room.game().seq();
        let oldest = self.tail.front().map_or(now.next(), |first| first.seq);
        let at_hand = |seq: Seq| seq.next() >= oldest || self.faults().has(Fault::TailWithoutView);
        let Some(seq) = seq.filter(|seq| *seq <= now && at_hand(*seq) && *seq >= self.told_from) else {
            return self.snapshot(re, role);
        };
        let gap = usize::from(self.faults().has(Fault::GapOnResume));
        let events = self.tail.iter().filter(|stamped| stamped.seq > seq).skip(gap).cloned().collect();
        let text = Message::Events { re, room: self.founding.room, events }.to_json();
        if text.len() > MAX_MESSAGE_BYTES { self.snapshot(re, role) } else { Out::Text(Frame::from(&*text)) }
    }

    pub(super) fn snapshot(&self, re: Option<RequestId>, role: Role) -> Out {
        let game = self.room.game();
        let you = match role {
            Role::Spectator if self.faults().has(Fault::TellTokens) => {
                You { token: Some(self.founding.tokens[0]), ..You::default() }
            }
            Role::Spectator => You::default(),
            Role::Player(seat) => You {
                seat: Some(seat),
                token: Some(self.founding.token(seat, game.number())),
                code: self.founding.code,
            },
        };
        let mut state = game.snapshot(self.now());
        // Where time stands still, this is what is left at whatever moment it is seen.
        state.at = state.at.max(self.time.now());
        Out::message(&Message::Snapshot { re, room: self.founding.room, you, state })
    }

    pub(super) fn presence(&self, seat: Seat) -> Notice {
        let (presence, claim_in_ms) = self.room.presence(seat, self.now());
        // A claim is a matter of a running game.
        let claim_in_ms = claim_in_ms.filter(|_| self.room.game().phase() == Phase::Playing);
        Notice::Presence { seat, presence, claim_in_ms }
    }

    pub(super) fn crowd(&self) -> Notice {
        Notice::Crowd { watching: u32::try_from(self.audience.watching()).unwrap_or(u32::MAX) }
    }

    pub(super) fn lag(&self) -> Notice {
        Notice::Lag { ms: Seat::ALL.map(|seat| self.audience.holder(seat).and_then(|member| member.lag)) }
    }

    pub(super) fn notice(&self, notice: Notice) -> Out {
        Out::message(&Message::Notice { room: self.founding.room, notice })
    }

    pub(super) fn mention(&self, notice: Notice) {
        let passing = match notice {
            Notice::Presence { .. } => false,
            Notice::Lag { .. } | Notice::Crowd { .. } | Notice::Remark { .. } => true,
        };
        let message = Message::Notice { room: self.founding.room, notice };
        self.audience.mention(&Frame::from(&message), passing);
    }

    pub(super) fn refuse(&self, outbox: &Outbox, re: Option<RequestId>, reject: Reject) {
        self.around.metrics.rejected(reject.code);
        let reject = reject.at_seq(self.room.game().seq());
        outbox.answer(Out::message(&Message::Reject { re, reject }));
    }

    /// The same to a member, if it is still there.
    pub(super) fn refuse_member(&self, member: MemberId, re: RequestId, code: RejectCode) {
        if let Some(member) = self.audience.get(member) {
            self.refuse(&member.outbox, Some(re), code.into());
        }
    }

    /// Refuses somebody who is not in the room: with nothing about the room.
    pub(super) fn turn_away(&self, newcomer: &Newcomer, reject: Reject) {
        turn_away(&self.around.metrics, newcomer, reject);
    }

    /// Shows the room's public face to the list, whose players may have changed.
    pub(super) fn publish(&self) {
        self.show(true);
    }

    /// The same on the path of every move, where they have not: they are not looked at.
    pub(super) fn publish_state(&self) {
        self.show(false);
    }

    fn show(&self, players: bool) {
        let game = self.room.game();
        if !game.is_public() {
            return;
        }
        let mut listing = self.handle.face();
        let players = players || listing.is_none();
        let listing = listing.get_or_insert_with(|| Listing {
            room: self.founding.room,
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
        listing.watching = u32::try_from(self.audience.watching()).unwrap_or(u32::MAX);
    }
}

/// Refuses somebody who is in no room.
pub(super) fn turn_away(metrics: &Metrics, newcomer: &Newcomer, reject: Reject) {
    metrics.rejected(reject.code);
    newcomer.outbox.answer(Out::Idle);
    newcomer.outbox.answer(Out::message(&Message::Reject { re: Some(newcomer.asked), reject }));
}
