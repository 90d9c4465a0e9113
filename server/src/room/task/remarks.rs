//! What players' programs think of the game: for those who watch and have asked for it, and for no player.

use noughts_protocol::wire::{Message, Notice, Reject, RejectCode, Remark};
use noughts_protocol::{RequestId, Seat};

use super::RoomTask;
use crate::outbox::{Frame, Out};
use crate::rate_limit::{RateLimit, Verdict};
use crate::room::audience::{MemberId, Role};

/// Remarks of a seat at once, and a second in the long run.
const BURST: u32 = 10;
const PER_SECOND: u32 = 2;

/// What both seats may say from `now` on.
pub(super) fn limits(now: u64) -> [RateLimit; 2] {
    [RateLimit::new(BURST, PER_SECOND, now); 2]
}

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
        match self.remarks[seat.index()].take(self.time.now()) {
            Verdict::Pass => Ok(seat),
            Verdict::Refuse { wait_ms } => Err(Reject::new(RejectCode::RateLimited).wait_ms(wait_ms)),
            // The connection has a limit of its own, and a close for who does not keep to it.
            Verdict::Flood => Err(Reject::new(RejectCode::RateLimited).wait_ms(1000)),
        }
    }
}
