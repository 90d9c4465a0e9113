//! What players' programs think of the game: for those who watch and have asked for it, and for no player.

use noughts_protocol::wire::{Message, Notice, Reject, RejectCode, Remark};
use noughts_protocol::{RequestId, Seat};

use super::RoomTask;
use crate::outbox::{Frame, Out};
use crate::rate_limit::Verdict;
use crate::room::audience::{MemberId, Role};

impl RoomTask {
    pub(super) fn remark(&mut self, member: MemberId, id: RequestId, remark: Remark) {
        let Some(asker) = self.audience.get(member) else { return };
        let (role, outbox) = (asker.role, asker.outbox.clone());
        match self.may_remark(role, &remark) {
            Ok(seat) => {
                let Remark { seq, score, line } = remark;
                let notice = Notice::Remark { seat, seq, score, line };
                let message = Message::Notice { room: self.founding.room, notice };
                self.audience.confide(&Frame::from(&message));
                outbox.answer(Out::message(&Message::Done { re: id, seq: None }));
            }
            Err(reject) => self.refuse(&outbox, Some(id), reject),
        }
    }

    fn may_remark(&mut self, role: Role, remark: &Remark) -> Result<Seat, Reject> {
        let seat = match role {
            Role::Player(seat) => seat,
            Role::Spectator => return Err(RejectCode::NotAPlayer.into()),
        };
        self.room.may_be_told(remark)?;
        let now = self.time.now();
        match self.limits().remarks[seat.index()].take(now) {
            Verdict::Pass => Ok(seat),
            Verdict::Refuse { wait_ms } => Err(Reject::new(RejectCode::RateLimited).wait_ms(wait_ms)),
            // The connection has a limit of its own, and a close for who does not keep to it.
            Verdict::Flood => Err(Reject::new(RejectCode::RateLimited).wait_ms(1000)),
        }
    }
}
