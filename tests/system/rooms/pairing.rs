//! Pairing in the lobby: random seats, many seekers, and seekers that end or do not answer.

use noughts_protocol::Seat;
use noughts_protocol::wire::{Message, OpenSeek, RequestBody, SessionRequest};
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

/// The connection of a seeker that reads nothing is kept open only by its kernel.
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
    // The silent seeker is paired as soon as its connection answers a ping in time, which may be this ping or the next.
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
