//! Tactics on boards that are too large to solve.

use crate::Evaluation;
use crate::alpha_beta::{PROVEN, WIN};
use crate::tests::{best_with_variety, cell, position, with_search};

/// Searches `nodes` positions. Checks the score, and that the best move is one of `wanted` (any move if empty).
fn check(rules: &str, moves: &str, nodes: u64, wanted: &str, score: impl Fn(Evaluation) -> bool) {
    let game = position(rules, moves);
    let report = best_with_variety(&game, nodes, 3);
    let best = game.rules().cell_text(report.best);
    assert!(
        wanted.is_empty()
            || wanted
                .split(' ')
                .any(|wanted| cell(&game, wanted) == report.best),
        "{best}: {game:?} {report:?}"
    );
    assert!(score(report.score), "{game:?} {report:?}");
}

fn any(_: Evaluation) -> bool {
    true
}

fn is_win(score: Evaluation) -> bool {
    matches!(score, Evaluation::Win(_))
}

fn is_estimate(score: Evaluation) -> bool {
    matches!(score, Evaluation::Estimate(_))
}

#[test]
fn gomoku_open_threes_are_blocked() {
    // X has an open three on h8, i8 and j8: O must play at an end or one cell beyond it.
    check("15x15:5", "h8 a1 i8 a15 j8", 20_000, "g8 k8 f8 l8", any);
    check(
        "19x19:5",
        "k10 a1 l11 a19 m12",
        20_000,
        "j9 n13 i8 o14",
        any,
    );
    // A broken three: O must play in the gap or at an end.
    check("15x15:5", "h8 a1 i8 a15 k8", 20_000, "g8 j8 l8", any);
}

#[test]
fn gomoku_fours_are_completed_and_blocked() {
    // X makes an open four from an open three.
    check("15x15:5", "h8 a1 i8 a15 j8 o1", 5_000, "g8 k8", is_win);
    // A four is blocked.
    check("15x15:5", "h8 g8 i8 a15 j8 o1 k8", 2_000, "l8", any);
    // k8 makes a four, and with k6 and k7 an open three.
    check(
        "15x15:5",
        "h8 g8 i8 a15 j8 o1 k6 o3 k7 o5",
        20_000,
        "k8",
        is_win,
    );
}

#[test]
fn gomoku_vcf_is_found() {
    // Continuous fours on two closed lines that cross: five plies before the double threat.
    check(
        "15x15:5",
        "d4 c4 e4 a15 f4 o1 g8 g9 g7 o15 g6 a1",
        50_000,
        "",
        is_win,
    );
}

#[test]
fn the_first_move_on_a_large_board_is_the_center() {
    check("15x15:5", "", 1_000, "h8", is_estimate);
    check("19x19:5", "", 1_000, "j10", is_estimate);
    check("25x25:6", "", 1_000, "m13", is_estimate);
}

#[test]
fn connect_four_threats_are_found() {
    // X has an open three in the bottom row: O loses, and blocks one end all the same.
    check(
        "7x6:4+gravity",
        "c1 c2 d1 d2 e1",
        20_000,
        "b1 f1",
        |score| score == Evaluation::Loss(2),
    );
    // X has an open two in the bottom row: O must reply close to it. The book knows that O wins.
    check("7x6:4+gravity", "d1 d2 e1", 20_000, "c1 f1 b1 g1", is_win);
    // Otherwise X makes an open three. The openings of the book know the move, but not the length of the win.
    check("7x6:4+gravity", "d1 d2 e1 d3", 20_000, "c1 f1", is_win);
    check(
        "7x6:4+gravity",
        "a1 a2 d1 d2 e1 d3",
        20_000,
        "c1 f1",
        |score| score == Evaluation::Win(3),
    );
}

#[test]
fn qubic_lines_are_blocked_and_completed_in_every_direction() {
    for (line, free) in [
        (["a1-1", "b2-2", "c3-3"], "d4-4"),
        (["a4-1", "b3-2", "c2-3"], "d1-4"),
        (["b2-1", "b2-2", "b2-4"], "b2-3"),
        (["a1-2", "b2-2", "c3-2"], "d4-2"),
    ] {
        // The stones of O form no line.
        let moves = format!("{} a1-3 {} d3-1 {}", line[0], line[1], line[2]);
        check("4x4x4:4", &moves, 2_000, free, any);
        let moves = format!("{} a1-3 {} d3-1 {} c1-2", line[0], line[1], line[2]);
        check("4x4x4:4", &moves, 2_000, free, |score| {
            score == Evaluation::Win(1)
        });
    }
}

#[test]
fn qubic_vcf_is_found() {
    // Two lines with two stones each cross in a free cell: a threat, its reply, then a double threat.
    check(
        "4x4x4:4",
        "a1-1 b3-2 b1-1 c3-4 d2-1 b3-3 d3-1 c2-2",
        20_000,
        "",
        is_win,
    );
}

// Defence against a VCF that the opponent threatens.

/// The opponent threatens a VCF that only quiet moves prevent.
pub(crate) const QUIET_DEFENCES: &[&str] = &[
    "e4 d5 k11 d9 i7 d11 k4 d12 d8 e11 h7 f11",
    "i7 l4 j4 l5 i5 l6",
    "d9 l7 d12 j9 i7 k5 e11 j8 i9 j10 j7 k8",
    "j4 i9 h6 l4 d4 f7 k7 f8 l9 f6 f9 g7",
    "e6 l4 k4 d6 l5 k5 j6 e5 j3",
    "h5 h6 i8 j11 h11 g9 g6 j9 f7",
    "l12 j10 k11 j4 k6 g8 l6 f6 j12 g7 h8 g6",
    "j4 h11 i12 g6 g11 k4 d10 f7 f10 h5 e8 h7 e9 j3 i4",
];

#[test]
fn a_quiet_move_prevents_a_vcf() {
    for moves in QUIET_DEFENCES {
        with_search("15x15:5", moves, |search| {
            // The same holds in a null window that no evaluation reaches, beyond the depth of futility pruning.
            let high = search.board.evaluate() + 20_000;
            for (depth, alpha, beta) in [(1, -WIN, WIN), (4, high, high + 1)] {
                let value = search.alpha_beta(depth, alpha, beta, 0);
                assert!(value.abs() < PROVEN, "{value}: {moves}");
            }
        });
    }
}

/// A deep VCF search after every move finds the same defences.
#[test]
fn the_cells_of_a_threat_contain_every_defence() {
    for moves in QUIET_DEFENCES {
        with_search("15x15:5", moves, |search| {
            let (win, cells) = search.find_threat().expect("a threat");
            assert!(win.plies >= 3, "{win:?}: {moves}");
            let (seat, open) = (search.board.turn(), search.board.open);
            let mut defences = 0;
            for cell in open.intersection(&open, search.board.tables.words) {
                search.board.play(cell);
                let prevents = search.find_vcf(12, 100_000).is_none() && !search.is_vcf_exhausted();
                search.board.undo();
                assert!(!prevents || cells.contains(cell), "{cell}: {moves}");
                assert!(
                    !prevents || !search.board.is_threat(seat, cell),
                    "{cell}: {moves}"
                );
                defences += u32::from(prevents);
            }
            assert!(defences > 0, "{moves}");
            // The search for the threat leaves the board as it was.
            assert_eq!((search.board.turn(), search.board.open), (seat, open));
        });
    }
}

/// Only cells on its line meet an open three of the opponent that is far from all other stones.
#[test]
fn an_open_three_is_met_on_its_line() {
    with_search("15x15:5", "h8 a1 i8 a15 j8", |search| {
        let (win, cells) = search.find_threat().expect("a threat");
        let row = 7 * 15;
        let columns: Vec<u16> = cells
            .intersection(&cells, 4)
            .map(|cell| cell - row)
            .collect();
        assert_eq!(win.plies, 3);
        assert!(
            columns.iter().all(|column| (5..=11).contains(column)) && columns.len() <= 4,
            "{columns:?}"
        );
    });
}
