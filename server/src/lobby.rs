//! Matchmaking: pairs a seek with the oldest compatible one whose connection still answers. Pure.

pub(crate) mod handle;
pub(crate) mod task;

use std::collections::VecDeque;
use std::time::Duration;

use noughts_protocol::wire::{FeatureSet, OpenSeek, RejectCode};
use noughts_protocol::{PartyKey, Player, RoomId, Rules, Seat, TimeControl};
use tokio::time::Instant;

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
    /// The features of the connection.
    pub features: FeatureSet,
    pub rules: Rules,
    /// Time control; none for a game without clocks.
    pub clock: Option<TimeControl>,
    /// Requested seat; none for either.
    pub seat: Option<Seat>,
}

impl Seek {
    /// Returns whether both seeks can be paired. A party is not paired with itself, even over two connections.
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

/// Identifies one attempt to pair two seeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PairingId(pub u64);

/// Time that a connection has to answer the ping before its game begins.
pub(crate) const PAIRING_PONG_TIMEOUT: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SeekState {
    /// Waits for a compatible seek.
    Open,
    /// Has a compatible seek. The game begins when both connections have answered.
    Pairing { id: PairingId, has_answered: bool },
    /// The connection did not answer in time. It may be dead without notice, and is paired with nobody until it answers.
    Silent,
}

#[derive(Debug)]
struct WaitingSeek<T> {
    seek: Seek,
    contact: T,
    state: SeekState,
}

/// The seeks in the order of their arrival, each with the contact `T` of its connection.
///
/// A pairing is attempted first: the caller pings the connections that [`Lobby::take_pings`] returns. The pair is
/// complete when both have answered; otherwise the seek that did leaves the attempt and waits on.
#[derive(Debug)]
pub(crate) struct Lobby<T> {
    seeks: Vec<WaitingSeek<T>>,
    /// Deadlines of the attempts in order, also of those that have ended.
    deadlines: VecDeque<(Instant, PairingId)>,
    last_pairing: PairingId,
    /// Connections to ping.
    pings: Vec<(MemberId, PairingId)>,
}

impl<T> Default for Lobby<T> {
    fn default() -> Lobby<T> {
        Lobby {
            seeks: Vec::new(),
            deadlines: VecDeque::new(),
            last_pairing: PairingId(0),
            pings: Vec::new(),
        }
    }
}

impl<T> Lobby<T> {
    /// Adds a seek, and attempts to pair it with the oldest compatible one. Removes seeks whose contact is disconnected.
    ///
    /// The request shows that its connection works: only the older one is pinged.
    ///
    /// # Errors
    /// `already_seeking` if the connection has a seek.
    pub(crate) fn seek(
        &mut self,
        seek: Seek,
        contact: T,
        is_connected: impl Fn(&T) -> bool,
        now: Instant,
    ) -> Result<(), RejectCode> {
        if self.seeks.iter().any(|waiting| waiting.seek.member == seek.member) {
            return Err(RejectCode::AlreadySeeking);
        }
        self.retain(is_connected, now);
        self.seeks.push(WaitingSeek { seek, contact, state: SeekState::Open });
        self.match_seek(self.seeks.len() - 1, true, now);
        Ok(())
    }

    /// Handles the answer of a connection to the ping of a pairing. Returns the pair if it is complete.
    ///
    /// `x_first` is a random bit: if neither side requests a seat, it gives X to the older seek.
    pub(crate) fn on_pong(
        &mut self,
        member: MemberId,
        pairing: PairingId,
        x_first: bool,
        now: Instant,
    ) -> Option<PairedSeeks<T>> {
        let index = self.seeks.iter().position(|waiting| waiting.seek.member == member)?;
        match &mut self.seeks[index].state {
            SeekState::Pairing { id, has_answered } if *id == pairing => *has_answered = true,
            SeekState::Silent => self.reopen(index, now),
            SeekState::Open | SeekState::Pairing { .. } => {}
        }
        let complete = SeekState::Pairing { id: pairing, has_answered: true };
        let mut pair = self.seeks.iter().enumerate().filter(|(_, waiting)| waiting.state == complete);
        let (Some((older, _)), Some((newer, _))) = (pair.next(), pair.next()) else { return None };
        let WaitingSeek { seek, contact, .. } = self.seeks.remove(newer);
        let second = (seek, contact);
        let WaitingSeek { seek, contact, .. } = self.seeks.remove(older);
        let first = (seek, contact);
        let first_is_x = match (first.0.seat, second.0.seat) {
            (Some(seat), _) => seat == Seat::X,
            (None, Some(seat)) => seat == Seat::O,
            (None, None) => x_first,
        };
        Some(if first_is_x { [first, second] } else { [second, first] })
    }

    /// Ends the attempts whose deadline has passed: a seek without an answer becomes silent, the other one waits on.
    pub(crate) fn expire(&mut self, now: Instant) {
        while let Some((_, pairing)) = self.deadlines.front().copied().filter(|(deadline, _)| *deadline <= now) {
            self.deadlines.pop_front();
            for waiting in &mut self.seeks {
                if waiting.state == (SeekState::Pairing { id: pairing, has_answered: false }) {
                    waiting.state = SeekState::Silent;
                }
            }
            self.reopen_partner(pairing, now);
        }
    }

    /// Returns the next time at which [`Lobby::expire`] may change something.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.front().map(|(deadline, _)| *deadline)
    }

    /// Takes the connections to ping, each with the pairing that the pong confirms.
    pub(crate) fn take_pings(&mut self) -> Vec<(MemberId, PairingId)> {
        std::mem::take(&mut self.pings)
    }

    /// Returns the contact of the connection of a seek.
    pub(crate) fn contact(&self, member: MemberId) -> Option<&T> {
        self.seeks.iter().find(|waiting| waiting.seek.member == member).map(|waiting| &waiting.contact)
    }

    /// Removes the seek of a party on another connection than `newer`, and returns its contact. The older connection may
    /// be dead without having timed out.
    pub(crate) fn remove_older_seek(&mut self, party: PartyKey, newer: MemberId, now: Instant) -> Option<T> {
        let older =
            |waiting: &WaitingSeek<T>| waiting.seek.party == Some(party) && waiting.seek.member != newer;
        let index = self.seeks.iter().position(older)?;
        Some(self.remove(index, now).contact)
    }

    /// Removes the seek of a connection.
    ///
    /// # Errors
    /// `not_seeking` if there is none, also if it has just been paired.
    pub(crate) fn cancel(&mut self, member: MemberId, now: Instant) -> Result<(), RejectCode> {
        let index = self.seeks.iter().position(|waiting| waiting.seek.member == member);
        self.remove(index.ok_or(RejectCode::NotSeeking)?, now);
        Ok(())
    }

    /// Removes the seeks whose contact is disconnected.
    pub(crate) fn retain(&mut self, is_connected: impl Fn(&T) -> bool, now: Instant) {
        let mut index = 0;
        while let Some(waiting) = self.seeks.get(index) {
            if is_connected(&waiting.contact) {
                index += 1;
            } else {
                self.remove(index, now);
            }
        }
    }

    /// Returns the number of seeks.
    pub(crate) fn len(&self) -> usize {
        self.seeks.len()
    }

    /// Returns whether there is no seek.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.seeks.is_empty()
    }

    /// Lists at most `limit` open seeks, oldest first.
    pub(crate) fn list(&self, limit: usize) -> Vec<OpenSeek> {
        let open = self.seeks.iter().filter(|waiting| waiting.state == SeekState::Open).take(limit);
        open.map(|WaitingSeek { seek, .. }| OpenSeek {
            player: seek.player.clone(),
            rules: seek.rules,
            clock: seek.clock,
            seat: seek.seat,
        })
        .collect()
    }

    fn remove(&mut self, index: usize, now: Instant) -> WaitingSeek<T> {
        let removed = self.seeks.remove(index);
        if let SeekState::Pairing { id, .. } = removed.state {
            self.reopen_partner(id, now);
        }
        removed
    }

    /// Reopens the remaining seek of an attempt that has ended.
    fn reopen_partner(&mut self, pairing: PairingId, now: Instant) {
        let in_pairing = |waiting: &WaitingSeek<T>| {
            matches!(waiting.state, SeekState::Pairing { id, .. } if id == pairing)
        };
        if let Some(index) = self.seeks.iter().position(in_pairing) {
            self.reopen(index, now);
        }
    }

    fn reopen(&mut self, index: usize, now: Instant) {
        self.seeks[index].state = SeekState::Open;
        self.match_seek(index, false, now);
    }

    /// Attempts to pair an open seek with the oldest compatible open one.
    fn match_seek(&mut self, index: usize, has_answered: bool, now: Instant) {
        let seek = &self.seeks[index].seek;
        let matches = |waiting: &WaitingSeek<T>| {
            waiting.state == SeekState::Open && waiting.seek.is_compatible_with(seek)
        };
        let Some(partner) = self.seeks.iter().position(matches) else { return };
        self.last_pairing.0 += 1;
        let id = self.last_pairing;
        self.deadlines.push_back((now + PAIRING_PONG_TIMEOUT, id));
        for (index, has_answered) in [(partner, false), (index, has_answered)] {
            let waiting = &mut self.seeks[index];
            waiting.state = SeekState::Pairing { id, has_answered };
            if !has_answered {
                self.pings.push((waiting.seek.member, id));
            }
        }
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
            features: FeatureSet::default(),
            rules: rules.parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            seat,
        }
    }

    /// Lets every pinged connection answer. Returns the pair that is then complete.
    fn answer_pings<T>(lobby: &mut Lobby<T>, x_first: bool) -> Option<PairedSeeks<T>> {
        let mut pair = None;
        for (_, pairing) in lobby.take_pings() {
            let members: Vec<MemberId> = lobby.seeks.iter().map(|waiting| waiting.seek.member).collect();
            for member in members {
                pair = pair.or(lobby.on_pong(member, pairing, x_first, Instant::now()));
            }
        }
        pair
    }

    /// Returns the members of the pair that the last of `seeks` completes: X, then O.
    fn check(seeks: &[Seek], x_first: bool) -> Option<[u64; 2]> {
        let mut lobby = Lobby::default();
        let mut pair = None;
        for seek in seeks {
            assert!(pair.is_none(), "paired early");
            lobby.seek(seek.clone(), (), |()| true, Instant::now()).unwrap();
            pair = answer_pings(&mut lobby, x_first);
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
        let (mut lobby, now) = (Lobby::default(), Instant::now());
        lobby.seek(seek(1, "3x3:3", None, None), (), |()| true, now).unwrap();
        let again = lobby.seek(seek(1, "3x3:3", None, None), (), |()| true, now);
        assert_eq!(again, Err(RejectCode::AlreadySeeking));
        assert_eq!(lobby.cancel(MemberId(1), now), Ok(()));
        assert_eq!(lobby.cancel(MemberId(1), now), Err(RejectCode::NotSeeking));
        assert!(lobby.is_empty());
    }

    #[test]
    fn a_party_is_not_paired_with_itself_over_two_connections() {
        let with_party = |member, party| Seek { party, ..seek(member, "3x3:3", None, None) };
        let [ann, bob] = [1, 2].map(|bits| Some(PartyKey::from_bits(bits)));
        assert_eq!(check(&[with_party(1, ann), with_party(2, ann), with_party(3, bob)], true), Some([1, 3]));
        let (mut lobby, now) = (Lobby::default(), Instant::now());
        lobby.seek(with_party(1, ann), "old", |_| true, now).unwrap();
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(1), now), None, "itself");
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(2), MemberId(2), now), None);
        assert_eq!(lobby.remove_older_seek(PartyKey::from_bits(1), MemberId(2), now), Some("old"));
        assert!(lobby.is_empty());
    }

    #[test]
    fn disconnected_seeker_is_not_paired() {
        let (mut lobby, now) = (Lobby::default(), Instant::now());
        lobby.seek(seek(1, "3x3:3", None, None), false, |_| true, now).unwrap();
        lobby.seek(seek(2, "3x3:3", None, None), true, |connected| *connected, now).unwrap();
        assert_eq!((lobby.take_pings().len(), lobby.len()), (0, 1));
    }

    /// Adds seeks for the same game, which connect in order.
    fn lobby_of(members: &[u64], now: Instant) -> Lobby<u64> {
        let mut lobby = Lobby::default();
        for &member in members {
            lobby.seek(seek(member, "3x3:3", None, None), member, |_| true, now).unwrap();
        }
        lobby
    }

    fn members(pair: Option<PairedSeeks<u64>>) -> Option<[u64; 2]> {
        pair.map(|pair| pair.map(|(_, member)| member))
    }

    #[test]
    fn a_silent_seek_is_passed_over_until_it_answers() {
        let now = Instant::now();
        let mut lobby = lobby_of(&[1, 2], now);
        let [(MemberId(1), first)] = lobby.take_pings()[..] else { panic!("the request of 2 shows that it is there") };
        assert_eq!(lobby.next_deadline(), Some(now + PAIRING_PONG_TIMEOUT));
        lobby.expire(now);
        assert!(lobby.list(9).is_empty(), "both are about to be paired");
        let later = now + PAIRING_PONG_TIMEOUT;
        lobby.expire(later);
        assert_eq!((lobby.list(9).len(), lobby.len(), lobby.next_deadline()), (1, 2, None));
        // The next seek is paired with the one that waits, not with the silent one.
        lobby.seek(seek(3, "3x3:3", None, None), 3, |_| true, later).unwrap();
        let [(MemberId(2), second)] = lobby.take_pings()[..] else { panic!("2 waits") };
        assert_eq!(members(lobby.on_pong(MemberId(2), first, true, later)), None, "an earlier attempt");
        assert_eq!(members(lobby.on_pong(MemberId(2), second, true, later)), Some([2, 3]));
        // A late answer.
        assert_eq!(members(lobby.on_pong(MemberId(1), first, true, later)), None);
        assert_eq!(lobby.list(9).len(), 1);
        lobby.seek(seek(4, "3x3:3", None, None), 4, |_| true, later).unwrap();
        let [(MemberId(1), third)] = lobby.take_pings()[..] else { panic!("1 waits again") };
        assert_eq!(members(lobby.on_pong(MemberId(1), third, true, later)), Some([1, 4]));
        assert!(lobby.is_empty());
    }

    #[test]
    fn the_partner_of_a_removed_seek_is_paired_with_the_next() {
        let now = Instant::now();
        for removal in 0..3 {
            let mut lobby = lobby_of(&[1, 2, 3], now);
            lobby.take_pings();
            match removal {
                0 => lobby.cancel(MemberId(1), now).unwrap(),
                1 => lobby.retain(|member| *member != 1, now),
                _ => lobby.expire(now + PAIRING_PONG_TIMEOUT),
            }
            // Both have waited.
            let pings = lobby.take_pings();
            let [(one, pairing), (other, _)] = pings[..] else { panic!("{pings:?}") };
            assert_eq!(one.min(other), MemberId(2));
            assert!(lobby.on_pong(MemberId(2), pairing, true, now).is_none());
            assert_eq!(members(lobby.on_pong(MemberId(3), pairing, true, now)), Some([2, 3]));
        }
    }

    proptest! {
        /// No two open seeks are compatible after any sequence of operations, and every attempt has two seeks.
        #[test]
        fn no_compatible_seeks_wait(
            steps in proptest::collection::vec((0..8_u64, 0..2, 0..3, 0..5, any::<bool>()), 1..60)
        ) {
            let (mut lobby, mut now) = (Lobby::default(), Instant::now());
            let mut pings = Vec::new();
            for (member, rules, seat, step, x_first) in steps {
                let seat = [None, Some(Seat::X), Some(Seat::O)][seat as usize];
                let new_seek = seek(member, ["3x3:3", "4x4:4"][rules as usize], None, seat);
                let mut paired = None;
                match step {
                    0 | 1 => if lobby.seek(new_seek, member, |_| true, now) == Err(RejectCode::AlreadySeeking) {
                        lobby.cancel(MemberId(member), now).unwrap();
                    },
                    2 => lobby.retain(|connected| *connected != member, now),
                    3 => {
                        now += PAIRING_PONG_TIMEOUT / 2;
                        lobby.expire(now);
                    }
                    _ => if let Some((member, pairing)) = pings.pop() {
                        paired = lobby.on_pong(member, pairing, x_first, now);
                    },
                }
                pings.extend(lobby.take_pings());
                if let Some([(x, _), (o, _)]) = paired {
                    prop_assert_ne!(x.member, o.member);
                    prop_assert!(x.seat != Some(Seat::O) && o.seat != Some(Seat::X));
                }
                for (at, waiting) in lobby.seeks.iter().enumerate() {
                    let is_missed = |other: &WaitingSeek<u64>| {
                        other.state == SeekState::Open && waiting.seek.is_compatible_with(&other.seek)
                    };
                    match waiting.state {
                        SeekState::Open => prop_assert!(!lobby.seeks[..at].iter().any(is_missed)),
                        SeekState::Pairing { id, .. } => {
                            let is_partner = |other: &&WaitingSeek<u64>| {
                                matches!(other.state, SeekState::Pairing { id: known, .. } if known == id)
                            };
                            prop_assert_eq!(lobby.seeks.iter().filter(is_partner).count(), 2);
                        }
                        SeekState::Silent => {}
                    }
                }
            }
        }
    }
}
