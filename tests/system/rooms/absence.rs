//! Absence: notices to the opponent, claims and their times, and cleanup.

use std::time::Duration;

use noughts_protocol::wire::{
    Claim, Message, Notice, Presence, Reject, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Event, Offer, Outcome, Phase, RoomCloseReason, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;
use noughts_tests::wait::wait_until;

/// Next presence notice for a seat.
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

async fn send_claim(client: &mut TestClient, result: Claim) -> Result<Event, Reject> {
    let response = client.send_command(RoomCommand::Claim { result }).await?;
    let Message::Events { events, .. } = response else {
        panic!("{response:?}")
    };
    Ok(events[0].event.clone())
}

fn abandoned_event(winner: Option<Seat>) -> Event {
    Event::Ended {
        outcome: Outcome::Abandoned { winner },
        left: None,
    }
}

async fn start_with_short_grace() -> TestServer {
    TestServer::start_with_limits(|limits| {
        limits.reconnect_grace = Duration::from_millis(300);
        limits.leave_grace = Duration::from_millis(150);
    })
    .await
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
async fn a_claim_succeeds_after_the_grace_period_on_the_absent_players_turn() {
    let server = start_with_short_grace().await;
    for (result, winner) in [(Claim::Win, Some(Seat::O)), (Claim::Draw, None)] {
        let [x, mut o] = pair_players(&server, "3x3:3", None).await;
        // The opponent is present and to move.
        assert_eq!(
            send_claim(&mut o, result).await.unwrap_err().code,
            RejectCode::NotClaimable
        );
        x.disconnect();
        next_presence(&mut o, Seat::X).await;
        let early_reject = send_claim(&mut o, result).await.unwrap_err();
        assert_eq!(early_reject.code, RejectCode::NotClaimable);
        let wait = early_reject.wait_ms.expect("the code is rate_limited");
        assert!((1..=300).contains(&wait), "{wait}");
        tokio::time::sleep(Duration::from_millis(wait)).await;
        assert_eq!(
            send_claim(&mut o, result)
                .await
                .expect("after the announced delay"),
            abandoned_event(winner)
        );
        assert_eq!(
            send_claim(&mut o, result).await.unwrap_err().code,
            RejectCode::GameOver
        );
    }
}

#[tokio::test]
async fn a_claim_is_rejected_on_ones_own_turn() {
    let server = start_with_short_grace().await;
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    o.disconnect();
    next_presence(&mut x, Seat::O).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    let reject = send_claim(&mut x, Claim::Win).await.unwrap_err();
    assert_eq!(
        (reject.code, reject.wait_ms),
        (RejectCode::NotClaimable, None)
    );
    x.play(4).await.expect("the player is to move");
    assert_eq!(
        send_claim(&mut x, Claim::Win)
            .await
            .expect("the absent player is to move"),
        abandoned_event(Some(Seat::X))
    );
}

#[tokio::test]
async fn the_grace_period_is_shorter_after_leaving() {
    let server =
        TestServer::start_with_limits(|limits| limits.leave_grace = Duration::from_millis(100))
            .await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    leave_room(&mut x).await;
    let (presence_of_x, claim_in) = next_presence(&mut o, Seat::X).await;
    assert!(
        presence_of_x == Presence::Left && claim_in.is_some_and(|ms| ms <= 100),
        "{claim_in:?}"
    );
    wait_until("the claim", async || {
        send_claim(&mut o, Claim::Win).await.ok()
    })
    .await;
    assert_eq!(o.game().phase(), Phase::Over);
}

#[tokio::test]
async fn a_return_within_the_grace_period_keeps_the_seat() {
    let server = start_with_short_grace().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", None).await;
    for _ in 0..3 {
        let seat_info = x.disconnect();
        next_presence(&mut o, Seat::X).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        x = server.connect_client("Ann").await;
        x.resume(&seat_info, None)
            .await
            .expect("the holder's token");
        assert_eq!(
            next_presence(&mut o, Seat::X).await,
            (Presence::Connected, None)
        );
        let reject = send_claim(&mut o, Claim::Win).await.unwrap_err();
        assert_eq!(
            (reject.code, reject.wait_ms),
            (RejectCode::NotClaimable, None),
            "the opponent is present"
        );
    }
    x.play(0).await.expect("X is to move");
}

#[tokio::test]
async fn an_unclaimed_game_is_abandoned() {
    let server =
        TestServer::start_with_limits(|limits| limits.abandon_after = Duration::from_millis(200))
            .await;
    for absent_seat in Seat::ALL {
        let players = pair_players(&server, "3x3:3", None).await;
        let [x, o] = players;
        let (absent, mut remaining) = if absent_seat == Seat::X {
            (x, o)
        } else {
            (o, x)
        };
        absent.disconnect();
        let ended = remaining
            .wait_for_event("end", |event| matches!(event, Event::Ended { .. }))
            .await;
        assert_eq!(ended, abandoned_event(Some(absent_seat.other())));
        // The room stays open for the remaining player, and the other one may return.
        assert_eq!(remaining.game().phase(), Phase::Over);
    }
}

#[tokio::test]
async fn a_room_without_players_is_drawn_and_closed() {
    let server = start_with_short_grace().await;
    let [x, o] = pair_players(&server, "3x3:3", None).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    let (seat_info, _) = (x.disconnect(), o.disconnect());
    let closed = spectator
        .wait_for_event("end of the room", |event| {
            matches!(event, Event::Closed { .. })
        })
        .await;
    assert_eq!(
        closed,
        Event::Closed {
            reason: RoomCloseReason::Deserted
        }
    );
    assert_eq!(
        spectator.game().outcome(),
        Some(&Outcome::Abandoned { winner: None })
    );
    // The spectator is free for other rooms.
    wait_until("the spectator to leave", async || {
        spectator
            .request(noughts_tests::client::game_setup::create_request(
                "3x3:3", None, None, false,
            ))
            .await
            .ok()
    })
    .await;
    let mut late_client = server.connect_client("Ann").await;
    assert_eq!(
        late_client.resume(&seat_info, None).await.unwrap_err().code,
        RejectCode::UnknownRoom
    );
    leave_room(&mut spectator).await;
    drop((spectator, late_client));
    server.wait_until_idle().await;
}

#[tokio::test]
async fn all_state_is_released_after_all_disconnect() {
    let server = start_with_short_grace().await;
    for round in 0..4 {
        let mut players = pair_players(&server, "3x3:3", Some("5+0")).await;
        if round % 2 == 1 {
            play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
        }
        let [mut x, o] = players;
        let mut host = server.connect_client("Host").await;
        let code = host.create("3x3:3", None, None, false).await;
        let mut spectator = server.connect_client("Fan").await;
        spectator.watch(code).await.expect("its code");
        let mut seeking = server.connect_client("Seeking").await;
        seeking.seek("5x5:5", Some("1+1"), None).await;
        if round < 2 {
            leave_room(&mut x).await;
            x.seek("6x6:6", None, None).await;
            o.reset();
            host.reset();
        }
    }
    server.wait_until_idle().await;
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
