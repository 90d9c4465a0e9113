//! Tests of the certificates of wins: of random positions against exhaustive search, of long wins, and of changed
//! certificates with faults that the check finds.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::SearchBudget;
use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Position, Seat, Status};
use proptest::prelude::*;

use super::position;
use crate::CertificateFault::{
    BranchText, CellLetter, DrawnGame, GameOver, IllegalCell, LoserLine, LoserToMove, MissingField,
    MissingMove, MoveText, NeedlessBranch, NoNodes, NodeNumber, RepeatedReply, SeatName,
    TooManyNodes, TwoPositions, UnansweredReply, UnreachedNode, UnsupportedRules,
};
use crate::forced_win::find_winning_strategy;
use crate::{
    CertificateFault, MAX_CERTIFICATE_NODES, check_win_certificate, prove_forced_win,
    write_win_certificate,
};

const TABLE_BITS: u32 = 10;
/// Number of lines of a certificate before its nodes.
const HEAD_LINES: usize = 3;

fn solve_win(game: &Position, winner: Seat) -> Option<bool> {
    prove_forced_win(game, winner, TABLE_BITS, None).and_then(|found| found.is_won)
}

fn certificate(game: &Position, winner: Seat) -> Option<String> {
    certificate_within(game, winner, TABLE_BITS, None)
}

fn certificate_within(
    game: &Position,
    winner: Seat,
    table_bits: u32,
    nodes: Option<u64>,
) -> Option<String> {
    write_win_certificate(game, winner, table_bits, nodes)
}

fn fault(certificate: &str) -> Result<usize, CertificateFault> {
    check_win_certificate(certificate)
        .map(|certified| certified.nodes)
        .map_err(|error| error.fault)
}

/// Returns the status with perfect play, by exhaustive search over all moves.
pub(super) fn exhaustive_status(game: &mut Position, known: &mut HashMap<u64, Status>) -> Status {
    if game.status() != Status::Ongoing {
        return game.status();
    }
    if let Some(&status) = known.get(&game.key()) {
        return status;
    }
    let turn = game.turn();
    let cells: Vec<_> = game.legal_moves().collect();
    let mut best = Status::Won(turn.other());
    for cell in cells {
        game.play(cell).unwrap();
        let status = exhaustive_status(game, known);
        game.undo();
        if status == Status::Won(turn) {
            best = status;
            break;
        }
        if status == Status::Drawn {
            best = status;
        }
    }
    known.insert(game.key(), best);
    best
}

/// A game of Score Four, which X wins after 34 stones.
const SCORE_FOUR: &str = "d4-1 d4-4 a4-1 a4-4 c4-1 b4-1 c4-4 c4-3 c3-1 c3-3 c2-1 c1-1 c2-3 d3-1 b3-1 b2-1 c3-4 \
     c1-3 a3-1 b4-3 d4-3 b3-3 b2-3 a3-4 d3-3 d2-3 b4-2 c2-4 c1-4 b1-1 b1-3 d4-2 d3-2 d3-4";

#[test]
fn certificates_of_long_wins_hold() {
    for (moves, nodes) in [
        ("d4-4 d3-4 a4-4 d4-2 a4-1 d2-4", 5),
        (
            "d4-1 b4-1 d4-4 c4-4 a4-4 d3-4 a4-1 a4-3 a3-1 a2-1 a3-3 d2-4",
            50,
        ),
        (SCORE_FOUR, 890),
    ] {
        let game = position("4x4x4:4+gravity", moves);
        let (winner, stones) = (Seat::X, game.ply());
        let certificate = &certificate_within(&game, winner, 22, None).unwrap();
        let certified = check_win_certificate(certificate).unwrap();
        assert_eq!(
            (certified.position.moves(), certified.winner),
            (game.moves(), winner)
        );
        assert_eq!(certified.nodes, nodes);
        // With the other seat as the winner, the root has a move although the loser is to move.
        let seats = [winner, winner.other()].map(|seat| format!("winner {seat}"));
        assert_eq!(
            fault(&certificate.replace(&seats[0], &seats[1])),
            Err(LoserToMove)
        );
        let branching: Vec<usize> = (0..nodes)
            .filter(|&number| node_text(certificate, number).contains(' '))
            .collect();
        for number in [branching[0], branching[branching.len() / 2], nodes - 1] {
            let (changed, reply) = without_last_branch(certificate, number);
            let error = check_win_certificate(&changed).unwrap_err();
            assert_eq!(
                (error.line, error.fault),
                (HEAD_LINES + 1 + number, UnansweredReply(reply)),
                "{stones} stones"
            );
        }
    }
}

fn node_text(certificate: &str, number: usize) -> &str {
    certificate.lines().nth(HEAD_LINES + number).unwrap()
}

/// Returns the certificate without the last branch of a node, and the reply of this branch.
fn without_last_branch(certificate: &str, number: usize) -> (String, char) {
    let (kept, branch) = node_text(certificate, number).rsplit_once(' ').unwrap();
    let line = |(at, line)| {
        if at == HEAD_LINES + number {
            kept
        } else {
            line
        }
    };
    let lines: Vec<&str> = certificate.lines().enumerate().map(line).collect();
    (lines.join("\n"), branch.chars().next().unwrap())
}

#[test]
fn random_positions_have_the_exhaustive_winner_and_a_certificate() {
    let (mut wins, mut others) = (0, 0);
    for (number, (rules, free_cells)) in [
        ("3x3:3", 7),
        ("4x3:3", 9),
        ("4x3:3+exact", 9),
        ("4x4:3+gravity", 11),
        ("4x4:3+gravity+exact", 11),
        ("5x4:4+gravity", 13),
        ("3x3x3:3+gravity", 12),
        ("4x4x4:4+gravity", 11),
        ("2x2x2x2:2+gravity", 12),
    ]
    .into_iter()
    .enumerate()
    {
        let mut seed = number as u64;
        for _ in 0..12 {
            let mut game = position(rules, "");
            while game.status() == Status::Ongoing && game.rules().cells() - game.ply() > free_cells
            {
                seed = split_mix64(seed);
                let cell = game
                    .legal_nth((seed % game.legal_count() as u64) as usize)
                    .unwrap();
                game.play(cell).unwrap();
            }
            if game.status() != Status::Ongoing {
                continue;
            }
            let expected = exhaustive_status(&mut game, &mut HashMap::new());
            for seat in Seat::ALL {
                let is_win = expected == Status::Won(seat);
                assert_eq!(solve_win(&game, seat), Some(is_win), "{game:?} {seat}");
                let text = certificate(&game, seat);
                assert_eq!(text.is_some(), is_win, "{game:?} {seat}");
                if let Some(text) = text {
                    let certified = check_win_certificate(&text).unwrap();
                    assert_eq!(
                        (certified.position.moves(), certified.winner),
                        (game.moves(), seat)
                    );
                    wins += 1;
                } else {
                    others += 1;
                }
            }
        }
    }
    assert!(wins > 25 && others > 50, "{wins} {others}");
}

#[test]
fn boards_have_known_winners() {
    for (rules, moves, seat, expected) in [
        ("3x3:3", "", Seat::X, Some(false)),
        ("4x4:3", "", Seat::X, Some(true)),
        ("3x3x3:3", "", Seat::X, Some(true)),
        ("3x3:3", "a1 b1", Seat::X, Some(true)),
        ("3x3:3", "b1 b2 a3", Seat::O, Some(false)),
        ("3x3:3", "a1 c1 b1", Seat::O, Some(true)),
        ("5x4:4+gravity", "", Seat::X, Some(false)),
        // Misère, large boards and finished games are not searched.
        ("3x3:3+misere", "", Seat::X, None),
        ("15x15:5", "", Seat::X, None),
        ("3:1", "a1", Seat::X, None),
    ] {
        let game = position(rules, moves);
        assert_eq!(solve_win(&game, seat), expected, "{rules} {moves} {seat}");
        assert_eq!(
            certificate(&game, seat).is_some(),
            expected == Some(true),
            "{rules} {moves} {seat}"
        );
    }
}

#[test]
fn the_node_limit_ends_the_search_and_decides_its_result() {
    let game = position("5x4:4+gravity", "");
    let solve = |nodes| prove_forced_win(&game, Seat::X, TABLE_BITS, Some(nodes)).unwrap();
    let found = solve(300);
    assert_eq!((found.is_won, found), (None, solve(300)));
    assert!((300..310).contains(&found.nodes), "{found:?}");
}

#[test]
fn a_table_of_two_entries_suffices_for_a_certificate() {
    for (rules, moves, seat) in [
        ("4x4:3", "", Seat::X),
        ("3x3:3", "a1 b1", Seat::X),
        ("4x4:3+gravity", "", Seat::X),
    ] {
        let text = certificate_within(&position(rules, moves), seat, 1, Some(1_000_000)).unwrap();
        assert!(fault(&text).is_ok(), "{rules} {moves}");
    }
}

#[test]
fn boards_of_more_than_64_cells_have_certificates() {
    for (rules, moves, seat) in [
        ("9x9:4", "d8 a1 e8 b3", Seat::X),
        ("9x9:3", "e9 a1", Seat::X),
        ("9x9:3", "e8", Seat::X),
        ("9x9:4", "a1 d8 b3 e8 i1", Seat::O),
        ("9x9:3+gravity", "e9 a9", Seat::X),
    ] {
        let game = position(rules, moves);
        let text = certificate_within(&game, seat, 16, Some(100_000)).unwrap();
        let certified = check_win_certificate(&text).unwrap();
        assert_eq!(
            (certified.position.moves(), certified.winner),
            (game.moves(), seat),
            "{rules} {moves}"
        );
        assert!(text.contains(|letter: char| !letter.is_ascii()), "{text}");
    }
}

/// Returns the number of nodes of the strategy, if the search finds a strategy within these limits.
fn strategy_nodes(
    game: &Position,
    max_nodes: usize,
    limits: SearchLimits,
    stop: bool,
) -> Option<usize> {
    let stop = AtomicBool::new(stop);
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    let strategy = find_winning_strategy(game, Seat::X, TABLE_BITS, max_nodes, &mut budget);
    strategy.map(|strategy| strategy.nodes.len())
}

#[test]
fn limits_end_the_writer() {
    let unlimited = SearchLimits::default();
    for (rules, moves) in [
        ("3x3:3", "a1 b1"),
        ("3x3:3", "a1 b1 a2"),
        ("4x4:3", ""),
        ("4x4:3", "b2"),
    ] {
        let game = position(rules, moves);
        let count = strategy_nodes(&game, usize::MAX, unlimited, false).unwrap();
        assert_eq!(
            strategy_nodes(&game, count, unlimited, false),
            Some(count),
            "{rules} {moves}"
        );
        assert_eq!(
            strategy_nodes(&game, count - 1, unlimited, false),
            None,
            "{rules} {moves}"
        );
    }
    // The proof takes less than the node limit; the writer visits further positions.
    let game = position("4x4:3", "");
    let found = prove_forced_win(&game, Seat::X, TABLE_BITS, None).unwrap();
    let within = |nodes| SearchLimits {
        nodes: Some(nodes),
        ..unlimited
    };
    assert_eq!(
        strategy_nodes(&game, usize::MAX, within(found.nodes + 1), false),
        None
    );
    assert!(strategy_nodes(&game, usize::MAX, within(found.nodes + 100_000), false).is_some());
    // The search checks the stop flag at intervals.
    assert!(strategy_nodes(&position("5x5:4", ""), usize::MAX, unlimited, true).is_none());
}

/// The strategy of X after `a1 b1`: D with a threat at G, then E with threats at F and I.
const SMALL: &str = "rules 3x3:3\nmoves a1 b1\nwinner X\nE\nD G:0\n";

#[test]
fn the_check_finds_each_fault() {
    assert_eq!(fault(SMALL), Ok(2));
    // A branch answers a reply that does not keep X from completing a line.
    assert_eq!(
        fault(&SMALL.replace("E\n", "E\nG\n").replace("G:0", "G:0 H:1")),
        Ok(3)
    );
    for (from, to, expected) in [
        // A reply is missing, then a node.
        ("D G:0", "D", UnansweredReply('G')),
        ("E\n", "", NodeNumber("0".into())),
        // A move is wrong and leaves the loser a reply, or the wrong player is to move.
        ("E\n", "I\n", UnansweredReply('E')),
        ("E\n", "G\n", IllegalCell('G')),
        ("E\n", "-\n", MissingMove),
        ("E\n", "EE\n", MoveText("EE".into())),
        ("E\n", "\n", MoveText(String::new())),
        ("E\n", "J\n", CellLetter('J')),
        // The next nodes do not precede the node.
        ("E\n", "E F:0\n", NodeNumber("0".into())),
        ("E\n", "E F:1\n", NodeNumber("1".into())),
        ("D G:0", "D G:1", NodeNumber("1".into())),
        ("D G:0", "D G:-1", NodeNumber("-1".into())),
        ("D G:0", "D G:+0", NodeNumber("+0".into())),
        ("D G:0", "D G:00", NodeNumber("00".into())),
        ("D G:0", "D G:", NodeNumber(String::new())),
        (
            "D G:0",
            "D G:99999999999999999999999",
            NodeNumber("99999999999999999999999".into()),
        ),
        // Faults quote the first 24 characters of a word.
        (
            "D G:0",
            "D G:9999999999999999999999999",
            NodeNumber("999999999999999999999999…".into()),
        ),
        (
            "D G:0",
            "D GGGGGGGGGGGGGGGGGGGGGGGGé",
            BranchText("GGGGGGGGGGGGGGGGGGGGGGGG…".into()),
        ),
        (
            "D G:0",
            "ééééééééééééééééééééééééé G:0",
            MoveText("éééééééééééééééééééééééé…".into()),
        ),
        ("D G:0", "D G", BranchText("G".into())),
        ("D G:0", "D  G:0", BranchText(String::new())),
        ("D G:0", "D GG:0", BranchText("GG:0".into())),
        ("D G:0", "D é:0", CellLetter('é')),
        ("D G:0", "D G:0 G:0", RepeatedReply('G')),
        (
            "D G:0",
            "D A:0 B:0 C:0 D:0 E:0 F:0 G:0 H:0 I:0 A:0",
            RepeatedReply('A'),
        ),
        ("D G:0", "D G:0 A:0", IllegalCell('A')),
        ("D G:0", "D G:0 H:0", TwoPositions(0)),
        ("E\n", "E\nE\n", UnreachedNode),
    ] {
        assert_eq!(
            fault(&SMALL.replacen(from, to, 1)),
            Err(expected),
            "{from:?} {to:?}"
        );
    }
    let head = |rules: &str, moves: &str| format!("rules {rules}\nmoves {moves}\nwinner X\n");
    for (text, expected) in [
        (String::new(), Err(MissingField("rules"))),
        ("rules 3:3\nmoves".to_owned(), Err(MissingField("winner"))),
        (
            "rules 3:3\nmoves\nwinnerX".to_owned(),
            Err(MissingField("winner")),
        ),
        (
            "rules 3:3\nmoves\nmaker X".to_owned(),
            Err(MissingField("winner")),
        ),
        (
            "rules 3:3\nmoves\nwinner Z\nA".to_owned(),
            Err(SeatName("winner")),
        ),
        (head("3:1", "a1") + "B", Err(GameOver)),
        (head("3x3:3+misere", "") + "B", Err(UnsupportedRules)),
        (head("12x12:5", "") + "B", Err(UnsupportedRules)),
        (head("3:1", ""), Err(NoNodes)),
        (head("3:1", "") + "B", Ok(1)),
        (head("3:1", "") + "A\nB A:0", Err(NeedlessBranch('A'))),
        (head("2:2", "a1") + "B", Err(LoserToMove)),
        (head("2:2", "a1") + "-", Err(DrawnGame('B'))),
        (head("2:2", "") + "A", Err(DrawnGame('B'))),
        (head("3x1:2", "b1") + "-", Ok(1)),
        (head("4:2", "a1 c1") + "D", Err(LoserLine('B'))),
        // A stone falls to the lowest row.
        (head("2x2:2+gravity", "a2") + "-", Ok(1)),
        (head("2x2:2+gravity", "") + "C", Ok(1)),
        (head("2x2:2+gravity", "") + "A", Err(IllegalCell('A'))),
        (
            head("3:1", "") + &"B\n".repeat(MAX_CERTIFICATE_NODES + 1),
            Err(TooManyNodes),
        ),
    ] {
        assert_eq!(fault(&text), expected, "{:?}", text.get(..40));
    }
    let error = check_win_certificate(&SMALL.replace("E\n", "E\nE\n")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 5: no later node leads to this node"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn a_changed_certificate_holds_only_with_a_true_claim(changes in super::byte_changes()) {
        for certificate in [SMALL, "rules 2x2:2+gravity\nmoves a2\nwinner X\n-", "rules 3x3:3\nmoves a1 b1 a2\nwinner X\nE\n- G:0"] {
            let changed = super::with_changes(certificate, &changes);
            if let Ok(mut certified) = check_win_certificate(&changed)
                && certified.position.rules().cells() <= 9
            {
                let status = exhaustive_status(&mut certified.position, &mut HashMap::new());
                prop_assert_eq!(status, Status::Won(certified.winner), "{}", changed);
            }
        }
    }
}
