//! Absence: notices to the opponent, the end of an unclaimed game, and the return.

use std::time::Duration;

use noughts_protocol::wire::{
    Message, Notice, Presence, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Event, Offer, Outcome, Phase, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

/// Returns the next presence notice for a seat.
async fn next_presence(client: &mut TestClient, seat: Seat) -> (Presence, Option<u64>) {
    let is_for_seat =
        |notice: &Notice| matches!(notice, Notice::Presence { seat: of, .. } if *of == seat);
    let Notice::Presence {
        presence,
        claim_in_ms,
        ..
    } = client.wait_for_notice("presence", is_for_seat).await
    else {
        unreachable!()
    };
    (presence, claim_in_ms)
}

async fn leave_room(client: &mut TestClient) {
    let response = client
        .request(RequestBody::Session(SessionRequest::Leave))
        .await;
    assert!(matches!(response, Ok(Message::Done { .. })), "{response:?}");
}

#[tokio::test]
async fn presence_changes_are_broadcast() {
    let server = TestServer::start().await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    let seat_info = x.disconnect();
    for client in [&mut o, &mut spectator] {
        let (presence, claim_in) = next_presence(client, Seat::X).await;
        assert_eq!(presence, Presence::Disconnected);
        let claim_in = claim_in.expect("a game is running");
        assert!((1..=60_000).contains(&claim_in), "{claim_in}");
    }
    // Clients that connect later receive the notice too.
    let mut late_client = server.connect_client("Late").await;
    late_client.watch(room_ref(&o)).await.expect("public");
    let (presence_of_x, claim_in) = next_presence(&mut late_client, Seat::X).await;
    assert!(presence_of_x == Presence::Disconnected && claim_in.is_some_and(|ms| ms <= 60_000));
    let mut x = server.connect_client("Ann").await;
    x.resume(&seat_info, None)
        .await
        .expect("the holder's token");
    for client in [&mut o, &mut spectator, &mut late_client] {
        assert_eq!(
            next_presence(client, Seat::X).await,
            (Presence::Connected, None)
        );
    }
    leave_room(&mut x).await;
    for client in [&mut o, &mut spectator, &mut late_client] {
        let (presence_of_x, claim_in) = next_presence(client, Seat::X).await;
        assert!(
            presence_of_x == Presence::Left && claim_in.is_some_and(|ms| ms <= 10_000),
            "{presence_of_x:?} {claim_in:?}"
        );
    }
}

#[tokio::test]
async fn a_player_who_does_not_answer_is_shown_before_the_connection_ends() {
    let interval = Duration::from_millis(300);
    let server = TestServer::start_with_limits(|limits| limits.ping_interval = interval).await;
    // The test does not read the messages of X, so X answers no ping.
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    let is_silent = |notice: &Notice| matches!(notice, Notice::Lag { ms: [Some(ms), _] } if u128::from(*ms) >= interval.as_millis() / 3);
    o.wait_for_notice("lag", is_silent).await;
    let (presence, _) = next_presence(&mut o, Seat::X).await;
    assert_eq!(presence, Presence::Disconnected);
    drop(x);
}

#[tokio::test]
async fn an_unclaimed_game_is_abandoned() {
    let server =
        TestServer::start_with_limits(|limits| limits.abandon_after = Duration::from_millis(200))
            .await;
    let [x, mut o] = pair_players(&server, "3x3:3", None).await;
    x.disconnect();
    let ended = o
        .wait_for_event("end", |event| matches!(event, Event::Ended { .. }))
        .await;
    let winner = Some(Seat::O);
    let (outcome, left) = (Outcome::Abandoned { winner }, None);
    assert_eq!(ended, Event::Ended { outcome, left });
    // The room stays open for the remaining player, and the player who left may return.
    assert_eq!(o.game().phase(), Phase::Over);
}

#[tokio::test]
async fn a_player_who_left_can_return_for_the_rematch() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    x.offer(Offer::Rematch).await.expect("over");
    leave_room(&mut x).await;
    assert_eq!(
        next_presence(&mut o, Seat::X).await,
        (Presence::Left, None),
        "no running game to claim"
    );
    let reject = o
        .expect_reject(RequestBody::Command(RoomCommand::Accept {
            offer: Offer::Rematch,
        }))
        .await;
    assert_eq!(reject, RejectCode::OpponentLeft);
    let seat_info = x.seat_info().clone();
    x.resume(&seat_info, None)
        .await
        .expect("the holder's token");
    assert_eq!(
        x.game().offered_by(Offer::Rematch),
        Some(Seat::X),
        "the result stays"
    );
    o.send_command(RoomCommand::Accept {
        offer: Offer::Rematch,
    })
    .await
    .expect("offered");
    x.wait_until_seq(o.game().seq()).await;
    assert_eq!(
        (x.seat(), o.seat(), x.game().number()),
        (Seat::O, Seat::X, 2)
    );
}

#[tokio::test]
async fn absence_is_reported_at_the_start_of_a_game() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut x, mut o] = players;
    x.offer(Offer::Rematch).await.expect("over");
    x.disconnect();
    assert_eq!(
        next_presence(&mut o, Seat::X).await,
        (Presence::Disconnected, None)
    );
    o.send_command(RoomCommand::Accept {
        offer: Offer::Rematch,
    })
    .await
    .expect("the player may resume");
    // The absent player has seat O in this game.
    let (away, claim_in) = next_presence(&mut o, Seat::O).await;
    assert!(
        away == Presence::Disconnected && claim_in.is_some_and(|ms| ms <= 60_000),
        "{away:?} {claim_in:?}"
    );
}

#[tokio::test]
async fn a_guest_can_join_while_the_host_is_disconnected() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(code).await.expect("its code");
    let seat_info = host.disconnect();
    next_presence(&mut spectator, Seat::X).await;
    let mut guest = server.connect_client("Guest").await;
    guest.join(code).await.expect("the cell is free");
    assert_eq!(
        next_presence(&mut guest, Seat::X).await.0,
        Presence::Disconnected
    );
    let mut host = server.connect_client("Host").await;
    let response = host
        .resume(&seat_info, Some(seat_info.game.seq()))
        .await
        .expect("the holder's token");
    assert!(matches!(response, Message::Events { .. }), "{response:?}");
    assert_eq!(host.game().phase(), Phase::Playing);
    host.play(0).await.expect("X moves first");
}
