//! Correct and failing engines, each a small shell script.

use rustix::process::Pid;
use tokio::time::timeout;

use super::*;
use crate::engines::player_engine::child_process::DEFAULT_MEMORY_KIB;
use crate::engines::player_engine::managers::{
    EngineManager, EngineProcess, EngineProgram, EngineProtocol,
};

fn start(script: &str, limits: ProcessLimits) -> EngineProcess {
    let program = EngineProgram {
        protocol: EngineProtocol::Gomocup,
        command: script.to_owned(),
    };
    EngineProcess::start(&program, limits).expect("/bin/sh exists")
}

fn position(moves: &str) -> Position {
    crate::engines::tests::position("15x15:5", moves)
}

fn limits() -> ProcessLimits {
    ProcessLimits {
        memory_kib: Some(DEFAULT_MEMORY_KIB),
        grace: Duration::from_millis(100),
    }
}

/// Returns an engine that answers `OK` to a board and runs `answer` for each request for a move. `$line` is the
/// request.
fn brain_script(answer: &str) -> String {
    format!(
        "while read -r line; do case $line in
            START*|RECTSTART*) echo OK;;
            INFO*|BOARD|[0-9]*) ;;
            END) exit;;
            *) {answer};;
        esac; done"
    )
}

/// Asks for a move with a limit of `ms` milliseconds.
async fn check(
    script: &str,
    ms: u64,
    limits: ProcessLimits,
) -> (Result<Cell, EngineError>, EngineProcess) {
    let mut child = start(script, limits);
    let answer = child
        .choose(&position("h8"), Duration::from_millis(ms))
        .await;
    (answer, child)
}

/// Returns whether the process group has any process.
fn is_group_alive(group: Pid) -> bool {
    rustix::process::test_kill_process_group(group).is_ok()
}

async fn wait_for_group_exit(group: Pid) {
    let wait = async {
        while is_group_alive(group) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(10), wait)
        .await
        .expect("the group is killed");
}

#[tokio::test]
async fn a_correct_engine_plays_several_moves_and_exits() {
    // Each request has its own response.
    let script = brain_script(
        "case $line in BEGIN) echo 7,7;; DONE) echo MESSAGE hm; echo 7,8;; TURN*) echo 7,9;; esac",
    );
    let mut child = start(&script, limits());
    let group = child.child.process_group().unwrap();
    let turn = Duration::from_secs(10);
    let text = |cell: Cell| position("").rules().cell_text(cell);
    // The second position continues the first position. The others do not.
    for (moves, expected) in [("h8", "h7"), ("h8 h7 a15", "h6"), ("a15", "h7"), ("", "h8")] {
        let chosen = child.choose(&position(moves), turn).await.map(text);
        assert_eq!(chosen, Ok(expected.to_owned()), "{moves}");
    }
    child.end().await;
    wait_for_group_exit(group).await;
}

fn last_response_at(process: &EngineProcess) -> Instant {
    let EngineManager::Gomocup(manager) = &process.manager else {
        panic!("not a Gomocup engine");
    };
    manager.last_response_at.unwrap()
}

#[tokio::test]
async fn a_command_follows_a_response_after_a_pause() {
    let mut child = start(
        &brain_script("case $line in TURN*) echo 7,9;; *) echo 7,8;; esac"),
        limits(),
    );
    child
        .choose(&position("h8"), Duration::from_secs(10))
        .await
        .unwrap();
    let from = last_response_at(&child);
    child
        .choose(&position("h8 h7 a15"), Duration::from_secs(10))
        .await
        .unwrap();
    assert!(last_response_at(&child) - from >= COMMAND_GAP);
}

#[tokio::test]
async fn each_failure_has_its_own_error() {
    let flood = "yes MESSAGE more";
    let long = "head -c 100000 /dev/zero | tr '\\0' x; sleep 60";
    for (script, ms, expected) in [
        ("exit 3".to_owned(), 1_000, "engine exited (exit status: 3)"),
        (
            "no-such-program-anywhere".to_owned(),
            1_000,
            "engine exited (exit status: 127): /bin/sh: 2: no-such-program-anywhere: not found",
        ),
        (
            brain_script("exit 4"),
            10_000,
            "engine exited (exit status: 4)",
        ),
        (
            brain_script("exec sleep 600"),
            200,
            "no response from the engine within 300 ms",
        ),
        (
            brain_script("kill -9 $$"),
            10_000,
            "engine exited (signal: 9 (SIGKILL))",
        ),
        (
            brain_script("echo 7,7"),
            10_000,
            r#"illegal move "7,7" from the engine: taken"#,
        ),
        (
            brain_script("echo 15,0"),
            10_000,
            r#"illegal move "15,0" from the engine: off_board"#,
        ),
        (
            brain_script("echo 7.7"),
            10_000,
            r#"illegal move "7.7" from the engine"#,
        ),
        (
            brain_script("echo 7,8 it is; echo 7,8"),
            10_000,
            r#"illegal move "7,8 it is" from the engine"#,
        ),
        (
            brain_script("echo 7,8x; echo 7,8"),
            10_000,
            r#"illegal move "7,8x" from the engine"#,
        ),
        (
            brain_script("echo ERROR no idea"),
            10_000,
            "engine reported an error: no idea",
        ),
        (brain_script(flood), 10_000, "engine output too long"),
        (brain_script(long), 10_000, "engine output too long"),
        (
            "echo 7,7; echo ERROR too large; cat >/dev/null".to_owned(),
            1_000,
            r#"illegal move "7,7" from the engine"#,
        ),
    ] {
        let (answer, child) = check(&script, ms, limits()).await;
        assert_eq!(answer.unwrap_err().to_string(), expected, "{script}");
        let group = child.child.process_group();
        drop(child);
        if let Some(group) = group {
            wait_for_group_exit(group).await;
        }
    }
}

#[tokio::test]
async fn other_output_and_unknown_commands_are_ignored() {
    // A known engine prints its depth as a byte, which is a line break at depth ten.
    let script = brain_script(
        "echo Hello; echo UNKNOWN INFO; echo DEBUG x; echo; echo OK; echo errors >&2; \
         echo 7 plies; echo 7, then 8; printf 'MESSAGE depth \\n- value -14 nodes 8285\\n'; echo 7,8",
    );
    let (answer, _child) = check(&script, 10_000, limits()).await;
    assert_eq!(
        answer.map(|cell| position("").rules().cell_text(cell)),
        Ok("h7".to_owned())
    );
}

#[tokio::test]
async fn the_memory_limit_ends_an_engine() {
    // The shell allocates memory for each doubled string.
    let script = brain_script("x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; done");
    let limits = ProcessLimits {
        memory_kib: Some(100 * 1024),
        ..limits()
    };
    let (answer, _child) = check(&script, 30_000, limits).await;
    assert!(
        matches!(
            answer,
            Err(EngineError::Exited {
                status: Some(_),
                ..
            })
        ),
        "{answer:?}"
    );
}

#[tokio::test]
async fn dropping_the_engine_kills_its_process_group() {
    let script = brain_script("sleep 600 & sleep 600 & wait");
    let mut child = start(&script, limits());
    let group = child.child.process_group().unwrap();
    // The search is cancelled.
    let position = position("h8");
    let search = child.choose(&position, Duration::from_secs(60));
    let cancelled = timeout(Duration::from_millis(300), search);
    assert!(cancelled.await.is_err());
    assert!(is_group_alive(group));
    drop(child);
    wait_for_group_exit(group).await;
}

#[tokio::test]
async fn the_name_query_also_checks_the_board() {
    let rules: Rules = "20x15:5".parse().unwrap();
    let named = brain_script("echo 'name=\"Tess\", version=\"1\"'");
    for (script, expected) in [
        (named.as_str(), Ok(Some("Tess".to_owned()))),
        (
            &brain_script("echo UNKNOWN ABOUT; echo 'version=\"1\"'"),
            Ok(None),
        ),
        (
            "read -r line; echo ERROR only 15; read -r line",
            Err(EngineError::ErrorResponse("only 15".to_owned())),
        ),
    ] {
        let mut child = start(script, limits());
        assert_eq!(child.query_name(&rules).await, expected, "{script}");
    }
    let mut child = start(&named, limits());
    assert_eq!(
        child.query_name(&"3x3:3".parse().unwrap()).await,
        Err(EngineError::UnsupportedRules)
    );
}
