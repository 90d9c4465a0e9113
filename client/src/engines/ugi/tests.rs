//! Tests of the UGI engine: lines and the resulting actions.

use super::*;

/// Processes all lines, and checks the result of the last line.
fn check(lines: &[&str], expected: &str) {
    let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
    let mut last = String::new();
    for line in lines {
        last = match ugi.on_line(line) {
            UgiAction::Respond(lines) => lines.join("\n"),
            UgiAction::Stop => "stop".to_owned(),
            UgiAction::Quit => "quit".to_owned(),
            UgiAction::Search(search) => {
                let UgiSearchRequest {
                    position,
                    limits,
                    level,
                    infinite,
                    multi_pv,
                    seed,
                } = *search;
                assert_eq!((multi_pv, seed), (1, None));
                let SearchLimits {
                    depth,
                    nodes,
                    time,
                    without_book,
                } = limits;
                assert!(!without_book);
                let ms = time.map(|time| time.as_millis());
                format!("{level} {position:?} {depth:?} {nodes:?} {ms:?} {infinite}")
            }
        };
    }
    assert_eq!(last, expected, "{lines:?}");
}

#[test]
fn ugi_is_answered_with_the_options() {
    let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
    let UgiAction::Respond(lines) = ugi.on_line("ugi") else {
        panic!("ugi has a response")
    };
    assert_eq!(lines.last().map(String::as_str), Some("ugiok"));
    assert!(
        lines.contains(&"option name Rules type string default 3x3:3".to_owned()),
        "{lines:?}"
    );
    check(&["isready"], "readyok");
    check(&["quit"], "quit");
    check(&["stop"], "stop");
}

#[test]
fn positions_of_all_kinds_of_rules_are_accepted() {
    check(
        &["position startpos moves b2 a1", "go nodes 500"],
        "hard Position(3x3:3; b2 a1; Ongoing) None Some(500) None false",
    );
    check(
        &["position fen 7x6:4+gravity moves d1 d1", "go depth 9"],
        "hard Position(7x6:4+gravity; d1 d2; Ongoing) Some(9) None None false",
    );
    check(
        &[
            "setoption name Rules value 4x4x4:4",
            "position startpos moves b2-2 a1-1",
            "go infinite",
        ],
        "hard Position(4x4x4:4; b2-2 a1-1; Ongoing) None None None true",
    );
    check(
        &[
            "setoption name Level value easy",
            "position fen misere",
            "go",
        ],
        "easy Position(3x3:3+misere; ; Ongoing) None None None false",
    );
    check(
        &["position startpos moves b2", "uginewgame", "go movetime 30"],
        "hard Position(3x3:3; ; Ongoing) None None Some(30) false",
    );
}

#[test]
fn the_clock_of_the_side_to_move_counts() {
    let clocks = "go p1time 20000 p2time 40000 p1inc 0 p2inc 1000";
    check(
        &[clocks],
        "hard Position(3x3:3; ; Ongoing) None None Some(1000) false",
    );
    check(
        &["position startpos moves b2", clocks],
        "hard Position(3x3:3; b2; Ongoing) None None Some(2750) false",
    );
}

#[test]
fn queries_report_the_state_of_the_game() {
    let won = "position startpos moves b2 a1 c1 b1 a3";
    for (query, going, over) in [
        ("query gameover", "response false", "response true"),
        ("query result", "response none", "response p1win"),
        ("query p1turn", "response true", "response false"),
    ] {
        check(&[query], going);
        check(&[won, query], over);
    }
    check(&[won, "go nodes 5"], "bestmove none");
    let drawn = "position fen 3x1:3 moves a1 b1 c1";
    check(&[drawn, "query result"], "response draw");
}

#[test]
fn invalid_lines_are_reported_and_change_nothing() {
    for line in [
        "hello",
        "setoption name MultiPV value 0",
        "setoption name MultiPV value 65",
        "setoption name OwnBook value no",
        "setoption name Seed value -1",
        "go fast 3",
        "go depth",
        "query weather",
        "setoption name Rules value nine",
        "setoption name Level value brutal",
        "setoption Hash 3",
    ] {
        let mut ugi = Ugi::new("3x3:3".parse().unwrap(), Level::Hard);
        ugi.on_line("position startpos moves c3");
        let UgiAction::Respond(lines) = ugi.on_line(line) else {
            panic!("{line}")
        };
        assert!(
            lines[0].starts_with("info string error"),
            "{line}: {lines:?}"
        );
        assert_eq!(ugi.position.as_ref().map(Position::ply), Some(1), "{line}");
    }
    check(&[""], "");
}

#[test]
fn an_invalid_position_leaves_none() {
    for line in [
        "position",
        "position startpos b2",
        "position startpos moves b9",
        "position fen 3x3 moves b2",
        "position startpos moves b2 b2",
    ] {
        let no_move = "info string error: no valid position\nbestmove none";
        check(&["position startpos moves c3", line, "go nodes 5"], no_move);
        check(
            &[line, "query result"],
            "info string error: no valid position",
        );
        check(
            &[line, "position startpos moves c3", "query result"],
            "response none",
        );
        check(&[line, "uginewgame", "query result"], "response none");
    }
    check(
        &["position startpos moves b2 b2"],
        "info string error: illegal move 2",
    );
}

#[test]
fn a_search_result_is_worded() {
    let rules: Rules = "3x3:3".parse().unwrap();
    for (score, exact, expected) in [
        (Evaluation::Win(1), true, "mate 1 wdl 1000 0 0"),
        (Evaluation::Win(3), true, "mate 2 wdl 1000 0 0"),
        (Evaluation::Win(3), false, "mate 2 lowerbound wdl 1000 0 0"),
        (Evaluation::Loss(2), true, "mate -1 wdl 0 0 1000"),
        (
            Evaluation::Loss(4),
            false,
            "mate -2 upperbound wdl 0 0 1000",
        ),
        (Evaluation::Draw, true, "cp 0 wdl 0 1000 0"),
        (Evaluation::Estimate(0), false, "cp 0"),
        (Evaluation::Estimate(-7), false, "cp -7"),
    ] {
        let pv = vec![Cell::new(4), Cell::new(0)];
        let report = SearchResult {
            best: pv[0],
            score,
            exact,
            depth: 2,
            nodes: 9,
            pv,
        };
        assert_eq!(
            info_line(&rules, &report, Duration::from_millis(5)),
            format!("info depth 2 score {expected} nodes 9 time 5 pv b2 a1")
        );
        assert_eq!(best_move_line(&rules, Some(report.best)), "bestmove b2");
        let unsearched = SearchResult { depth: 0, ..report };
        let has_score = info_line(&rules, &unsearched, Duration::ZERO).contains("score");
        assert_eq!(has_score, !matches!(score, Evaluation::Estimate(_)));
    }
    assert_eq!(best_move_line(&rules, None), "bestmove none");
}

#[test]
fn a_search_without_the_book_is_an_option() {
    let mut ugi = Ugi::new("7x6:4+gravity".parse().unwrap(), Level::Perfect);
    for (line, without_book) in [
        ("setoption name OwnBook value false", true),
        ("setoption name OwnBook value true", false),
    ] {
        assert_eq!(ugi.on_line(line), UgiAction::Respond(Vec::new()));
        let UgiAction::Search(search) = ugi.on_line("go nodes 9") else {
            panic!("go starts a search")
        };
        assert_eq!(search.limits.without_book, without_book);
    }
}

#[test]
fn the_seed_is_an_option() {
    let mut ugi = Ugi::new("7x6:4".parse().unwrap(), Level::Perfect);
    for (line, seed) in [
        ("setoption name Seed value 7", Some(7)),
        ("setoption name Seed value 0", None),
    ] {
        assert_eq!(ugi.on_line(line), UgiAction::Respond(Vec::new()));
        let UgiAction::Search(search) = ugi.on_line("go nodes 9") else {
            panic!("go starts a search")
        };
        assert_eq!(search.seed, seed);
    }
}
