//! Game clocks: flags fall on the server's clock, without any request.

use std::time::Duration;

use noughts_protocol::wire::{Message, RejectCode, RequestBody, RoomCommand};
use noughts_protocol::{Event, EventRecord, Outcome, Phase, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

/// Waits for the final event of the game.
async fn wait_for_end(client: &mut TestClient) -> EventRecord {
    let is_end = |record: &EventRecord| matches!(record.event, Event::Ended { .. });
    let has_end = |message: &Message| matches!(message, Message::Events { events, .. } if events.iter().any(is_end));
    let Message::Events { events, .. } = client.wait_for("end", has_end).await else {
        unreachable!()
    };
    events
        .into_iter()
        .find(is_end)
        .expect("wait_for checks the event")
}

fn flag_result(record: &EventRecord) -> (Seat, [u64; 2]) {
    let Event::Ended {
        outcome: Outcome::Flag { winner },
        left: Some(left),
    } = record.event
    else {
        panic!("{record:?}")
    };
    (winner, left)
}

#[tokio::test]
async fn a_flag_falls_without_a_request() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "3x3:3", Some("1s+0")).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    let flag_at = x
        .game()
        .clock()
        .and_then(|clock| clock.flag_at())
        .expect("X is to move");
    // Neither player sends anything.
    let end = wait_for_end(&mut o).await;
    assert_eq!(flag_result(&end), (Seat::O, [0, 1000]));
    assert_eq!(end.by, None, "no request caused it");
    assert!(end.at >= flag_at, "{} ms too early", flag_at - end.at);
    assert_eq!(
        (
            wait_for_end(&mut x).await,
            wait_for_end(&mut spectator).await
        ),
        (end.clone(), end)
    );
    assert_eq!(
        x.expect_reject(RequestBody::Command(RoomCommand::Flag))
            .await,
        RejectCode::GameOver
    );
    assert_eq!(o.game().score().wins, [0, 1]);
}

#[tokio::test]
async fn a_snapshot_contains_the_current_time_left() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", Some("60s+0")).await;
    // The first moves cost no time.
    play_moves(&mut players, &[0, 1]).await;
    let [x, _o] = players;
    tokio::time::sleep(Duration::from_millis(30)).await;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&x)).await.expect("public");
    let [player_clock, spectator_clock] =
        [x.game(), spectator.game()].map(|game| *game.clock().expect("a clock"));
    assert_eq!(spectator_clock.running(), Some(Seat::X));
    // The player has less time left, and the flag does not fall earlier. The server gives back only the time for
    // storing the move.
    assert!(
        spectator_clock.left_at_last_stop()[0] <= 60_000 - 30
            && spectator_clock.left_at_last_stop()[1] == 60_000,
        "{spectator_clock:?}"
    );
    let [player_flag, spectator_flag] =
        [player_clock, spectator_clock].map(|clock| clock.flag_at().expect("a running clock"));
    assert!(
        (player_flag..player_flag + 1_000).contains(&spectator_flag),
        "{spectator_flag} {player_flag}"
    );
}

#[tokio::test]
async fn clocks_start_with_the_game_if_there_is_one() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let code = host
        .create("3x3:3", Some("1s+0"), Some(Seat::X), false)
        .await;
    // Waits longer than the flag takes to fall.
    tokio::time::sleep(Duration::from_millis(1200)).await;
    let mut guest = server.connect_client("Guest").await;
    guest.join(code).await.expect("the seek is waiting");
    assert_eq!(guest.game().phase(), Phase::Playing);
    // X has been to move only since the snapshot. If the clock of X had run before, it would have run out.
    let [x_left, o_left] = guest.game().clock().expect("a clock").left_at_last_stop();
    assert!(
        (1..=1000).contains(&x_left) && o_left == 1000,
        "{x_left} {o_left}"
    );
    let [mut x, o] = pair_players(&server, "3x3:3", None).await;
    let response = x.play(0).await.expect("legal");
    let Message::Events { events, .. } = response else {
        panic!("{response:?}")
    };
    assert!(
        matches!(events[0].event, Event::Moved { left: None, .. }),
        "{events:?}"
    );
    assert!(o.game().clock().is_none());
    assert_eq!(
        x.expect_reject(RequestBody::Command(RoomCommand::Flag))
            .await,
        RejectCode::FlagNotFallen
    );
}

#[tokio::test]
async fn the_first_move_of_each_side_is_free() {
    let server = TestServer::start().await;
    let mut ann = TestClient::connect_as(&server.url(), "Ann").await;
    let mut bob = server.connect_client("Bob").await;
    bob.seek("3x3:3", Some("1+2"), Some(Seat::X)).await;
    ann.seek("3x3:3", Some("1+2"), Some(Seat::O)).await;
    let state = bob.next_snapshot().await;
    assert_eq!(state.shown, Some([60_000; 2]));
    ann.next_snapshot().await;
    let mut players = [bob, ann];
    for (cell, seat) in [(0, Seat::X), (1, Seat::O), (2, Seat::X)] {
        tokio::time::sleep(Duration::from_millis(30)).await;
        let response = players[seat.index()].play(cell).await.expect("legal");
        let Message::Events { events, .. } = response else {
            panic!("{response:?}")
        };
        let Event::Moved {
            left: Some(left), ..
        } = events[0].event
        else {
            panic!("{events:?}")
        };
        match cell {
            0 | 1 => assert_eq!(left, [60_000; 2], "the first move of {seat}"),
            _ => assert!(left[0] < 62_000 && left[1] == 60_000, "{left:?}"),
        }
        let seq = players[seat.index()].game().seq();
        players[seat.other().index()].wait_until_seq(seq).await;
    }
}
