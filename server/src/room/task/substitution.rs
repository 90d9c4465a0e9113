//! Substitutes: a bot takes the seat of an absent player, if the opponent agrees.
//!
//! The former player loses the seat before the substitute has it: the new token is stored first, then the event. If the
//! server stops between the two, the seat stays with a player whose token is void, and the opponent may agree again.

use noughts_protocol::wire::{Message, Reject, RejectCode, SeatGrant};
use noughts_protocol::{RequestId, Seat};
use tracing::debug;

use super::RoomTask;
use super::store::{LogSync, UnconfirmedRequest};
use crate::room::Connectivity;
use crate::room::handle::JoinRequest;
use crate::room::members::{MemberId, Role};
use crate::send_queue::Outgoing;
use crate::store::RoomSecrets;

impl RoomTask {
    /// Opens the seat of the absent opponent to bots, or closes it.
    pub(super) fn on_substitute(&mut self, member: MemberId, id: RequestId, end: bool) {
        let Some(sender) = self.members.get(member) else {
            return;
        };
        let (role, send_queue) = (sender.role(), sender.send_queue().clone());
        let seat = role.seat().ok_or(Reject::from(RejectCode::NotAPlayer));
        let opened = match (seat, end) {
            (Ok(seat), false) => self
                .room
                .check_opponent_absent(self.clock.now(), seat)
                .map(Some),
            (Ok(_), true) => Ok(None),
            (Err(reject), _) => Err(reject),
        };
        match opened {
            Ok(open_seat) => {
                self.open_seat = open_seat;
                self.publish_listing_state();
                send_queue.send_reply(Outgoing::message(&Message::Done { re: id, seq: None }));
            }
            Err(reject) => self.send_reject(&send_queue, Some(id), reject),
        }
    }

    /// Seats a bot in place of the absent player of `seat`.
    pub(super) async fn substitute(&mut self, joiner: JoinRequest, seat: Seat) {
        let event = match self.room.decide_substitution(joiner.player.clone(), seat) {
            Ok(event) => event,
            Err(code) => return self.reject_joiner(&joiner, code.into()),
        };
        let former = self.secrets;
        let number = self.room.game().number();
        let mut secrets = former;
        secrets.set_token(seat, number, self.ctx.rng.new_resume_token());
        secrets.set_party(seat, number, None);
        self.replace_secrets(secrets, seat);
        if self.persist_parties().await.is_err() {
            self.replace_secrets(former, seat);
            return self.reject_joiner(&joiner, RejectCode::Unavailable.into());
        }
        let before = self.room.connectivity(seat);
        // The substitute counts as connected when the event is applied.
        self.room.set_connectivity(seat, Connectivity::Connected);
        match self
            .append_and_apply(self.clock.now(), None, vec![event])
            .await
        {
            Ok(()) => {
                debug!(room = %self.secrets.room, %seat, "absent player replaced");
                self.set_seat_party(seat, joiner.party);
                self.admit_with_snapshot(joiner, Role::Player(seat));
                self.broadcast_lossy(self.presence_notice(seat));
                self.try_persist_parties().await;
            }
            Err(_) if self.store.sync() == LogSync::Unconfirmed => {
                self.room.set_connectivity(seat, before);
                self.store
                    .set_unconfirmed(UnconfirmedRequest::Join(joiner, seat));
            }
            Err(reject) => {
                self.room.set_connectivity(seat, before);
                self.replace_secrets(former, seat);
                self.try_persist_parties().await;
                self.reject_joiner(&joiner, reject);
            }
        }
    }

    /// Changes token and owner of a seat, here and in the registry. The log is updated later.
    fn replace_secrets(&mut self, secrets: RoomSecrets, seat: Seat) {
        let number = self.room.game().number();
        let (old, new) = (
            self.secrets.token(seat, number),
            secrets.token(seat, number),
        );
        self.ctx.registry.replace_token(secrets.room, old, new);
        let grant = SeatGrant {
            room: secrets.room,
            token: new,
        };
        self.ctx
            .registry
            .assign_seat(grant, secrets.party(seat, number), self.ctx.time.now());
        self.secrets = secrets;
        self.store.mark_parties_dirty();
    }
}
