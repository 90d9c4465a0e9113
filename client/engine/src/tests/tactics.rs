//! Boards that are too large to be solved: what a sensible player sees is seen.

use super::{best_by_nodes, cell, position};
use crate::{Evaluation, Level};

/// With so many positions looked at, one of these moves is chosen and the score is as expected.
fn check(rules: &str, moves: &str, nodes: u64, wanted: &str, score: impl Fn(Evaluation) -> bool) {
    let game = position(rules, moves);
    let report = best_by_nodes(&game, Level::Hard, nodes, 3);
    let best = game.rules().cell_text(report.best);
    assert!(
        wanted.is_empty() || wanted.split(' ').any(|wanted| cell(&game, wanted) == report.best),
        "{best}: {game:?} {report:?}"
    );
    assert!(score(report.score), "{game:?} {report:?}");
}

fn any(_: Evaluation) -> bool {
    true
}

fn wins(score: Evaluation) -> bool {
    matches!(score, Evaluation::Win(_))
}

fn open(score: Evaluation) -> bool {
    matches!(score, Evaluation::Estimate(_))
}

#[test]
fn gomoku_open_threes_are_answered() {
    // X has h8 i8 j8 with nothing beside: O has to play at an end, or the one beyond.
    check("15x15:5", "h8 a1 i8 a15 j8", 20_000, "g8 k8 f8 l8", any);
    check("19x19:5", "k10 a1 l11 a19 m12", 20_000, "j9 n13 i8 o14", any);
    // A broken three: the gap or the ends.
    check("15x15:5", "h8 a1 i8 a15 k8", 20_000, "g8 j8 l8", any);
}

#[test]
fn gomoku_fours_are_made_and_won() {
    // X to move has an open three: an open four wins.
    check("15x15:5", "h8 a1 i8 a15 j8 o1", 5_000, "g8 k8", wins);
    // A four is blocked.
    check("15x15:5", "h8 g8 i8 a15 j8 o1 k8", 2_000, "l8", any);
    // A closed three and two below where it leads: a four, and its reply leaves an open three.
    check("15x15:5", "h8 g8 i8 a15 j8 o1 k6 o3 k7 o5", 20_000, "k8", wins);
}

#[test]
fn gomoku_forced_sequences_are_seen_far_ahead() {
    // Fours in a row along two closed lines that meet: five plies of threats before the double one.
    check("15x15:5", "d4 c4 e4 a15 f4 o1 g8 g9 g7 o15 g6 a1", 50_000, "", wins);
}

#[test]
fn the_first_move_on_a_large_board_is_in_the_middle() {
    check("15x15:5", "", 1_000, "h8", open);
    check("19x19:5", "", 1_000, "j10", open);
    check("25x25:6", "", 1_000, "m13", open);
}

#[test]
fn connect_four_sees_threats_and_traps() {
    // X has three in the bottom row with both ends free: nothing helps, but one end is closed.
    check("7x6:4+gravity", "c6 c5 d6 d5 e6", 20_000, "b6 f6", |score| score == Evaluation::Loss(2));
    // X has two in the bottom row with room on both sides: O has to come near at once.
    check("7x6:4+gravity", "d6 d5 e6", 20_000, "c6 f6 b6 g6", open);
    // And if O does not, X makes it three.
    check("7x6:4+gravity", "d6 d5 e6 d4", 20_000, "c6 f6", |score| score == Evaluation::Win(3));
}

#[test]
fn the_middle_of_connect_four_is_the_only_winning_start() {
    check("7x6:4+gravity", "", 300_000, "d6", any);
}

#[test]
fn qubic_lines_are_blocked_and_made_in_every_direction() {
    for (line, free) in [
        (["1,1,1", "2,2,2", "3,3,3"], "4,4,4"),
        (["1,4,1", "2,3,2", "3,2,3"], "4,1,4"),
        (["2,2,1", "2,2,2", "2,2,4"], "2,2,3"),
        (["1,1,2", "2,2,2", "3,3,2"], "4,4,2"),
    ] {
        // O plays cells that make no line of their own.
        let moves = format!("{} 1,1,3 {} 4,3,1 {}", line[0], line[1], line[2]);
        check("4x4x4:4", &moves, 2_000, free, any);
        let moves = format!("{} 1,1,3 {} 4,3,1 {} 3,1,2", line[0], line[1], line[2]);
        check("4x4x4:4", &moves, 2_000, free, |score| score == Evaluation::Win(1));
    }
}

#[test]
fn qubic_is_won_by_threats_when_they_are_there() {
    // Two lines of two that meet in a free cell, with their other ends free: threat, reply, two threats.
    check("4x4x4:4", "1,1,1 2,3,2 2,1,1 3,3,4 4,2,1 2,3,3 4,3,1 3,2,2", 20_000, "", wins);
}
