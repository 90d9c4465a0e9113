//! Programs of the plain protocol: the examples for authors of bots, and what a beginner reads after a mistake.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use noughts_tests::program::{TempDir, install_missing_program, output_within};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use serde_json::Value;

/// Timeout for the compiler.
const COMPILER_TIMEOUT: Duration = Duration::from_secs(120);

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../client/examples")
        .join(name)
}

/// Command lines of the examples, in each language whose compiler or interpreter is here or can be installed.
async fn example_commands(folder: &Path) -> Vec<Vec<String>> {
    let path = |name: &str| example(name).display().to_string();
    let compiled = folder.join("mybot").display().to_string();
    let mut commands = Vec::new();
    for (program, package, command) in [
        (
            "python3",
            "python3",
            vec!["python3".to_owned(), path("mybot.py")],
        ),
        ("node", "nodejs", vec!["node".to_owned(), path("mybot.mjs")]),
        ("g++", "g++", vec![compiled.clone()]),
        // The smallest package with a Java compiler.
        (
            "javac",
            "default-jdk-headless",
            vec!["java".to_owned(), path("MyBot.java")],
        ),
    ] {
        match install_missing_program(program, package) {
            Ok(()) => commands.push(command),
            Err(error) => {
                // Written past the test runner's capture, so that a skipped test is visible.
                let written = writeln!(std::io::stderr(), "\nexample NOT RUN: {error}");
                written.expect("stderr is open");
            }
        }
    }
    if commands.contains(&vec![compiled.clone()]) {
        let mut compiler = Command::new("g++");
        compiler.args([&path("mybot.cpp"), "-o", &compiled]);
        let ended = output_within(COMPILER_TIMEOUT, compiler).await;
        assert!(ended.status.success(), "{ended:?}");
    }
    commands
}

#[tokio::test]
async fn the_examples_in_each_language_play_legal_moves() {
    let folder = TempDir::default();
    let commands = example_commands(folder.path()).await;
    let mut arguments: Vec<&str> =
        "arena novice --ui json --games 2 --movetime 1000 --jobs 2 --rules 7x6:4+gravity"
            .split(' ')
            .collect();
    for command in &commands {
        arguments.push("--");
        arguments.extend(command.iter().map(String::as_str));
    }
    let mut arena = PipedProcess::spawn_noughts(&arguments);
    assert_eq!(arena.wait_for_exit().await, Some(0), "{}", arena.stderr());
    let lines = arena.stdout();
    let games: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .filter(|line: &Value| line["event"] == "game")
        .collect();
    let players = commands.len() + 1;
    assert_eq!(games.len(), players * (players - 1), "{lines}");
    for game in &games {
        assert_eq!(game["failed"], serde_json::json!([null, null]), "{game}");
        assert!(game["result"].is_object(), "{game}");
    }
    assert_eq!(arena.stderr(), "");
}

#[tokio::test]
async fn a_mistake_is_named_with_the_position_and_a_hint() {
    for (program, expected) in [
        (
            "import sys\nfor line in sys.stdin: print('c9')",
            r#"failed: the answer "c9" is not a legal move: there is no such cell.
  position: 3x3:3, X to move, no moves yet
  legal: a1 b1 c1 a2 b2 c2 a3 b3 c3
"#,
        ),
        (
            "print('My bot')",
            r#"failed: the answer "My bot" is not a legal move: a cell is a letter and a number, e.g. b2, or b2-3 in layer 3.
  position: 3x3:3, X to move, no moves yet
  legal: a1 b1 c1 a2 b2 c2 a3 b3 c3
  hint: print one cell per line on stdout and nothing else; messages belong on stderr
"#,
        ),
        (
            "print('UNKNOWN command')",
            "  hint: a program of UGI or Gomocup needs ugi: or gomocup: before its command\n",
        ),
        (
            "input(); 1 / 0",
            "failed: ended (exit status: 1).
  position: 3x3:3, X to move, no moves yet
  stderr: Traceback (most recent call last):
",
        ),
        (
            "input()",
            "failed: ended (exit status: 0).
  position: 3x3:3, X to move, no moves yet
  hint: the program has to answer each line that it reads, until its input ends
",
        ),
    ] {
        let options = "arena novice --games 2 --opening-plies 0 -- python3 -c";
        let arguments: Vec<&str> = options.split(' ').chain([program]).collect();
        let mut arena = PipedProcess::spawn_noughts(&arguments);
        assert_eq!(arena.wait_for_exit().await, Some(0), "{}", arena.stderr());
        assert!(arena.stderr().contains(expected), "{}", arena.stderr());
        assert!(
            arena.stdout().contains("1. 3x3:3: novice (X)"),
            "{}",
            arena.stdout()
        );
    }
}

#[tokio::test]
async fn a_program_that_cannot_play_takes_no_seat() {
    let server = TestServer::start().await;
    let program = "import sys\nfor line in sys.stdin: print(line)";
    let url = server.url();
    let mut bot = PipedProcess::spawn_noughts(&["bot", &url, "--", "python3", "-c", program]);
    assert_eq!(bot.wait_for_exit().await, Some(2), "{}", bot.stderr());
    let expected = r#"the answer "{"rules":"3x3:3","seat":"X","moves":[],"#;
    assert!(bot.stderr().contains(expected), "{}", bot.stderr());
    assert_eq!(server.metric("noughts_games_total").await, 0);
}
