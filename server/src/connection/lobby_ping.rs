//! The pings of the lobby: the lobby pairs a seek only if its connection answers.

use tracing::debug;

use super::keepalive::LobbyPing;
use super::{ConnState, Connection};
use crate::lobby::PingId;
use crate::lobby::handle::LobbyMessage;

impl Connection {
    /// Pings the peer, unless the seek was cancelled meanwhile or the peer is about to be closed as unresponsive.
    pub(super) fn ping_for_lobby(&mut self, ping: u64) {
        if matches!(self.state, ConnState::Seeking(_))
            && let Some(frame) = self.next_ping_frame()
        {
            let (id, number) = (PingId(ping), self.ping_tracker.last_number());
            self.state = ConnState::Seeking(Some(Box::new(LobbyPing { id, number })));
            self.socket.send_frame(&frame);
        }
    }

    /// Reports a pong to the lobby, if it answers a ping of the lobby. If the lobby is busy, the next pong is reported.
    pub(super) fn report_pong(&mut self, pong: u64) {
        if let ConnState::Seeking(ping) = &mut self.state
            && let Some(LobbyPing { id, number }) = ping.as_deref().copied()
            && pong >= number
        {
            let report = LobbyMessage::Pong(self.member, id);
            match self.ctx.lobby.try_send(report) {
                Ok(()) => *ping = None,
                Err(code) => debug!(%code, "pong not reported to the lobby"),
            }
        }
    }
}
