//! Tests of the weak game: of its results against exhaustive search, of its zones by filling all cells outside the
//! zones, and of its certificates by checking them.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::SearchBudget;
use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Position, Seat, Status};

use super::WeakGameRole::{Breaker, Maker};
use super::search::WeakGameSearch;
use super::{
    WeakGameRole, check_weak_game_certificate, edges, solve_weak_game, write_weak_game_certificate,
};
use crate::tests::position;

const TABLE_BITS: u32 = 14;

/// The winner for each set of lines, free cells and turn.
type KnownWinners = HashMap<(Vec<u64>, u64, u8), WeakGameRole>;

/// Returns the winner by exhaustive search over the sets of free cells of the lines, without any pruning but forced
/// blocks.
fn exhaustive_winner(
    lines: &[u64],
    free: u64,
    turn: WeakGameRole,
    known: &mut KnownWinners,
) -> WeakGameRole {
    if lines.contains(&0) {
        return Maker;
    }
    if lines.is_empty() || free == 0 {
        return Breaker;
    }
    let key = (lines.to_vec(), free, turn as u8);
    if let Some(&winner) = known.get(&key) {
        return winner;
    }
    let is_won = (0..64).filter(|bit| free >> bit & 1 == 1).any(|bit| {
        let cell = 1_u64 << bit;
        let next: Vec<u64> = match turn {
            Maker => lines.iter().map(|line| line & !cell).collect(),
            Breaker => lines
                .iter()
                .copied()
                .filter(|line| line & cell == 0)
                .collect(),
        };
        exhaustive_winner(&next, free & !cell, turn.other(), known) == turn
    });
    let winner = if is_won { turn } else { turn.other() };
    known.insert(key, winner);
    winner
}

/// Returns a position after random moves, with this number of free cells; `None` if the game ends before that.
fn random_position(rules: &str, free_cells: usize, seed: &mut u64) -> Option<Position> {
    let mut game = position(rules, "");
    while game.rules().cells() - game.ply() > free_cells {
        *seed = split_mix64(*seed);
        let index = seed.checked_rem(game.legal_count() as u64)?;
        let cell = game.legal_nth(index as usize)?;
        game.play(cell).ok()?;
    }
    (game.status() == Status::Ongoing).then_some(game)
}

fn cells_of(lines: &[u64]) -> u64 {
    lines.iter().fold(0, |cells, line| cells | line)
}

#[test]
fn random_positions_have_the_exhaustive_winner_a_sufficient_zone_and_a_certificate() {
    let (mut makers, mut breakers) = (0, 0);
    for (number, (rules, free_cells)) in [
        ("3x3:3", 9),
        ("3x3:3", 7),
        ("4x3:3", 10),
        ("4x4:3", 10),
        ("4x4:4", 12),
        ("5x4:4", 12),
        ("5x5:4", 12),
        ("6x4:4", 12),
        ("6x6:5", 12),
        ("7x7:5", 12),
        ("7x7:4", 11),
        ("5x5:4+exact", 12),
        ("3x3x3:3", 11),
        ("9x9:5", 12),
        ("12:3", 11),
    ]
    .into_iter()
    .enumerate()
    {
        let mut seed = number as u64;
        for _ in 0..40 {
            let Some(game) = random_position(rules, free_cells, &mut seed) else {
                continue;
            };
            for maker in Seat::ALL {
                let turn = if game.turn() == maker { Maker } else { Breaker };
                let lines: Vec<u128> = edges(&game, maker);
                // Renumbers the free cells, so that they fit into a word.
                let bits: Vec<u32> = (0..128)
                    .filter(|&bit| lines.iter().any(|line| line >> bit & 1 == 1))
                    .collect();
                let renumber = |line: &u128| {
                    (0..bits.len()).fold(0, |to, at| to | ((line >> bits[at] & 1) as u64) << at)
                };
                let lines: Vec<u64> = lines.iter().map(renumber).collect();
                let expected =
                    exhaustive_winner(&lines, cells_of(&lines), turn, &mut HashMap::new());
                let stop = AtomicBool::new(false);
                let found = solve_weak_game(&game, maker, TABLE_BITS, None);
                assert_eq!(found.unwrap().winner, Some(expected), "{game:?} {maker}");
                let mut budget =
                    SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &stop);
                let mut search = WeakGameSearch::<u64>::new(&[], TABLE_BITS);
                let proof = search.solve(lines.clone(), turn, 0, &mut budget).unwrap();
                assert_eq!(
                    proof.winner, expected,
                    "{game:?} {maker} without symmetries"
                );
                let certificate = write_weak_game_certificate(&game, maker, TABLE_BITS, None);
                assert_eq!(
                    certificate.is_some(),
                    expected == Breaker,
                    "{game:?} {maker}"
                );
                if let Some(certificate) = certificate {
                    let certified = check_weak_game_certificate(&certificate).unwrap();
                    assert_eq!(
                        (certified.position.moves(), certified.maker),
                        (game.moves(), maker)
                    );
                }
                // The loser gets all cells outside the zone.
                let outside = cells_of(&lines) & !proof.zone;
                let rest: Vec<u64> = match expected {
                    Breaker => lines.iter().map(|line| line & !outside).collect(),
                    Maker => lines
                        .iter()
                        .copied()
                        .filter(|line| line & outside == 0)
                        .collect(),
                };
                let within = exhaustive_winner(&rest, proof.zone, turn, &mut HashMap::new());
                assert_eq!(within, expected, "{game:?} {maker}: zone {:b}", proof.zone);
                match expected {
                    Maker => makers += 1,
                    Breaker => breakers += 1,
                }
            }
        }
    }
    assert!(makers > 150 && breakers > 300, "{makers} {breakers}");
}

fn winner(rules: &str, moves: &str, maker: Seat) -> Option<WeakGameRole> {
    let found = solve_weak_game(&position(rules, moves), maker, 18, None);
    found.and_then(|found| found.winner)
}

#[test]
fn boards_have_known_winners() {
    for (rules, expected) in [
        ("3x3:3", Maker),
        ("4x4:4", Breaker),
        ("4x4:3", Maker),
        ("5x5:5", Breaker),
        ("6x6:5", Breaker),
        ("7x7:5", Breaker),
        ("6x6:5+exact", Breaker),
        ("10x10:10", Breaker),
    ] {
        assert_eq!(winner(rules, "", Seat::X), Some(expected), "{rules}");
    }
    // The breaker passes: X moves first, O is the maker.
    assert_eq!(winner("3x3:3", "", Seat::O), Some(Breaker));
    for rules in ["4x4:4+gravity", "4x4:4+misere", "12x12:5", "15x15:5"] {
        assert_eq!(winner(rules, "", Seat::X), None, "{rules}");
    }
}

#[test]
fn the_node_limit_ends_the_search_and_decides_its_result() {
    let game = position("7x7:5", "");
    let solve = |nodes| solve_weak_game(&game, Seat::X, 12, Some(nodes)).unwrap();
    let found = solve(3_000);
    assert_eq!((found.winner, found), (None, solve(3_000)));
    assert!((3_000..3_200).contains(&found.nodes), "{found:?}");
    let game = position("7x7:5", "d4 c3 e3 e4");
    let certify = |nodes| write_weak_game_certificate(&game, Seat::X, 14, Some(nodes)).is_some();
    // The search visits fewer positions than the limit, but the writer visits more.
    assert_eq!([certify(200), certify(1_000_000)], [false, true]);
}
