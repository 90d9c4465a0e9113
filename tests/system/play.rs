//! Whole games over real sockets: the event that ends them, and that both sides and the score agree.

use noughts_protocol::wire::{Command, Message};
use noughts_protocol::{Cell, Event, LineName, Offer, Outcome, Phase, Rules, Seat};
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play, play_text, random_game};

/// Plays `moves` and gives how the game ended: the same for both players and in the snapshot.
async fn ended(rules: &str, moves: &str) -> Outcome {
    let server = Server::start().await;
    let mut players = pair(&server, rules, None).await;
    play_text(&mut players, moves).await;
    let [x, mut o] = players;
    let outcome = x.game().outcome().unwrap_or_else(|| panic!("{rules} goes on after {moves}")).clone();
    assert_eq!(o.game().outcome(), Some(&outcome));
    let mut fan = server.peer("Fan").await;
    fan.watch(noughts_tests::table::public(&x)).await.expect("public");
    assert_eq!(fan.game().outcome(), Some(&outcome));
    assert_eq!(fan.game().phase(), Phase::Over);
    let wins = Seat::ALL.map(|seat| u32::from(outcome.winner() == Some(seat)));
    assert_eq!(fan.game().score().wins, wins);
    assert_eq!(fan.game().score().draws, u32::from(outcome.winner().is_none()));
    assert!(matches!(o.offer(Offer::Rematch).await, Ok(Message::Events { .. })));
    outcome
}

/// The winner, the name of the line, and its cells as players write them.
fn line(rules: &str, outcome: &Outcome) -> (Option<Seat>, LineName, String) {
    let rules: Rules = rules.parse().unwrap();
    let line = outcome.line().unwrap_or_else(|| panic!("no line: {outcome}"));
    let cells: Vec<String> = line.cells.iter().map(|cell| rules.cell_text(*cell)).collect();
    (outcome.winner(), line.name, cells.join(" "))
}

async fn check(rules: &str, moves: &str, winner: Seat, name: LineName, cells: &str) {
    let outcome = ended(rules, moves).await;
    assert_eq!(line(rules, &outcome), (Some(winner), name, cells.into()), "{rules}: {moves}");
}

#[tokio::test]
async fn tic_tac_toe_ends_with_a_line_or_a_full_board() {
    check("3x3:3", "b2 a1 c1 b1 a3", Seat::X, LineName::OtherDiagonal, "c1 b2 a3").await;
    check("3x3:3", "a1 b1 a2 b2 c3 b3", Seat::O, LineName::Column, "b1 b2 b3").await;
    assert_eq!(ended("3x3:3", "a1 b2 c3 b1 b3 a3 c1 c2 a2").await, Outcome::Full);
}

#[tokio::test]
async fn in_misere_the_line_loses() {
    check("3x3:3+misere", "a1 a2 b1 b2 c1", Seat::O, LineName::Row, "a1 b1 c1").await;
}

#[tokio::test]
async fn connect_four_stones_fall_from_any_cell_of_the_column() {
    // Row 1 is the top: a move anywhere in a column comes to rest on its pile.
    check("connect4", "a1 b6 a3 b1 a6 b3 a2", Seat::X, LineName::Column, "a3 a4 a5 a6").await;
    let moves = "a1 a1 b1 b1 c1 c1 d1";
    check("connect4", moves, Seat::X, LineName::Row, "a6 b6 c6 d6").await;
}

#[tokio::test]
async fn where_a_stone_rests_is_what_the_event_says() {
    let server = Server::start().await;
    let [mut x, mut o] = pair(&server, "connect4", None).await;
    let rules: Rules = "connect4".parse().unwrap();
    for (row, rest) in ["d1", "d6", "d2", "d3", "d1", "d1"].iter().zip(["d6", "d5", "d4", "d3", "d2", "d1"]) {
        let seq = o.game().seq();
        let cell = rules.parse_cell(row).unwrap();
        let [mover, other] =
            if o.game().position().turn() == Seat::X { [&mut x, &mut o] } else { [&mut o, &mut x] };
        mover.command(Command::Move { cell, seq }).await.expect("room in the column");
        let moved = other.event("move", |event| matches!(event, Event::Moved { .. })).await;
        let Event::Moved { cell, .. } = moved else { unreachable!() };
        assert_eq!(rules.cell_text(cell), rest);
    }
}

#[tokio::test]
async fn six_in_a_row_win_freely_and_mean_nothing_exactly() {
    let six = "a1 a3 b1 b3 c1 c3 e1 e3 f1 f3 d1";
    check("15x15:5", six, Seat::X, LineName::Row, "a1 b1 c1 d1 e1 f1").await;
    // The same stones mean nothing; the game goes on to a five somewhere else.
    let five = format!("{six} a5 a15 c5 b15 e5 c15 g5 d15 i5 e15");
    check("15x15:5+exact", &five, Seat::X, LineName::Row, "a15 b15 c15 d15 e15").await;
}

#[tokio::test]
async fn lines_in_three_dimensions_and_in_one() {
    // X on the long diagonal, O on a pillar.
    let outcome = ended("qubic", "1,1,1 2,1,1 2,2,2 2,1,2 3,3,3 2,1,3 4,4,4").await;
    let diagonal = (Some(Seat::X), LineName::SpaceDiagonal, "1,1,1 2,2,2 3,3,3 4,4,4".into());
    assert_eq!(line("qubic", &outcome), diagonal);
    let row: Rules = "9:3".parse().unwrap();
    let names: Vec<String> = [0, 8, 1, 7, 2].map(|index| row.cell_text(Cell::new(index))).into();
    let outcome = ended("9:3", &names.join(" ")).await;
    assert_eq!((outcome.winner(), outcome.line().unwrap().name), (Some(Seat::X), LineName::Row));
}

#[tokio::test]
async fn whatever_is_played_the_server_says_what_the_rules_say() {
    let server = Server::start().await;
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
        let mut players = pair(&server, rules, None).await;
        // Any sequence will do, as long as it is the same every time.
        let mut state = number;
        let moves = random_game(rules.parse().unwrap(), |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        });
        let cells: Vec<u16> = moves.iter().map(|cell| cell.index() as u16).collect();
        play(&mut players, &cells).await;
        for peer in &players {
            assert_eq!(peer.game().position().moves(), moves, "{rules}");
            assert_eq!(peer.game().phase(), Phase::Over, "{rules}");
        }
    }
}
