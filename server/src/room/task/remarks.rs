//! What players' programs think of the game: for those who watch and have asked for it, and for no player.

use noughts_protocol::wire::{EngineRemark, Message, Notice, Reject, RejectCode};
use noughts_protocol::{RequestId, Seat};

use super::RoomTask;
use crate::limits::rate_limit::RateLimitDecision;
use crate::room::members::{MemberId, Role};
use crate::send_queue::{EncodedFrame, Outgoing};

impl RoomTask {
    pub(super) fn on_remark(&mut self, member: MemberId, id: RequestId, remark: EngineRemark) {
        let Some(sender) = self.members.get(member) else { return };
        let (role, send_queue) = (sender.role, sender.send_queue.clone());
        match self.try_acquire_remark(role, &remark) {
            Ok(seat) => {
                let EngineRemark { seq, evaluation: score, pv: line } = remark;
                let notice = Notice::Remark { seat, seq, evaluation: score, pv: line };
                let message = Message::Notice { room: self.secrets.room, notice };
                self.members.broadcast_remark(&EncodedFrame::from(&message));
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
        let now = self.time.now();
        match self.seat_limits_mut().remarks[seat.index()].try_take(now) {
            RateLimitDecision::Allow => Ok(seat),
            RateLimitDecision::Reject { wait_ms } => {
                Err(Reject::new(RejectCode::RateLimited).wait_ms(wait_ms))
            }
            // The connection has a limit of its own, and a close for who does not keep to it.
            RateLimitDecision::Flood => Err(Reject::new(RejectCode::RateLimited).wait_ms(1000)),
        }
    }
}
