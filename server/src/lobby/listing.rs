//! The list of rooms and seeks as text, encoded once for all whose request had come by then.

use noughts_protocol::RequestId;
use noughts_protocol::wire::Message;

use super::Lobby;
use crate::registry::{MAX_LISTED, Registry};

/// How the message begins: what differs from one answer to the next.
const BEGIN: &str = r#"{"type":"rooms","re":"#;

/// The last list, for as long as nobody can have learnt of something newer before asking.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// What follows the number of the request.
    rest: Option<String>,
    /// How many requests lay in the inbox when it was made, and still do.
    good_for: usize,
}

impl Listing {
    /// The next request has been taken from the inbox.
    pub(super) fn advance(&mut self) {
        match self.good_for.checked_sub(1) {
            Some(left) => self.good_for = left,
            None => self.rest = None,
        }
    }

    /// Who waits has changed.
    pub(super) fn outdate(&mut self) {
        self.rest = None;
    }

    /// The answer to `re`, with `queued` requests behind it in the inbox.
    pub(super) fn answer<T>(
        &mut self,
        re: RequestId,
        queued: usize,
        registry: &Registry,
        lobby: &Lobby<T>,
    ) -> String {
        let rest = self.rest.get_or_insert_with(|| {
            self.good_for = queued;
            let (rooms, seeks) = (registry.list(), lobby.list(MAX_LISTED));
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
    use noughts_protocol::{Kind, Player};

    use super::*;
    use crate::lobby::Seek;
    use crate::room::audience::MemberId;

    fn seeking(lobby: &mut Lobby<()>, member: u64) {
        let player = Player { name: "Ann".parse().unwrap(), kind: Kind::Human };
        let rules = format!("{member}x3:3").parse().unwrap();
        let (party, told, clock, seat) = (None, None, None, None);
        let seek = Seek { member: MemberId(member), player, party, told, rules, clock, seat };
        lobby.seek(seek, (), |()| true, true).unwrap();
    }

    #[test]
    fn those_who_had_asked_by_then_share_a_list_and_the_next_gets_a_new_one() {
        let (registry, mut lobby) = (Registry::new(1), Lobby::default());
        let mut listing = Listing::default();
        let ask = |listing: &mut Listing, lobby: &Lobby<()>, re: u64, queued| {
            listing.advance();
            let text = listing.answer(RequestId::new(re).unwrap(), queued, &registry, lobby);
            let Message::Rooms { re: answered, seeks, .. } = Message::parse(&text).unwrap() else { panic!() };
            assert_eq!(answered.get(), re);
            seeks.len()
        };
        seeking(&mut lobby, 3);
        assert_eq!(ask(&mut listing, &lobby, 7, 2), 1);
        // This did not go through the lobby's own hands, which would have said so.
        seeking(&mut lobby, 4);
        assert_eq!(ask(&mut listing, &lobby, 8, 1), 1);
        assert_eq!(ask(&mut listing, &lobby, 9_007_199_254_740_991, 0), 1);
        assert_eq!(ask(&mut listing, &lobby, 10, 5), 2);
        seeking(&mut lobby, 5);
        listing.outdate();
        assert_eq!(ask(&mut listing, &lobby, 11, 4), 3);
    }
}
