//! Tests of certificates that the search writes, and of the faults that the check finds in changed certificates.

use std::collections::HashMap;
use std::sync::LazyLock;

use noughts_protocol::{RulesError, Seat, Status};
use proptest::prelude::*;

use super::position;
use super::win_certificates::exhaustive_status;
use crate::CertificateFault::{
    CellLetter, GameOver, MissingField, NoNodes, NodeNumber, OccupiedCell, RepeatedCell, Rules,
    SeatName, TooManyLines, TooManyNodes, UnansweredMove, UnblockedLine, UnsupportedRules,
};
use crate::{
    CertificateError, CertificateFault, MAX_CERTIFICATE_NODES, check_weak_game_certificate,
    write_weak_game_certificate,
};

/// A certificate that X does not win 6x6:5.
static CERTIFICATE_6X6_5: LazyLock<String> = LazyLock::new(|| written("6x6:5", "", Seat::X));
/// A certificate that X does not win a position of 7x7:5.
static CERTIFICATE_7X7_5: LazyLock<String> = LazyLock::new(|| written("7x7:5", "d4 c3", Seat::X));
/// A position of 5x5x5:5 after both sides have blocked many lines.
const MOVES_5X5X5: &str = "c3-3 a1-1 e5-1 b2-4 a1-5 a5-1 b4-2 b4-4 d2-4 c3-5 a5-5 c5-3 d5-4 d3-4 b3-4 a3-5 d3-5 d2-2 \
     a3-1 d1-5 d1-1";
/// Number of lines of a certificate before its nodes.
const HEAD_LINES: usize = 3;

/// Returns the certificate that the search writes.
fn written(rules: &str, moves: &str, maker: Seat) -> String {
    write_weak_game_certificate(&position(rules, moves), maker, 18, None).unwrap()
}

fn fault(certificate: &str) -> Result<usize, CertificateFault> {
    check_weak_game_certificate(certificate)
        .map(|certified| certified.nodes)
        .map_err(|error| error.fault)
}

/// Returns the certificate of 7x7:5 with one node changed.
fn with_node(number: usize, change: impl Fn(&str) -> String) -> String {
    let lines = CERTIFICATE_7X7_5.lines().enumerate();
    let changed = lines.map(|(at, line)| {
        if at == HEAD_LINES + number {
            change(line)
        } else {
            line.to_owned()
        }
    });
    changed.collect::<Vec<String>>().join("\n")
}

#[test]
fn written_certificates_hold() {
    for (certificate, rules) in [
        (&*CERTIFICATE_6X6_5, "6x6:5"),
        (&*CERTIFICATE_7X7_5, "7x7:5"),
    ] {
        let certified = check_weak_game_certificate(certificate).unwrap();
        assert_eq!(certified.position.rules().to_string(), rules);
        assert_eq!(certified.maker, Seat::X);
        assert!(certified.nodes > 1, "{rules}");
    }
    // On the empty board an additional move does not harm the breaker.
    let other = CERTIFICATE_6X6_5.replace("maker X", "maker O");
    assert_eq!(fault(&other), fault(&CERTIFICATE_6X6_5));
}

#[test]
fn a_position_of_5x5x5_is_certified_as_a_draw() {
    for maker in Seat::ALL {
        let certificate = written("5x5x5:5", MOVES_5X5X5, maker);
        let certified = check_weak_game_certificate(&certificate).unwrap();
        assert_eq!((certified.maker, certified.position.ply()), (maker, 21));
        if maker == Seat::X {
            // A strategy against X is not a strategy against O.
            let other = fault(&certificate.replace("maker X", "maker O"));
            assert_eq!(other, Err(UnansweredMove('B')));
        }
    }
}

#[test]
fn a_missing_reply_is_found() {
    for number in [0, 50, 150] {
        let line = CERTIFICATE_7X7_5.lines().nth(HEAD_LINES + number).unwrap();
        let count = line.split(' ').count();
        for missing in [0, count / 2, count - 1] {
            let changed = with_node(number, |line| {
                let branches = line.split(' ').enumerate().filter(|&(at, _)| at != missing);
                branches
                    .map(|(_, branch)| branch)
                    .collect::<Vec<&str>>()
                    .join(" ")
            });
            let error = check_weak_game_certificate(&changed).unwrap_err();
            assert_eq!(error.line, HEAD_LINES + number + 1);
            assert!(
                matches!(error.fault, UnansweredMove(_)),
                "node {number}: {error}"
            );
        }
    }
}

#[test]
fn a_missing_pair_is_found() {
    for number in [0, 100] {
        // The first branch has no further node, and its last two letters are a pair.
        let changed = with_node(number, |line| {
            let (first, others) = line.split_once(' ').unwrap();
            assert!(!first.contains(':'));
            format!("{} {others}", &first[..first.len() - 2])
        });
        let fault = fault(&changed).unwrap_err();
        assert!(matches!(fault, UnblockedLine(_)), "node {number}: {fault}");
    }
}

#[test]
fn a_missing_end_is_found() {
    let lines: Vec<&str> = CERTIFICATE_7X7_5.lines().collect();
    let fault = fault(&lines[..lines.len() - 2].join("\n")).unwrap_err();
    assert!(matches!(fault, UnblockedLine(_)), "{fault}");
}

#[test]
fn a_certificate_of_another_position_is_found() {
    let elsewhere = |moves: &str| fault(&CERTIFICATE_6X6_5.replace("moves", moves)).unwrap_err();
    assert!(matches!(elsewhere("moves c3 c4"), OccupiedCell(_)));
    let shorter_lines = CERTIFICATE_6X6_5.replace("6x6:5", "6x6:4");
    assert!(matches!(fault(&shorter_lines), Err(UnblockedLine(_))));
}

#[test]
fn the_check_finds_each_fault() {
    let pairs = "rules 4:3\nmoves\nmaker X\n";
    for (nodes, expected) in [
        ("BC", Ok(1)),
        ("AB", Err(UnblockedLine("BCD".into()))),
        ("BCA", Err(UnansweredMove('A'))),
        ("B C", Ok(1)),
        ("BC A", Err(UnblockedLine("BCD".into()))),
        ("BC B", Err(UnansweredMove('B'))),
        ("BCAB", Err(RepeatedCell('B'))),
        ("BE", Err(CellLetter('E'))),
        ("Bé", Err(CellLetter('é'))),
        ("BC:0", Err(NodeNumber("0".into()))),
        ("BC\n:", Err(NodeNumber(String::new()))),
        ("BC\n:0", Ok(2)),
        ("BC\n:-1", Err(NodeNumber("-1".into()))),
        ("BC\n:+0", Err(NodeNumber("+0".into()))),
        ("BC\n:00", Err(NodeNumber("00".into()))),
        ("BC\n:٠", Err(NodeNumber("٠".into()))),
        (
            "BC\n:1234567890123456789012345",
            Err(NodeNumber("123456789012345678901234…".into())),
        ),
        // The reply takes a cell that the node needs.
        ("BC\nB:0 A:0", Err(RepeatedCell('B'))),
        ("\nB:0 C:0", Ok(2)),
        ("\nB:0 A:0", Err(UnblockedLine("BCD".into()))),
        ("BC ", Err(UnblockedLine("ABC".into()))),
        ("", Err(NoNodes)),
    ] {
        assert_eq!(fault(&format!("{pairs}{nodes}")), expected, "{nodes:?}");
    }
    for (head, expected) in [
        ("", Err(MissingField("rules"))),
        ("rules 3:3", Err(MissingField("moves"))),
        ("rules 3:3\nmoves", Err(MissingField("maker"))),
        ("rules 3:3\nmoves\nmaker Z\nAB", Err(SeatName("maker"))),
        (
            "rules 3\nmoves\nmaker X\nAB",
            Err(Rules(RulesError::Syntax)),
        ),
        ("rules3:3\nmoves\nmaker X\nAB", Err(MissingField("rules"))),
        ("rules 3:3\nmovesa1\nmaker X\nB", Err(MissingField("moves"))),
        ("rules 3:3\nmoves\nmakerX\nAB", Err(MissingField("maker"))),
        ("rules 5x5x5:4\nmoves\nmaker X\nAB", Err(TooManyLines)),
        (
            "rules 3x3:3+misere\nmoves\nmaker X\nAB",
            Err(UnsupportedRules),
        ),
        ("rules 12x12:5\nmoves\nmaker X\nAB", Err(UnsupportedRules)),
        ("rules 3:1\nmoves a1\nmaker X\nAB", Err(GameOver)),
        ("rules 3:3\nmoves\nmaker X\nAB", Ok(1)),
        ("rules 3:3+exact\nmoves\nmaker X\nAB", Ok(1)),
        ("rules 3:3\nmoves a1\nmaker X\nAB", Err(OccupiedCell('A'))),
        ("rules 3:3\nmoves a1\nmaker X\nB", Ok(1)),
        ("rules 3:3\nmoves a1 b1\nmaker X\n\n", Ok(1)),
        ("rules 3:3\nmoves\nmaker O\nB", Ok(1)),
        ("rules 3:3\nmoves\nmaker X\nB", Err(UnansweredMove('B'))),
        // Only the root is a first move of the breaker.
        ("rules 3:3\nmoves\nmaker O\nB\n:0", Err(UnansweredMove('B'))),
    ] {
        assert_eq!(fault(head), expected, "{head:?}");
    }
    // Five lines, one for each row of 25 cells.
    let rows = "rules 25x5:25\nmoves\nmaker X\n";
    for (nodes, expected) in [
        ("ABZayzËÌäå", Ok(1)),
        (
            "ABZayzËÌ",
            Err(UnblockedLine("äåæçèéêëìíîïðñòóôõö÷øùúûü".into())),
        ),
        ("ABZayzËÌýå", Err(CellLetter('ý'))),
        ("ABZayzËÌÿå", Err(CellLetter('ÿ'))),
    ] {
        assert_eq!(fault(&format!("{rows}{nodes}")), expected, "{nodes:?}");
    }
    let error = check_weak_game_certificate("rules 3:3\nmoves z9\nmaker X\nAB").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: invalid move: there is no such cell"
    );
    let error = check_weak_game_certificate("rules 3:3\nmoves a1 a1\nmaker X\nAB").unwrap_err();
    assert!(
        matches!(
            error,
            CertificateError {
                line: 2,
                fault: CertificateFault::Move(_)
            }
        ),
        "{error}"
    );
}

#[test]
fn the_number_of_nodes_is_limited() {
    let certificate = |nodes| format!("rules 4:3\nmoves\nmaker X\n{}BC", "\n".repeat(nodes - 1));
    assert_eq!(
        fault(&certificate(MAX_CERTIFICATE_NODES)),
        Ok(MAX_CERTIFICATE_NODES)
    );
    let error = check_weak_game_certificate(&certificate(MAX_CERTIFICATE_NODES + 1)).unwrap_err();
    assert_eq!(
        (error.line, error.fault),
        (HEAD_LINES + MAX_CERTIFICATE_NODES + 1, TooManyNodes)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_changed_certificate_holds_only_with_a_true_claim(changes in super::byte_changes()) {
        for certificate in [&**CERTIFICATE_6X6_5, "rules 4:3\nmoves\nmaker X\nBC\nB:0 A", "rules 3:3\nmoves a1\nmaker O\nB"] {
            let changed = super::with_changes(certificate, &changes);
            if let Ok(mut certified) = check_weak_game_certificate(&changed)
                && certified.position.rules().cells() <= 9
            {
                let status = exhaustive_status(&mut certified.position, &mut HashMap::new());
                prop_assert_ne!(status, Status::Won(certified.maker), "{}", changed);
            }
        }
    }
}
