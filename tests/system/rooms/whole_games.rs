//! Whole games over real sockets, and their rematches: all clients agree.

use noughts_protocol::wire::{RequestBody, RoomCommand, SessionRequest};
use noughts_protocol::{Event, Offer, Phase, Rules, Seat, Seq};
use noughts_tests::client::game_setup::{
    pair_players, play_moves, random_game, room_ref, untimed_view,
};
use noughts_tests::rng::SeededRng;
use noughts_tests::server::TestServer;

#[tokio::test]
async fn move_events_name_the_landing_cell() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "connect4", None).await;
    let rules: Rules = "connect4".parse().unwrap();
    for (row, landing) in ["d1", "d6", "d2", "d3", "d1", "d1"]
        .iter()
        .zip(["d1", "d2", "d3", "d4", "d5", "d6"])
    {
        let seq = o.game().seq();
        let cell = rules.parse_cell(row).unwrap();
        let [mover, other] = if o.game().position().turn() == Seat::X {
            [&mut x, &mut o]
        } else {
            [&mut o, &mut x]
        };
        mover
            .send_command(RoomCommand::Move { cell, seq })
            .await
            .expect("the column is not full");
        let moved = other
            .wait_for_event("move", |event| matches!(event, Event::Moved { .. }))
            .await;
        let Event::Moved { cell, .. } = moved else {
            unreachable!()
        };
        assert_eq!(rules.cell_text(cell), landing);
    }
}

#[tokio::test]
async fn random_games_match_the_rules() {
    let server = TestServer::start().await;
    for (number, rules) in [
        "3x3:3",
        "5x4:4+gravity",
        "4x4:3+misere",
        "6x6:4+exact",
        "3x3x3:3",
        "3x3x3x3:3",
        "2x3x4:3+gravity",
        "25:4",
    ]
    .into_iter()
    .enumerate()
    {
        let mut players = pair_players(&server, rules, None).await;
        let mut rng = SeededRng::new(number as u64);
        let moves = random_game(rules.parse().unwrap(), |count| {
            rng.random_below(count as u64) as usize
        });
        let cells: Vec<u16> = moves.iter().map(|cell| cell.index() as u16).collect();
        play_moves(&mut players, &cells).await;
        for test_client in &players {
            assert_eq!(test_client.game().position().moves(), moves, "{rules}");
            assert_eq!(test_client.game().phase(), Phase::Over, "{rules}");
        }
    }
}

#[tokio::test]
async fn a_rematch_swaps_seats_and_keeps_score_tokens_and_spectators() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", Some("5+0")).await;
    play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
    let [mut ann, mut bob] = players;
    let mut spectator = server.connect_client("Fan").await;
    spectator.watch(room_ref(&ann)).await.expect("public");
    let tokens =
        [&ann, &bob].map(|client| client.seat_info().role.token.expect("a player").to_string());
    for game in 2..=4_u32 {
        let (loser, winner) = if game % 2 == 0 {
            (&mut bob, &mut ann)
        } else {
            (&mut ann, &mut bob)
        };
        loser.offer(Offer::Rematch).await.expect("over");
        winner.wait_until_seq(loser.game().seq()).await;
        winner.offer(Offer::Rematch).await.expect("offered");
        for client in [loser, &mut spectator] {
            client.wait_until_seq(winner.game().seq()).await;
            assert_eq!(untimed_view(client.game()), untimed_view(winner.game()));
        }
        let seat = if game % 2 == 0 { Seat::O } else { Seat::X };
        assert_eq!((ann.seat(), bob.seat()), (seat, seat.other()));
        assert_eq!(
            spectator.game().player(seat).expect("seated").name.as_str(),
            "Ann"
        );
        assert_eq!(
            (spectator.game().number(), spectator.game().position().ply()),
            (game, 0)
        );
        let left = spectator
            .game()
            .left(spectator.game().last_event_at())
            .expect("a clock");
        assert_eq!(left, [300_000; 2], "full clocks");
        // X wins each game.
        let mut players = [ann, bob];
        play_moves(&mut players, &[0, 3, 1, 4, 2]).await;
        [ann, bob] = players;
        spectator.wait_until_seq(ann.game().seq()).await;
        let wins = spectator.game().score().wins;
        assert_eq!(
            wins[ann.seat().index()],
            game.div_ceil(2),
            "Ann's after game {game}"
        );
        assert_eq!(
            wins[bob.seat().index()],
            game / 2,
            "Bob's after game {game}"
        );
    }
    for (client, token) in [&mut ann, &mut bob].into_iter().zip(tokens) {
        let seat = client.seat();
        let sync = RequestBody::Session(SessionRequest::Sync {
            seq: Seq::new(9_999),
        });
        client.request(sync).await.expect("in a room");
        assert_eq!(client.seat(), seat, "the score agrees with the events");
        assert_eq!(
            client.seat_info().role.token.expect("a player").to_string(),
            token
        );
    }
}
