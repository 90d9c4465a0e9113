//! Outgoing messages of a room: snapshots, missed events, notices, rejects, and its entry in the room list.
//!
//! A spectator with an exhausted budget receives the view of the room as soon as its budget allows it.

use std::cell::LazyCell;
use std::time::Duration;

use noughts_protocol::wire::{
    DetailedEvents, EngineRemark, FeatureSet, MAX_MESSAGE_BYTES, Message, Notice, OwnRole, Phrase,
    Reject, RejectCode, RoomListing,
};
use noughts_protocol::{Phase, RequestId, RoomRef, Seat, Seq};
use tokio::time::Instant;
use tracing::debug;

use crate::room::SeatPresence;
use crate::room::handle::{JoinRequest, MemberQueue, RoomHandle, RoomRequest};
use crate::room::members::{self, ConnectionId, Role};
use crate::room::task::log_sync::{LogSync, with_timeout};
use crate::room::task::{RoomContext, RoomTask};
use crate::runtime::metrics::Metrics;
use crate::send_queue::{EncodedFrame, Outgoing};

impl RoomTask {
    /// Returns the events after `seq`, or a snapshot if they are not retained or do not fit into a message.
    pub(in crate::room) fn catch_up_message(
        &self,
        re: Option<RequestId>,
        seq: Option<Seq>,
        role: Role,
        features: FeatureSet,
    ) -> Outgoing<RoomHandle> {
        let last = self.room.game().seq();
        let events = seq.and_then(|seq| self.tail.events_after(seq, last));
        let Some(events) = events else {
            return self.snapshot_message(re, role);
        };
        let text = if members::is_detailed(features) {
            let detailed = DetailedEvents::new(
                self.secrets.room,
                &events,
                self.room.game(),
                role.seat(),
                features,
            );
            detailed.map(|detailed| DetailedEvents { re, ..detailed }.to_json())
        } else {
            Some(
                Message::Events {
                    re,
                    room: self.secrets.room,
                    events,
                }
                .to_json(),
            )
        };
        match text.filter(|text| text.len() <= MAX_MESSAGE_BYTES) {
            Some(text) => Outgoing::Text(EncodedFrame::from(&*text)),
            None => self.snapshot_message(re, role),
        }
    }

    pub(in crate::room) fn snapshot_message(
        &self,
        re: Option<RequestId>,
        role: Role,
    ) -> Outgoing<RoomHandle> {
        Outgoing::Text(self.snapshot_frame(re, role))
    }

    pub(in crate::room) fn snapshot_frame(
        &self,
        re: Option<RequestId>,
        role: Role,
    ) -> EncodedFrame {
        let game = self.room.game();
        let role = match role {
            Role::Spectator => OwnRole::default(),
            Role::Player(seat) => OwnRole {
                seat: Some(seat),
                token: Some(self.secrets.token(seat, game.number())),
                code: self.secrets.code,
            },
        };
        let mut state = game.snapshot(self.clock.now());
        if self.clock.stopped_since().is_some() {
            // The time of the room stands still, so the time left is the same at any later time.
            state.at = state.at.max(self.clock.server_now());
        }
        let frame = EncodedFrame::from(&Message::Snapshot {
            re,
            room: self.secrets.room,
            role,
            state,
        });
        self.handle.set_snapshot_bytes(frame.bytes().len());
        frame
    }

    pub(in crate::room) fn presence_notice(&self, seat: Seat) -> Notice {
        let (presence, claim_in_ms) = self.room.presence_and_claim(seat, self.clock.now());
        let claim_in_ms = claim_in_ms.filter(|_| self.room.game().phase() == Phase::Playing);
        Notice::Presence {
            seat,
            presence,
            claim_in_ms,
        }
    }

    pub(in crate::room) fn spectator_count_notice(&self) -> Notice {
        Notice::Spectators {
            count: u32::try_from(self.members.spectator_count()).unwrap_or(u32::MAX),
        }
    }

    pub(in crate::room) fn lag_notice(&self) -> Notice {
        Notice::Lag {
            ms: self.members.player_rtts_ms(),
        }
    }

    pub(in crate::room) fn notice_message(&self, notice: Notice) -> Outgoing<RoomHandle> {
        Outgoing::Text(self.notice_frame(notice))
    }

    fn notice_frame(&self, notice: Notice) -> EncodedFrame {
        EncodedFrame::from(&Message::Notice {
            room: self.secrets.room,
            notice,
        })
    }

    /// Sends a notice to every member that has capacity in its queue.
    pub(in crate::room) fn broadcast_lossy(&mut self, notice: Notice) {
        let droppable = match notice {
            Notice::Presence { .. } => false,
            Notice::Lag { .. }
            | Notice::Spectators { .. }
            | Notice::Remark { .. }
            | Notice::Phrase { .. } => true,
        };
        let message = Message::Notice {
            room: self.secrets.room,
            notice,
        };
        let now = LazyCell::new(|| self.ctx.time.now());
        self.members
            .broadcast_lossy(&EncodedFrame::from(&message), droppable, &now);
    }

    /// Sends the spectator count to every member if it changed, at a limited rate.
    pub(in crate::room) fn broadcast_spectator_count(&mut self) {
        // Reads the clock only for a pending notice.
        if self.spectator_count.send_at().is_some() && self.spectator_count.take_due(Instant::now())
        {
            self.broadcast_lossy(self.spectator_count_notice());
        }
    }

    /// Sends a snapshot to every member while a clock runs, because the clocks that clients show are wrong
    /// after a credit.
    pub(in crate::room) fn broadcast_clocks(&mut self) {
        if self
            .room
            .game()
            .clock()
            .is_none_or(|clock| clock.running().is_none())
        {
            return;
        }
        self.tail
            .require_snapshot_before(self.room.game().seq().next());
        for member in self.members.member_ids() {
            self.send_snapshot_to(member);
        }
    }

    /// Forwards a remark of a player's engine to the spectators that subscribed to remarks. Players never receive
    /// remarks.
    pub(in crate::room) fn on_remark(
        &mut self,
        member: ConnectionId,
        id: RequestId,
        remark: EngineRemark,
    ) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let (role, send_queue) = (sender.role(), sender.send_queue().clone());
        match self.try_acquire_remark(role, &remark) {
            Ok(seat) => {
                let EngineRemark {
                    seq,
                    evaluation,
                    pv,
                } = remark;
                let notice = Notice::Remark {
                    seat,
                    seq,
                    evaluation,
                    pv,
                };
                let message = Message::Notice {
                    room: self.secrets.room,
                    notice,
                };
                let now = LazyCell::new(|| self.ctx.time.now());
                self.members
                    .broadcast_remark(&EncodedFrame::from(&message), &now);
                send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            }
            Err(reject) => self.send_reject(&send_queue, Some(id), reject),
        }
    }

    fn try_acquire_remark(&mut self, role: Role, remark: &EngineRemark) -> Result<Seat, Reject> {
        let seat = match role {
            Role::Player(seat) => seat,
            Role::Spectator => return Err(RejectCode::NotAPlayer.into()),
        };
        self.room.check_remark(remark)?;
        let limited = self.seat_limits.try_remark(seat, self.clock.server_now());
        limited.map_err(|wait_ms| Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))?;
        Ok(seat)
    }

    pub(in crate::room) fn on_say(&mut self, member: ConnectionId, id: RequestId, phrase: Phrase) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let (role, send_queue) = (sender.role(), sender.send_queue().clone());
        match self.try_acquire_phrase(role) {
            Ok(seat) => {
                let notice = Notice::Phrase { seat, phrase };
                let message = Message::Notice {
                    room: self.secrets.room,
                    notice,
                };
                let now = LazyCell::new(|| self.ctx.time.now());
                self.members
                    .broadcast_phrase(&EncodedFrame::from(&message), &now);
                send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            }
            Err(reject) => self.send_reject(&send_queue, Some(id), reject),
        }
    }

    fn try_acquire_phrase(&mut self, role: Role) -> Result<Seat, Reject> {
        let seat = role.seat().ok_or(RejectCode::NotAPlayer)?;
        if self.room.game().phase() == Phase::Waiting {
            return Err(RejectCode::NotStarted.into());
        }
        let limited = self.seat_limits.try_say(seat, self.clock.server_now());
        limited.map_err(|wait_ms| Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))?;
        Ok(seat)
    }

    pub(in crate::room) fn send_reject(
        &self,
        send_queue: &MemberQueue,
        re: Option<RequestId>,
        reject: Reject,
    ) {
        self.ctx.metrics.count_reject(reject.code);
        let reject = reject.at_seq(self.room.game().seq());
        send_queue.send_reply(Outgoing::message(&Message::Reject { re, reject }));
    }

    /// Rejects a request of a member, if it is still in the room.
    pub(in crate::room) fn reject_member(
        &self,
        member: ConnectionId,
        re: RequestId,
        code: RejectCode,
    ) {
        if let Some(member) = self.members.get(member) {
            self.send_reject(member.send_queue(), Some(re), code.into());
        }
    }

    /// Rejects a request to enter. The reject does not reveal the state of the room.
    pub(in crate::room) fn reject_joiner(&self, joiner: &JoinRequest, reject: Reject) {
        debug!(room = %self.secrets.room, phase = ?self.room.game().phase(), code = ?reject.code, "request to enter rejected");
        reject_joiner(&self.ctx.metrics, joiner, reject);
    }

    /// Updates the entry of a public room in the list, after players or their presence may have changed.
    pub(in crate::room) fn publish_listing(&self) {
        self.update_listing(true);
    }

    /// Updates the entry of a public room in the list without its players. It is cheaper than
    /// [`RoomTask::publish_listing`], because it is called for every move.
    pub(in crate::room) fn publish_listing_state(&self) {
        self.update_listing(false);
    }

    /// Returns whether the room waits for an opponent while its only player is absent. A client that joined would wait
    /// alone.
    fn waits_for_host(&self) -> bool {
        let is_absent = |seat| {
            self.room.game().player(seat).is_some()
                && self.room.presence(seat) != SeatPresence::Connected
        };
        self.room.game().phase() == Phase::Waiting && Seat::ALL.into_iter().any(is_absent)
    }

    fn update_listing(&self, players: bool) {
        let game = self.room.game();
        if !game.is_public() {
            return;
        }
        let mut listing = self.handle.listing_mut();
        if self.waits_for_host() {
            *listing = None;
            return;
        }
        let players = players || listing.is_none();
        let listing = listing.get_or_insert_with(|| RoomListing {
            room: self.secrets.room,
            rules: *game.rules(),
            clock: game.control(),
            phase: Phase::Waiting,
            players: [None, None],
            moves: 0,
            spectators: 0,
            open_seat: None,
        });
        if players {
            listing.players = Seat::ALL.map(|seat| game.player(seat).cloned());
        }
        listing.phase = game.phase();
        listing.open_seat = self.open_seat;
        listing.moves = u32::try_from(game.position().ply()).unwrap_or(u32::MAX);
        listing.spectators = u32::try_from(self.members.spectator_count()).unwrap_or(u32::MAX);
    }
}

/// Rejects a request to enter a room that this server does not have.
pub(crate) fn reject_entry(ctx: &RoomContext, request: &RoomRequest, code: RejectCode) {
    if let Some(joiner) = request.joiner() {
        reject_joiner(&ctx.metrics, joiner, code.into());
    }
}

/// Waits until the log has confirmed that this server has the shard of a room.
///
/// # Errors
/// `unavailable` if another server may have it.
pub(crate) async fn confirm_in_log(ctx: &RoomContext, key: RoomRef) -> Result<(), RejectCode> {
    let Some(shared) = ctx.event_log.shared() else {
        return Ok(());
    };
    let confirmation = match key {
        RoomRef::Id(room) => shared.confirm(room),
        RoomRef::Code(code) => shared.confirm_code(code),
    };
    with_timeout(ctx.limits.append_timeout, confirmation)
        .await
        .map_err(|error| {
            debug!(%error, "cannot confirm absence of room");
            RejectCode::Unavailable
        })
}

/// Rejects a request to enter a room, and returns the connection to the lobby.
pub(in crate::room) fn reject_joiner(metrics: &Metrics, joiner: &JoinRequest, reject: Reject) {
    metrics.count_reject(reject.code);
    joiner.send_queue.send_reply(Outgoing::LeaveLobby);
    joiner
        .send_queue
        .send_reply(Outgoing::message(&Message::Reject {
            re: Some(joiner.request_id),
            reject,
        }));
}

/// Minimum and maximum delay before the next attempt to catch up a spectator.
const RETRY_DELAY_MIN: Duration = Duration::from_millis(100);
const RETRY_DELAY_MAX: Duration = Duration::from_secs(5);

impl RoomTask {
    /// Catches up the thinned spectators that have the budget for it, and schedules the next attempt for the others.
    pub(in crate::room) fn catch_up_thinned_spectators(&mut self) {
        if !self.members.has_thinned() {
            return;
        }
        if self.thinned_retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let now = self.ctx.time.now();
        // Until the room has recovered, its state may differ from its log, and no view of it is sent.
        let is_known = self.log_state.sync() == LogSync::InSync;
        if is_known && self.members.thinned_wait_ms(now) == Some(0) {
            let view = self.spectator_view();
            let count = self.members.catch_up_thinned(&view, now);
            self.ctx.metrics.thinned_snapshots.add(count);
        }
        let wait_ms = self.members.thinned_wait_ms(now);
        let delay =
            |wait_ms| Duration::from_millis(wait_ms).clamp(RETRY_DELAY_MIN, RETRY_DELAY_MAX);
        self.thinned_retry_at = wait_ms.map(|wait_ms| Instant::now() + delay(wait_ms));
    }

    /// Returns everything that a spectator's client shows: a snapshot, and the notices that no snapshot contains.
    fn spectator_view(&self) -> Vec<EncodedFrame> {
        let taken = Seat::ALL
            .into_iter()
            .filter(|seat| self.room.game().player(*seat).is_some());
        let presence = taken.map(|seat| self.notice_frame(self.presence_notice(seat)));
        let count = self.notice_frame(self.spectator_count_notice());
        [self.snapshot_frame(None, Role::Spectator)]
            .into_iter()
            .chain(presence)
            .chain([count])
            .collect()
    }
}
