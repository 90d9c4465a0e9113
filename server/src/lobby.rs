//! Matchmaking: pairs a seek with the oldest compatible one. Pure.

pub(crate) mod handle;
pub(crate) mod task;

use noughts_protocol::wire::{OpenSeek, RejectCode};
use noughts_protocol::{PartyKey, Player, RoomId, Rules, Seat, TimeControl};

use crate::room::handle::MemberId;

/// A request to play against any opponent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seek {
    pub member: MemberId,
    pub player: Player,
    /// Key that identifies this client across connections, if it sent one.
    pub party: Option<PartyKey>,
    /// Room in which the party held a seat at the time of the hello, as the welcome reported.
    pub seat_room_at_hello: Option<RoomId>,
    pub rules: Rules,
    /// Time control; none for a game without clocks.
    pub clock: Option<TimeControl>,
    /// Requested seat; none for either.
    pub seat: Option<Seat>,
}

impl Seek {
    /// Returns whether both seeks can be paired. A party is not paired with itself, also not over two connections.
    fn is_compatible_with(&self, other: &Seek) -> bool {
        self.member != other.member
            && (self.party.is_none() || self.party != other.party)
            && self.rules == other.rules
            && self.clock == other.clock
            && (self.seat.is_none() || self.seat != other.seat)
    }
}

/// The seeks of a game: X, then O.
pub(crate) type PairedSeeks<T> = [(Seek, T); 2];

/// Open seeks in the order of their arrival, each with the contact `T` of its connection.
#[derive(Debug)]
pub(crate) struct Lobby<T> {
    seeks: Vec<(Seek, T)>,
}

impl<T> Default for Lobby<T> {
    fn default() -> Lobby<T> {
        Lobby { seeks: Vec::new() }
    }
}

impl<T> Lobby<T> {
    /// Pairs a seek with the oldest compatible one, or adds it. Removes seeks whose contact is disconnected.
    ///
    /// `x_first` is a random bit: if neither side requests a seat, it gives X to the older seek.
    ///
    /// # Errors
    /// `already_seeking` if the connection has an open seek.
    pub(crate) fn seek(
        &mut self,
        seek: Seek,
        contact: T,
        is_connected: impl Fn(&T) -> bool,
        x_first: bool,
    ) -> Result<Option<PairedSeeks<T>>, RejectCode> {
        if self.seeks.iter().any(|(waiting, _)| waiting.member == seek.member) {
            return Err(RejectCode::AlreadySeeking);
        }
        self.retain(is_connected);
        let Some(at) = self.seeks.iter().position(|(waiting, _)| waiting.is_compatible_with(&seek)) else {
            self.seeks.push((seek, contact));
            return Ok(None);
        };
        let first = self.seeks.remove(at);
        let second = (seek, contact);
        let first_is_x = match (first.0.seat, second.0.seat) {
            (Some(seat), _) => seat == Seat::X,
            (None, Some(seat)) => seat == Seat::O,
            (None, None) => x_first,
        };
        Ok(Some(if first_is_x { [first, second] } else { [second, first] }))
    }

    /// Removes the seek of a party on another connection than `newer`, and returns its contact. The older connection may
    /// be dead without having timed out.
    pub(crate) fn remove_older_seek(&mut self, party: PartyKey, newer: MemberId) -> Option<T> {
        let older = |(seek, _): &(Seek, T)| seek.party == Some(party) && seek.member != newer;
        let at = self.seeks.iter().position(older)?;
        Some(self.seeks.remove(at).1)
    }

    /// Removes the seek of a connection.
    ///
    /// # Errors
    /// `not_seeking` if there is none, also if it has just been paired.
    pub(crate) fn cancel(&mut self, member: MemberId) -> Result<(), RejectCode> {
        let before = self.seeks.len();
        self.seeks.retain(|(seek, _)| seek.member != member);
        if self.seeks.len() == before { Err(RejectCode::NotSeeking) } else { Ok(()) }
    }

    /// Removes the seeks whose contact is disconnected.
    pub(crate) fn retain(&mut self, is_connected: impl Fn(&T) -> bool) {
        self.seeks.retain(|(_, contact)| is_connected(contact));
    }

    /// Returns the number of open seeks.
    pub(crate) fn len(&self) -> usize {
        self.seeks.len()
    }

    /// Returns whether there is no open seek.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.seeks.is_empty()
    }

    /// Lists at most `limit` open seeks, oldest first.
    pub(crate) fn list(&self, limit: usize) -> Vec<OpenSeek> {
        let seeks = self.seeks.iter().take(limit);
        seeks
            .map(|(seek, _)| OpenSeek {
                player: seek.player.clone(),
                rules: seek.rules,
                clock: seek.clock,
                seat: seek.seat,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::PlayerKind;
    use proptest::prelude::*;

    use super::*;

    fn seek(member: u64, rules: &str, clock: Option<&str>, seat: Option<Seat>) -> Seek {
        Seek {
            member: MemberId(member),
            player: Player { name: "Ann".parse().unwrap(), kind: PlayerKind::Human },
            party: None,
            seat_room_at_hello: None,
            rules: rules.parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            seat,
        }
    }

    /// Returns the members of the pair that the last of `seeks` completes: X, then O.
    fn check(seeks: &[Seek], x_first: bool) -> Option<[u64; 2]> {
        let mut lobby = Lobby::default();
        let mut pair = None;
        for seek in seeks {
            assert!(pair.is_none(), "paired early");
            pair = lobby.seek(seek.clone(), (), |()| true, x_first).unwrap();
        }
        pair.map(|pair| pair.map(|(seek, ())| seek.member.0))
    }

    #[test]
    fn the_oldest_compatible_seek_is_paired_first() {
        let others = seek(1, "4x4:4", None, None);
        let first = seek(2, "3x3:3", None, Some(Seat::X));
        let second = seek(3, "3x3:3", None, Some(Seat::X));
        let third = seek(4, "3x3:3", None, None);
        assert_eq!(check(&[others, first, second, third], true), Some([2, 4]));
    }

    #[test]
    fn incompatible_seeks_wait() {
        for (one, two) in [
            (seek(1, "3x3:3", None, None), seek(2, "4x4:4", None, None)),
            (seek(1, "3x3:3", None, None), seek(2, "3x3:3", Some("5+3"), None)),
            (seek(1, "3x3:3", Some("5+0"), None), seek(2, "3x3:3", Some("5+3"), None)),
            (seek(1, "3x3:3", None, Some(Seat::O)), seek(2, "3x3:3", None, Some(Seat::O))),
        ] {
            assert_eq!(check(&[one, two], true), None);
        }
    }

    #[test]
    fn seats_are_as_requested_else_random() {
        let game =
            |one, two, x_first| check(&[seek(1, "3x3:3", None, one), seek(2, "3x3:3", None, two)], x_first);
        for x_first in [true, false] {
            assert_eq!(game(Some(Seat::X), None, x_first), Some([1, 2]));
            assert_eq!(game(Some(Seat::O), None, x_first), Some([2, 1]));
            assert_eq!(game(None, Some(Seat::X), x_first), Some([2, 1]));
            assert_eq!(game(None, Some(Seat::O), x_first), Some([1, 2]));
            assert_eq!(game(Some(Seat::O), Some(Seat::X), x_first), Some([2, 1]));
        }
        assert_eq!(game(None, None, true), Some([1, 2]));
        assert_eq!(game(None, None, false), Some([2, 1]));
    }

    #[test]
    fn a_connection_has_one_seek_and_is_not_paired_with_itself() {
        let mut lobby = Lobby::default();
        lobby.seek(seek(1, "3x3:3", None, None), (), |()| true, true).unwrap();
        let again = lobby.seek(seek(1, "3x3:3", None, None), (), |()| true, true);
        assert_eq!(again, Err(RejectCode::AlreadySeeking));
        assert_eq!(lobby.cancel(MemberId(1)), Ok(()));
        assert_eq!(lobby.cancel(MemberId(1)), Err(RejectCode::NotSeeking));
        assert!(lobby.is_empty());
    }

    #[test]
    fn a_party_is_not_paired_with_itself_over_two_connections() {
        let with_party = |member, party| Seek { party, ..seek(member, "3x3:3", None, None) };
        let [ann, bob] = [1, 2].map(|bits| Some(PartyKey::from_bits(bits)));
        assert_eq!(check(&[with_party(1, ann), with_party(2, ann), with_party(3, bob)], true), Some([1, 3]));
        let mut lobby = Lobby::default();
        lobby.seek(with_party(1, ann), "old", |_| true, true).unwrap();
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(1)), None, "itself");
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(2), MemberId(2)), None);
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(2)), Some("old"));
        assert!(lobby.is_empty());
    }

    #[test]
    fn disconnected_seeker_is_not_paired() {
        let mut lobby = Lobby::default();
        lobby.seek(seek(1, "3x3:3", None, None), false, |_| true, true).unwrap();
        let pair = lobby.seek(seek(2, "3x3:3", None, None), true, |connected| *connected, true).unwrap();
        assert_eq!((pair, lobby.len()), (None, 1));
    }

    proptest! {
        /// No two open seeks are compatible after any sequence of operations.
        #[test]
        fn no_compatible_seeks_wait(
            steps in proptest::collection::vec((0..8_u64, 0..2, 0..3, any::<bool>()), 1..60)
        ) {
            let mut lobby = Lobby::default();
            for (member, rules, seat, x_first) in steps {
                let seat = [None, Some(Seat::X), Some(Seat::O)][seat as usize];
                let new_seek = seek(member, ["3x3:3", "4x4:4"][rules as usize], None, seat);
                match lobby.seek(new_seek, (), |()| true, x_first) {
                    Ok(Some([(x, ()), (o, ())])) => {
                        prop_assert_ne!(x.member, o.member);
                        prop_assert!(x.seat != Some(Seat::O) && o.seat != Some(Seat::X));
                    }
                    Ok(None) => {}
                    Err(code) => {
                        prop_assert_eq!(code, RejectCode::AlreadySeeking);
                        lobby.cancel(MemberId(member)).unwrap();
                    }
                }
                for (at, (one, ())) in lobby.seeks.iter().enumerate() {
                    prop_assert!(lobby.seeks[..at].iter().all(|(other, ())| !one.is_compatible_with(other)));
                }
            }
        }
    }
}
