//! Programs of the plain protocol: the examples for authors of bots, and the errors that a beginner reads after a
//! mistake.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use noughts_tests::program::{TempDir, install_missing_program, output, output_within};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::wait::wait_until;
use serde_json::Value;

/// Timeout for the compiler.
const COMPILER_TIMEOUT: Duration = Duration::from_secs(120);

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../client/examples")
        .join(name)
}

/// Returns the command lines of the examples in each language that has a compiler or interpreter on this machine or in
/// Debian's archive.
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
        // This is the smallest package with a Java compiler.
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
        assert_eq!(game["errors"], serde_json::json!([null, null]), "{game}");
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

#[tokio::test]
async fn a_signal_ends_the_programs_too() {
    let server = TestServer::start().await;
    let folder = TempDir::default();
    let group_file = folder.path().join("group");
    // The program writes the number of its process group to a file. It never answers, and ignores the end of its input.
    let program = format!(
        "echo $$ >> {}; while :; do sleep 1; done",
        group_file.display()
    );
    let url = server.url();
    for (arguments, count) in [
        (&["arena", "novice", "--jobs", "8", "--", &program][..], 8),
        (&["bot", &url, "--", &program], 1),
    ] {
        let mut noughts = PipedProcess::spawn_noughts(arguments);
        let groups = wait_until("running programs", async || {
            let text = std::fs::read_to_string(&group_file).ok()?;
            (text.matches('\n').count() == count).then_some(text)
        })
        .await;
        noughts.send_signal("TERM");
        let exit = noughts.wait_for_exit().await;
        assert_eq!(exit, Some(143), "{arguments:?}: {}", noughts.stderr());
        for group in groups.lines() {
            wait_until("the end of the process group", async || {
                let mut kill = Command::new("sh");
                kill.args(["-c", &format!("kill -0 -{group}")]);
                (!output(kill).await.status.success()).then_some(())
            })
            .await;
        }
        std::fs::remove_file(&group_file).expect("the programs have written it");
    }
}

#[tokio::test]
async fn an_empty_command_is_a_usage_error() {
    for arguments in [
        &["bot", "127.0.0.1:9", "--", "ugi:"][..],
        &["arena", "novice", "easy", "--", ""],
        &["arena", "novice", "--", "cat", "--"],
    ] {
        let mut noughts = PipedProcess::spawn_noughts(arguments);
        let exit = noughts.wait_for_exit().await;
        assert_eq!(exit, Some(2), "{arguments:?}: {}", noughts.stderr());
        let expected = "error: a program is ";
        assert!(noughts.stderr().contains(expected), "{}", noughts.stderr());
    }
}

#[tokio::test]
async fn an_arena_ends_without_a_reader_of_stdout_but_not_of_stderr() {
    for (stream, expected, games) in [("1", 141, 0), ("2", 0, 4)] {
        let script = format!("exec noughts arena novice --games 4 -- 'exit 3' {stream}>/dev/full");
        let mut arena = PipedProcess::spawn_script(&script, &[]);
        assert_eq!(arena.wait_for_exit().await, Some(expected), "{script}");
        let lines = arena.stdout();
        let played = lines.lines().filter(|line| line.contains(". 3x3:3: "));
        assert_eq!(played.count(), games, "{lines}");
    }
}
