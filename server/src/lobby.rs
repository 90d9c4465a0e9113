//! Matchmaking: pairs a seek with a compatible seek if the connection of that seek still answers. Seeks of another
//! network come first, then older seeks, so that a person with many seeks is paired with other people first. Pure.
//!
//! A connection may be dead without notice, or answer so late that a game with it would begin with a wait. Two seeks
//! are paired when both connections have answered recently, and since the newer seek arrived. A request is such an
//! answer, and so is the pong to a ping of the lobby. Meanwhile the seek remains open to all other seeks, so that a
//! late connection does not delay two connections that answer.
//!
//! | state | meaning |
//! |---|---|
//! | open | the seek is listed, and a candidate for others |
//! | silent | the seek is not listed and not a candidate, because its connection missed a ping. The lobby pings the connection at growing intervals. A pong in time opens the seek again, as the newest |
//!
//! For a seek without a partner the lobby pings one candidate immediately, and twice as many further candidates after
//! each [`PING_INTERVAL`]. It prefers candidates that missed no ping, then candidates of another network, then older
//! candidates. Together with the first candidate, the lobby pings the candidate that answered last, if that answer is
//! recent. It also pings the oldest candidate of the same network, because seeks of other networks that come and go
//! would delay it. A candidate has one interval to answer before the candidates after it are paired.

pub(crate) mod feed;
pub(crate) mod handle;
pub(crate) mod restoration;
pub(crate) mod task;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use noughts_protocol::wire::{FeatureSet, ListedSeek, OpenSeek, RejectCode, SeekId};
use noughts_protocol::{Party, Player, PlayerKind, RequestId, RoomId, Rules, Seat, TimeControl};
use tokio::time::Instant;

use crate::limits::client_prefix::ClientPrefix;
use crate::room::handle::{ConnectionId, JoinRequest, MemberQueue};

/// The client of a seek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seeker {
    /// Time of the request, in server milliseconds.
    pub since: u64,
    pub connection: ConnectionId,
    pub client: ClientPrefix,
    pub player: Player,
    /// Key that identifies this client across connections, if it sent one.
    pub party: Option<Party>,
    /// Room where the party held a seat at the time of the hello, as the welcome reported.
    pub seat_room_at_hello: Option<RoomId>,
    /// The features of the connection.
    pub features: FeatureSet,
}

impl Seeker {
    /// Returns the request to take a seat in the room of a game.
    pub(crate) fn join_request(
        self,
        send_queue: MemberQueue,
        request_id: RequestId,
        already_answered: bool,
    ) -> JoinRequest {
        JoinRequest {
            member: self.connection,
            send_queue,
            player: self.player,
            party: self.party,
            request_id,
            already_answered,
            yields_to_holder: false,
            wants_remarks: false,
            features: self.features,
            spectator_budget: None,
        }
    }
}

/// A request to play against any opponent, or against the client of a listed seek.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seek {
    pub seeker: Seeker,
    /// The listed seek that this seek accepts. It is paired with the listed seek, or ends.
    pub accepts: Option<SeekId>,
    pub rules: Rules,
    /// Time control; `None` for a game without clocks.
    pub clock: Option<TimeControl>,
    /// The requested seat; `None` for either seat.
    pub seat: Option<Seat>,
    /// The only kind of opponent that the seeker plays; `None` for people and bots.
    pub opponents: Option<PlayerKind>,
    /// Number of a pair that another server of a cluster has found: both seeks meet here, and with no other seek.
    pub meeting: Option<u64>,
}

impl Seek {
    /// Creates a request to play against any opponent.
    pub(crate) fn new(
        seeker: Seeker,
        rules: Rules,
        clock: Option<TimeControl>,
        seat: Option<Seat>,
    ) -> Seek {
        Seek {
            seeker,
            accepts: None,
            rules,
            clock,
            seat,
            opponents: None,
            meeting: None,
        }
    }

    /// Returns whether the seeker plays against a client of this kind.
    fn admits(&self, kind: PlayerKind) -> bool {
        self.opponents.is_none_or(|wanted| wanted == kind)
    }

    /// Returns whether both clients may be the same person. The clients of one address may also be a family or a school.
    fn is_of_same_network(&self, other: &Seek) -> bool {
        let [one, two] = [self, other].map(|seek| seek.seeker.client.customer_network());
        one == two
    }

    /// Returns whether both seeks want the same game, do not want the same seat, and each admits the kind of the client
    /// of the other seek. Neither a party nor a player with an identity is paired with itself, even over two
    /// connections.
    fn is_compatible_with(&self, other: &Seek) -> bool {
        self.seeker.connection != other.seeker.connection
            && (self.seeker.party.is_none() || self.seeker.party != other.seeker.party)
            && !self.seeker.player.has_same_identity(&other.seeker.player)
            && self.rules == other.rules
            && self.clock == other.clock
            && self.meeting == other.meeting
            && (self.seat.is_none() || self.seat != other.seat)
            && self.admits(other.seeker.player.kind)
            && other.admits(self.seeker.player.kind)
    }
}

/// The seeks of a game: X, then O.
pub(crate) type PairedSeeks<T> = [(Seek, T); 2];

/// Identifies one ping of the lobby.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PingId(pub u64);

/// Time limit for the answer to a ping. An answer also counts as recent for this time.
const PONG_TIMEOUT: Duration = Duration::from_secs(3);

/// Interval before the lobby also pings the next candidates. It is long enough for the slowest usual connection,
/// so that the lobby pairs the older of two candidates that answer.
const PING_INTERVAL: Duration = Duration::from_millis(500);

/// Time that a seek stays silent after a missed ping until its next ping. The time doubles with each further missed
/// ping.
const MIN_SILENCE: Duration = Duration::from_secs(5);

const MAX_SILENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
struct WaitingSeek<T> {
    id: SeekId,
    seek: Seek,
    contact: T,
    /// Time when the seek became open.
    open_since: Instant,
    /// Time of the request, or of the last pong in time.
    answered_at: Instant,
    /// Ping without an answer, with its deadline.
    ping: Option<(PingId, Instant)>,
    /// Number of missed pings since the connection last answered a ping while the seek was open.
    missed: u32,
    /// For a silent seek, the time of its next ping.
    silent_until: Option<Instant>,
    /// End of the interval for the answers of the candidates that were pinged for this seek.
    interval_end: Option<Instant>,
    /// Number of candidates that were pinged at the start of the last interval.
    pinged_count: usize,
}

impl<T> WaitingSeek<T> {
    fn is_open(&self) -> bool {
        self.silent_until.is_none()
    }

    fn has_answered_recently(&self, now: Instant) -> bool {
        now.duration_since(self.answered_at) < PONG_TIMEOUT
    }

    /// Returns whether the connection answered recently, and since the `other` seek is open.
    fn has_answered_for(&self, other: &WaitingSeek<T>, now: Instant) -> bool {
        self.has_answered_recently(now) && self.answered_at >= other.open_since
    }

    /// Returns whether both seeks can be paired once their connections have answered.
    fn is_candidate_of(&self, other: &WaitingSeek<T>) -> bool {
        let is_meant = |one: &WaitingSeek<T>, two: &WaitingSeek<T>| {
            one.seek.accepts.is_none_or(|listed| listed == two.id)
        };
        self.is_open()
            && is_meant(self, other)
            && is_meant(other, self)
            && self.seek.is_compatible_with(&other.seek)
    }
}

/// The seeks, oldest first, each with the contact `T` of its connection.
///
/// After each call the caller pings the connections that [`Lobby::take_pings`] returns, and opens the games of
/// [`Lobby::take_pairs`].
#[derive(Debug)]
pub(crate) struct Lobby<T> {
    seeks: Vec<WaitingSeek<T>>,
    /// Times when a ping, a silence or an interval between two pings ends. Includes times of pings, silences and
    /// intervals that ended early.
    wake_times: BinaryHeap<Reverse<Instant>>,
    last_ping: PingId,
    last_seek: SeekId,
    /// Connections to ping.
    pings: Vec<(ConnectionId, PingId)>,
    /// Pairs, the older seek first.
    pairs: Vec<[(Seek, T); 2]>,
    /// Contacts of the accepts that failed: the listed seeks were not paired with these clients.
    failed_accepts: Vec<T>,
}

impl<T> Default for Lobby<T> {
    fn default() -> Lobby<T> {
        Lobby {
            seeks: Vec::new(),
            wake_times: BinaryHeap::new(),
            last_ping: PingId(0),
            last_seek: SeekId(0),
            pings: Vec::new(),
            pairs: Vec::new(),
            failed_accepts: Vec::new(),
        }
    }
}

impl<T> Lobby<T> {
    /// Creates an empty lobby of a server that started at this time, in milliseconds since 1970. The numbers of the
    /// seeks begin at its microsecond. A server does not open a million seeks per second, so the next run does not
    /// reuse the numbers of this run, which clients may still try to accept. The numbers stay below 2^53, the limit of
    /// JSON, until 2255.
    ///
    /// `offset` distinguishes the nodes of a cluster; with offsets below 2^50, the limit holds until 2219.
    pub(crate) fn new(started_at_ms: u64, offset: u64) -> Lobby<T> {
        let last_seek = SeekId(started_at_ms.saturating_mul(1000).saturating_add(offset));
        Lobby {
            last_seek,
            ..Lobby::default()
        }
    }

    /// Adds a seek, and pairs it or looks for its partner. Removes seeks with a disconnected contact.
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
        self.retain(is_connected);
        self.push(seek, contact, now);
        Ok(())
    }

    /// Attempts to pair a client with the client of an open seek. If the client of the open seek does not answer in
    /// time, or is paired with a third client, [`Lobby::take_failed_accepts`] returns `contact`.
    ///
    /// # Errors
    /// `already_seeking`, or `no_offer` if the seek is not open, belongs to the same party or excludes this kind of client.
    pub(crate) fn accept_seek(
        &mut self,
        listed: SeekId,
        seeker: Seeker,
        contact: T,
        is_connected: impl Fn(&T) -> bool,
        now: Instant,
    ) -> Result<(), RejectCode> {
        self.ensure_not_seeking(&seeker)?;
        self.retain(is_connected);
        let open = self
            .listed()
            .find(|waiting| waiting.id == listed)
            .map(|waiting| &waiting.seek)
            .ok_or(RejectCode::NoOffer)?;
        let accepting = Seek {
            seeker,
            accepts: Some(listed),
            rules: open.rules,
            clock: open.clock,
            seat: open.seat.map(Seat::other),
            opponents: None,
            meeting: None,
        };
        if !accepting.is_compatible_with(open) {
            return Err(RejectCode::NoOffer);
        }
        self.push(accepting, contact, now);
        Ok(())
    }

    fn ensure_not_seeking(&self, seeker: &Seeker) -> Result<(), RejectCode> {
        match self.index_of(seeker.connection) {
            Some(_) => Err(RejectCode::AlreadySeeking),
            None => Ok(()),
        }
    }

    fn index_of(&self, connection: ConnectionId) -> Option<usize> {
        self.seeks
            .iter()
            .position(|waiting| waiting.seek.seeker.connection == connection)
    }

    /// Adds a seek. Its request shows that its connection answers.
    fn push(&mut self, seek: Seek, contact: T, now: Instant) {
        self.last_seek.0 += 1;
        // Both connections of a meeting have just answered the server that has paired them.
        let answered_before = if seek.meeting.is_some() {
            PONG_TIMEOUT
        } else {
            Duration::ZERO
        };
        self.seeks.push(WaitingSeek {
            id: self.last_seek,
            seek,
            contact,
            open_since: now - answered_before,
            answered_at: now,
            ping: None,
            missed: 0,
            silent_until: None,
            interval_end: None,
            pinged_count: 0,
        });
        self.look_for_partner(self.seeks.len() - 1, false, now);
    }

    /// Handles the answer of a connection to a ping.
    pub(crate) fn on_pong(&mut self, connection: ConnectionId, ping: PingId, now: Instant) {
        let Some(mut index) = self.index_of(connection) else {
            return;
        };
        let waiting = &mut self.seeks[index];
        if waiting.ping.take_if(|(sent, _)| *sent == ping).is_none() {
            return;
        }
        waiting.answered_at = now;
        if waiting.silent_until.take().is_some() {
            waiting.open_since = now;
            let newest = self.seeks.remove(index);
            index = self.seeks.len();
            self.seeks.push(newest);
        } else {
            waiting.missed = 0;
        }
        self.look_for_partner(index, false, now);
    }

    /// Ends the pings, silences and intervals that are over.
    fn expire(&mut self, now: Instant) {
        if self.next_deadline().is_none_or(|deadline| deadline > now) {
            return;
        }
        while self.next_deadline().is_some_and(|deadline| deadline <= now) {
            self.wake_times.pop();
        }
        let mut index = 0;
        while let Some(waiting) = self.seeks.get_mut(index) {
            if waiting.ping.take_if(|(_, end)| *end <= now).is_some() {
                let silence = MIN_SILENCE.saturating_mul(1 << waiting.missed.min(8));
                waiting.missed += 1;
                (waiting.interval_end, waiting.pinged_count) = (None, 0);
                let (id, until) = (waiting.id, now + silence.min(MAX_SILENCE));
                waiting.silent_until = Some(until);
                self.wake_at(until);
                self.fail_answers(id);
                // The accepts that fail are newer than this seek, so `index` does not change. If this seek is itself an
                // accept of another seek, it fails as well.
                if self.seeks[index].seek.accepts.is_some() {
                    self.failed_accepts.push(self.seeks.remove(index).contact);
                    continue;
                }
            } else if waiting.silent_until.is_some_and(|until| until <= now)
                && waiting.ping.is_none()
            {
                self.ping(index, now);
            }
            index += 1;
        }
        let due: Vec<ConnectionId> = self
            .seeks
            .iter_mut()
            .filter_map(|waiting| {
                let is_due = waiting.interval_end.take_if(|end| *end <= now).is_some();
                is_due.then_some(waiting.seek.seeker.connection)
            })
            .collect();
        for connection in due {
            if let Some(index) = self.index_of(connection) {
                self.look_for_partner(index, true, now);
            }
        }
    }

    /// Returns the next time when [`Lobby::expire`] may change something.
    fn next_deadline(&self) -> Option<Instant> {
        self.wake_times.peek().map(|Reverse(time)| *time)
    }

    /// Takes the connections to ping.
    fn take_pings(&mut self) -> Vec<(ConnectionId, PingId)> {
        std::mem::take(&mut self.pings)
    }

    /// Takes the pairs. Both connections of each pair have answered recently.
    ///
    /// If neither side requests a seat, `random_bit` decides whether the older seek gets X.
    fn take_pairs(&mut self, mut random_bit: impl FnMut() -> bool) -> Vec<PairedSeeks<T>> {
        let pairs = std::mem::take(&mut self.pairs).into_iter();
        pairs
            .map(|[older, newer]| {
                let older_is_x = match (older.0.seat, newer.0.seat) {
                    (Some(seat), _) => seat == Seat::X,
                    (None, Some(seat)) => seat == Seat::O,
                    (None, None) => random_bit(),
                };
                if older_is_x {
                    [older, newer]
                } else {
                    [newer, older]
                }
            })
            .collect()
    }

    /// Takes the contacts of the accepts that failed. The listed seeks were not paired with these clients.
    fn take_failed_accepts(&mut self) -> Vec<T> {
        std::mem::take(&mut self.failed_accepts)
    }

    /// Returns the contact of the connection of a seek.
    pub(crate) fn contact(&self, connection: ConnectionId) -> Option<&T> {
        self.seeks
            .iter()
            .find(|waiting| waiting.seek.seeker.connection == connection)
            .map(|waiting| &waiting.contact)
    }

    /// Returns the seeker of a party that seeks on another connection than `connection`.
    fn other_seeker_of(&self, party: Party, connection: ConnectionId) -> Option<&Seeker> {
        let mut seekers = self.seeks.iter().map(|waiting| &waiting.seek.seeker);
        seekers.find(|seeker| seeker.party == Some(party) && seeker.connection != connection)
    }

    /// Removes the seek of a connection, and returns its contact.
    ///
    /// # Errors
    /// `not_seeking` if the client has no seek, or its seek has just been paired.
    pub(crate) fn cancel(&mut self, connection: ConnectionId) -> Result<T, RejectCode> {
        let index = self.index_of(connection).ok_or(RejectCode::NotSeeking)?;
        Ok(self.remove(index).contact)
    }

    /// Removes the seeks with a disconnected contact.
    pub(crate) fn retain(&mut self, is_connected: impl Fn(&T) -> bool) {
        drop(self.take(|_, contact| !is_connected(contact)));
    }

    /// Removes the seeks that `is_taken` selects, and returns their contacts.
    pub(crate) fn take(&mut self, is_taken: impl Fn(&Seek, &T) -> bool) -> Vec<T> {
        let is_taken = |waiting: &mut WaitingSeek<T>| is_taken(&waiting.seek, &waiting.contact);
        let taken: Vec<_> = self.seeks.extract_if(.., is_taken).collect();
        for waiting in &taken {
            self.fail_answers(waiting.id);
        }
        taken.into_iter().map(|waiting| waiting.contact).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.seeks.len()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.seeks.is_empty()
    }

    /// Lists at most `limit` open seeks, oldest first.
    pub(crate) fn list(&self, limit: usize) -> Vec<ListedSeek> {
        let listed = self.listed().take(limit);
        listed
            .map(|WaitingSeek { id, seek, .. }| ListedSeek {
                seek: *id,
                since: seek.seeker.since,
                open: OpenSeek {
                    player: seek.seeker.player.clone(),
                    rules: seek.rules,
                    clock: seek.clock,
                    seat: seek.seat,
                    opponents: seek.opponents,
                },
            })
            .collect()
    }

    /// Returns the open seeks that any client may accept, oldest first.
    fn listed(&self) -> impl Iterator<Item = &WaitingSeek<T>> {
        let is_listed = |seek: &Seek| seek.accepts.is_none() && seek.meeting.is_none();
        self.seeks
            .iter()
            .filter(move |waiting| waiting.is_open() && is_listed(&waiting.seek))
    }

    fn remove(&mut self, index: usize) -> WaitingSeek<T> {
        let removed = self.seeks.remove(index);
        self.fail_answers(removed.id);
        removed
    }

    /// Ends the accepts of a seek that has closed. An accept is newer than the seek that it accepts.
    fn fail_answers(&mut self, listed: SeekId) {
        let accepts = |waiting: &mut WaitingSeek<T>| waiting.seek.accepts == Some(listed);
        let failed = self.seeks.extract_if(.., accepts);
        self.failed_accepts
            .extend(failed.map(|accepting| accepting.contact));
    }

    /// Pairs an open seek with the ready candidate that it prefers: candidates of another network come first, then
    /// older candidates. Without a ready candidate, pings the next candidates, and the connection of the seek itself if
    /// it has not answered recently. `is_overdue`: an interval of the seek has ended, so that the seek does not wait
    /// for a preferred candidate.
    fn look_for_partner(&mut self, index: usize, is_overdue: bool, now: Instant) {
        let (waiting, seeks) = (&self.seeks[index], &self.seeks);
        let is_candidate = |other: &usize| seeks[*other].is_candidate_of(waiting);
        let candidates: Vec<usize> = (0..seeks.len()).filter(is_candidate).collect();
        let is_answered = |other: &usize| waiting.has_answered_for(&seeks[*other], now);
        let is_any_ready = self.ready_candidates(index, now).next().is_some();
        if let Some(partner) = self.find_partner(index, is_overdue, now) {
            return self.pair(index, partner);
        }
        let needs_ping =
            !is_any_ready && waiting.ping.is_none() && !candidates.iter().all(is_answered);
        let is_in_interval = waiting.interval_end.is_some();
        let next = if is_any_ready || is_in_interval {
            Vec::new()
        } else {
            self.next_candidates(index, &candidates, now)
        };
        if needs_ping {
            self.ping(index, now);
        }
        if !is_in_interval {
            let begins = is_any_ready || !next.is_empty();
            let end = begins.then(|| self.wake_at(now + PING_INTERVAL));
            let waiting = &mut self.seeks[index];
            (waiting.interval_end, waiting.pinged_count) = (end, next.len());
        }
        for candidate in next {
            self.ping(candidate, now);
        }
    }

    /// Returns the ready candidates of a seek, oldest first: both connections have answered.
    fn ready_candidates(&self, index: usize, now: Instant) -> impl Iterator<Item = usize> {
        let waiting = &self.seeks[index];
        let is_ready = move |other: &WaitingSeek<T>| {
            other.is_candidate_of(waiting)
                && waiting.has_answered_for(other, now)
                && other.has_answered_for(waiting, now)
        };
        (0..self.seeks.len()).filter(move |other| is_ready(&self.seeks[*other]))
    }

    /// Returns the ready candidates of another network, oldest first.
    fn preferred_partners(&self, index: usize, now: Instant) -> impl Iterator<Item = usize> {
        let seek = &self.seeks[index].seek;
        self.ready_candidates(index, now)
            .filter(|other| !seek.is_of_same_network(&self.seeks[*other].seek))
    }

    /// Returns the first ready candidate of another network that need not wait for a preferred candidate. Without ready
    /// candidates of another network, returns a candidate of the same network that has no ready candidate of another
    /// network either.
    fn find_partner(&self, index: usize, is_overdue: bool, now: Instant) -> Option<usize> {
        let is_allowed = |other: usize| {
            let waits =
                || self.waits_for_preferred(index, other) || self.waits_for_preferred(other, index);
            is_overdue || !waits()
        };
        let mut preferred = self.preferred_partners(index, now).peekable();
        if preferred.peek().is_some() {
            return preferred.find(|other| is_allowed(*other));
        }
        self.ready_candidates(index, now).find(|other| {
            self.preferred_partners(*other, now).next().is_none() && is_allowed(*other)
        })
    }

    /// Returns whether a candidate of `seek` that comes before its `partner` was pinged in the interval of `seek`, and
    /// may still answer in the interval. Candidates of another network come first, then older candidates.
    fn waits_for_preferred(&self, seek: usize, partner: usize) -> bool {
        let waiting = &self.seeks[seek];
        let rank = |other: usize| {
            (
                waiting.seek.is_of_same_network(&self.seeks[other].seek),
                other,
            )
        };
        waiting.interval_end.is_some_and(|interval_end| {
            let is_in_interval =
                |(_, end): (PingId, Instant)| end - interval_end >= PONG_TIMEOUT - PING_INTERVAL;
            self.seeks.iter().enumerate().any(|(index, other)| {
                rank(index) < rank(partner)
                    && other.ping.is_some_and(is_in_interval)
                    && other.is_candidate_of(waiting)
            })
        })
    }

    /// Returns which `candidates` of a seek the lobby pings next.
    fn next_candidates(&self, index: usize, candidates: &[usize], now: Instant) -> Vec<usize> {
        let waiting = &self.seeks[index];
        let is_due = |other: &usize| {
            let other = &self.seeks[*other];
            other.ping.is_none() && !other.has_answered_for(waiting, now)
        };
        let mut next: Vec<usize> = candidates.iter().copied().filter(is_due).collect();
        next.sort_by_key(|other| {
            let other = &self.seeks[*other];
            (
                other.missed > 0,
                waiting.seek.is_of_same_network(&other.seek),
            )
        });
        let recent = next
            .iter()
            .copied()
            .filter(|other| self.seeks[*other].has_answered_recently(now))
            .max_by_key(|other| self.seeks[*other].answered_at);
        let of_same_network = next.iter().copied().find(|other| {
            let other = &self.seeks[*other];
            other.missed == 0 && waiting.seek.is_of_same_network(&other.seek)
        });
        next.truncate((2 * waiting.pinged_count).max(1));
        if waiting.pinged_count == 0 {
            for candidate in [recent, of_same_network].into_iter().flatten() {
                if !next.contains(&candidate) {
                    next.push(candidate);
                }
            }
        }
        next
    }

    fn ping(&mut self, index: usize, now: Instant) {
        self.last_ping.0 += 1;
        let (id, end) = (self.last_ping, self.wake_at(now + PONG_TIMEOUT));
        let waiting = &mut self.seeks[index];
        waiting.ping = Some((id, end));
        self.pings.push((waiting.seek.seeker.connection, id));
    }

    /// Adds a time for [`Lobby::next_deadline`], and returns it.
    fn wake_at(&mut self, time: Instant) -> Instant {
        self.wake_times.push(Reverse(time));
        time
    }

    fn pair(&mut self, one: usize, two: usize) {
        let newer = self.seeks.remove(one.max(two));
        let older = self.seeks.remove(one.min(two));
        for id in [older.id, newer.id] {
            self.fail_answers(id);
        }
        self.pairs
            .push([older, newer].map(|waiting| (waiting.seek, waiting.contact)));
    }
}
