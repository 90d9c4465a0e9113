//! Programs of the plain protocol, each a small shell script: a correct program, and a program for each frequent
//! mistake.

use super::*;
use crate::engines::player_engine::managers::{EngineProcess, EngineProgram, EngineProtocol};
use crate::engines::tests::position;

fn start(script: &str) -> EngineProcess {
    let program = EngineProgram {
        protocol: EngineProtocol::Plain,
        command: script.to_owned(),
    };
    let limits = ProcessLimits {
        grace: Duration::from_millis(100),
        ..ProcessLimits::default()
    };
    EngineProcess::start(&program, limits).expect("/bin/sh exists")
}

#[test]
fn a_line_has_everything_that_a_move_needs() {
    let line = PlainPosition::line(
        &position("4x3:3+gravity", "b1 b2 d1"),
        Duration::from_secs(1),
    );
    assert_eq!(
        line,
        r#"{"rules":"4x3:3+gravity","seat":"O","moves":["b1","b2","d1"],"board":["....",".O..",".X.X"],"legal":["b3","d2","a1","c1"],"time_ms":1000}
"#
        .replace("    ", "")
    );
}

#[tokio::test]
async fn a_program_plays_one_cell_per_line_until_its_input_ends() {
    // The answers are separated by line breaks of other systems and by blank lines, are in capitals, or name any cell
    // of a column.
    let mut process = start(
        "for cell in 'b1\\r' ' C1 \\n\\r' '\\n \\na3'; do read -r line; printf \"$cell\\n\"; done; cat",
    );
    for (moves, expected) in [("", "b1"), ("b1", "c1"), ("b1 a1", "a2")] {
        let position = position("4x3:3+gravity", moves);
        let cell = process.choose(&position, Duration::from_secs(10)).await;
        let text = cell.map(|cell| position.rules().cell_text(cell));
        assert_eq!(text, Ok(expected.to_owned()), "{moves}");
    }
    process.end().await;
}

#[tokio::test]
async fn each_mistake_has_its_own_error() {
    for (script, expected) in [
        (
            "echo my bot; cat",
            r#"illegal move "my bot" from the engine: cell_syntax"#,
        ),
        (
            "echo c9; cat",
            r#"illegal move "c9" from the engine: off_board"#,
        ),
        (
            "echo b2; cat",
            r#"illegal move "b2" from the engine: taken"#,
        ),
        (
            "read -r line; echo 1/0 >&2; exit 1",
            "engine exited (exit status: 1): 1/0",
        ),
        (
            "read -r line; kill -9 $$",
            "engine exited (signal: 9 (SIGKILL))",
        ),
        (
            "head -c 100000 /dev/zero | tr '\\0' x; cat",
            "engine output too long",
        ),
    ] {
        let (mut process, position) = (start(script), position("3x3:3", "b2"));
        let answer = process.choose(&position, Duration::from_secs(10)).await;
        assert_eq!(answer.unwrap_err().to_string(), expected, "{script}");
    }
}

#[tokio::test]
async fn the_last_lines_of_stderr_are_kept() {
    let long = "head -c 100000 /dev/zero | tr '\\0' x";
    let cut = "x".repeat(120);
    let numbers: Vec<String> = (21..=30).map(|number| number.to_string()).collect();
    for (script, expected) in [
        ("seq 1 30".to_owned(), numbers),
        (long.to_owned(), vec![cut.clone()]),
        (
            format!("{long}; echo; printf last"),
            vec![cut, "last".to_owned()],
        ),
        (
            r"printf '10 %%\r20 %%\r\n'".to_owned(),
            vec!["10 %".to_owned(), "20 %".to_owned()],
        ),
    ] {
        // A program with a closed standard error does not get as far as its answer.
        let mut process = start(&format!(
            "read -r line; {{ {script}; }} >&2 && echo a1; exit 1"
        ));
        let first = process
            .choose(&position("3x3:3", ""), Duration::from_secs(10))
            .await;
        assert!(first.is_ok(), "{script}: {first:?}");
        let second = process
            .choose(&position("3x3:3", "a1"), Duration::from_secs(10))
            .await;
        let Err(EngineError::Exited { stderr, .. }) = second else {
            panic!("{script}: the program exits: {second:?}");
        };
        assert_eq!(stderr, expected, "{script}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_program_has_time_to_start() {
    let (mut process, position) = (start("exec sleep 600"), position("3x3:3", ""));
    let limit = Duration::from_millis(300);
    let answer = process.choose(&position, limit).await;
    let waited = START_TIMEOUT + Duration::from_millis(400);
    assert_eq!(answer, Err(EngineError::Timeout(waited)));
}

#[tokio::test]
async fn a_program_that_has_started_has_only_the_time_of_the_move() {
    let mut process = start("read -r line; echo a1; exec sleep 600");
    let limit = Duration::from_millis(300);
    let first = process.choose(&position("3x3:3", ""), limit).await;
    assert!(first.is_ok(), "{first:?}");
    let second = process.choose(&position("3x3:3", "a1"), limit).await;
    assert_eq!(
        second,
        Err(EngineError::Timeout(Duration::from_millis(400)))
    );
}

#[tokio::test]
async fn a_second_answer_is_not_taken_for_the_next_one() {
    let mut process = start("read -r line; printf 'a1\\nb1\\n'; cat");
    let limit = Duration::from_secs(10);
    let first = process.choose(&position("3x3:3", ""), limit).await;
    assert_eq!(first, Ok(Cell::new(0)));
    let second = process.choose(&position("3x3:3", "a1"), limit).await;
    assert_eq!(second, Err(EngineError::UnaskedLine("b1".to_owned())));
}

#[tokio::test]
async fn a_program_sees_the_end_of_its_input() {
    let name = format!("noughts-plain-end-{}", std::process::id());
    let file = std::env::temp_dir().join(name);
    let script = "while read -r line; do echo a1; done; echo ended >";
    let mut process = start(&format!("{script}{}", file.display()));
    let limit = Duration::from_secs(10);
    let answer = process.choose(&position("3x3:3", ""), limit).await;
    assert!(answer.is_ok(), "{answer:?}");
    process.end().await;
    let written = std::fs::read_to_string(&file);
    assert_eq!(written.expect("the program has written it"), "ended\n");
    std::fs::remove_file(&file).expect("it exists");
}
