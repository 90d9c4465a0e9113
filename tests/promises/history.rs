//! P1 to P4, P14, P16, P18: what is told, what is stored, and that the one is the other.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Body, Command, Lobby, Message, RejectCode, Request};
use noughts_protocol::{Cell, Game, Offer, RequestId, Seat};
use noughts_server::config::Limits;
use noughts_server::fault::Faults;
use noughts_server::log::sqlite::{Durability, OpenError, Options};
use noughts_server::log::{EventLog, MemoryLog, SqliteLog};
use noughts_server::room::{Patience, Room};
use noughts_server::time::Time;
use noughts_tests::faulty::{self, FaultyLog};
use noughts_tests::peer::{Peer, Place};
use noughts_tests::program::Folder;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, public, random_game};
use noughts_tests::wait::{until, within};

use crate::server;

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("small")
}

/// All that there is to see of a game, but for what a clock says in between events.
fn state(game: &Game) -> String {
    let mut snapshot = game.snapshot(game.at());
    (snapshot.left, snapshot.at) = (None, 0);
    serde_json::to_string(&snapshot).expect("a snapshot")
}

/// Everything that was sent to this peer so far has arrived.
async fn hears_all(peer: &mut Peer) {
    peer.ask(Body::Lobby(Lobby::List)).await.expect("a list");
}

/// A server on a log that the test can shut, two players and one who watches.
async fn watched(faults: Faults, append: Duration) -> (Server, Arc<FaultyLog>, [Peer; 3]) {
    let log = FaultyLog::new();
    let server = server(faults, |setup| {
        setup.log = log.clone();
        setup.limits.append = append;
    })
    .await;
    let [x, o] = pair(&server, "5x5:5", None).await;
    let mut fan = server.peer("Fan").await;
    fan.watch(public(&x)).await.expect("public");
    (server, log, [x, o, fan])
}

pub(super) fn told_is_stored(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut peers) = watched(faults, Duration::from_secs(60)).await;
        let (seq, before) = (peers[0].game().seq(), log.appends());
        log.shut();
        peers[0].send(&Request::command(id(500), Command::Move { cell: Cell::new(4), seq })).await;
        until("the append", async || (log.appends() > before).then_some(())).await;
        for peer in &mut peers {
            hears_all(peer).await;
            assert_eq!(peer.game().seq(), seq, "told before it was stored");
        }
        log.open();
        for peer in &mut peers {
            peer.caught_up(seq.next()).await;
        }
    }
    .boxed_local()
}

pub(super) fn sent_again_is_done_once(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, [mut x, mut o, _fan]) = watched(faults, Duration::from_secs(5)).await;
        // The one kind of request that would do something a second time, were it not known.
        let offer = Body::Command(Command::Offer { offer: Offer::Draw });
        x.ask_as(id(500), offer.clone()).await.expect("none is on the table");
        o.caught_up(x.game().seq()).await;
        o.command(Command::Decline { offer: Offer::Draw }).await.expect("on the table");
        x.caught_up(o.game().seq()).await;
        let again = x.ask_as(id(500), offer).await;
        let done = log.events(x.place().id).await;
        let done = done.iter().filter(|event| event.by.is_some_and(|by| by.id == id(500))).count();
        assert_eq!(done, 1, "request 500 was done again: {again:?}");
        assert!(matches!(again, Ok(Message::Done { seq: Some(_), .. })), "{again:?}");
    }
    .boxed_local()
}

pub(super) fn all_see_one_history(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut peers) = watched(faults, Duration::from_secs(5)).await;
        let room = peers[0].place().id;
        for round in 0..12 {
            let (draw, number) = (Offer::Draw, 500 + 2 * round);
            peers[0].send(&Request::command(id(number), Command::Offer { offer: draw })).await;
            peers[0].send(&Request::command(id(number + 1), Command::Decline { offer: draw })).await;
        }
        let stored = until("the last of them", async || {
            let events = log.events(room).await;
            (events.len() == 4 + 24).then_some(events)
        })
        .await;
        let mut told = Game::open(&stored[0]).expect("a history");
        stored[1..].iter().for_each(|event| told.apply(event).expect("a history"));
        for peer in &mut peers {
            peer.caught_up(told.seq()).await;
            assert_eq!(state(peer.game()), state(&told));
        }
    }
    .boxed_local()
}

pub(super) fn state_is_the_replay(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = server(faults, |setup| setup.log = log.clone()).await;
        let mut players = pair(&server, "3x3:3", None).await;
        play(&mut players, &[0, 3, 1, 4, 2]).await;
        let stored = log.load(players[0].place().id).await.expect("an open room");
        let patience = Patience::new(&Limits::default()).into();
        let replayed = Room::replay(&stored, patience, players[0].game().at()).expect("a history");
        for player in &players {
            assert_eq!(state(player.game()), state(replayed.game()), "what is seen is not the replay");
        }
    }
    .boxed_local()
}

pub(super) fn what_is_not_stored_is_refused(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut peers) = watched(faults, Duration::from_secs(5)).await;
        let seq = peers[0].game().seq();
        log.next(&[faulty::Fault::Fail]);
        let body = Body::Command(Command::Move { cell: Cell::new(4), seq });
        let answer = peers[0].ask_as(id(500), body).await;
        for peer in &mut peers {
            hears_all(peer).await;
            assert_eq!(peer.game().seq(), seq, "shown and not stored");
        }
        assert_eq!(answer.expect_err("it was not stored").code, RejectCode::Unavailable);
    }
    .boxed_local()
}

pub(super) fn damage_is_named(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let data = Folder::default();
        let options = || Options::new(Durability::Process, Time::start());
        let log = Arc::new(SqliteLog::open(data.path(), options()).expect("an empty folder"));
        let server = server(faults, |setup| setup.log = log.clone()).await;
        let mut players = pair(&server, "5x5:5", None).await;
        play(&mut players, &[0, 24]).await;
        server.stop().await.expect("nothing is wrong with the log");
        let log = Arc::into_inner(log).expect("the server has let go of it");
        tokio::task::spawn_blocking(|| drop(log)).await.expect("the log closes");
        // The last event: nothing after it misses it.
        let file = data.path().join("noughts.db");
        let mut bytes = std::fs::read(&file).expect("the file");
        let cell = br#""cell":24"#;
        let at = bytes.windows(cell.len()).position(|bytes| bytes == cell).expect("the move is in the file");
        bytes[at + cell.len() - 1] = b'3';
        std::fs::write(&file, bytes).expect("a file of our own");
        match SqliteLog::open_with(data.path(), options(), faults) {
            Err(OpenError::Damaged(what)) => {
                assert!(what.contains(&players[0].place().id.to_string()), "damaged, and where? {what}");
            }
            Err(other) => panic!("damage is seen as something else: {other}"),
            Ok(_) => panic!("damage is passed over"),
        }
    }
    .boxed_local()
}

/// The times left that a player sees who comes back to a server of this time.
async fn left_at(faults: Faults, log: &Arc<MemoryLog>, now: u64, player: &Place) -> [u64; 2] {
    let server = server(faults, |setup| {
        setup.log = log.clone();
        setup.time = Time::at(now);
    })
    .await;
    let mut again = server.peer("Ann").await;
    again.resume(player, None).await.expect("its token");
    let left = again.game().left(again.game().at()).expect("a clock");
    drop(again);
    server.stop().await.expect("nothing is wrong with the log");
    left
}

pub(super) fn another_clock_changes_nothing(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let begun = 1_700_000_000_000;
        let first = server(faults, |setup| {
            setup.log = log.clone();
            setup.time = Time::at(begun);
        })
        .await;
        let mut players = pair(&first, "5x5:5", Some("10+0")).await;
        play(&mut players, &[0, 1, 2]).await;
        let [x, _o] = players.map(Peer::cut);
        let told = x.game.left(x.game.at()).expect("a clock");
        first.stop().await.expect("nothing is wrong with the log");
        for hours in [1, 24 * 365] {
            let now = begun + hours * 3_600_000;
            let left = left_at(faults, &log, now, &x).await;
            assert_eq!(left, told, "another time left, {hours} hours later");
        }
    }
    .boxed_local()
}

pub(super) fn a_start_reads_little(faults: Faults) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = server(faults, |setup| setup.log = log.clone()).await;
        let mut players = pair(&server, "25x25:25", None).await;
        let rules = *players[0].game().rules();
        let mut at = 0;
        let moves = random_game(rules, |legal| {
            at += 7;
            at % legal
        });
        let cells: Vec<u16> = moves.iter().take(300).map(|cell| cell.index() as u16).collect();
        within("300 moves", play(&mut players, &cells)).await;
        let open = log.recover().await.expect("a log in memory");
        let [(_, stored)] = &open[..] else { panic!("{} rooms", open.len()) };
        assert_eq!(stored.last_seq(), players[0].game().seq());
        let events = stored.events.len();
        assert!(events <= 256, "{events} events to read of {}", stored.last_seq());
        let room = Room::replay(stored, Patience::new(&Limits::default()).into(), players[0].game().at());
        let room = room.expect("a history");
        assert_eq!(state(room.game()), state(players[0].game()));
        assert_eq!(room.game().player(Seat::X), players[0].game().player(Seat::X));
    }
    .boxed_local()
}
