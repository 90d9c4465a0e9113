//! Properties of the search on every kind of board, in random positions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Geometry, Position, RuleFlag, Rules, Seat, Status};
use proptest::prelude::*;

use super::small_boards::minimax;
use super::{best_by_nodes, best_with_variety, is_deep, position};
use crate::board::board_tables::BoardTables;
use crate::board::{CompletingCells, SearchBoard, ThreatKind};
use crate::search_types::SearchScore;
use crate::{
    Evaluation, Level, SearchLimits, SearchResult, best_move, best_move_with_progress, evaluate,
};

/// Boards without flags. Each board is tested with every combination of flags.
const BOARDS: &[&str] = &[
    "3x3:3",
    "7x6:4",
    "5x4:3",
    "6x6:4",
    "9:3",
    "9:2",
    "8x8:5",
    "9x9:5",
    "15x15:5",
    "5x5:3",
    "4x4x4:4",
    "3x3x3x3:3",
    "3x3x3:3",
    "10x10:4",
    "5x5x5:3",
    "25x25:6",
    "8x8x8:4",
    "3x3:1",
    "4x4:2",
];

/// Boards that are small enough for random games to fill them.
const SMALL_BOARDS: &[&str] = &[
    "3x3:3",
    "4x3:3",
    "4x4:3",
    "4x4:4",
    "5x4:3",
    "5x4:4",
    "5x5:4",
    "6x5:4",
    "7x6:4",
    "8x7:5",
    "9:3",
    "12:3",
    "9:2",
    "16x1:3",
    "10x3:4",
    "4x4:2",
    "3x3x2:3",
    "3x3x3:3",
    "2x2x2x2:2",
];

/// Returns the board with all combinations of flags that its dimensions allow.
fn with_flags(board: &str) -> impl Iterator<Item = Rules> {
    let plain: Rules = board.parse().unwrap();
    (0_u32..1 << RuleFlag::ALL.len()).filter_map(move |set| {
        let mut flags = RuleFlag::ALL.iter().enumerate();
        flags.try_fold(plain, |rules, (index, &flag)| match set >> index & 1 {
            0 => Some(rules),
            _ => rules.with(flag).ok(),
        })
    })
}

fn all_rules() -> Vec<Rules> {
    BOARDS.iter().copied().flat_map(with_flags).collect()
}

/// Returns a random unfinished game on one of the boards.
fn games() -> impl Strategy<Value = Position> {
    (
        proptest::sample::select(all_rules()),
        proptest::collection::vec(any::<u16>(), 0..60),
        any::<bool>(),
    )
        .prop_map(|(rules, choices, near)| {
            let mut position = Position::new(rules);
            for choice in choices {
                let moves: Vec<Cell> = position.legal_moves().collect();
                // Moves near the last stone complete lines sooner.
                let last = position
                    .moves()
                    .last()
                    .filter(|_| near)
                    .map_or(0, |last| last.index());
                let at = last + usize::from(choice) % if last > 0 { 4 } else { 1024 };
                if position.play(moves[at % moves.len()]) != Ok(Status::Ongoing) {
                    position.undo();
                    break;
                }
            }
            position
        })
}

/// Returns a random unfinished game by these rules with at most this number of free cells; `None` if all moves in an
/// earlier position end the game.
fn late_game(rules: Rules, free_cells: usize, mut random: u64) -> Option<Position> {
    let mut game = Position::new(rules);
    while rules.cells() - game.ply() > free_cells {
        let is_ongoing = |cell: &Cell| game.status_after(*cell) == Ok(Status::Ongoing);
        let moves: Vec<Cell> = game.legal_moves().filter(is_ongoing).collect();
        random = split_mix64(random);
        game.play(*moves.get(random as usize % moves.len().max(1))?)
            .unwrap();
    }
    Some(game)
}

/// Returns whether a score is true for a position with this value.
fn is_true(score: SearchScore, value: Evaluation) -> bool {
    match (score.evaluation, value) {
        (Evaluation::Estimate(_), _) => true,
        (Evaluation::Win(bound), Evaluation::Win(plies))
        | (Evaluation::Loss(bound), Evaluation::Loss(plies)) => {
            bound == plies || (!score.exact && bound > plies)
        }
        (score, value) => score == value,
    }
}

/// Returns the status of the game after a move.
fn status_after(position: &Position, cell: Cell) -> Status {
    position.clone().play(cell).unwrap()
}

/// Returns the cells where the side to move completes a line.
fn completing(position: &Position) -> Vec<Cell> {
    position
        .legal_moves()
        .filter(|&cell| matches!(status_after(position, cell), Status::Won(_)))
        .collect()
}

/// Returns whether a stone is within two steps.
fn is_near_a_stone(position: &Position, cell: Cell) -> bool {
    let mut stones = position.moves().iter();
    stones.any(|&stone| position.geometry().distance(stone, cell) <= 2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn incremental_tables_match_a_fresh_board(game in games()) {
        let tables = BoardTables::new(game.geometry());
        let mut board = SearchBoard::new(&tables, &game);
        board.update_move_ordering();
        // `Position` is the reference for completing cells.
        let seat = game.turn().index();
        for cell in game.legal_moves() {
            let expected = matches!(status_after(&game, cell), Status::Won(_));
            prop_assert_eq!(board.is_completing(seat, cell.index() as u16), expected, "{:?} {:?}", game, cell);
        }
        let count = completing(&game).len();
        match board.completing(seat) {
            CompletingCells::None => prop_assert_eq!(count, 0),
            CompletingCells::One(_) => prop_assert_eq!(count, 1),
            CompletingCells::More(_) => prop_assert!(count > 1),
        }
        // Undoing two thirds of the moves and playing them again restores the board.
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
            // The test updates the ordering after one move or after several.
            if cell.index() % 3 == 0 {
                again.update_move_ordering();
            }
        }
        again.update_move_ordering();
        prop_assert_eq!(format!("{again:?}"), format!("{board:?}"));
    }

    #[test]
    fn threat_kinds_match_their_replies(game in games()) {
        let tables = BoardTables::new(game.geometry());
        let mut board = SearchBoard::new(&tables, &game);
        let seat = board.turn();
        let has_line = |board: &SearchBoard<'_>| (0..2).any(|seat| board.completing(seat) != CompletingCells::None);
        if game.rules().gravity() || has_line(&board) {
            return Ok(());
        }
        for cell in game.legal_moves().map(|cell| cell.index() as u16) {
            if !board.is_threat(seat, cell) {
                continue;
            }
            let kind = board.threat_kind(seat, cell);
            board.play(cell);
            match (kind, board.completing(seat)) {
                (ThreatKind::Double, replies) => prop_assert!(matches!(replies, CompletingCells::More(_)), "{:?} {}", game, cell),
                (ThreatKind::Isolated, CompletingCells::One(reply)) => {
                    board.play(reply);
                    let free = game.legal_moves().map(|cell| cell.index() as u16).filter(|&free| free != cell && free != reply);
                    let mut further = free.filter(|&free| board.is_threat(seat, free));
                    prop_assert!(
                        further.all(|free| SearchBoard::new(&tables, &game).is_threat(seat, free)), "{:?} {}", game, cell
                    );
                    board.undo();
                }
                (ThreatKind::Isolated, replies) => prop_assert!(game.rules().exact() && replies == CompletingCells::None, "{:?} {}", game, cell),
                (ThreatKind::Continuing, replies) => {
                    let is_single = matches!(replies, CompletingCells::One(_));
                    prop_assert!(game.rules().exact() || is_single, "{:?} {}", game, cell);
                }
            }
            board.undo();
        }
    }

    #[test]
    fn wins_are_taken_and_threats_are_blocked(game in games(), level in 2..8_usize, nodes in 1..400_u64) {
        let report = best_by_nodes(&game, Level::ALL[level], nodes, nodes);
        if game.rules().cells() > 64 && game.ply() > 0 && !game.rules().gravity() && !game.rules().misere() {
            prop_assert!(is_near_a_stone(&game, report.best), "{:?}: {:?}", game, report);
        }
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
        if level < Level::Skilled as usize {
            return Ok(());
        }
        let safe = |cell: Cell| {
            let mut next = game.clone();
            next.play(cell).unwrap();
            completing(&next).is_empty()
        };
        let has_safe_move = game.legal_moves().any(safe);
        prop_assert!(!has_safe_move || safe(report.best), "{:?}: {:?}", game, report);
    }

    #[test]
    fn equal_seeds_and_node_limits_give_equal_results(game in games(), level in 0..8_usize, seed: u64) {
        let (first, second) = (best_by_nodes(&game, Level::ALL[level], 500, seed), best_by_nodes(&game, Level::ALL[level], 500, seed));
        prop_assert_eq!(first, second);
    }
}

/// In misère, a position where every move completes a line is lost in one move, whatever the limit of nodes is.
#[test]
fn a_position_where_every_move_loses_has_its_exact_distance() {
    let mut positions: HashMap<Vec<Option<Seat>>, Position> = HashMap::new();
    let mut queue = vec![position("3x3:3+misere", "")];
    let mut checked = 0;
    while let Some(game) = queue.pop() {
        let moves: Vec<Cell> = game.legal_moves().collect();
        if completing(&game).len() == moves.len() {
            for nodes in [Some(1), Some(20), Some(200), None] {
                let limits = SearchLimits {
                    nodes,
                    ..SearchLimits::default()
                };
                let stop = AtomicBool::new(false);
                let found =
                    best_move(&game, Level::Perfect, limits, 1, &|| Duration::ZERO, &stop).unwrap();
                assert_eq!(
                    (found.score, found.exact),
                    (Evaluation::Loss(1), true),
                    "{game:?} {nodes:?}"
                );
            }
            checked += 1;
        }
        for cell in moves {
            let mut next = game.clone();
            if next.play(cell) != Ok(Status::Ongoing) {
                continue;
            }
            let cells = 0..next.rules().cells();
            let key = cells.map(|index| next.stone_at(Cell::new(index as u16)));
            if positions.insert(key.collect(), next.clone()).is_none() {
                queue.push(next);
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// On boards of three dimensions, too, casual and higher levels complete their own line, and on the larger board they
/// answer near the other stones.
#[test]
fn levels_take_their_line_and_stay_near_in_three_dimensions() {
    let mut lines = 0;
    for board in ["4x4x4:4", "5x5x5:4"] {
        for seed in 0..40 {
            let (mut game, mut random) = (position(board, ""), seed);
            while game.ply() < 20 && game.status() == Status::Ongoing {
                random = split_mix64(random);
                let level = Level::ALL[2 + (random >> 32) as usize % 6];
                let own = completing(&game);
                let found = best_by_nodes(&game, level, 200, random);
                if own.is_empty() {
                    let is_near = game.ply() == 0 || is_near_a_stone(&game, found.best);
                    assert!(is_near || game.rules().cells() <= 64, "{game:?} {found:?}");
                } else {
                    assert!(own.contains(&found.best), "{game:?} {level:?} {found:?}");
                    lines += 1;
                    break;
                }
                let cell = game
                    .legal_nth(random as usize % game.legal_count())
                    .unwrap();
                game.play(cell).unwrap();
            }
        }
    }
    assert!(lines > 10, "{lines}");
}

/// With gravity, a stone can enable the cell above it, so that the opponent completes a line there. The root search of
/// level 5 and higher levels avoids such moves.
#[test]
fn a_move_does_not_enable_a_line_of_the_opponent() {
    let mut checked = 0;
    for (board, number) in ["7x6:4+gravity", "5x5:3+gravity", "4x4x4:4+gravity"]
        .iter()
        .zip(0_u64..)
        .cycle()
        .take(150)
    {
        let mut game = position(board, "");
        let mut random = number + 3 * checked;
        while game.status() == Status::Ongoing {
            let own = completing(&game);
            let enables_line = |cell: Cell| {
                let mut next = game.clone();
                next.play(cell).unwrap();
                !completing(&next).is_empty()
            };
            let moves: Vec<Cell> = game.legal_moves().collect();
            let (bad, good): (Vec<Cell>, Vec<Cell>) =
                moves.iter().partition(|&&cell| enables_line(cell));
            if own.is_empty() && !bad.is_empty() && !good.is_empty() {
                let report = best_by_nodes(&game, Level::Skilled, 1, random);
                assert!(good.contains(&report.best), "{game:?}: {report:?}");
                checked += 1;
            }
            random = split_mix64(random);
            game.play(moves[(random % moves.len() as u64) as usize])
                .unwrap();
        }
    }
    assert!(checked > 100, "{checked}");
}

/// Every proof that a search claims is true, according to exhaustive minimax: at every level, node limit and depth
/// limit, on every board with every combination of flags. Without a limit, the value is exact and the move keeps it.
#[test]
fn proofs_are_true_with_every_combination_of_flags() {
    let samples = if is_deep() { 200 } else { 10 };
    let rules = SMALL_BOARDS.iter().copied().flat_map(with_flags);
    let mut compared = 0;
    for (number, rules) in (0..).zip(rules) {
        for sample in 0..samples {
            let mut random = split_mix64(1_000 * number + sample);
            let free_cells = 1 + sample % 8;
            let Some(mut game) = late_game(rules, free_cells as usize, random) else {
                continue;
            };
            let value = minimax(&mut game, &mut HashMap::new());
            let mut check = |found: &SearchResult, value: Evaluation| {
                let is_true = is_true(found.search_score(), value);
                assert!(is_true, "not {value:?}: {game:?} {found:?}");
                compared += 1;
            };
            let stop = AtomicBool::new(false);
            for nodes in [1, 20, 200] {
                random = split_mix64(random);
                for level in Level::ALL {
                    check(&best_by_nodes(&game, level, nodes, random), value);
                }
                check(&best_with_variety(&game, nodes, random), value);
                let limits = SearchLimits {
                    nodes: Some(nodes),
                    ..SearchLimits::default()
                };
                let found = evaluate(&game, limits, &|| Duration::ZERO, &stop);
                check(&found.unwrap(), value);
            }
            for depth in 1..=free_cells as u32 {
                let limits = SearchLimits {
                    depth: Some(depth),
                    ..SearchLimits::default()
                };
                let clock = || Duration::ZERO;
                let found = best_move(&game, Level::Perfect, limits, random, &clock, &stop);
                check(&found.unwrap(), value);
            }
            for found in [
                best_by_nodes(&game, Level::Perfect, u64::MAX, random),
                best_with_variety(&game, u64::MAX, random),
            ] {
                assert!(found.search_score().is_final(), "{game:?} {found:?}");
                check(&found, value);
                let mut after = game.clone();
                after.play(found.best).unwrap();
                let after = SearchScore {
                    evaluation: minimax(&mut after, &mut HashMap::new()),
                    exact: true,
                };
                assert_eq!(after.before_move().evaluation, value, "{game:?} {found:?}");
            }
        }
    }
    assert!(compared > 2_000 * samples, "{compared}");
}

#[test]
fn the_principal_variation_is_legal() {
    for rules in all_rules() {
        let mut game = Position::new(rules);
        let report = best_by_nodes(&game, Level::Perfect, 3_000, 5);
        for &cell in &report.pv {
            assert!(game.is_legal(cell), "{rules}: {report:?}");
            game.play(cell).unwrap();
        }
    }
}

#[test]
fn a_finished_game_has_no_best_move() {
    let won = position("3x3:3", "a1 a2 b1 b2 c1");
    assert_eq!(
        best_move(
            &won,
            Level::Perfect,
            SearchLimits::default(),
            0,
            &|| Duration::ZERO,
            &AtomicBool::new(false)
        ),
        None
    );
}

/// Boards of extreme sizes, with the stop flag set before the search starts.
#[test]
fn a_search_stopped_at_once_returns_a_move() {
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
        let Ok(rules) = rules.parse::<Rules>() else {
            continue;
        };
        let mut game = Position::with_geometry(Geometry::new(rules).into());
        for _ in 0..3 {
            let limits = SearchLimits {
                time: Some(Duration::from_secs(60)),
                ..SearchLimits::default()
            };
            let report = best_move(
                &game,
                Level::Perfect,
                limits,
                1,
                &|| Duration::ZERO,
                &AtomicBool::new(true),
            )
            .unwrap();
            assert!(report.nodes <= 257, "{rules}: {report:?}");
            game.play(report.best).unwrap();
        }
    }
}

/// The clock advances by one tick with each reading.
#[test]
fn the_time_limit_is_not_exceeded() {
    for rules in all_rules().into_iter().filter(|rules| rules.cells() > 9) {
        let ticks = std::cell::Cell::new(0);
        let elapsed = || {
            ticks.set(ticks.get() + 1);
            Duration::from_millis(ticks.get())
        };
        let limits = SearchLimits {
            time: Some(Duration::from_millis(20)),
            ..SearchLimits::default()
        };
        best_move(
            &Position::new(rules),
            Level::Perfect,
            limits,
            1,
            &elapsed,
            &AtomicBool::new(false),
        )
        .unwrap();
        // Each stage that has no time left reads the clock once.
        assert!(ticks.get() <= 24, "{rules}: {}", ticks.get());
    }
}

/// A search without a near limit reports an iteration, or the solution, before it has visited many positions. A search
/// with a depth limit of one ends within the same number of positions.
#[test]
fn the_first_iteration_comes_soon_and_is_the_last_with_depth_one() {
    const MAX_NODES: u64 = 200_000;
    let larger = ["6x6:5", "7x7:5", "8x8:6", "9x4:4", "5x5x5:4"];
    let larger = larger.into_iter().map(|board| board.parse().unwrap());
    // Every second board has a node limit that is never reached. Its first iteration comes as soon as without a limit.
    let node_limits = [None, Some(u64::MAX)].into_iter().cycle();
    for (rules, nodes) in all_rules().into_iter().chain(larger).zip(node_limits) {
        let game = Position::new(rules);
        let (clock, stop) = (|| Duration::ZERO, AtomicBool::new(false));
        let limits = SearchLimits {
            nodes,
            ..SearchLimits::default()
        };
        let mut first = None;
        let mut on_progress = |report: SearchResult| {
            first.get_or_insert(report.nodes);
            stop.store(true, Ordering::Relaxed);
        };
        let level = Level::Perfect;
        let last =
            best_move_with_progress(&game, level, limits, 1, &clock, &stop, &mut on_progress);
        let nodes = first.unwrap_or(last.unwrap().nodes);
        assert!(nodes < MAX_NODES, "{rules}: {nodes}");
        stop.store(false, Ordering::Relaxed);
        let limits = SearchLimits {
            depth: Some(1),
            ..SearchLimits::default()
        };
        for level in [Level::Hard, Level::Perfect] {
            let found = best_move(&game, level, limits, 1, &clock, &stop).unwrap();
            assert!(found.nodes < MAX_NODES, "{rules}: {found:?}");
        }
    }
}

/// The virtual clock of a search pool goes back when fewer searches wait for a thread.
#[test]
fn a_clock_that_goes_back_is_tolerated() {
    let left = std::cell::Cell::new(1_000);
    let elapsed = || {
        left.set(left.get() - 1);
        Duration::from_millis(left.get())
    };
    let limits = SearchLimits {
        time: Some(Duration::from_secs(2)),
        nodes: Some(5_000),
        ..SearchLimits::default()
    };
    let game = position("15x15:5", "h8 i9 j8");
    assert!(
        best_move(
            &game,
            Level::Perfect,
            limits,
            1,
            &elapsed,
            &AtomicBool::new(false)
        )
        .is_some()
    );
}
