//! Whole games over real sockets: the final event, and the agreement of both clients and the score.

use noughts_protocol::wire::{Message, RoomCommand};
use noughts_protocol::{Cell, Event, LineName, Offer, Outcome, Phase, Rules, Seat};
use noughts_tests::client::game_setup::{pair_players, play_moves, play_moves_text, random_game};
use noughts_tests::rng::SeededRng;
use noughts_tests::server::TestServer;

/// Plays `moves`; returns the outcome, which must be equal for both players and in the snapshot.
async fn play_to_end(rules: &str, moves: &str) -> Outcome {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, rules, None).await;
    play_moves_text(&mut players, moves).await;
    let [x, mut o] = players;
    let outcome = x
        .game()
        .outcome()
        .unwrap_or_else(|| panic!("{rules} continues after {moves}"))
        .clone();
    assert_eq!(o.game().outcome(), Some(&outcome));
    let mut spectator = server.connect_client("Fan").await;
    spectator
        .watch(noughts_tests::client::game_setup::room_ref(&x))
        .await
        .expect("public");
    assert_eq!(spectator.game().outcome(), Some(&outcome));
    assert_eq!(spectator.game().phase(), Phase::Over);
    let wins = Seat::ALL.map(|seat| u32::from(outcome.winner() == Some(seat)));
    assert_eq!(spectator.game().score().wins, wins);
    assert_eq!(
        spectator.game().score().draws,
        u32::from(outcome.winner().is_none())
    );
    assert!(matches!(
        o.offer(Offer::Rematch).await,
        Ok(Message::Events { .. })
    ));
    outcome
}

/// Winner, name and cells of the winning line.
fn winning_line(rules: &str, outcome: &Outcome) -> (Option<Seat>, LineName, String) {
    let rules: Rules = rules.parse().unwrap();
    let line = outcome
        .line()
        .unwrap_or_else(|| panic!("no winning line: {outcome}"));
    let cells: Vec<String> = line
        .cells
        .iter()
        .map(|cell| rules.cell_text(*cell))
        .collect();
    (outcome.winner(), line.name, cells.join(" "))
}

async fn check_win(rules: &str, moves: &str, winner: Seat, name: LineName, cells: &str) {
    let outcome = play_to_end(rules, moves).await;
    assert_eq!(
        winning_line(rules, &outcome),
        (Some(winner), name, cells.into()),
        "{rules}: {moves}"
    );
}

#[tokio::test]
async fn tic_tac_toe_ends_with_a_line_or_a_full_board() {
    check_win(
        "3x3:3",
        "b2 a1 c1 b1 a3",
        Seat::X,
        LineName::OtherDiagonal,
        "c1 b2 a3",
    )
    .await;
    check_win(
        "3x3:3",
        "a1 b1 a2 b2 c3 b3",
        Seat::O,
        LineName::Column,
        "b1 b2 b3",
    )
    .await;
    assert_eq!(
        play_to_end("3x3:3", "a1 b2 c3 b1 b3 a3 c1 c2 a2").await,
        Outcome::Full
    );
}

#[tokio::test]
async fn misere_line_loses() {
    check_win(
        "3x3:3+misere",
        "a1 a2 b1 b2 c1",
        Seat::O,
        LineName::Row,
        "a1 b1 c1",
    )
    .await;
}

#[tokio::test]
async fn gravity_moves_may_name_any_cell_of_the_column() {
    // Row 1 is the top: a move in a column falls onto its pile.
    check_win(
        "connect4",
        "a1 b6 a3 b1 a6 b3 a2",
        Seat::X,
        LineName::Column,
        "a3 a4 a5 a6",
    )
    .await;
    let moves = "a1 a1 b1 b1 c1 c1 d1";
    check_win("connect4", moves, Seat::X, LineName::Row, "a6 b6 c6 d6").await;
}

#[tokio::test]
async fn move_events_name_the_landing_cell() {
    let server = TestServer::start().await;
    let [mut x, mut o] = pair_players(&server, "connect4", None).await;
    let rules: Rules = "connect4".parse().unwrap();
    for (row, landing) in ["d1", "d6", "d2", "d3", "d1", "d1"]
        .iter()
        .zip(["d6", "d5", "d4", "d3", "d2", "d1"])
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
async fn overlines_win_unless_exact() {
    let six = "a1 a3 b1 b3 c1 c3 e1 e3 f1 f3 d1";
    check_win("15x15:5", six, Seat::X, LineName::Row, "a1 b1 c1 d1 e1 f1").await;
    // The six does not count; the game continues to a five elsewhere.
    let five = format!("{six} a5 a15 c5 b15 e5 c15 g5 d15 i5 e15");
    check_win(
        "15x15:5+exact",
        &five,
        Seat::X,
        LineName::Row,
        "a15 b15 c15 d15 e15",
    )
    .await;
}

#[tokio::test]
async fn lines_win_in_three_dimensions_and_in_one() {
    // X completes a space diagonal, O plays a column.
    let outcome = play_to_end("qubic", "1,1,1 2,1,1 2,2,2 2,1,2 3,3,3 2,1,3 4,4,4").await;
    let diagonal = (
        Some(Seat::X),
        LineName::SpaceDiagonal,
        "1,1,1 2,2,2 3,3,3 4,4,4".into(),
    );
    assert_eq!(winning_line("qubic", &outcome), diagonal);
    let row: Rules = "9:3".parse().unwrap();
    let names: Vec<String> = [0, 8, 1, 7, 2]
        .map(|index| row.cell_text(Cell::new(index)))
        .into();
    let outcome = play_to_end("9:3", &names.join(" ")).await;
    assert_eq!(
        (outcome.winner(), outcome.line().unwrap().name),
        (Some(Seat::X), LineName::Row)
    );
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
