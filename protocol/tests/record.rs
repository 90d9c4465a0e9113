//! Game records as text: errors with their lines, names and limits. The golden file `vector-record` has examples.

use noughts_protocol::{Position, Record, RecordError};

const RECORD_TEXT: &str = "\
[Rules \"3x3:3\"]
[X \"Ann\"]
[O \"Bob\"]
[Clock \"5+3\"]
[Result \"X line\"]

1. b2 a1 2. c1 b1 3. a3
";

/// Checks the line and the code of the error after one replacement in a valid record.
fn check_error(original: &str, replacement: &str, line: usize, code: &str) {
    assert!(RECORD_TEXT.contains(original), "{original}");
    let error: RecordError = RECORD_TEXT
        .replacen(original, replacement, 1)
        .parse::<Record>()
        .unwrap_err();
    assert_eq!((error.line, error.code()), (line, code), "{error}");
    assert!(error.to_string().starts_with(&format!("line {line}: ")));
}

#[test]
fn errors_name_their_line() {
    check_error("[X \"Ann\"]", "[X Ann]", 2, "record_tag");
    check_error("[X \"Ann\"]", "[X \"A\"nn\"]", 2, "record_tag");
    check_error("[X \"Ann\"]", "[X \"Ann\\\"]", 2, "record_tag");
    check_error("[X \"Ann\"]", "[X \"\\u{110000}\"]", 2, "record_tag");
    check_error("[X \"Ann\"]", "[X \"\\n\"]", 2, "record_tag");
    check_error("[O", "[X", 3, "record_repeated_tag");
    check_error("[Rules", "[Rule", 1, "record_no_rules");
    check_error("3x3:3", "3x3:4", 1, "rules_line");
    check_error("5+3", "5", 4, "record_clock");
    check_error("X line", "X wins", 5, "record_result");
    check_error("2. c1", "3. c1", 7, "record_number");
    check_error("2. c1 b1", "c1 2. b1", 7, "record_number");
    check_error("2. c1", "2 c1", 7, "cell_syntax");
    check_error("b2 a1", "b2 d1", 7, "off_board");
    check_error("b2 a1", "b2 b2", 7, "taken");
    check_error("3. a3", "3. a3 a2", 7, "game_over");
}

#[test]
fn result_must_match_the_board() {
    for result in [
        "O line",
        "draw full",
        "O resignation",
        "X time",
        "draw agreement",
        "*",
    ] {
        check_error("X line", result, 5, "record_mismatch");
    }
    let unfinished = RECORD_TEXT.replace(" 3. a3", "");
    for (result, possible) in [
        ("X line", false),
        ("draw full", false),
        ("X resignation", true),
        ("O time", true),
        ("draw agreement", true),
        ("draw abandonment", true),
        ("*", true),
    ] {
        let text = unfinished.replace("X line", result);
        assert_eq!(text.parse::<Record>().is_ok(), possible, "{result}");
    }
}

#[test]
fn too_long_texts_are_rejected() {
    assert!("x".repeat(Record::MAX_TEXT + 1).parse::<Record>().is_err());
}

#[test]
fn names_are_escaped_in_tags() {
    let mut record: Record = RECORD_TEXT.parse().unwrap();
    for name in [
        "",
        "\"]",
        "\\",
        "a\nb",
        "\r\u{85}\u{7}",
        "]\n[O \"Eve\"]",
        "日本",
        " blanks ",
    ] {
        record.players[0] = name.to_owned();
        let text = record.to_string();
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(
            !text.contains(|letter: char| letter.is_control() && letter != '\n'),
            "{text:?}"
        );
        assert_eq!(text.parse(), Ok(record.clone()));
    }
}

#[test]
fn long_games_wrap_and_fit_the_limit() {
    for rules in ["25x25:25", "16x16x4:16", "25x20x1x2:25+exact", "25:25"] {
        let mut position = Position::new(rules.parse().unwrap());
        while let Some(cell) = position.legal_from(0) {
            position.play(cell).unwrap();
        }
        let record = Record {
            rules: *position.rules(),
            control: None,
            players: ["n".repeat(200), "n".repeat(200)],
            identities: [None; 2],
            moves: position.moves().to_vec(),
            outcome: position.outcome(),
        };
        let text = record.to_string();
        assert!(text.len() < Record::MAX_TEXT, "{}", text.len());
        let (_, moves) = text.split_once("\n\n").unwrap();
        assert!(
            moves
                .lines()
                .all(|line| line.len() <= 78 && !line.ends_with('.'))
        );
        assert_eq!(text.parse(), Ok(record));
    }
}
