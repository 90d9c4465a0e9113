//! Speed of the rules compared with two published crates: perft and random games.
//!
//! `cargo bench --bench rules`

mod other_crates;

use std::hint::black_box;

use board_game::board::Board;
use board_game::games::connect4::Connect4;
use board_game::games::ttt::TTTBoard;
use board_game::util::game_stats::perft_naive;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use minimax::Game;
use noughts_protocol::perft;
use noughts_protocol::playout;
use noughts_protocol::{Position, Status};
use other_crates::{BitboardPair, TicTacToe};
use rand_08::rngs::SmallRng;
use rand_08::{RngCore, SeedableRng};

type ConnectFour = other_crates::BitboardGame<7, 6, 4, true>;

fn empty_position(rules: &str) -> Position {
    Position::new(rules.parse().unwrap())
}

/// Counts leaves with the crate's move generator. The crate's own `perft` prints a table and cannot be timed.
fn count_leaves<G: Game<S = BitboardPair, M = u64>>(
    bits: &mut BitboardPair,
    depth: u32,
    moves: &mut Vec<Vec<u64>>,
) -> u64 {
    let mut generated = moves.pop().unwrap_or_default();
    generated.clear();
    let is_over = G::generate_moves(bits, &mut generated).is_some();
    let count = match depth {
        _ if is_over => 0,
        1 => generated.len() as u64,
        _ => generated
            .iter()
            .map(|&cell| count_leaves::<G>(&mut G::apply(bits, cell).unwrap(), depth - 1, moves))
            .sum(),
    };
    moves.push(generated);
    count
}

/// Returns a cheap random number below `count`, so that the rules dominate the time.
fn random_below(count: usize, rng: &mut SmallRng) -> usize {
    ((u64::from(rng.next_u32()) * count as u64) >> 32) as usize
}

/// Plays a random game; returns the result so that the compiler cannot remove it.
fn playout_own(position: &Position, rng: &mut SmallRng) -> Status {
    playout(position, |count| random_below(count, rng))
}

fn playout_minimax<G: Game<S = BitboardPair, M = u64>>(
    rng: &mut SmallRng,
    moves: &mut Vec<u64>,
) -> u32 {
    let (mut bits, mut plies) = (BitboardPair::default(), 0);
    loop {
        moves.clear();
        if G::generate_moves(&bits, moves).is_some() {
            return plies;
        }
        bits = G::apply(&mut bits, moves[random_below(moves.len(), rng)]).unwrap();
        plies += 1;
    }
}

fn playout_board_game<B: Board + Default>(rng: &mut SmallRng) -> u32 {
    let (mut board, mut plies) = (B::default(), 0);
    while let Ok(cell) = board.random_available_move(rng) {
        board.play(cell).unwrap();
        plies += 1;
    }
    plies
}

fn compare_perft<G, B>(criterion: &mut Criterion, rules: &str, depth: u32)
where
    G: Game<S = BitboardPair, M = u64>,
    B: Board + Default,
{
    let mut group = criterion.benchmark_group(format!("perft {rules} {depth}"));
    let count = perft(&mut empty_position(rules), depth);
    assert_eq!(
        count,
        count_leaves::<G>(&mut BitboardPair::default(), depth, &mut Vec::new())
    );
    assert_eq!(count, perft_naive(&B::default(), depth));
    group
        .throughput(Throughput::Elements(count))
        .sample_size(20);
    let mut position = empty_position(rules);
    group.bench_function("noughts", |bench| {
        bench.iter(|| perft(black_box(&mut position), depth))
    });
    let mut moves = Vec::new();
    group.bench_function("minimax", |bench| {
        bench
            .iter(|| count_leaves::<G>(black_box(&mut BitboardPair::default()), depth, &mut moves));
    });
    let board = B::default();
    group.bench_function("board-game", |bench| {
        bench.iter(|| perft_naive(black_box(&board), depth))
    });
    group.finish();
}

fn compare_games<G, B>(criterion: &mut Criterion, rules: &str)
where
    G: Game<S = BitboardPair, M = u64>,
    B: Board + Default,
{
    let mut group = criterion.benchmark_group(format!("games {rules}"));
    group.throughput(Throughput::Elements(1)).sample_size(20);
    let rng = || SmallRng::seed_from_u64(7);
    let (position, mut game_rng) = (empty_position(rules), rng());
    group.bench_function("noughts", |bench| {
        bench.iter(|| playout_own(&position, &mut game_rng))
    });
    let (mut moves, mut game_rng) = (Vec::new(), rng());
    group.bench_function("minimax", |bench| {
        bench.iter(|| playout_minimax::<G>(&mut game_rng, &mut moves))
    });
    let mut game_rng = rng();
    group.bench_function("board-game", |bench| {
        bench.iter(|| playout_board_game::<B>(&mut game_rng))
    });
    group.finish();
}

/// Measures this project alone, on boards that the other crates do not support.
fn bench_own_only(criterion: &mut Criterion) {
    for (rules, depth) in [
        ("15x15:5", 3),
        ("3x3x3:3", 5),
        ("4x4x4:4", 4),
        ("3x3x3x3:3", 4),
    ] {
        let mut position = empty_position(rules);
        let mut group = criterion.benchmark_group(format!("alone {rules}"));
        group
            .sample_size(20)
            .throughput(Throughput::Elements(perft(&mut position, depth)));
        group.bench_function("perft", |bench| {
            bench.iter(|| perft(black_box(&mut position), depth))
        });
        let mut game_rng = SmallRng::seed_from_u64(7);
        group.throughput(Throughput::Elements(1));
        group.bench_function("games", |bench| {
            bench.iter(|| playout_own(&position, &mut game_rng))
        });
        group.finish();
    }
}

fn bench_rules(criterion: &mut Criterion) {
    compare_perft::<TicTacToe, TTTBoard>(criterion, "3x3:3", 9);
    compare_perft::<ConnectFour, Connect4>(criterion, "7x6:4+gravity", 8);
    compare_games::<TicTacToe, TTTBoard>(criterion, "3x3:3");
    compare_games::<ConnectFour, Connect4>(criterion, "7x6:4+gravity");
    bench_own_only(criterion);
}

criterion_group!(benches, bench_rules);
criterion_main!(benches);
