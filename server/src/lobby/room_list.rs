//! The list of rooms and seeks as text, encoded once for all whose request had come by then.

use noughts_protocol::RequestId;
use noughts_protocol::wire::Message;

use super::Lobby;
use crate::registry::{MAX_LISTED_ROOMS, Registry};

/// How the message begins: what differs from one answer to the next.
const BEGIN: &str = r#"{"type":"rooms","re":"#;

/// The last list, for as long as nobody can have learnt of something newer before asking.
#[derive(Debug, Default)]
pub(super) struct RoomListCache {
    /// What follows the number of the request.
    suffix: Option<String>,
    /// How many requests lay in the inbox when it was made, and still do.
    valid_for: usize,
}

impl RoomListCache {
    /// The next request has been taken from the inbox.
    pub(super) fn on_request_taken(&mut self) {
        match self.valid_for.checked_sub(1) {
            Some(left) => self.valid_for = left,
            None => self.suffix = None,
        }
    }

    /// Who waits has changed.
    pub(super) fn invalidate(&mut self) {
        self.suffix = None;
    }

    /// The answer to `re`, with `queued` requests behind it in the inbox.
    pub(super) fn encode_reply<T>(
        &mut self,
        re: RequestId,
        queued: usize,
        registry: &Registry,
        lobby: &Lobby<T>,
    ) -> String {
        let rest = self.suffix.get_or_insert_with(|| {
            self.valid_for = queued;
            let (rooms, seeks) = (registry.list(), lobby.list(MAX_LISTED_ROOMS));
            let any = RequestId::new(0).expect("the least of them");
            let text = Message::Rooms { re: any, rooms, seeks }.to_json();
            let rest = text.strip_prefix(BEGIN).and_then(|text| text.strip_prefix('0'));
            rest.expect("a list begins with its type and the request").to_owned()
        });
        format!("{BEGIN}{re}{rest}")
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
        // This did not go through the lobby's own hands, which would have said so.
        add_seek(&mut lobby, 4);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 8, 1), 1);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 9_007_199_254_740_991, 0), 1);
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 10, 5), 2);
        add_seek(&mut lobby, 5);
        cache.invalidate();
        assert_eq!(encoded_seek_count(&mut cache, &lobby, 11, 4), 3);
    }
}
