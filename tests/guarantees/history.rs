//! P1 to P4, P14, P16, P17: clients receive exactly the events that are stored.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use noughts_protocol::wire::{Message, RejectCode, Request, RequestBody, RoomCommand};
use noughts_protocol::{Cell, Game, Offer, Seat};
use noughts_server::ServerLimits;
use noughts_server::testing::Room;
use noughts_server::testing::ServerClock;
use noughts_server::testing::{DataDirError, Durability, SqliteOptions};
use noughts_server::testing::{EventLog, MemoryLog, SqliteLog};
use noughts_tests::client::game_setup::{
    pair_players, play_moves, random_game, request_id, room_ref, untimed_view,
};
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::faults::failing_store::{self, FailingStore};
use noughts_tests::faults::{Fault, FaultyLog};
use noughts_tests::program::TempDir;
use noughts_tests::server::TestServer;
use noughts_tests::wait::{wait_until, with_timeout};

use crate::start_server;

/// Starts a server on a log that can be blocked, with two players and a spectator.
async fn start_watched_game(
    fault: Option<Fault>,
    append: Duration,
) -> (TestServer, Arc<FailingStore>, [TestClient; 3]) {
    let log = FailingStore::new();
    let server = start_server(fault, |options| {
        options.log = log.clone();
        options.limits.append_timeout = append;
    })
    .await;
    let [x, o] = pair_players(&server, "5x5:5", None).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    (server, log, [x, o, spectator])
}

pub(super) fn sent_events_are_stored(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut clients) = start_watched_game(fault, Duration::from_secs(600)).await;
        let (seq, before) = (clients[0].game().seq(), log.append_count());
        log.block_appends();
        clients[0]
            .send(&Request::command(
                request_id(500),
                RoomCommand::Move {
                    cell: Cell::new(4),
                    seq,
                },
            ))
            .await;
        wait_until("the append", async || {
            (log.append_count() > before).then_some(())
        })
        .await;
        for client in &mut clients {
            client.drain_messages().await;
            assert_eq!(client.game().seq(), seq, "sent before it was stored");
        }
        log.unblock_appends();
        for client in &mut clients {
            client.wait_until_seq(seq.next()).await;
        }
    }
    .boxed_local()
}

pub(super) fn a_repeated_request_is_applied_once(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, [mut x, mut o, _fan]) =
            start_watched_game(fault, Duration::from_secs(5)).await;
        // The test repeats a draw offer, because a faulty server would execute this request twice.
        let offer = RequestBody::Command(RoomCommand::Offer { offer: Offer::Draw });
        x.request_with_id(request_id(500), offer.clone())
            .await
            .expect("no offer is pending");
        o.wait_until_seq(x.game().seq()).await;
        o.send_command(RoomCommand::Decline { offer: Offer::Draw })
            .await
            .expect("an offer is pending");
        x.wait_until_seq(o.game().seq()).await;
        let repeated = x.request_with_id(request_id(500), offer).await;
        let stored = log.events(x.seat_info().id).await;
        let applied_count = stored
            .iter()
            .filter(|event| event.by.is_some_and(|by| by.id == request_id(500)))
            .count();
        assert_eq!(
            applied_count, 1,
            "request 500 was executed again: {repeated:?}"
        );
        assert!(
            matches!(repeated, Ok(Message::Done { seq: Some(_), .. })),
            "{repeated:?}"
        );
    }
    .boxed_local()
}

pub(super) fn all_clients_see_one_history(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut clients) = start_watched_game(fault, Duration::from_secs(5)).await;
        let room = clients[0].seat_info().id;
        for round in 0..12 {
            let (draw, number) = (Offer::Draw, 500 + 2 * round);
            clients[0]
                .send(&Request::command(
                    request_id(number),
                    RoomCommand::Offer { offer: draw },
                ))
                .await;
            clients[0]
                .send(&Request::command(
                    request_id(number + 1),
                    RoomCommand::Decline { offer: draw },
                ))
                .await;
        }
        let stored = wait_until("the last event", async || {
            let events = log.events(room).await;
            (events.len() == 4 + 24).then_some(events)
        })
        .await;
        let mut replayed = Game::open(&stored[0]).expect("a history");
        stored[1..]
            .iter()
            .for_each(|event| replayed.apply(event).expect("a history"));
        for client in &mut clients {
            client.wait_until_seq(replayed.seq()).await;
            assert_eq!(untimed_view(client.game()), untimed_view(&replayed));
        }
    }
    .boxed_local()
}

pub(super) fn state_is_the_replay(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = start_server(fault, |options| options.log = log.clone()).await;
        let mut players = pair_players(&server, "3x3:3", None).await;
        play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
        let stored = log
            .load(players[0].seat_info().id)
            .await
            .expect("an open room");
        let limits = ServerLimits::default().into();
        let replayed =
            Room::replay(&stored, limits, players[0].game().last_event_at()).expect("a history");
        for player in &players {
            assert_eq!(
                untimed_view(player.game()),
                untimed_view(replayed.game()),
                "the state is not the replay"
            );
        }
    }
    .boxed_local()
}

pub(super) fn an_event_that_is_not_stored_is_rejected(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let (_server, log, mut clients) = start_watched_game(fault, Duration::from_secs(5)).await;
        let seq = clients[0].game().seq();
        log.fail_next_appends(&[failing_store::AppendFailure::Unavailable]);
        let body = RequestBody::Command(RoomCommand::Move {
            cell: Cell::new(4),
            seq,
        });
        let response = clients[0].request_with_id(request_id(500), body).await;
        for client in &mut clients {
            client.drain_messages().await;
            assert_eq!(client.game().seq(), seq, "sent without being stored");
        }
        assert_eq!(
            response.expect_err("it was not stored").code,
            RejectCode::Unavailable
        );
    }
    .boxed_local()
}

pub(super) fn corruption_is_reported(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let data_dir = TempDir::default();
        let options = || SqliteOptions::new(Durability::Process, ServerClock::start());
        let log = Arc::new(SqliteLog::open(data_dir.path(), options()).expect("an empty folder"));
        let server = start_server(fault, |options| options.log = log.clone()).await;
        let mut players = pair_players(&server, "5x5:5", None).await;
        play_moves(&mut players, &[0, 24]).await;
        server.stop().await.expect("the log works");
        let log = Arc::into_inner(log).expect("the server has released the lock");
        tokio::task::spawn_blocking(|| drop(log))
            .await
            .expect("the log can be closed");
        // Damages the last event, because no later event reveals that it is missing.
        let file = data_dir.path().join("noughts.db");
        let mut bytes = std::fs::read(&file).expect("the file");
        let cell = br#""cell":24"#;
        let at = bytes
            .windows(cell.len())
            .position(|bytes| bytes == cell)
            .expect("the file contains the move");
        bytes[at + cell.len() - 1] = b'3';
        std::fs::write(&file, bytes).expect("a file of this test");
        let log_fault = match fault {
            Some(Fault::Log(fault)) => Some(fault),
            Some(Fault::Room(_) | Fault::Limit(_) | Fault::Wire(_)) | None => None,
        };
        match FaultyLog::open(data_dir.path(), options(), log_fault) {
            Err(DataDirError::Corrupt(what)) => {
                assert!(
                    what.contains(&players[0].seat_info().id.to_string()),
                    "no location of the corruption: {what}"
                );
            }
            Err(other) => panic!("corruption is reported as {other}"),
            Ok(_) => panic!("corruption is not reported"),
        }
    }
    .boxed_local()
}

/// Returns the remaining times that a player sees after a restart with this server clock.
async fn time_left_after_restart(
    fault: Option<Fault>,
    log: &Arc<MemoryLog>,
    now: u64,
    player: &SeatInfo,
) -> [u64; 2] {
    let server = start_server(fault, |options| {
        options.log = log.clone();
        options.time = ServerClock::from_unix_ms(now);
    })
    .await;
    let mut client = server.connect_client("Ann").await;
    client
        .resume(player, None)
        .await
        .expect("the holder's token");
    let left = client
        .game()
        .left(client.game().last_event_at())
        .expect("a clock");
    drop(client);
    server.stop().await.expect("the log works");
    left
}

pub(super) fn replay_does_not_depend_on_the_clock(
    fault: Option<Fault>,
) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let started_at = 1_700_000_000_000;
        let first = start_server(fault, |options| {
            options.log = log.clone();
            options.time = ServerClock::from_unix_ms(started_at);
        })
        .await;
        let mut players = pair_players(&first, "5x5:5", Some("10+0")).await;
        play_moves(&mut players, &[0, 1, 2]).await;
        let [x, _o] = players.map(TestClient::disconnect);
        let time_left_before = x.game.left(x.game.last_event_at()).expect("a clock");
        first.stop().await.expect("the log works");
        for hours in [1, 24 * 365] {
            let now = started_at + hours * 3_600_000;
            let left = time_left_after_restart(fault, &log, now, &x).await;
            assert_eq!(
                left, time_left_before,
                "different remaining time, {hours} hours later"
            );
        }
    }
    .boxed_local()
}

pub(super) fn a_start_reads_few_events(fault: Option<Fault>) -> LocalBoxFuture<'static, ()> {
    async move {
        let log = Arc::new(MemoryLog::default());
        let server = start_server(fault, |options| options.log = log.clone()).await;
        let mut players = pair_players(&server, "25x25:25", None).await;
        let rules = *players[0].game().rules();
        let mut at = 0;
        let moves = random_game(rules, |legal| {
            at += 7;
            at % legal
        });
        let cells: Vec<u16> = moves
            .iter()
            .take(300)
            .map(|cell| cell.index() as u16)
            .collect();
        with_timeout("300 moves", play_moves(&mut players, &cells)).await;
        let open = log.recover().await.expect("a log in memory");
        let [(_, stored)] = &open[..] else {
            panic!("{} rooms", open.len())
        };
        assert_eq!(stored.last_seq(), players[0].game().seq());
        let events = stored.events.len();
        assert!(
            events <= 256,
            "{events} events to read of {}",
            stored.last_seq()
        );
        let room = Room::replay(
            stored,
            ServerLimits::default().into(),
            players[0].game().last_event_at(),
        );
        let room = room.expect("a history");
        assert_eq!(untimed_view(room.game()), untimed_view(players[0].game()));
        assert_eq!(
            room.game().player(Seat::X),
            players[0].game().player(Seat::X)
        );
    }
    .boxed_local()
}
