//! Pairing in the lobby: which seeks match and which do not.

use noughts_protocol::wire::{Message, OpenSeek, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Phase, Seat};
use noughts_tests::client::game_setup::seek_request;
use noughts_tests::client::raw_websocket::{PING, PONG, RawWebSocket, TEXT};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{TestServer, TestServerOptions};
use noughts_tests::wait::wait_until;

async fn list_seeks(client: &mut TestClient) -> Vec<OpenSeek> {
    match client
        .request(RequestBody::Session(SessionRequest::List))
        .await
    {
        Ok(Message::Rooms { seeks, .. }) => seeks,
        other => panic!("expected a list: {other:?}"),
    }
}

fn opponent_name(client: &TestClient) -> String {
    client
        .game()
        .player(client.seat().other())
        .expect("two play")
        .name
        .to_string()
}

/// Rules, clock and seat.
type SeekSpec<'a> = (&'a str, Option<&'a str>, Option<Seat>);

/// Sends seeks one after the other; returns the pairs by their index, and the clients. Unpaired clients keep
/// waiting.
async fn pair_up(
    server: &TestServer,
    seek_specs: &[SeekSpec<'_>],
) -> (Vec<Option<usize>>, Vec<TestClient>) {
    let mut clients = Vec::new();
    for (number, (rules, clock, seat)) in seek_specs.iter().enumerate() {
        let mut client = server.connect_client(&number.to_string()).await;
        client.seek(rules, *clock, *seat).await;
        clients.push(client);
    }
    let mut found = Vec::new();
    for client in &mut clients {
        // The response to a list request arrives after all results of the pairing.
        let waiting_names = list_seeks(client)
            .await
            .into_iter()
            .map(|seek| seek.player.name.to_string());
        let own = found.len().to_string();
        if waiting_names.into_iter().any(|name| name == own) {
            assert!(client.room.is_none(), "{own} both waits and plays");
            found.push(None);
        } else {
            client.next_snapshot().await;
            assert_eq!(client.game().phase(), Phase::Playing);
            found.push(opponent_name(client).parse().ok());
        }
    }
    (found, clients)
}

#[tokio::test]
async fn seeks_are_paired_in_order() {
    let server = TestServer::start().await;
    let x = Some(Seat::X);
    let seek_specs = [
        ("3x3:3", None, x),
        ("3x3:3", None, x),
        ("3x3:3", None, None),
        ("3x3:3", None, None),
    ];
    assert_eq!(
        pair_up(&server, &seek_specs).await.0,
        [Some(2), Some(3), Some(0), Some(1)]
    );
}

#[tokio::test]
async fn rules_clocks_and_seats_must_match() {
    let server = TestServer::start().await;
    let x = Some(Seat::X);
    let seek_specs = [
        ("3x3:3", None, None),
        ("3x3:3+misere", None, None),
        ("3x3:3", Some("5+0"), None),
        ("3x3:3", Some("5+1"), None),
        ("4x4:3", None, x),
        ("4x4:3", None, x),
    ];
    let (alone, mut waiting) = pair_up(&server, &seek_specs).await;
    assert_eq!(alone, [None; 6]);
    let seek_specs = [
        ("3x3:3", Some("300s+0"), None),
        ("4X4:3", None, Some(Seat::O)),
    ];
    let mut late = [
        server.connect_client("a").await,
        server.connect_client("b").await,
    ];
    for ((client, (rules, clock, seat)), opponent) in late.iter_mut().zip(seek_specs).zip([2, 4]) {
        client.seek(rules, clock, seat).await;
        // A waiting client answers a ping before its game begins.
        futures::future::join(client.next_snapshot(), waiting[opponent].next_snapshot()).await;
    }
    assert_eq!(opponent_name(&late[0]), "2");
    assert_eq!(opponent_name(&late[1]), "4");
}

#[tokio::test]
async fn named_rules_equal_their_text_form() {
    let server = TestServer::start().await;
    let seek_specs = [("connect4", None, None), ("7x6:4+gravity", None, None)];
    assert_eq!(pair_up(&server, &seek_specs).await.0, [Some(1), Some(0)]);
}

#[tokio::test]
async fn seat_preferences_are_respected() {
    let server = TestServer::start().await;
    for (first, second, seats) in [
        (Some(Seat::O), None, [Seat::O, Seat::X]),
        (None, Some(Seat::X), [Seat::O, Seat::X]),
        (None, Some(Seat::O), [Seat::X, Seat::O]),
        (Some(Seat::X), Some(Seat::O), [Seat::X, Seat::O]),
    ] {
        let mut pair = [
            server.connect_client("a").await,
            server.connect_client("b").await,
        ];
        pair[0].seek("3x3:3", None, first).await;
        pair[1].seek("3x3:3", None, second).await;
        for (client, seat) in pair.iter_mut().zip(seats) {
            client.next_snapshot().await;
            assert_eq!(client.seat(), seat, "{first:?} and {second:?}");
        }
    }
}

#[tokio::test]
async fn seats_without_preference_are_random() {
    let mut first_seat_counts = [0, 0];
    for seed in 0..12 {
        let server = TestServer::start_with(TestServerOptions {
            seed,
            ..TestServerOptions::default()
        })
        .await;
        let mut pair = [
            server.connect_client("a").await,
            server.connect_client("b").await,
        ];
        for client in &mut pair {
            client.seek("3x3:3", None, None).await;
        }
        for client in &mut pair {
            client.next_snapshot().await;
        }
        assert_eq!(pair[0].seat(), pair[1].seat().other());
        first_seat_counts[pair[0].seat().index()] += 1;
    }
    assert!(
        first_seat_counts.iter().all(|count| *count > 0),
        "X and O were drawn {first_seat_counts:?} times"
    );
}

#[tokio::test]
async fn a_client_is_not_paired_with_itself() {
    let server = TestServer::start().await;
    let mut client = server.connect_client("a").await;
    client.seek("3x3:3", None, None).await;
    assert_eq!(
        client
            .expect_reject(seek_request("3x3:3", None, None))
            .await,
        RejectCode::AlreadySeeking
    );
    assert_eq!(
        client
            .expect_reject(seek_request("4x4:4", None, None))
            .await,
        RejectCode::AlreadySeeking
    );
    assert_eq!(list_seeks(&mut client).await.len(), 1);
    assert!(client.room.is_none());
}

#[tokio::test]
async fn a_cancelled_seek_is_not_paired() {
    let server = TestServer::start().await;
    let [mut a, mut b] = [
        server.connect_client("a").await,
        server.connect_client("b").await,
    ];
    assert_eq!(
        a.expect_reject(RequestBody::Session(SessionRequest::Cancel))
            .await,
        RejectCode::NotSeeking
    );
    a.seek("3x3:3", None, None).await;
    assert!(matches!(
        a.request(RequestBody::Session(SessionRequest::Cancel))
            .await,
        Ok(Message::Done { .. })
    ));
    assert_eq!(
        a.expect_reject(RequestBody::Session(SessionRequest::Cancel))
            .await,
        RejectCode::NotSeeking
    );
    b.seek("3x3:3", None, None).await;
    assert_eq!(list_seeks(&mut a).await.len(), 1, "only b waits");
    // A client may seek again, even another game.
    a.seek("4x4:4", None, None).await;
    assert!(a.room.is_none() && b.room.is_none());
    assert_eq!(list_seeks(&mut a).await.len(), 2);
}

#[tokio::test]
async fn a_seek_ends_with_its_connection() {
    let server = TestServer::start().await;
    let [mut gone, mut reset, mut here] = [
        server.connect_client("gone").await,
        server.connect_client("reset").await,
        server.connect_client("here").await,
    ];
    gone.seek("3x3:3", None, None).await;
    reset.seek("3x3:3", None, Some(Seat::X)).await;
    gone.next_snapshot().await;
    reset.next_snapshot().await;
    let mut third = server.connect_client("third").await;
    third.seek("4x4:3", None, None).await;
    drop(third);
    wait_until("the seek to end", async || {
        list_seeks(&mut here).await.is_empty().then_some(())
    })
    .await;
    here.seek("4x4:3", None, None).await;
    assert!(here.room.is_none(), "the first seek was paired");
    drop((gone, reset, here));
}

#[tokio::test]
async fn many_seeks_are_paired() {
    let server = TestServer::start().await;
    let clients = (0..60).map(|number| {
        let server = &server;
        async move {
            let mut client = server.connect_client(&number.to_string()).await;
            client.seek("3x3:3", None, None).await;
            client.next_snapshot().await;
            client
        }
    });
    let clients: Vec<TestClient> = futures::future::join_all(clients).await;
    for client in &clients {
        let other = &clients[opponent_name(client).parse::<usize>().expect("a number")];
        assert_eq!(client.seat_info().id, other.seat_info().id);
        assert_eq!(client.seat(), other.seat().other());
    }
    assert_eq!(server.metric("noughts_rooms").await, 30);
}

/// A seeker that reads nothing is alive for its kernel only.
#[tokio::test]
async fn a_seeker_that_does_not_answer_is_passed_over() {
    let server = TestServer::start().await;
    let mut silent = RawWebSocket::connect_and_greet(server.address()).await;
    silent
        .write_text(r#"{"type":"seek","id":1,"rules":"3x3:3","seat":"X"}"#)
        .await;
    assert!(matches!(silent.next_message().await, Message::Done { .. }));
    let mut ann = server.connect_client("Ann").await;
    ann.seek("3x3:3", None, Some(Seat::O)).await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", None, Some(Seat::X)).await;
    futures::future::join(ann.next_snapshot(), bob.next_snapshot()).await;
    assert_eq!(ann.seat_info().id, bob.seat_info().id);
    // A late answer makes the silent seek available again.
    let mut cleo = server.connect_client("Cleo").await;
    cleo.seek("3x3:3", None, Some(Seat::O)).await;
    let answer = async {
        loop {
            match silent.next_frame().await.expect("the connection is open") {
                (PING, number) => {
                    silent.write_frame(PONG, &number).await;
                }
                (TEXT, text) if text.starts_with(br#"{"type":"snapshot""#) => return,
                _ => {}
            }
        }
    };
    futures::future::join(answer, cleo.next_snapshot()).await;
}
