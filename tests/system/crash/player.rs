//! A player of chance that outlives the server: it notes what it is told, keeps the request that has no
//! answer yet, takes its seat again when the server is back, and sends that request again.

use std::sync::Arc;
use std::time::Duration;

use futures::{SinkExt, StreamExt};
use noughts_protocol::wire::{Body, Command, Lobby, Message, Request};
use noughts_protocol::{RequestId, ResumeToken, RoomId, RoomRef, Seat, Seq, Stamped};
use noughts_tests::chance::Chance;
use noughts_tests::journal::Journal;
use noughts_tests::peer::{Peer, Stream};
use noughts_tests::wait::within;
use noughts_tests::whim::{too_late, whim};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite;

/// A request without an answer.
#[derive(Clone, Copy, Debug)]
struct Pending {
    id: RequestId,
    command: Command,
    /// It has been sent on a line that broke.
    again: bool,
    /// And on the line that there is now.
    sent: bool,
}

pub(super) struct Player {
    name: String,
    room: RoomId,
    token: ResumeToken,
    seat: Seat,
    view: noughts_protocol::Game,
    next_id: u64,
    pending: Option<Pending>,
    chance: Chance,
    journal: Arc<Journal>,
    line: Option<Stream>,
    /// On the line that there is: the server has said that it stops.
    told_to_return: bool,
}

/// How long the server may stay away.
const PATIENCE: Duration = Duration::from_secs(180);

/// The line broke; the server is no more.
struct Broken;

impl Player {
    /// Pairs in private rooms, with games of several kinds, connected.
    pub(super) async fn pairs(
        pairs: usize,
        seed: u64,
        journal: &Arc<Journal>,
        url: &watch::Sender<Option<String>>,
    ) -> Vec<Player> {
        let url = url.borrow().clone().expect("the server runs");
        let mut players = Vec::new();
        for pair in 0..pairs {
            let (rules, clock) =
                [("3x3:3", None), ("15x15:5", None), ("7x6:4+gravity", Some("10+1")), ("25x25:25", None)]
                    [pair % 4];
            let mut ann = Peer::hello(&url, &format!("Ann {pair}")).await;
            let mut bob = Peer::hello(&url, &format!("Bob {pair}")).await;
            let code = ann.create(rules, clock, None, false).await;
            assert!(matches!(code, RoomRef::Code(_)));
            bob.join(code).await.expect("the free seat");
            let seq = bob.game().seq();
            ann.caught_up(seq).await;
            for (at, peer) in [ann, bob].into_iter().enumerate() {
                let chance = Chance::new(seed << 32 | (2 * pair + at) as u64);
                players.push(Player::seated(peer, at as u64, chance, journal));
            }
        }
        players
    }

    fn seated(peer: Peer, parity: u64, chance: Chance, journal: &Arc<Journal>) -> Player {
        let place = peer.room.expect("in a room");
        journal.tell_seq(place.id, place.game.seq());
        journal.came_back();
        Player {
            name: format!("{} of {}", ["Ann", "Bob"][parity as usize], place.id),
            room: place.id,
            token: place.you.token.expect("a player"),
            seat: place.you.seat.expect("a player"),
            view: place.game,
            // No two players of a room use the same number: an event then tells whose it is.
            next_id: 1000 + parity,
            pending: None,
            chance,
            journal: Arc::clone(journal),
            line: Some(peer.stream),
            told_to_return: false,
        }
    }

    /// Plays on whatever server there is, until the journal is closed.
    pub(super) async fn live(mut self, mut url: watch::Receiver<Option<String>>) {
        loop {
            // Only the loss of the server ends this.
            while self.line.is_some() {
                if self.journal.is_over() && self.pending.is_none() {
                    self.journal.check_view(self.room, &self.view);
                    return;
                }
                if let Err(Broken) = self.turn().await {
                    self.line = None;
                }
            }
            self.journal.check_view(self.room, &self.view);
            if let Some(pending) = &mut self.pending {
                (pending.again, pending.sent) = (true, false);
            }
            // The files are looked at meanwhile, which takes the longer the more there is in them.
            let there = tokio::time::timeout(PATIENCE, url.wait_for(Option::is_some)).await;
            let there = there.expect("a server comes back").expect("the test goes on").clone();
            let there = there.expect("just looked");
            if let Err(Broken) = self.resume(&there).await {
                self.line = None;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }

    async fn resume(&mut self, url: &str) -> Result<(), Broken> {
        let connected = within("a connection", tokio_tungstenite::connect_async(url)).await;
        self.line = Some(connected.map_err(|_| Broken)?.0);
        self.told_to_return = false;
        let id = self.id();
        self.send(format!(r#"{{"type":"hello","id":{id},"versions":[1,1],"name":"Returned","kind":"bot"}}"#))
            .await?;
        let welcome = self.message().await?;
        assert!(matches!(welcome, Message::Welcome { .. }), "{}: {welcome:?}", self.name);
        // Sometimes as one who has forgotten what it knew.
        let seq = (self.chance.below(4) > 0).then(|| self.view.seq());
        let id = self.id();
        let body = Body::Lobby(Lobby::Resume { room: self.room, token: self.token, seq });
        self.send(Request { id, body }.to_json()).await?;
        loop {
            let message = self.message().await?;
            if let Message::Reject { reject, .. } = &message {
                panic!("{} cannot resume: {reject:?}", self.name);
            }
            if matches!(message, Message::Events { re: Some(re), .. } | Message::Snapshot { re: Some(re), .. } if re == id)
            {
                break;
            }
        }
        self.journal.came_back();
        self.ask().await
    }

    /// Sends what has no answer yet.
    async fn ask(&mut self) -> Result<(), Broken> {
        let Some(pending) = &mut self.pending else { return Ok(()) };
        pending.sent = true;
        let text = Request::command(pending.id, pending.command).to_json();
        self.send(text).await
    }

    /// Asks for something if there is nothing under way, and takes in what comes.
    async fn turn(&mut self) -> Result<(), Broken> {
        if self.pending.is_none()
            && let Some(command) = whim(&self.view, self.seat, &mut self.chance)
        {
            let id = self.id();
            self.pending = Some(Pending { id, command, again: false, sent: false });
            self.ask().await?;
        }
        // Without an answer under way the other one may be waiting as well: look again soon.
        match tokio::time::timeout(Duration::from_millis(20), self.message()).await {
            Err(_) if self.pending.is_none() => Ok(()),
            Err(_) => self.message().await.map(|_| ()),
            Ok(message) => message.map(|_| ()),
        }
    }

    fn id(&mut self) -> RequestId {
        self.next_id += 2;
        RequestId::new(self.next_id).expect("small")
    }

    async fn send(&mut self, text: String) -> Result<(), Broken> {
        let line = self.line.as_mut().expect("connected");
        let message = tungstenite::Message::Text(text.into());
        within("sending", line.send(message)).await.map_err(|_| Broken)
    }

    async fn message(&mut self) -> Result<Message, Broken> {
        loop {
            let line = self.line.as_mut().expect("connected");
            let next = within((&self.name, "waits for a message"), line.next()).await;
            let text = match next {
                Some(Ok(tungstenite::Message::Text(text))) => text,
                Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_))) => continue,
                Some(Ok(tungstenite::Message::Close(Some(frame)))) => {
                    assert_eq!(u16::from(frame.code), 1012, "{} is closed: {frame:?}", self.name);
                    assert!(self.told_to_return, "{} is closed without a word", self.name);
                    self.journal.sent_away();
                    return Err(Broken);
                }
                Some(Ok(_) | Err(_)) | None => return Err(Broken),
            };
            let message = Message::parse(&text).unwrap_or_else(|error| panic!("{error} in {text}"));
            self.take_in(&message);
            return Ok(message);
        }
    }

    fn take_in(&mut self, message: &Message) {
        match message {
            Message::Snapshot { room, you, state, .. } => {
                assert_eq!(*room, self.room);
                let view =
                    noughts_protocol::Game::from_snapshot(state).expect("a snapshot that holds together");
                assert!(view.seq() >= self.view.seq(), "{} is set back to {}", self.name, view.seq());
                self.journal.tell_seq(*room, view.seq());
                self.view = view;
                self.seat = you.seat.expect("a player");
            }
            Message::Events { room, events, .. } => {
                assert_eq!(*room, self.room);
                self.journal.tell(*room, events);
                for event in events {
                    self.fold(event);
                }
            }
            Message::Done { re, seq } => {
                let pending =
                    self.pending.take_if(|pending| pending.id == *re).expect("one request at a time");
                let seq = seq.expect("only what was done before is answered so");
                assert!(pending.again, "{} sent {pending:?} once", self.name);
                self.journal.tell_seq(self.room, seq);
                self.journal.sent_again(true);
                if let Some(done) = self.journal.done(self.room, *re) {
                    assert_eq!(done, seq, "{pending:?}");
                }
            }
            Message::Reject { re, reject } => {
                let pending = self.pending.take_if(|pending| Some(pending.id) == *re);
                let pending = pending.unwrap_or_else(|| panic!("{}: {reject:?}", self.name));
                // What both wanted at once may come too late; nothing of that is lost or done.
                assert!(too_late(reject.code), "{}: {pending:?} is refused: {reject:?}", self.name);
                assert_eq!(self.journal.done(self.room, pending.id), None, "{pending:?} refused and done");
                if pending.again {
                    self.journal.sent_again(false);
                }
            }
            Message::Restarting { back_in_ms } => {
                assert!(*back_in_ms > 0, "{} is told to come back at once", self.name);
                self.told_to_return = true;
            }
            Message::Notice { .. } | Message::Welcome { .. } => {}
            Message::Rooms { .. } => panic!("nobody asked for {message:?}"),
        }
    }

    fn fold(&mut self, event: &Stamped) {
        let seat = self.seat;
        assert_eq!(event.seq, Seq::new(self.view.seq().get() + 1), "{} sees a gap", self.name);
        self.view.apply(event).unwrap_or_else(|error| panic!("{}: {error} at {event:?}", self.name));
        if matches!(event.event, noughts_protocol::Event::Started { game } if game > 1) {
            self.seat = seat.other();
        }
        if let Some(pending) = self.pending
            && event.by.is_some_and(|by| by.id == pending.id)
        {
            assert_eq!(event.by.map(|by| by.seat), Some(seat), "{pending:?}");
            // Done before it could be answered: it is sent again all the same, to hear that it is done.
            if pending.sent {
                self.pending = None;
                if pending.again {
                    self.journal.sent_again(false);
                }
            }
        }
    }
}
