//! Tests of the Gomocup engine: lines and the resulting actions.

use super::*;

/// Processes all lines, and checks the result of the last line. A search is written as `search`, the rules, the moves
/// and the milliseconds.
fn check(lines: &[&str], expected: &str) {
    let mut brain = Brain::default();
    let mut last = String::new();
    for line in lines {
        last = match brain.on_line(line) {
            BrainAction::Nothing => String::new(),
            BrainAction::Respond(response) => response.to_string(),
            BrainAction::Quit => "quit".to_owned(),
            BrainAction::Search(position, budget) => {
                let rules = *position.rules();
                let moves: Vec<String> = position
                    .moves()
                    .iter()
                    .map(|&cell| rules.cell_text(cell))
                    .collect();
                let text = format!("search {rules} {} {}", moves.join(" "), budget.as_millis());
                // The search always finds the first free cell.
                brain.on_search_result(position.legal_from(0).unwrap(), Evaluation::Estimate(0));
                text
            }
        };
    }
    assert_eq!(last, expected, "{lines:?}");
}

const TURN: &str = "INFO timeout_turn 1000";

#[test]
fn commands_of_a_game_start_searches() {
    check(&["START 15"], "OK");
    check(&["RECTSTART 20,10"], "OK");
    check(&["START 15", TURN, "BEGIN"], "search 15x15:5  900");
    check(
        &["START 15", TURN, "BEGIN", "TURN 7,7"],
        "search 15x15:5 a15 h8 900",
    );
    check(
        &["START 15", TURN, "TURN 7,7", "TURN 8,8"],
        "search 15x15:5 h8 a15 i7 900",
    );
    check(
        &["START 15", "INFO rule 1", TURN, "BEGIN"],
        "search 15x15:5+exact  900",
    );
    check(&["START 15", TURN, "BEGIN", "RESTART"], "OK");
    check(
        &["START 15", TURN, "BEGIN", "RESTART", "TURN 1,0"],
        "search 15x15:5 b15 900",
    );
    check(
        &[
            "START 15",
            TURN,
            "TURN 7,7",
            "TAKEBACK 0,0",
            "TAKEBACK 7,7",
            "BEGIN",
        ],
        "search 15x15:5  900",
    );
    check(&["start 15", "end"], "quit");
}

#[test]
fn a_board_sets_up_a_position() {
    let board = |stones: &[&str], expected: &str| {
        let lines = [&["START 15", TURN, "BOARD"], stones, &["DONE"]].concat();
        check(&lines, expected);
    };
    board(&[], "search 15x15:5  900");
    board(&["7,7,2"], "search 15x15:5 h8 900");
    board(&["7,7,1", "8,8,2"], "search 15x15:5 h8 i7 900");
    // The manager groups the stones by owner and does not send them in the order of play.
    board(
        &["1,0,2", "2,0,2", "0,0,1"],
        "search 15x15:5 b15 a15 c15 900",
    );
    board(
        &["7,7,1"],
        "ERROR it is not the turn of this engine in this position",
    );
    board(
        &["7,7,2", "8,8,2"],
        "ERROR it is not the turn of this engine in this position",
    );
    board(&["7,7,1", "7,7,2"], "ERROR illegal stone");
    board(&["15,0,2"], "ERROR illegal stone");
    check(&["START 15", "BOARD", "7,7,2", "START 15"], "OK");
    check(&["START 15", "DONE"], "ERROR BOARD first");
}

#[test]
fn the_search_time_follows_the_time_settings() {
    for (info, expected) in [
        (&["INFO timeout_turn 0"][..], 16),
        (&["INFO timeout_turn 100"], 80),
        (&["INFO timeout_turn 60000"], 59_900),
        (
            &["INFO timeout_turn 60000", "INFO timeout_match 100000"],
            4_900,
        ),
        (
            &[
                "INFO timeout_turn 1000",
                "INFO timeout_match 100000",
                "INFO time_left 2000",
            ],
            80,
        ),
        (&["INFO timeout_turn 1000", "INFO time_left -5"], 16),
        (
            &[
                "INFO timeout_turn 1000",
                "INFO time_left 0",
                "INFO timeout_match 0",
            ],
            900,
        ),
    ] {
        let lines = [&["START 15"], info, &["BEGIN"]].concat();
        check(&lines, &format!("search 15x15:5  {expected}"));
    }
}

/// Sends a swap2 opening with these stones. The search finds a1 with this score.
fn check_opening(stones: &[&str], score: Evaluation, expected: &str) {
    let mut brain = Brain::default();
    brain.on_line("START 15");
    let lines = [&["SWAP2BOARD"], stones].concat();
    for line in lines {
        assert_eq!(brain.on_line(line), BrainAction::Nothing, "{line}");
    }
    let response = match brain.on_line("DONE") {
        BrainAction::Respond(response) => response.to_string(),
        BrainAction::Search(position, _) => {
            assert_eq!(position.ply(), stones.len());
            brain.on_search_result(Cell::new(0), score).to_string()
        }
        other @ (BrainAction::Nothing | BrainAction::Quit) => panic!("{other:?}"),
    };
    assert_eq!(response, expected, "{stones:?}");
    // The game continues with `BOARD`.
    for line in ["BOARD", "7,7,2", "7,8,1", "9,9,2"] {
        assert_eq!(brain.on_line(line), BrainAction::Nothing);
    }
    assert!(matches!(brain.on_line("DONE"), BrainAction::Search(..)));
    let next = brain.on_search_result(Cell::new(1), Evaluation::Loss(4));
    assert_eq!(
        next,
        GomocupResponse::Move(Point { x: 1, y: 0 }),
        "only openings are swapped"
    );
}

#[test]
fn a_swap2_opening_is_proposed_or_answered() {
    let three = ["7,7", "8,8", "9,9"];
    let five = ["7,7", "8,8", "9,9", "1,1", "2,2"];
    check_opening(&[], Evaluation::Draw, "7,7 8,8 5,9");
    for stones in [&three[..], &five] {
        check_opening(stones, Evaluation::Estimate(-1), "SWAP");
        check_opening(stones, Evaluation::Loss(8), "SWAP");
        check_opening(stones, Evaluation::Estimate(0), "0,0");
        check_opening(stones, Evaluation::Draw, "0,0");
        check_opening(stones, Evaluation::Win(9), "0,0");
    }
    check_opening(
        &["7,7"],
        Evaluation::Draw,
        "ERROR a swap2 opening has no stones, three or five",
    );
    check_opening(
        &three.repeat(3),
        Evaluation::Draw,
        "ERROR a swap2 opening has no stones, three or five",
    );
    check_opening(
        &["7,7", "7,7", "9,9"],
        Evaluation::Draw,
        "ERROR illegal stone",
    );
    check(&["SWAP2BOARD", "DONE"], "ERROR START first");
    check(&["START 5", "SWAP2BOARD", "DONE"], "2,2 3,3 0,4");
    check(&["START 15", "7,7"], "ERROR SWAP2BOARD first");
    check(&["START 15", "SWAP2BOARD", "7,7", "RESTART"], "OK");
    check(
        &["START 15", "SWAP2BOARD", "7,7", "RESTART", "DONE"],
        "ERROR BOARD first",
    );
}

#[test]
fn invalid_input_is_answered_with_an_error() {
    check(&["BEGIN"], "ERROR START first");
    check(&["RESTART"], "ERROR START first");
    check(&["START 4"], "ERROR unsupported board size");
    check(&["START 26"], "ERROR unsupported board size");
    check(
        &["START 15", "INFO rule 4", "BEGIN"],
        "ERROR unsupported rules",
    );
    check(&["START 15", "TURN 15,15"], "ERROR illegal stone");
    check(
        &["START 15", TURN, "TURN 15,15", "TURN 7,7"],
        "search 15x15:5 h8 900",
    );
    check(&["START 15", "TURN x"], "ERROR bad argument");
    check(&["YXHASHCLEAR \u{1b}[2J"], "UNKNOWN YXHASHCLEAR [2J");
    check(&[""], "");
    let five = [
        "BOARD", "0,0,1", "0,1,2", "1,0,1", "1,1,2", "2,0,1", "2,1,2", "3,0,1", "3,1,2",
    ];
    let over = [&["START 15"], &five[..], &["4,0,1", "9,9,2", "DONE"]].concat();
    check(&over, "ERROR illegal stone");
}
