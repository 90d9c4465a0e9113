//! What holds on every board of the family, in positions that come about by chance.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_protocol::{Cell, Geometry, Position, Rules, Status};
use proptest::prelude::*;

use super::{best_by_nodes, position};
use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard};
use crate::{Level, SearchLimits, best_move, best_move_timed};

const BOARDS: &[&str] = &[
    "3x3:3",
    "3x3:3+misere",
    "7x6:4+gravity",
    "7x6:4+gravity+exact",
    "5x4:3+gravity+misere",
    "6x6:4+exact",
    "9:3",
    "9:2+exact",
    "8x8:5",
    "9x9:5+exact",
    "15x15:5",
    "5x5:3+misere+exact",
    "4x4x4:4",
    "4x4x4:4+gravity",
    "3x3x3x3:3",
    "3x3x3:3+misere",
    "10x10:4+misere",
    "5x5x5:3+exact",
    "25x25:6",
    "8x8x8:4",
    "3x3:1",
    "4x4:2",
];

/// A board, and a game on it played by chance that is not over.
fn games() -> impl Strategy<Value = Position> {
    (0..BOARDS.len(), proptest::collection::vec(any::<u16>(), 0..60), any::<bool>()).prop_map(
        |(board, choices, near)| {
            let mut position = Position::new(BOARDS[board].parse().unwrap());
            for choice in choices {
                let moves: Vec<Cell> = position.legal_moves().collect();
                // Beside the last stone lines come about sooner.
                let last = position.moves().last().filter(|_| near).map_or(0, |last| last.index());
                let at = last + usize::from(choice) % if last > 0 { 4 } else { 1024 };
                if position.play(moves[at % moves.len()]) != Ok(Status::Ongoing) {
                    position.undo();
                    break;
                }
            }
            position
        },
    )
}

/// Status of the game after a move.
fn ends(position: &Position, cell: Cell) -> Status {
    position.clone().play(cell).unwrap()
}

/// Where the side to move completes a line.
fn completing(position: &Position) -> Vec<Cell> {
    position.legal_moves().filter(|&cell| matches!(ends(position, cell), Status::Won(_))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_tables_match_a_fresh_board(game in games()) {
        let tables = BoardTables::new(game.geometry());
        let mut board = SearchBoard::new(&tables, &game);
        board.update_move_ordering();
        // Where a stone completes a line the rules know best.
        let seat = game.turn().index();
        for cell in game.legal_moves() {
            let truth = matches!(ends(&game, cell), Status::Won(_));
            prop_assert_eq!(board.is_completing(seat, cell.index() as u16), truth, "{:?} {:?}", game, cell);
        }
        let count = completing(&game).len();
        match board.completing(seat) {
            CompletingCells::None => prop_assert_eq!(count, 0),
            CompletingCells::One(_) => prop_assert_eq!(count, 1),
            CompletingCells::More(_) => prop_assert!(count > 1),
        }
        // Taking back all but a few moves, and playing them again, changes nothing.
        let mut again = board.clone();
        let moves = game.moves();
        for _ in 0..moves.len() - moves.len() / 3 {
            again.undo();
        }
        let mut shorter = Position::new(*game.rules());
        for &cell in &moves[..moves.len() / 3] {
            shorter.play(cell).unwrap();
        }
        let mut fresh = SearchBoard::new(&tables, &shorter);
        fresh.update_move_ordering();
        prop_assert_eq!(format!("{again:?}"), format!("{fresh:?}"));
        for cell in &moves[moves.len() / 3..] {
            again.play(cell.index() as u16);
            // Some moves are settled one by one, some together.
            if cell.index() % 3 == 0 {
                again.update_move_ordering();
            }
        }
        again.update_move_ordering();
        prop_assert_eq!(format!("{again:?}"), format!("{board:?}"));
    }

    #[test]
    fn wins_are_taken_and_threats_are_blocked(game in games(), level in 0..4_usize, nodes in 1..400_u64) {
        let report = best_by_nodes(&game, Level::ALL[level], nodes, nodes);
        let own = completing(&game);
        if game.rules().misere() {
            let alternatives = game.legal_moves().any(|cell| !own.contains(&cell));
            prop_assert!(!alternatives || !own.contains(&report.best), "{:?}: {:?}", game, report);
            return Ok(());
        }
        if !own.is_empty() {
            prop_assert!(own.contains(&report.best), "{:?}: {:?}", game, report);
            return Ok(());
        }
        let safe = |cell: Cell| {
            let mut next = game.clone();
            next.play(cell).unwrap();
            completing(&next).is_empty()
        };
        let any_safe = game.legal_moves().any(safe);
        prop_assert!(!any_safe || safe(report.best), "{:?}: {:?}", game, report);
    }

    #[test]
    fn the_same_seed_and_nodes_make_the_same_choice(game in games(), level in 0..4_usize, seed: u64) {
        let (first, second) = (best_by_nodes(&game, Level::ALL[level], 500, seed), best_by_nodes(&game, Level::ALL[level], 500, seed));
        prop_assert_eq!(first, second);
    }
}

/// Under gravity one's own stone can be the step to the other's line. Seen without any search.
#[test]
fn no_step_is_built_for_the_other() {
    let mut steps = 0;
    for (board, number) in
        ["7x6:4+gravity", "5x5:3+gravity", "4x4x4:4+gravity"].iter().zip(0_u64..).cycle().take(150)
    {
        let mut game = position(board, "");
        let mut chance = number + 3 * steps;
        while game.status() == Status::Ongoing {
            let own = completing(&game);
            let builds_step = |cell: Cell| {
                let mut next = game.clone();
                next.play(cell).unwrap();
                !completing(&next).is_empty()
            };
            let moves: Vec<Cell> = game.legal_moves().collect();
            let (bad, good): (Vec<Cell>, Vec<Cell>) = moves.iter().partition(|&&cell| builds_step(cell));
            if own.is_empty() && !bad.is_empty() && !good.is_empty() {
                let report = best_by_nodes(&game, Level::Easy, 1, chance);
                assert!(good.contains(&report.best), "{game:?}: {report:?}");
                steps += 1;
            }
            chance = noughts_protocol::rng::split_mix64(chance);
            game.play(moves[(chance % moves.len() as u64) as usize]).unwrap();
        }
    }
    assert!(steps > 100, "{steps}");
}

#[test]
fn the_expected_line_can_be_played() {
    for rules in BOARDS {
        let mut game = position(rules, "");
        let report = best_by_nodes(&game, Level::Perfect, 3_000, 5);
        for &cell in &report.pv {
            assert!(game.is_legal(cell), "{rules}: {report:?}");
            game.play(cell).unwrap();
        }
    }
}

#[test]
fn a_finished_game_has_no_move() {
    let won = position("3x3:3", "a1 a2 b1 b2 c1");
    assert_eq!(
        best_move(&won, Level::Hard, SearchLimits::default(), 0, &|| Duration::ZERO, &AtomicBool::new(false)),
        None
    );
}

/// The largest and oddest boards, stopped before the first look: there is a move all the same.
#[test]
fn a_search_that_is_stopped_at_once_still_has_a_move() {
    for rules in [
        "25x25:25",
        "4x16x16:3",
        "25x5x8:4+gravity",
        "5x5x5x8:5",
        "4x4x8x8:4+misere",
        "1024",
        "25:13",
        "1x25:3+gravity",
    ] {
        let Ok(rules) = rules.parse::<Rules>() else { continue };
        let mut game = Position::with_geometry(Geometry::new(rules).into());
        for _ in 0..3 {
            let limits = SearchLimits { time: Some(Duration::from_secs(60)), ..SearchLimits::default() };
            let report =
                best_move(&game, Level::Hard, limits, 1, &|| Duration::ZERO, &AtomicBool::new(true)).unwrap();
            assert!(report.nodes <= 257, "{rules}: {report:?}");
            game.play(report.best).unwrap();
        }
    }
}

/// Time passes by a clock that the search does not know to be none: a tick for each look.
#[test]
fn no_more_time_is_used_than_given() {
    for rules in BOARDS.iter().copied().filter(|rules| !rules.starts_with("3x3:")) {
        let ticks = std::cell::Cell::new(0);
        let elapsed = || {
            ticks.set(ticks.get() + 1);
            Duration::from_millis(ticks.get())
        };
        let limits = SearchLimits { time: Some(Duration::from_millis(20)), ..SearchLimits::default() };
        best_move(&position(rules, ""), Level::Perfect, limits, 1, &elapsed, &AtomicBool::new(false))
            .unwrap();
        assert!(ticks.get() <= 21, "{rules}: {}", ticks.get());
    }
}

/// Time that is shared with others seems to go back when fewer of them wait.
#[test]
fn a_clock_that_goes_back_is_no_fault() {
    let left = std::cell::Cell::new(1_000);
    let elapsed = || {
        left.set(left.get() - 1);
        Duration::from_millis(left.get())
    };
    let limits =
        SearchLimits { time: Some(Duration::from_secs(2)), nodes: Some(5_000), ..SearchLimits::default() };
    let game = position("15x15:5", "h8 i9 j8");
    assert!(best_move(&game, Level::Hard, limits, 1, &elapsed, &AtomicBool::new(false)).is_some());
}

#[test]
fn by_the_wall_clock_it_ends_in_time() {
    let report = best_move_timed(
        position("15x15:5", "h8 i9 j8"),
        Level::Hard,
        Duration::from_millis(200),
        1,
        AtomicBool::new(false).into(),
    );
    assert!(report.is_some_and(|report| report.nodes > 100));
}
