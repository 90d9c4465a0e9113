//! The ping of a seek before its game begins: a connection that does not answer is not paired.

use tracing::debug;

use super::keepalive::PairingPing;
use super::{ConnState, Connection};
use crate::lobby::PairingId;
use crate::lobby::handle::LobbyMessage;

impl Connection {
    /// Pings the peer, unless the seek was cancelled meanwhile or the peer is about to be closed as unresponsive.
    pub(super) fn ping_for_pairing(&mut self, pairing: u64) {
        if matches!(self.state, ConnState::Seeking(_))
            && let Some(ping) = self.next_ping_frame()
        {
            let (pairing, number) = (PairingId(pairing), self.ping_tracker.last_number());
            self.state = ConnState::Seeking(Some(Box::new(PairingPing { pairing, number })));
            self.socket.send_frame(&ping);
        }
    }

    /// Confirms the pairing of the seek, if the pong answers its ping. If the lobby is busy, the next pong confirms it.
    pub(super) fn confirm_pairing(&mut self, pong: u64) {
        if let ConnState::Seeking(ping) = &mut self.state
            && let Some(PairingPing { pairing, number }) = ping.as_deref().copied()
            && pong >= number
        {
            match self
                .ctx
                .lobby
                .try_send(LobbyMessage::Pong(self.member, pairing))
            {
                Ok(()) => *ping = None,
                Err(code) => debug!(%code, "pairing not confirmed"),
            }
        }
    }
}
