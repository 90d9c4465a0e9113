//! Those who do not read: they delay nobody, and get what they need to go on.

use std::time::Duration;

use noughts_protocol::wire::{Command, Lobby, Message, Request, You};
use noughts_protocol::{Cell, Game, Offer, RequestId, RoomId, Seat};
use noughts_tests::faulty::{Fault, FaultyLog};
use noughts_tests::peer::{Peer, Place};
use noughts_tests::raw::Raw;
use noughts_tests::server::{Server, Setup};
use noughts_tests::table::{pair, public};
use noughts_tests::wait::{until, within};

/// A small outbox, and a long patience with writes unless the test is about that.
async fn server(write: Duration) -> Server {
    Server::limited(|limits| (limits.outbox, limits.write) = (8, write)).await
}

const LONG: Duration = Duration::from_secs(60);

fn state(game: &Game) -> String {
    let mut snapshot = game.snapshot(0);
    snapshot.left = None;
    serde_json::to_string(&snapshot).expect("a snapshot")
}

/// Both talk and listen: two events a round.
async fn chatter(x: &mut Peer, o: &mut Peer, rounds: usize) {
    for _ in 0..rounds {
        x.offer(Offer::Draw).await.expect("none is on the table");
        o.caught_up(x.game().seq()).await;
        o.command(Command::Decline { offer: Offer::Draw }).await.expect("on the table");
        x.caught_up(o.game().seq()).await;
        for peer in [&mut *x, &mut *o] {
            while peer.seen(|_| true).is_some() {}
        }
    }
}

/// A line that reads when it is told to, and folds what it reads.
struct Slow {
    raw: Raw,
    place: Option<(RoomId, You)>,
    game: Option<Game>,
    /// Snapshots after the first.
    conflated: usize,
}

impl Slow {
    async fn asking(server: &Server, lobby: Lobby) -> Slow {
        let mut raw = Raw::narrow(server.address()).await;
        raw.upgrade().await;
        raw.greet().await;
        raw.request(&Request::lobby(RequestId::new(1).expect("small"), lobby)).await;
        let mut slow = Slow { raw, place: None, game: None, conflated: 0 };
        while slow.game.is_none() {
            slow.read().await;
        }
        slow
    }

    async fn read(&mut self) {
        match self.raw.message().await {
            Message::Snapshot { state, room, you, .. } => {
                self.conflated += usize::from(self.game.is_some());
                self.place = Some((room, you));
                let game = Game::from_snapshot(&state).expect("a snapshot");
                if let Some(before) = &self.game {
                    assert!(game.seq() >= before.seq(), "a snapshot of the past");
                }
                self.game = Some(game);
            }
            Message::Events { events, .. } => {
                let game = self.game.as_mut().expect("a snapshot comes first");
                for event in &events {
                    assert_eq!(event.seq, game.seq().next(), "events have a gap");
                    game.apply(event).expect("it follows");
                }
            }
            Message::Welcome { .. }
            | Message::Done { .. }
            | Message::Reject { .. }
            | Message::Notice { .. }
            | Message::Rooms { .. }
            | Message::Restarting { .. } => {}
        }
    }

    fn game(&self) -> &Game {
        self.game.as_ref().expect("seen")
    }

    async fn read_up_to(&mut self, game: &Game) {
        within(("the view of", game.seq()), async {
            while self.game().seq() < game.seq() {
                self.read().await;
            }
        })
        .await;
        assert_eq!(state(self.game()), state(game));
    }
}

#[tokio::test]
async fn a_spectator_who_does_not_read_gets_the_whole_view_and_then_follows() {
    let server = server(LONG).await;
    let [mut x, mut o] = pair(&server, "5x5:5", None).await;
    let mut slow = Slow::asking(&server, Lobby::Watch { room: public(&x), remarks: false }).await;
    slow.raw.stuff(&server).await;
    // Nobody waits for the one who sleeps.
    chatter(&mut x, &mut o, 50).await;
    slow.read_up_to(x.game()).await;
    assert!(slow.conflated > 0, "nothing was left out");
    // From then on it follows like anyone.
    x.play(0).await.expect("legal");
    o.caught_up(x.game().seq()).await;
    o.play(1).await.expect("legal");
    slow.read_up_to(o.game()).await;
    assert_eq!(server.metric(r#"noughts_closes_total{code="4200"}"#).await, 0);
}

#[tokio::test]
async fn a_spectator_who_reads_slowly_all_along_is_not_cut_off() {
    let server = server(LONG).await;
    let [mut x, mut o] = pair(&server, "5x5:5", None).await;
    let mut slow = Slow::asking(&server, Lobby::Watch { room: public(&x), remarks: false }).await;
    slow.raw.stuff(&server).await;
    let talk = tokio::spawn(async move {
        chatter(&mut x, &mut o, 1_500).await;
        [x, o]
    });
    while !talk.is_finished() {
        slow.read().await;
        tokio::time::sleep(Duration::from_micros(500)).await;
    }
    let [x, _o] = within("the talk", talk).await.expect("no panic");
    slow.read_up_to(x.game()).await;
    assert_eq!(server.metric(r#"noughts_closes_total{code="4200"}"#).await, 0);
}

#[tokio::test]
async fn a_player_who_does_not_read_is_cut_off_and_resumes() {
    let server = server(LONG).await;
    let mut host = server.peer("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    let mut slow = Slow::asking(&server, Lobby::Join { room }).await;
    slow.raw.stuff(&server).await;
    for _ in 0..20 {
        host.offer(Offer::Draw).await.expect("none is on the table");
        host.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
    }
    // What it was sent is without a gap up to the close.
    let (messages, code) = slow.raw.to_the_end().await;
    assert_eq!(code, Some(4200));
    let mut game = slow.game().clone();
    for message in &messages {
        if let Message::Events { events, .. } = message {
            events.iter().for_each(|event| game.apply(event).expect("no gap"));
        }
    }
    assert!(game.seq() < host.game().seq(), "nothing was left out");
    let (id, you) = slow.place.expect("in a room");
    let mut again = server.peer("Raw").await;
    let seq = game.seq();
    again.resume(&Place { id, you, game }, Some(seq)).await.expect("its token");
    host.play(0).await.expect("X begins");
    again.caught_up(host.game().seq()).await;
    assert_eq!(state(again.game()), state(host.game()));
}

#[tokio::test]
async fn a_crowd_that_comes_and_goes_takes_no_room_from_a_slow_player() {
    let server = server(LONG).await;
    let mut host = server.peer("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    let mut slow = Slow::asking(&server, Lobby::Join { room }).await;
    slow.raw.stuff(&server).await;
    let mut fan = server.peer("Fan").await;
    for _ in 0..3 * 8 {
        fan.watch(public(&host)).await.expect("public");
        fan.ask(noughts_protocol::wire::Body::Lobby(Lobby::Leave)).await.expect("in the room");
        // Long enough for each to be told of.
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    // What may not be missed finds its room.
    for _ in 0..2 {
        host.offer(Offer::Draw).await.expect("none is on the table");
        host.command(Command::Decline { offer: Offer::Draw }).await.expect("its own");
    }
    slow.read_up_to(host.game()).await;
    assert_eq!(server.metric(r#"noughts_closes_total{code="4200"}"#).await, 0);
}

#[tokio::test]
async fn who_never_reads_again_is_given_up() {
    let server = server(Duration::from_millis(700)).await;
    let [x, _o] = pair(&server, "3x3:3", None).await;
    let mut slow = Slow::asking(&server, Lobby::Watch { room: public(&x), remarks: false }).await;
    slow.raw.stuff(&server).await;
    until("the line to be given up", async || {
        (server.metric("noughts_connections").await == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_whole_view_comes_also_when_the_log_was_away_as_it_was_due() {
    let log = FaultyLog::new();
    let mut setup = Setup { log: log.clone(), ..Setup::default() };
    (setup.limits.outbox, setup.limits.write) = (8, LONG);
    let server = Server::with(setup).await;
    let [mut x, mut o] = pair(&server, "5x5:5", None).await;
    let mut slow = Slow::asking(&server, Lobby::Watch { room: public(&x), remarks: false }).await;
    slow.raw.stuff(&server).await;
    chatter(&mut x, &mut o, 20).await;
    // The room does not know its own state from here on.
    log.fail_loads(true);
    log.next(&[Fault::Doubt]);
    let (seq, appends) = (x.game().seq(), log.appends());
    let id = x.id();
    x.send(&Request::command(id, Command::Move { cell: Cell::new(0), seq })).await;
    until("the append", async || (log.appends() > appends).then_some(())).await;
    // It reads all that there is, and with that asks for the whole view.
    while tokio::time::timeout(Duration::from_millis(300), slow.read()).await.is_ok() {}
    log.fail_loads(false);
    // The move was stored, and is the answer once the log can be read.
    x.answer(id, Some(Seat::X)).await.expect("it was stored");
    slow.read_up_to(x.game()).await;
}
