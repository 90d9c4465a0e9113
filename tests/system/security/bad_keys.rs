//! Guessed keys: wrong tokens and codes are limited per address and connection, takeovers per seat. Clients with
//! correct keys are not affected, even behind the same address.

use std::time::Duration;

use noughts_protocol::wire::{Message, Reject, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, ResumeToken, RoomCode, RoomId, RoomRef, Seat};
use noughts_tests::client::game_setup::{pair_players, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::{ServerProcess, TestServer};
use noughts_tests::wait::wait_until;

const MILLISECOND: Duration = Duration::from_millis(1);

/// Connects a client from another loopback address.
async fn connect_from(server: &TestServer, from: [u8; 4]) -> TestClient {
    TestClient::connect_from(from.into(), &server.url(), "Eve").await
}

/// Returns requests with wrong keys of each kind.
fn guess_request(number: u64, known_room: RoomId) -> RequestBody {
    let token = ResumeToken::from_bits(number.into());
    let (room, code) = (
        RoomRef::Id(RoomId::from_bits(number)),
        RoomRef::Code(RoomCode::from_bits(number)),
    );
    RequestBody::Session(match number % 5 {
        0 => SessionRequest::Join { room: code },
        1 => SessionRequest::Watch {
            room: code,
            remarks: false,
        },
        2 => SessionRequest::Join { room },
        3 => SessionRequest::Resume {
            room: known_room,
            token: Some(token),
            seq: None,
        },
        _ => SessionRequest::Resume {
            room: RoomId::from_bits(number),
            token: Some(token),
            seq: None,
        },
    })
}

/// Returns the retry delay of a `rate_limited` reject.
fn rate_limit_wait(reject: &Reject) -> Option<Duration> {
    (reject.code == RejectCode::RateLimited)
        .then(|| reject.wait_ms.expect("a retry delay") as u32 * MILLISECOND)
}

#[tokio::test]
async fn wrong_keys_are_limited_per_address_and_correct_ones_are_not() {
    let server = TestServer::start_with_limits(|limits| limits.max_bad_keys_per_minute = 30).await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, None, false).await;
    // All connections of an address together may make thirty guesses.
    let mut clients = vec![];
    for _ in 0..3 {
        clients.push(connect_from(&server, [127, 7, 7, 7]).await);
    }
    for number in 0..30 {
        let response = clients[number as usize % 3]
            .request(guess_request(number, x.seat_info().id))
            .await;
        assert_eq!(
            response.expect_err("a wrong key"),
            Reject::new(RejectCode::UnknownRoom),
            "{number}"
        );
    }
    for (number, client) in (30..).zip(&mut clients) {
        let rejected = client
            .request(guess_request(number, x.seat_info().id))
            .await
            .expect_err("over the limit");
        assert!(
            rate_limit_wait(&rejected).is_some_and(|wait| wait <= 2_000 * MILLISECOND),
            "{rejected:?}"
        );
    }
    // Clients from the same address are still served if they give a correct key, no key at all, or a token.
    let joined = clients[0].join(code).await.expect("a correct code");
    assert!(matches!(joined, Message::Snapshot { .. }));
    clients[1].watch(room_ref(&x)).await.expect("a correct id");
    clients[2].create("3x3:3", None, None, false).await;
    let seat_info = x.disconnect();
    let mut x = connect_from(&server, [127, 7, 7, 7]).await;
    x.resume(&seat_info, None)
        .await
        .expect("the holder's token");
    x.play(4).await.expect("X moves first");
    o.wait_for_event("the move", |event| matches!(event, Event::Moved { .. }))
        .await;
}

/// All clients have one address, as at a school or behind a proxy. Eight of them guess as fast as the limits allow.
#[tokio::test]
async fn guessers_do_not_lock_out_the_others_of_their_address() {
    let server = ServerProcess::start(&["--set", "max-bad-keys-per-connection=1000000"]);
    let mut host = TestClient::connect_as(&server.url, "Host").await;
    host.create("3x3:3", None, None, true).await;
    let room = room_ref(&host);
    let guessers = (0..8).map(|guesser| {
        let url = server.url.clone();
        tokio::spawn(async move {
            let mut client = TestClient::connect_as(&url, "Eve").await;
            for number in 0.. {
                let key = RoomId::from_bits(1_000_000 * guesser + number);
                let reject = client
                    .watch(RoomRef::Id(key))
                    .await
                    .expect_err("a wrong id");
                if reject.code == RejectCode::RateLimited {
                    tokio::time::sleep(100 * MILLISECOND).await;
                }
            }
        })
    });
    let guessers: Vec<_> = guessers.collect();
    // The limit of the address, 240 guesses, is exceeded when the server answers a wrong id only with `rate_limited`.
    let mut probe = TestClient::connect_as(&server.url, "Probe").await;
    wait_until("the limit of the address", async || {
        let reject = probe
            .watch(RoomRef::Id(RoomId::from_bits(7)))
            .await
            .expect_err("a wrong id");
        tokio::time::sleep(100 * MILLISECOND).await;
        (reject.code == RejectCode::RateLimited).then_some(())
    })
    .await;
    for number in 0..20 {
        let mut client = TestClient::connect_as(&server.url, "Ann").await;
        let watched = client.watch(room).await;
        assert!(watched.is_ok(), "client {number}: {watched:?}");
    }
    for guesser in guessers {
        guesser.abort();
    }
}

#[tokio::test]
async fn a_connection_with_many_wrong_keys_in_a_row_is_closed() {
    let server =
        TestServer::start_with_limits(|limits| limits.max_bad_keys_per_connection = 5).await;
    let host = {
        let mut host = server.connect_client("Host").await;
        host.create("3x3:3", None, None, true).await;
        host
    };
    let mut eve = server.connect_client("Eve").await;
    // A correct key between the guesses resets their count.
    for number in 0..5 {
        assert!(
            eve.request(guess_request(number, host.seat_info().id))
                .await
                .is_err()
        );
    }
    eve.watch(room_ref(&host)).await.expect("a correct id");
    eve.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in the room");
    for number in 0..6 {
        assert!(
            eve.request(guess_request(number, host.seat_info().id))
                .await
                .is_err()
        );
    }
    assert_eq!(eve.wait_for_close().await, Some(1008));
}

#[tokio::test]
async fn alternating_takeovers_are_rate_limited() {
    let server = TestServer::start_with_limits(|limits| limits.takeovers = 5).await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let seat_info = x.seat_info().clone();
    let mut holder = x;
    for _ in 0..5 {
        let mut newer = server.connect_client("Ann").await;
        newer
            .resume(&seat_info, None)
            .await
            .expect("the holder's token");
        assert_eq!(
            std::mem::replace(&mut holder, newer).wait_for_close().await,
            Some(4002)
        );
    }
    let mut newer = server.connect_client("Ann").await;
    let rejection = newer.resume(&seat_info, None).await.expect_err("too often");
    let wait = rate_limit_wait(&rejection).expect("the code is rate_limited");
    assert!(
        (MILLISECOND..=1_000 * MILLISECOND).contains(&wait),
        "{rejection:?}"
    );
    // The holder keeps the seat, and the opponent is not affected.
    holder.play(4).await.expect("the player has seat X");
    o.wait_for_event("the move", |event| matches!(event, Event::Moved { .. }))
        .await;
    let o_seat_info = o.disconnect();
    let mut o = server.connect_client("Bob").await;
    o.resume(&o_seat_info, None).await.expect("the other seat");
    // An unoccupied seat can be resumed at any time, an occupied seat after the announced delay.
    tokio::time::sleep(wait).await;
    newer
        .resume(&seat_info, None)
        .await
        .expect("after the announced delay");
    assert_eq!(holder.wait_for_close().await, Some(4002));
    newer
        .request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in the room");
    newer
        .resume(&seat_info, None)
        .await
        .expect("the room is empty");
    o.play(0).await.expect("O is to move");
}

#[tokio::test]
async fn rooms_are_limited_per_address() {
    let server =
        TestServer::start_with_limits(|limits| limits.max_rooms_per_address = Some(4)).await;
    let mut eve = vec![];
    for _ in 0..6 {
        eve.push(connect_from(&server, [127, 7, 7, 9]).await);
    }
    let rejection = |response: Result<Message, Reject>| {
        let reject = response.expect_err("too many rooms");
        assert_eq!(
            (reject.code, reject.detail.is_some()),
            (RejectCode::ServerFull, true),
            "{reject:?}"
        );
    };
    // A created room and a seek each use one permit.
    eve[0].create("3x3:3", None, None, true).await;
    eve[1].create("3x3:3", None, None, false).await;
    eve[2].seek("5x5:5", None, Some(Seat::X)).await;
    eve[3].seek("5x5:5", None, Some(Seat::X)).await;
    for wish in [
        noughts_tests::client::game_setup::create_request("3x3:3", None, None, true),
        noughts_tests::client::game_setup::seek_request("5x5:5", None, Some(Seat::O)),
    ] {
        let response = eve[4].request(wish).await;
        rejection(response);
    }
    // She may join and watch rooms of other clients.
    let [x, o] = pair_players(&server, "3x3:3", None).await;
    eve[4].watch(room_ref(&x)).await.expect("public");
    let room = room_ref(&eve[0]);
    eve[5].join(room).await.expect("a free seat");
    // A permit is released when its seek or its room ends, not when the creator leaves.
    eve[2]
        .request(RequestBody::Session(SessionRequest::Cancel))
        .await
        .expect("waiting");
    eve[2].create("3x3:3", None, None, true).await;
    let seat_info = eve.remove(0).disconnect();
    let mut attempt = connect_from(&server, [127, 7, 7, 9]).await;
    let response = attempt
        .request(noughts_tests::client::game_setup::create_request(
            "3x3:3", None, None, true,
        ))
        .await;
    rejection(response);
    attempt
        .resume(&seat_info, None)
        .await
        .expect("the room of the seat");
    drop((eve, attempt, x, o));
}
