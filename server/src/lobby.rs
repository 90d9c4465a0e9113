//! Matchmaking: pairs a seek with the oldest compatible one whose connection still answers. Pure.

mod changes;
pub(crate) mod feed;
pub(crate) mod handle;
pub(crate) mod placement;
pub(crate) mod restoration;
pub(crate) mod task;
#[cfg(test)]
mod tests;
pub(crate) mod ticket;
pub(crate) mod view;

use std::collections::VecDeque;
use std::time::Duration;

use noughts_protocol::wire::{FeatureSet, ListedSeek, OpenSeek, RejectCode, SeekId};
use noughts_protocol::{PartyKey, Player, RoomId, Rules, Seat, TimeControl};
use tokio::time::Instant;

use crate::room::handle::MemberId;

/// The client of a seek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeker {
    pub member: MemberId,
    pub player: Player,
    /// Key that identifies this client across connections, if it sent one.
    pub party: Option<PartyKey>,
    /// Room in which the party held a seat at the time of the hello, as the welcome reported.
    pub seat_room_at_hello: Option<RoomId>,
    /// The features of the connection.
    pub features: FeatureSet,
}

/// A request to play against any opponent, or against the one of another seek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seek {
    pub seeker: Seeker,
    /// Time of the request, in server milliseconds.
    pub since: u64,
    /// The seek answers another one: it ends when that is not paired with it.
    pub is_answer: bool,
    pub rules: Rules,
    /// Time control; none for a game without clocks.
    pub clock: Option<TimeControl>,
    /// Requested seat; none for either.
    pub seat: Option<Seat>,
}

impl Seek {
    /// Returns whether both seeks can be paired. A party is not paired with itself, even over two connections.
    fn is_compatible_with(&self, other: &Seek) -> bool {
        self.seeker.member != other.seeker.member
            && (self.seeker.party.is_none() || self.seeker.party != other.seeker.party)
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
    /// The connection did not answer in time. It may be dead without notice, and is not paired until it answers.
    Silent,
}

#[derive(Debug)]
struct WaitingSeek<T> {
    id: SeekId,
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
    last_seek: SeekId,
    /// Connections to ping.
    pings: Vec<(MemberId, PairingId)>,
    /// Contacts of answers whose seek was not paired with them.
    failed_answers: Vec<T>,
}

impl<T> Default for Lobby<T> {
    fn default() -> Lobby<T> {
        Lobby {
            seeks: Vec::new(),
            deadlines: VecDeque::new(),
            last_pairing: PairingId(0),
            last_seek: SeekId(0),
            pings: Vec::new(),
            failed_answers: Vec::new(),
        }
    }
}

impl<T> Lobby<T> {
    /// Creates an empty lobby of a server that started at this time, in milliseconds since 1970. The seeks are numbered on
    /// from its microsecond: a server does not open a million seeks per second, so that a number of this run is not used
    /// by the next one, where a client may still answer it. The numbers stay below 2^53, the limit of JSON, until 2255.
    ///
    /// `offset` distinguishes the nodes of a cluster; with offsets below 2^50, the limit holds until 2219.
    pub(crate) fn new(started_at_ms: u64, offset: u64) -> Lobby<T> {
        let last_seek = SeekId(started_at_ms.saturating_mul(1000).saturating_add(offset));
        Lobby {
            last_seek,
            ..Lobby::default()
        }
    }

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
        self.ensure_not_seeking(&seek.seeker)?;
        self.retain(is_connected, now);
        self.push(seek, contact);
        self.match_seek(self.seeks.len() - 1, true, now);
        Ok(())
    }

    /// Attempts to pair a client with the one of an open seek, as [`Lobby::seek`] does. If that client does not answer
    /// in time, [`Lobby::take_failed_answers`] returns the `contact`.
    ///
    /// # Errors
    /// `already_seeking`, or `no_offer` if the seek is not open, or is one of the same party.
    pub(crate) fn answer(
        &mut self,
        seek: SeekId,
        (seeker, since): (Seeker, u64),
        contact: T,
        is_connected: impl Fn(&T) -> bool,
        now: Instant,
    ) -> Result<(), RejectCode> {
        self.ensure_not_seeking(&seeker)?;
        self.retain(is_connected, now);
        let is_answered =
            |waiting: &WaitingSeek<T>| waiting.id == seek && waiting.state == SeekState::Open;
        let index = self
            .seeks
            .iter()
            .position(is_answered)
            .ok_or(RejectCode::NoOffer)?;
        let open = &self.seeks[index].seek;
        let (rules, clock, seat) = (open.rules, open.clock, open.seat.map(Seat::other));
        let answer = Seek {
            seeker,
            since,
            is_answer: true,
            rules,
            clock,
            seat,
        };
        if !answer.is_compatible_with(open) {
            return Err(RejectCode::NoOffer);
        }
        self.push(answer, contact);
        self.begin_pairing([(index, false), (self.seeks.len() - 1, true)], now);
        Ok(())
    }

    fn ensure_not_seeking(&self, seeker: &Seeker) -> Result<(), RejectCode> {
        let is_seeking = self
            .seeks
            .iter()
            .any(|waiting| waiting.seek.seeker.member == seeker.member);
        if is_seeking {
            Err(RejectCode::AlreadySeeking)
        } else {
            Ok(())
        }
    }

    fn push(&mut self, seek: Seek, contact: T) {
        self.last_seek.0 += 1;
        self.seeks.push(WaitingSeek {
            id: self.last_seek,
            seek,
            contact,
            state: SeekState::Open,
        });
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
        let index = self
            .seeks
            .iter()
            .position(|waiting| waiting.seek.seeker.member == member)?;
        match &mut self.seeks[index].state {
            SeekState::Pairing { id, has_answered } if *id == pairing => *has_answered = true,
            SeekState::Silent => self.reopen(index, now),
            SeekState::Open | SeekState::Pairing { .. } => {}
        }
        let complete = SeekState::Pairing {
            id: pairing,
            has_answered: true,
        };
        let mut pair = self
            .seeks
            .iter()
            .enumerate()
            .filter(|(_, waiting)| waiting.state == complete);
        let (Some((older, _)), Some((newer, _))) = (pair.next(), pair.next()) else {
            return None;
        };
        let WaitingSeek { seek, contact, .. } = self.seeks.remove(newer);
        let second = (seek, contact);
        let WaitingSeek { seek, contact, .. } = self.seeks.remove(older);
        let first = (seek, contact);
        let first_is_x = match (first.0.seat, second.0.seat) {
            (Some(seat), _) => seat == Seat::X,
            (None, Some(seat)) => seat == Seat::O,
            (None, None) => x_first,
        };
        Some(if first_is_x {
            [first, second]
        } else {
            [second, first]
        })
    }

    /// Ends the attempts whose deadline has passed: a seek without an answer becomes silent, the other one waits on.
    pub(crate) fn expire(&mut self, now: Instant) {
        while let Some((_, pairing)) = self
            .deadlines
            .front()
            .copied()
            .filter(|(deadline, _)| *deadline <= now)
        {
            self.deadlines.pop_front();
            for waiting in &mut self.seeks {
                if waiting.state
                    == (SeekState::Pairing {
                        id: pairing,
                        has_answered: false,
                    })
                {
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

    /// Takes the contacts of the answers whose seek was not paired with them.
    pub(crate) fn take_failed_answers(&mut self) -> Vec<T> {
        std::mem::take(&mut self.failed_answers)
    }

    /// Returns the contact of the connection of a seek.
    pub(crate) fn contact(&self, member: MemberId) -> Option<&T> {
        self.seeks
            .iter()
            .find(|waiting| waiting.seek.seeker.member == member)
            .map(|waiting| &waiting.contact)
    }

    /// Removes the seek of a party on another connection than `newer`, and returns its contact. The older connection may
    /// be dead without having timed out.
    pub(crate) fn remove_older_seek(
        &mut self,
        party: PartyKey,
        newer: MemberId,
        now: Instant,
    ) -> Option<T> {
        let older = |waiting: &WaitingSeek<T>| {
            waiting.seek.seeker.party == Some(party) && waiting.seek.seeker.member != newer
        };
        let index = self.seeks.iter().position(older)?;
        Some(self.remove(index, now).contact)
    }

    /// Removes the seek of a connection.
    ///
    /// # Errors
    /// `not_seeking` if there is none, also if it has just been paired.
    pub(crate) fn cancel(&mut self, member: MemberId, now: Instant) -> Result<(), RejectCode> {
        let index = self
            .seeks
            .iter()
            .position(|waiting| waiting.seek.seeker.member == member);
        self.remove(index.ok_or(RejectCode::NotSeeking)?, now);
        Ok(())
    }

    /// Removes the seeks whose contact is disconnected.
    pub(crate) fn retain(&mut self, is_connected: impl Fn(&T) -> bool, now: Instant) {
        drop(self.take(|_, contact| !is_connected(contact), now));
    }

    /// Removes the seeks that `is_taken` selects, and returns their contacts.
    pub(crate) fn take(&mut self, is_taken: impl Fn(&Seek, &T) -> bool, now: Instant) -> Vec<T> {
        let mut taken = Vec::new();
        let mut index = 0;
        while let Some(waiting) = self.seeks.get(index) {
            if is_taken(&waiting.seek, &waiting.contact) {
                taken.push(self.remove(index, now).contact);
            } else {
                index += 1;
            }
        }
        taken
    }

    /// Returns the contacts of all seeks.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = (MemberId, &T)> {
        self.seeks
            .iter()
            .map(|waiting| (waiting.seek.seeker.member, &waiting.contact))
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
    pub(crate) fn list(&self, limit: usize) -> Vec<ListedSeek> {
        let open = self
            .seeks
            .iter()
            .filter(|waiting| waiting.state == SeekState::Open)
            .take(limit);
        open.map(|WaitingSeek { id, seek, .. }| ListedSeek {
            seek: *id,
            since: seek.since,
            open: OpenSeek {
                player: seek.seeker.player.clone(),
                rules: seek.rules,
                clock: seek.clock,
                seat: seek.seat,
            },
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
        let in_pairing = |waiting: &WaitingSeek<T>| matches!(waiting.state, SeekState::Pairing { id, .. } if id == pairing);
        if let Some(index) = self.seeks.iter().position(in_pairing) {
            self.reopen(index, now);
        }
    }

    fn reopen(&mut self, index: usize, now: Instant) {
        if self.seeks[index].seek.is_answer {
            self.failed_answers.push(self.seeks.remove(index).contact);
            return;
        }
        self.seeks[index].state = SeekState::Open;
        self.match_seek(index, false, now);
    }

    /// Attempts to pair an open seek with the oldest compatible open one.
    fn match_seek(&mut self, index: usize, has_answered: bool, now: Instant) {
        let seek = &self.seeks[index].seek;
        let matches = |waiting: &WaitingSeek<T>| {
            waiting.state == SeekState::Open && waiting.seek.is_compatible_with(seek)
        };
        let Some(partner) = self.seeks.iter().position(matches) else {
            return;
        };
        self.begin_pairing([(partner, false), (index, has_answered)], now);
    }

    /// Begins an attempt to pair two seeks, each with whether its connection has answered.
    fn begin_pairing(&mut self, pair: [(usize, bool); 2], now: Instant) {
        self.last_pairing.0 += 1;
        let id = self.last_pairing;
        self.deadlines.push_back((now + PAIRING_PONG_TIMEOUT, id));
        for (index, has_answered) in pair {
            let waiting = &mut self.seeks[index];
            waiting.state = SeekState::Pairing { id, has_answered };
            if !has_answered {
                self.pings.push((waiting.seek.seeker.member, id));
            }
        }
    }
}
