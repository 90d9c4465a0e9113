//! Time to solve games, compared with two published crates.
//!
//! `cargo bench --bench solve`

mod other_crates;

use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use board_game::ai::solver::solve_value;
use board_game::games::ttt::TTTBoard;
use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use minimax::{Negamax, Strategy};
use noughts::engine::{Evaluation, SearchLimits, SearchResult, evaluate};
use noughts_protocol::Position;
use other_crates::{BitboardPair, TicTacToe};

/// Evaluates every unfinished game as 0.
#[derive(Clone, Copy, Debug)]
struct ZeroEvaluator<G>(std::marker::PhantomData<G>);

impl<G> Default for ZeroEvaluator<G> {
    fn default() -> ZeroEvaluator<G> {
        ZeroEvaluator(std::marker::PhantomData)
    }
}

impl<G: minimax::Game> minimax::Evaluator for ZeroEvaluator<G> {
    type G = G;

    fn evaluate(&self, _: &G::S) -> minimax::Evaluation {
        0
    }
}

fn solve(rules: &str, limits: SearchLimits) -> SearchResult {
    let position = Position::new(rules.parse().unwrap());
    evaluate(
        &position,
        limits,
        &|| Duration::ZERO,
        &AtomicBool::new(false),
    )
    .unwrap()
}

/// Measures the whole game from the empty board.
fn bench_three_by_three(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("solve 3x3:3");
    group.sample_size(20);
    let solve_three_by_three = || solve(black_box("3x3:3"), SearchLimits::default());
    group.bench_function("noughts", |bench| bench.iter(solve_three_by_three));
    group.bench_function("minimax", |bench| {
        bench.iter(|| {
            Negamax::new(ZeroEvaluator::<TicTacToe>::default(), 9)
                .choose_move(&BitboardPair::default())
        });
    });
    group.bench_function("board-game", |bench| {
        bench.iter(|| solve_value(black_box(&TTTBoard::default()), 9));
    });
    group.finish();
}

/// Measures this project alone, on boards that the other crate does not support. The values of these boards are known.
fn bench_own_only(criterion: &mut Criterion) {
    for (rules, wins) in [
        ("4x4:4", false),
        ("3x3x3:3", true),
        ("5x5:4", false),
        ("6x5:4", true),
        ("6x6:4", true),
        ("6x6:5", false),
        ("7x4:4", false),
        ("7x7:4", true),
        ("8x4:4", false),
        ("8x5:4", true),
        ("9x4:4", true),
    ] {
        let mut group = criterion.benchmark_group(format!("solve {rules}"));
        // Flat sampling, because some boards take seconds.
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        let score = solve(rules, SearchLimits::default()).score;
        assert!(
            if wins {
                matches!(score, Evaluation::Win(_))
            } else {
                score == Evaluation::Draw
            },
            "{rules}: {score:?}"
        );
        group.bench_function("noughts", |bench| {
            bench.iter(|| solve(black_box(rules), SearchLimits::default()));
        });
        group.finish();
    }
}

criterion_group!(benches, bench_three_by_three, bench_own_only);
criterion_main!(benches);
