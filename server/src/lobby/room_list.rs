//! The encoded list of rooms and seeks, shared by all requests that were queued when it was encoded.
//!
//! - Replaces: encoding the list for each request. A response consists of the cached text behind the request id.
//! - Gain: not measured separately; a list of 50 rooms and 50 seeks is the longest message of the server, and reconnecting
//!   clients request it at the same time.
//! - Invariant: no response is older than its request. The cache is valid for the requests that were in the inbox at the
//!   time of encoding, and only until a seek changes.
//! - Guarded by: `queued_requests_share_a_list_and_later_ones_get_a_new_one`.

use noughts_protocol::RequestId;
use noughts_protocol::wire::Message;

use super::Lobby;
use crate::room::registry::{MAX_LISTED_ROOMS, Registry};

/// Beginning of the message; the request id follows.
const MESSAGE_PREFIX: &str = r#"{"type":"rooms","re":"#;

/// The last encoded list, while it is current for queued requests.
#[derive(Debug, Default)]
pub(super) struct RoomListCache {
    /// The message after the request id.
    suffix: Option<String>,
    /// Number of requests still in the inbox that were there at the time of encoding.
    valid_for: usize,
}

impl RoomListCache {
    /// Must be called for each request taken from the inbox, of any kind.
    pub(super) fn on_request_taken(&mut self) {
        match self.valid_for.checked_sub(1) {
            Some(left) => self.valid_for = left,
            None => self.suffix = None,
        }
    }

    /// Discards the list after a change of the seeks.
    pub(super) fn invalidate(&mut self) {
        self.suffix = None;
    }

    /// Encodes the response to `re`, while `queued` requests are in the inbox.
    pub(super) fn encode_reply<T>(
        &mut self,
        re: RequestId,
        queued: usize,
        registry: &Registry,
        lobby: &Lobby<T>,
    ) -> String {
        let suffix = self.suffix.get_or_insert_with(|| {
            self.valid_for = queued;
            let (rooms, seeks) = (registry.list(), lobby.list(MAX_LISTED_ROOMS));
            let any = RequestId::new(0).expect("zero is a request id");
            let text = Message::Rooms { re: any, rooms, seeks }.to_json();
            let rest = text.strip_prefix(MESSAGE_PREFIX).and_then(|text| text.strip_prefix('0'));
            rest.expect("the message begins with its type and the request id").to_owned()
        });
        format!("{MESSAGE_PREFIX}{re}{suffix}")
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Player, PlayerKind};

    use super::*;
    use crate::lobby::Seek;
    use crate::room::handle::MemberId;

    fn add_seek(lobby: &mut Lobby<()>, member: u64) {
        let player = Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human };
        let rules = format!("{member}x3:3").parse().unwrap();
        let (party, told, clock, seat) = (None, None, None, None);
        let seek =
            Seek { member: MemberId(member), player, party, seat_room_at_hello: told, rules, clock, seat };
        lobby.seek(seek, (), |()| true, true).unwrap();
    }

    #[test]
    fn queued_requests_share_a_list_and_later_ones_get_a_new_one() {
        let (registry, mut lobby) = (Registry::new(1), Lobby::default());
        let mut cache = RoomListCache::default();
        let encoded_seek_count = |listing: &mut RoomListCache, lobby: &Lobby<()>, re: u64, queued| {
            listing.on_request_taken();
            let text = listing.encode_reply(RequestId::new(re).unwrap(), queued, &registry, lobby);
            let Message::Rooms { re: answered, seeks, .. } = Message::parse(&text).unwrap() else { panic!() };
            assert_eq!(answered.get(), re);
            seeks.len()
        };
        add_seek(&mut lobby, 3);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 7, 2), 1);
        // Added without invalidate, so that the cached list is still served.
        add_seek(&mut lobby, 4);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 8, 1), 1);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 9_007_199_254_740_991, 0), 1);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 10, 5), 2);
        add_seek(&mut lobby, 5);
        cache.invalidate();
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 11, 4), 3);
    }
}
