//! A player of chance over the client's own connection, through a line that is cut under its requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts::connection::{Link, News, Offline, Options, Retry};
use noughts_protocol::wire::{self, Body, Hello, Lobby, Message};
use noughts_protocol::{Event, Game, Kind, RequestId, RoomId, RoomRef, Seat, Seq, Stamped};
use noughts_tests::chance::Chance;
use noughts_tests::journal::Journal;
use noughts_tests::program::ServerProcess;
use noughts_tests::proxy::{End, Proxy, Way};
use noughts_tests::table;
use noughts_tests::wait::within;
use noughts_tests::whim::{too_late, whim};

/// How lines are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Cut at some byte of a request, or of what comes down after it.
    UnderRequests,
    /// Late, slow, stalled, closed or reset, from the handshake on.
    ByChance,
}

impl How {
    /// What the server needs for it: where lines fall silent, pings that find out soon.
    pub(super) fn flags(self) -> &'static [&'static str] {
        match self {
            // What runs out for a party that gets no turn is no matter here.
            How::UnderRequests => &["--ping", "10m", "--hello", "2m", "--handshake", "2m", "--write", "2m"],
            How::ByChance => &["--ping", "1s"],
        }
    }
}

/// What all players have seen.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// When the players come to an end: after so many answers that were cut off, or lines lost by chance.
    pub(super) wanted: u64,
    /// Lines that were lost under a request, whichever side of its commit: by a cut of their player's, or as
    /// chance had it.
    pub(super) cut: AtomicU64,
    /// Those that were cut on the way from the server.
    pub(super) down: AtomicU64,
    /// Lines whose cut found no request on its way.
    pub(super) idle: AtomicU64,
    /// How often the server asked for patience with one who came back.
    pub(super) told_to_wait: AtomicU64,
}

/// A request without an answer.
#[derive(Clone, Copy, Debug)]
struct Pending {
    id: RequestId,
    /// Its line was lost under it.
    again: bool,
}

pub(super) struct Player {
    link: Link,
    proxy: Proxy,
    how: How,
    chance: Chance,
    journal: Arc<Journal>,
    counts: Arc<Counts>,
    seat: Seat,
    view: Option<(RoomId, Game)>,
    pending: Option<Pending>,
    /// The line that is to be cut, and where.
    armed: Option<(usize, Way)>,
    /// What this player was told is done.
    accepted: Vec<(RoomId, RequestId, Seq)>,
}

impl Player {
    /// Two in a private room, each behind a proxy of its own, which is in order so far.
    pub(super) async fn pair(
        server: &ServerProcess,
        number: u64,
        how: How,
        seed: u64,
        journal: &Arc<Journal>,
        counts: &Arc<Counts>,
    ) -> [Player; 2] {
        let kinds = [("3x3:3", None), ("15x15:5", None), ("7x6:4+gravity", Some("10+1")), ("25x25:25", None)];
        let (rules, clock) = kinds[number as usize % kinds.len()];
        let new = |at| {
            let chance = Chance::new(seed << 32 | (2 * number + at));
            Player::connect(server, how, chance, journal, counts)
        };
        let [mut ann, mut bob] = [new(0).await, new(1).await];
        ann.link.send(table::create(rules, clock, None, false)).expect("nothing waits");
        let code = within("a room", ann.seated()).await.expect("a private room has a code");
        bob.link.send(Body::Lobby(Lobby::Join { room: code })).expect("nothing waits");
        within("a seat", bob.seated()).await;
        // How the room began is in no event that either was told: once there is an image of it, nor in the
        // files.
        let id = bob.link.send(Body::Lobby(Lobby::Sync { seq: Seq::ZERO })).expect("nothing waits");
        within("the beginning", bob.told_again(id)).await;
        [ann, bob]
    }

    async fn connect(
        server: &ServerProcess,
        how: How,
        chance: Chance,
        journal: &Arc<Journal>,
        counts: &Arc<Counts>,
    ) -> Player {
        let proxy = Proxy::before(server.address()).await;
        let hello = Hello {
            versions: [wire::VERSION; 2],
            name: "Ann".parse().expect("a name"),
            kind: Kind::Bot,
            client: Some("tests".into()),
            party: None,
        };
        let url = proxy.url().parse().expect("an address");
        // As stubborn as a person who has gone for tea.
        let retry = Retry::For(Duration::from_secs(15 * 60));
        Player {
            link: Link::open(Options { url, hello, retry }),
            proxy,
            how,
            chance,
            journal: Arc::clone(journal),
            counts: Arc::clone(counts),
            seat: Seat::X,
            view: None,
            pending: None,
            armed: None,
            accepted: Vec::new(),
        }
    }

    /// Waits for a seat, and gives the code that it comes with.
    async fn seated(&mut self) -> Option<RoomRef> {
        loop {
            let news = self.link.next().await.expect("the link lives");
            if let News::Message(Message::Snapshot { you, .. }) = &news {
                let code = you.code.map(RoomRef::Code);
                self.hear(news);
                return code;
            }
        }
    }

    /// Waits for events that it has already.
    async fn told_again(&mut self, id: RequestId) {
        loop {
            let news = self.link.next().await.expect("the link lives");
            if let News::Message(Message::Events { re: Some(re), room, events }) = &news
                && *re == id
            {
                return self.journal.tell(*room, events);
            }
            self.hear(news);
        }
    }

    /// Plays until enough lines have been cut and nothing is under way, and says what was done.
    pub(super) async fn live(mut self) -> Vec<(RoomId, RequestId, Seq)> {
        if self.how == How::ByChance {
            self.proxy.draw(self.chance.clone(), 3_000);
            self.proxy.cut();
        }
        loop {
            if self.pending.is_none() {
                if self.is_over() {
                    let (room, view) = self.view.as_ref().expect("seated");
                    self.journal.check_view(*room, view);
                    self.link.close().await;
                    return self.accepted;
                }
                self.ask();
            }
            // The other one may be waiting as well: without a request under way, look again soon.
            let patience =
                if self.pending.is_some() { Duration::from_secs(120) } else { Duration::from_millis(30) };
            match tokio::time::timeout(patience, self.link.next()).await {
                Ok(news) => self.hear(news.expect("the link lives")),
                Err(_) => assert!(self.pending.is_none(), "{:?} has no answer", self.pending),
            }
        }
    }

    fn is_over(&self) -> bool {
        let lines = self.counts.cut.load(Ordering::Relaxed);
        let [_, done_before] = self.journal.again();
        match self.how {
            // A request that was done when it came again is one whose answer was cut off.
            How::UnderRequests => {
                assert!(lines < 10 * self.counts.wanted, "{lines} cuts, {done_before} of an answer");
                done_before as u64 >= self.counts.wanted
            }
            How::ByChance => lines >= self.counts.wanted,
        }
    }

    /// Asks for something, if it is for this one to act, and has the line cut at some byte of the
    /// request, or of what comes down after it.
    fn ask(&mut self) {
        let (_, view) = self.view.as_ref().expect("seated");
        // The one who waits in a room of its own has no game yet.
        if view.phase() == noughts_protocol::Phase::Waiting {
            return;
        }
        let Some(command) = whim(view, self.seat, &mut self.chance) else { return };
        // The line may have been gone already when its end was set.
        self.armed =
            self.armed.filter(|(line, _)| line + 1 == self.proxy.lines() || self.proxy.has_struck(*line));
        // Now and then a request passes, so that games go on.
        if self.how == How::UnderRequests && self.armed.is_none() && self.chance.below(3) > 0 {
            let ends = [End::Reset, End::Close, End::HalfClose];
            let end = ends[self.chance.below(ends.len() as u64) as usize];
            let (way, bytes) = match self.chance.below(5) {
                0 => (Way::Up, self.chance.below(100)),
                _ => (Way::Down, self.chance.below(200)),
            };
            self.armed = Some((self.proxy.end_after(way, bytes, end), way));
        }
        let id = self.link.send(Body::Command(command)).expect("one request at a time");
        self.pending = Some(Pending { id, again: false });
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Connecting { .. } | News::Online { .. } => {}
            News::Offline { why, .. } => self.offline(&why),
            News::Lost(id) => panic!("request {id} was given up: {:?}", self.pending),
            News::Ended(why) => panic!("the connection has ended: {why}"),
            News::Message(message) => self.take_in(message),
        }
    }

    fn offline(&mut self, why: &Offline) {
        let armed = self.armed.take();
        let counts = &self.counts;
        let count = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        match (self.how, armed.filter(|(line, _)| self.proxy.has_struck(*line)), why) {
            (How::UnderRequests, Some(_), _) if self.pending.is_none() => count(&counts.idle),
            (How::UnderRequests, Some((_, Way::Down)), _) => {
                count(&counts.down);
                count(&counts.cut)
            }
            (How::UnderRequests, Some((_, Way::Up)), _) | (How::ByChance, _, _) => count(&counts.cut),
            (How::UnderRequests, None, Offline::NotReady(_)) => count(&counts.told_to_wait),
            (
                How::UnderRequests,
                None,
                Offline::Io(_)
                | Offline::Timeout
                | Offline::Silent
                | Offline::Restarting
                | Offline::Closed(_)
                | Offline::Http(_)
                | Offline::Garbled,
            ) => panic!("a line was lost that nobody cut: {why}; {armed:?} of {}", self.proxy.lines()),
        };
        if let Some(pending) = &mut self.pending {
            pending.again = true;
        }
        let (room, view) = self.view.as_ref().expect("seated");
        self.journal.check_view(*room, view);
    }

    fn take_in(&mut self, message: Message) {
        match message {
            Message::Snapshot { room, you, state, .. } => {
                let game = Game::from_snapshot(&state).expect("a snapshot that holds together");
                if let Some((known, view)) = &self.view {
                    assert_eq!(*known, room);
                    assert!(game.seq() >= view.seq(), "set back to {}", game.seq());
                }
                self.journal.tell_seq(room, game.seq());
                self.seat = you.seat.expect("a player");
                self.view = Some((room, game));
            }
            Message::Events { re, room, events } => {
                self.journal.tell(room, &events);
                for event in &events {
                    // What answers the wish to be back was done while the line was lost.
                    self.fold(event, re.is_some());
                }
            }
            Message::Done { re, seq } => {
                if let Some(pending) = self.pending.take_if(|pending| pending.id == re) {
                    assert!(pending.again, "{pending:?} was sent once, and done before");
                    self.done(pending, seq.expect("a command is done by an event"), true);
                }
            }
            Message::Reject { re, reject } => {
                let pending = self.pending.take_if(|pending| Some(pending.id) == re);
                let pending = pending.unwrap_or_else(|| panic!("{re:?} is refused: {reject:?}"));
                assert!(too_late(reject.code), "{pending:?} is refused: {reject:?}");
                let (room, _) = self.view.as_ref().expect("seated");
                assert_eq!(self.journal.done(*room, pending.id), None, "{pending:?} refused and done");
                if pending.again {
                    self.journal.sent_again(false);
                }
            }
            Message::Welcome { .. } | Message::Notice { .. } => {}
            Message::Rooms { .. } | Message::Restarting { .. } => panic!("nobody asked for {message:?}"),
        }
    }

    fn fold(&mut self, event: &Stamped, done_before: bool) {
        let (_, view) = self.view.as_mut().expect("a snapshot comes first");
        let seat = self.seat;
        view.apply(event).unwrap_or_else(|error| panic!("{error} at {event:?}"));
        if matches!(event.event, Event::Started { game } if game > 1) {
            self.seat = seat.other();
        }
        let by_me = |pending: &mut Pending| event.by.is_some_and(|by| by.id == pending.id);
        if let Some(pending) = self.pending.take_if(by_me) {
            assert_eq!(event.by.map(|by| by.seat), Some(seat), "{pending:?}");
            self.done(pending, event.seq, done_before);
        }
    }

    fn done(&mut self, pending: Pending, seq: Seq, before: bool) {
        let (room, _) = self.view.as_ref().expect("seated");
        self.accepted.push((*room, pending.id, seq));
        if pending.again {
            self.journal.sent_again(before);
        }
    }
}
