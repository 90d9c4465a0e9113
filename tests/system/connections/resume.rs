//! Resuming: a lost connection costs neither the seat, nor events, nor a response.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use noughts_protocol::wire::{
    Message, Notice, Presence, RejectCode, Request, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Event, Game, Offer, RequestId, Seat, Seq};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::client::test_client::{SeatInfo, TestClient};
use noughts_tests::server::TestServer;
use noughts_tests::wait::{wait_until, with_timeout};

fn id(number: u64) -> RequestId {
    RequestId::new(number).expect("fits the type")
}

fn seqs(response: &Message) -> Vec<u64> {
    let Message::Events {
        re: Some(_),
        events,
        ..
    } = response
    else {
        panic!("{response:?}")
    };
    events.iter().map(|event| event.seq.get()).collect()
}

/// State that all clients must agree on.
fn state(game: &Game) -> String {
    let mut snapshot = game.snapshot(0);
    snapshot.left = None;
    serde_json::to_string(&snapshot).expect("a snapshot")
}

/// How a connection ends.
#[derive(Clone, Copy, Debug)]
enum DisconnectKind {
    /// With a FIN.
    Fin,
    /// With a reset.
    Reset,
    /// It stays open without a reader.
    HalfOpen,
    /// With a close frame.
    Close,
}

async fn disconnect(
    mut client: TestClient,
    kind: DisconnectKind,
) -> (SeatInfo, Option<TestClient>) {
    match kind {
        DisconnectKind::Fin => (client.disconnect(), None),
        DisconnectKind::Reset => (client.reset(), None),
        DisconnectKind::HalfOpen => (client.seat_info().clone(), Some(client)),
        DisconnectKind::Close => {
            client
                .stream
                .close(None)
                .await
                .expect("the connection is open");
            (client.disconnect(), None)
        }
    }
}

#[tokio::test]
async fn resume_sends_exactly_the_missed_events() {
    let server = TestServer::start().await;
    for disconnect_kind in [
        DisconnectKind::Fin,
        DisconnectKind::Reset,
        DisconnectKind::HalfOpen,
        DisconnectKind::Close,
    ] {
        let [mut x, o] = pair_players(&server, "5x5:5", None).await;
        x.play(0).await.expect("legal");
        let (seat_info, half_open) = disconnect(o, disconnect_kind).await;
        let seq = seat_info.game.seq();
        x.offer(Offer::Draw).await.expect("a game is running");
        x.send_command(RoomCommand::Decline { offer: Offer::Draw })
            .await
            .expect("an own offer can be withdrawn");
        let mut o = server.connect_client("Another name").await;
        let response = o
            .resume(&seat_info, Some(seq))
            .await
            .expect("the holder's token");
        let expected: Vec<u64> = (seq.get() + 1..=x.game().seq().get()).collect();
        assert_eq!(seqs(&response), expected, "{disconnect_kind:?}");
        assert_eq!(state(o.game()), state(x.game()), "{disconnect_kind:?}");
        o.play(1).await.expect("O is to move");
        x.wait_until_seq(o.game().seq()).await;
        assert_eq!(
            x.game().player(Seat::O).expect("seated").name.as_str(),
            "Bob",
            "{disconnect_kind:?}"
        );
        if let Some(half_open) = half_open {
            assert_eq!(
                half_open.wait_for_close().await,
                Some(4002),
                "{disconnect_kind:?}"
            );
        }
    }
}

#[tokio::test]
async fn resume_from_any_seq_reaches_the_same_state() {
    let server = TestServer::start_with_limits(|limits| limits.resume_buffer = 6).await;
    let mut players = pair_players(&server, "5x5:5", None).await;
    let mut seat_infos = vec![players[1].seat_info().clone()];
    for cell in 0..9 {
        play_moves(&mut players, &[cell]).await;
        seat_infos.push(players[1].seat_info().clone());
    }
    let [x, o] = players;
    let (now, mut previous) = (o.game().seq(), Some(o));
    for seat_info in seat_infos {
        let seq = seat_info.game.seq();
        let mut client = server.connect_client("Bob").await;
        let response = client
            .resume(&seat_info, Some(seq))
            .await
            .expect("the holder's token");
        if now.get() - seq.get() <= 6 {
            assert_eq!(
                seqs(&response),
                (seq.get() + 1..=now.get()).collect::<Vec<_>>()
            );
        } else {
            assert!(
                matches!(response, Message::Snapshot { re: Some(_), .. }),
                "{response:?}"
            );
        }
        assert_eq!(state(client.game()), state(x.game()), "from {seq}");
        assert_eq!(
            previous
                .replace(client)
                .expect("held")
                .wait_for_close()
                .await,
            Some(4002)
        );
    }
    // Without an event number, or with one that does not exist, the server sends a snapshot.
    for seq in [
        None,
        Some(Seq::ZERO),
        Some(now.next()),
        Some(Seq::new(RequestId::MAX)),
    ] {
        let mut client = server.connect_client("Bob").await;
        let seat_info = previous.as_ref().expect("held").seat_info().clone();
        let response = client
            .resume(&seat_info, seq)
            .await
            .expect("the holder's token");
        let Message::Snapshot { role, .. } = &response else {
            panic!("{seq:?}: {response:?}")
        };
        assert_eq!(role.seat, Some(Seat::O));
        assert!(role.token.is_some());
        previous = Some(client);
    }
}

#[tokio::test]
async fn a_move_with_a_lost_response_is_applied_once() {
    let server = TestServer::start().await;
    for applied in [true, false] {
        let [mut x, mut o] = pair_players(&server, "5x5:5", None).await;
        let seq = x.game().seq();
        let body = RequestBody::Command(RoomCommand::Move {
            cell: Cell::new(7),
            seq,
        });
        if applied {
            // The request is sent and its response is not read.
            x.send(&Request {
                id: id(50),
                body: body.clone(),
            })
            .await;
            o.wait_for_event("move", |event| matches!(event, Event::Moved { .. }))
                .await;
        }
        let seat_info = x.disconnect();
        let mut x = server.connect_client("Ann").await;
        x.resume(&seat_info, Some(seq))
            .await
            .expect("the holder's token");
        let response = x
            .request_with_id(id(50), body.clone())
            .await
            .expect("the same request");
        assert_eq!(
            matches!(response, Message::Done { seq: Some(_), .. }),
            applied,
            "{response:?}"
        );
        // Repeated requests get the same response even after the game has advanced.
        o.wait_until_seq(x.game().seq()).await;
        o.play(1).await.expect("legal");
        for _ in 0..3 {
            let Ok(Message::Done {
                seq: Some(done), ..
            }) = x.request_with_id(id(50), body.clone()).await
            else {
                panic!("the request was not executed")
            };
            assert_eq!(done, seq.next());
        }
        let other = RequestBody::Command(RoomCommand::Move {
            cell: Cell::new(8),
            seq,
        });
        assert_eq!(
            x.request_with_id(id(50), other).await.unwrap_err().code,
            RejectCode::IdReused
        );
        assert_eq!(o.game().position().moves(), [Cell::new(7), Cell::new(1)]);
    }
}

/// Seat and command.
type ScriptedCommand = (Seat, fn(&TestClient) -> RoomCommand);

#[tokio::test]
async fn repeated_commands_are_applied_once() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "connect4", None).await;
    let move_at = |cell, seq| RoomCommand::Move {
        cell: Cell::new(cell),
        seq,
    };
    let draw = Offer::Draw;
    let mut number = 100;
    // Each command is sent twice at once and again on a new connection.
    let script: &[ScriptedCommand] = &[
        (Seat::X, |x| RoomCommand::Move {
            cell: Cell::new(3),
            seq: x.game().seq(),
        }),
        (Seat::O, |_| RoomCommand::Offer { offer: Offer::Draw }),
        (Seat::X, |_| RoomCommand::Decline { offer: Offer::Draw }),
        (Seat::X, |_| RoomCommand::Offer {
            offer: Offer::Takeback,
        }),
        (Seat::O, |_| RoomCommand::Accept {
            offer: Offer::Takeback,
        }),
        (Seat::X, |x| RoomCommand::Move {
            cell: Cell::new(3),
            seq: x.game().seq(),
        }),
        (Seat::O, |_| RoomCommand::Resign),
        (Seat::X, |_| RoomCommand::Offer {
            offer: Offer::Rematch,
        }),
        (Seat::O, |_| RoomCommand::Accept {
            offer: Offer::Rematch,
        }),
    ];
    for (seat, command) in script {
        number += 1;
        let (requester, other) = if x.seat() == *seat {
            (&mut x, &mut o)
        } else {
            (&mut o, &mut x)
        };
        requester.wait_until_seq(other.game().seq()).await;
        let command = command(requester);
        let before = requester.game().seq();
        let body = RequestBody::Command(command);
        requester
            .send(&Request {
                id: id(number),
                body: body.clone(),
            })
            .await;
        requester
            .send(&Request {
                id: id(number),
                body: body.clone(),
            })
            .await;
        let done = |message: &Message| matches!(message, Message::Done { seq: Some(_), .. });
        let Message::Done { seq, .. } = requester.wait_for("done", done).await else {
            unreachable!()
        };
        assert_eq!(seq, Some(before.next()), "{command:?}");
        let seat_info = requester.seat_info().clone();
        let mut reconnected = server.connect_client("Again").await;
        reconnected
            .resume(&seat_info, Some(requester.game().seq()))
            .await
            .expect("the holder's token");
        let response = reconnected.request_with_id(id(number), body).await;
        let Ok(Message::Done { seq, .. }) = response else {
            panic!("{command:?}: {response:?}")
        };
        assert_eq!(seq, Some(before.next()), "{command:?}");
        assert_eq!(
            reconnected.game().seq(),
            requester.game().seq(),
            "{command:?}"
        );
        *requester = reconnected;
    }
    let seq = x.game().seq().max(o.game().seq());
    x.wait_until_seq(seq).await;
    o.wait_until_seq(seq).await;
    assert_eq!(state(x.game()), state(o.game()));
    assert_eq!(x.game().number(), 2);
    let stale = x
        .expect_reject(RequestBody::Command(move_at(0, Seq::new(1))))
        .await;
    assert_eq!(
        (stale, x.game().offered_by(draw)),
        (RejectCode::Stale, None)
    );
}

#[tokio::test]
async fn a_rejected_request_id_can_be_reused() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    let body = |seq| {
        RequestBody::Command(RoomCommand::Move {
            cell: Cell::new(0),
            seq,
        })
    };
    let reject = o
        .request_with_id(id(9), body(o.game().seq()))
        .await
        .unwrap_err();
    assert_eq!(reject.code, RejectCode::NotYourTurn);
    x.play(4).await.expect("legal");
    o.wait_until_seq(x.game().seq()).await;
    let response = o.request_with_id(id(9), body(o.game().seq())).await;
    assert!(
        matches!(response, Ok(Message::Events { .. })),
        "{response:?}"
    );
}

/// A client sees the close of its connection before the server has stopped counting it.
async fn wait_for_two_connections(server: &TestServer) {
    wait_until("two connections", async || {
        (server.metric("noughts_connections").await == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_newest_connection_holds_the_seat() {
    let server = TestServer::start().await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.seat_info().clone();
    let mut holders = vec![x];
    for _ in 0..100 {
        let mut newer = server.connect_client("Ann").await;
        newer
            .resume(&seat_info, Some(seat_info.game.seq()))
            .await
            .expect("the holder's token");
        let older = holders.pop().expect("one");
        assert_eq!(older.wait_for_close().await, Some(4002));
        holders.push(newer);
    }
    wait_for_two_connections(&server).await;
    let mut x = holders.pop().expect("one");
    x.play(0).await.expect("the player has seat X");
    o.wait_for_event("move", |event| matches!(event, Event::Moved { .. }))
        .await;
    // The opponent's connection was not affected.
    let room_list = o.request(RequestBody::Session(SessionRequest::List)).await;
    assert!(room_list.is_ok());
    while let Some(notice) = o.take_buffered(|message| matches!(message, Message::Notice { .. })) {
        let text = notice.to_json();
        assert!(!text.contains("presence"), "{text}");
    }
}

#[tokio::test]
async fn of_concurrent_resumes_one_holds_the_seat() {
    let server = TestServer::start().await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.disconnect();
    let newer = futures::future::join_all((0..20).map(|_| async {
        let mut client = server.connect_client("Ann").await;
        // The next request's response may overtake this one, which is not awaited.
        let token = seat_info.role.token.expect("a player");
        client
            .send(&Request::lobby(
                id(1),
                SessionRequest::Resume {
                    room: seat_info.id,
                    token,
                    seq: None,
                },
            ))
            .await;
        client
    }));
    let mut closes: FuturesUnordered<_> = newer
        .await
        .into_iter()
        .map(TestClient::wait_for_close)
        .collect();
    for _ in 0..19 {
        assert_eq!(
            with_timeout("a close", closes.next()).await,
            Some(Some(4002))
        );
    }
    wait_for_two_connections(&server).await;
    drop(closes);
    let mut x = server.connect_client("Ann").await;
    x.resume(&seat_info, None)
        .await
        .expect("the holder's token");
    x.play(0).await.expect("X is to move");
    o.wait_for_event("move", |event| matches!(event, Event::Moved { .. }))
        .await;
}

#[tokio::test]
async fn a_seat_can_be_resumed_in_every_phase() {
    let server = TestServer::start().await;
    // Waiting: the creator's connection breaks before the opponent joins.
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let seat_info = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&seat_info, None).await.expect("still waiting");
    assert_eq!(host.seat_info().role.code, seat_info.role.code);
    let mut guest = server.connect_client("Guest").await;
    guest.join(code).await.expect("the cell is free");
    host.wait_until_seq(guest.game().seq()).await;
    // Over: the rematch continues with the same tokens.
    let mut players = [host, guest];
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [host, mut guest] = players;
    let seat_info = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the room is open");
    host.offer(Offer::Rematch).await.expect("over");
    guest.wait_until_seq(host.game().seq()).await;
    guest
        .send_command(RoomCommand::Accept {
            offer: Offer::Rematch,
        })
        .await
        .expect("offered");
    // A client that knows only the first game resumes in the second, with the seat swapped.
    let old = host.disconnect();
    let mut host = server.connect_client("Host").await;
    host.resume(&old, Some(old.game.seq()))
        .await
        .expect("the token stays with the player");
    host.wait_until_seq(guest.game().seq()).await;
    assert_eq!((host.seat(), guest.seat()), (Seat::O, Seat::X));
    guest.play(0).await.expect("X moves first");
    host.wait_until_seq(guest.game().seq()).await;
    host.play(1).await.expect("O answers");
    // After an intended leave.
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    let seat_info = host.seat_info().clone();
    host.resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the seat is kept");
    guest.wait_until_seq(host.game().seq()).await;
    guest.play(2).await.expect("X is to move");
}

#[tokio::test]
async fn sync_resends_missed_events_on_the_same_connection() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    let early_seq = players[0].game().seq();
    play_moves(&mut players, &[0, 1, 2]).await;
    let [mut x, _o] = players;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    for client in [&mut x, &mut spectator] {
        let seat_info = client.room.clone().expect("in a room");
        let request = client.next_request_id();
        client
            .send(&Request::lobby(
                request,
                SessionRequest::Sync { seq: early_seq },
            ))
            .await;
        let mut earlier = seat_info.clone();
        earlier.game =
            Game::from_snapshot(&snapshot_at(&seat_info.game, early_seq)).expect("a view");
        client.room = Some(earlier);
        let response = client
            .wait_for_response(request, None)
            .await
            .expect("the message is available");
        assert_eq!(seqs(&response), [5, 6, 7]);
        assert_eq!(state(client.game()), state(&seat_info.game));
    }
}

/// Snapshot at the start of the first game.
fn snapshot_at(game: &Game, seq: Seq) -> noughts_protocol::Snapshot {
    let mut snapshot = game.snapshot(0);
    (snapshot.seq, snapshot.turn) = (seq, Some(Seat::X));
    snapshot.moves.clear();
    snapshot
}

#[tokio::test]
async fn a_dead_connection_is_dropped_and_its_seat_resumable() {
    let server =
        TestServer::start_with_limits(|limits| limits.ping_interval = Duration::from_millis(400))
            .await;
    let mut host = server.connect_client("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::X), true).await;
    // Neither reads nor answers pings, but stays open.
    let mut silent_socket = RawWebSocket::connect_and_greet(server.address()).await;
    silent_socket
        .write_request(&Request::lobby(id(1), SessionRequest::Join { room }))
        .await;
    let snapshot = silent_socket.next_message().await;
    let Message::Snapshot { role, room, .. } = snapshot else {
        panic!("{snapshot:?}")
    };
    host.wait_for_notice("absence", |notice| notice_is_away(notice, Seat::O))
        .await;
    let mut seat_info = host.seat_info().clone();
    (seat_info.role, seat_info.id) = (role, room);
    let mut reconnected = server.connect_client("Raw").await;
    reconnected
        .resume(&seat_info, None)
        .await
        .expect("the seat is kept");
    assert_eq!(silent_socket.read_close_code().await, Some(4201));
    host.play(0).await.expect("X moves first");
    reconnected.wait_until_seq(host.game().seq()).await;
    reconnected.play(1).await.expect("O answers");
}

fn notice_is_away(notice: &Notice, wanted_seat: Seat) -> bool {
    matches!(notice, Notice::Presence { seat, presence: Presence::Disconnected, .. } if *seat == wanted_seat)
}
