//! Finished games, which the client keeps, lists and puts into links.

use noughts_tests::program::TempDir;
use noughts_tests::terminal::piped_process::PipedProcess;

/// A game of two people that X wins, and the link to it.
const LINES: &str = "b2\na1\nc1\nb1\na3\nlink\n";

/// Runs a client with these input lines and this state to its end. Returns its output and its error output.
async fn run(lines: &str, state: &str, arguments: &[&str]) -> (String, String) {
    let arguments: Vec<&str> = [arguments, &["--state-dir", state]].concat();
    let mut client = PipedProcess::spawn_noughts(&arguments);
    client.write_bytes(lines.as_bytes());
    client.close_stdin();
    let code = client.wait_for_exit().await;
    assert_eq!(code, Some(0), "{arguments:?}: {}", client.stderr());
    (client.stdout(), client.stderr())
}

const LOCAL: [&str; 5] = ["local", "--x", "Ann", "--o", "Bob"];

#[tokio::test]
async fn a_finished_game_is_listed_and_opened_by_its_file_and_its_link() {
    let folder = TempDir::default();
    let state = folder.path().to_str().expect("a path in UTF-8");
    let (output, last_line) = run(LINES, state, &LOCAL).await;
    let (_, file) = last_line.split_once("Record: ").expect("the last line");
    let file = file.trim();
    assert!(file.starts_with(&format!("{state}/finished/")), "{file}");
    assert!(last_line.contains("Ann (X) wins"), "{last_line}");
    let link = output.lines().find_map(|line| line.split_once("game: "));
    let (_, link) = link.expect("the link");
    // The name of a file may look like a link.
    let odd = folder.path().join("games#r");
    std::fs::create_dir(&odd)
        .and_then(|()| std::fs::copy(file, odd.join("1.txt")))
        .expect("the test owns the folder");
    let odd = format!("{state}/games#r/1.txt");
    for source in [file, link, &odd] {
        let (record, _) = run("", state, &["analyse", source]).await;
        assert!(record.contains("3. a3"), "{source}: {record}");
    }
    // In JSON mode, the output contains no line for people.
    let (output, errors) = run(LINES, state, &[&LOCAL[..], &["--ui", "json"]].concat()).await;
    assert!(!output.contains("Record:") && errors.is_empty(), "{errors}");
    let (listed, _) = run("", state, &["games", "--ui", "json", "--result", "x_won"]).await;
    assert_eq!(
        listed.matches("\"result\":\"x_won\"").count(),
        2,
        "{listed}"
    );
    let (listed, _) = run("", state, &["games", "--opponent", "zed"]).await;
    assert!(listed.starts_with("No finished games to show."), "{listed}");
}

#[tokio::test]
async fn a_game_that_cannot_be_kept_is_reported() {
    let folder = TempDir::default();
    let state = folder.path().join("file");
    std::fs::write(&state, "").expect("the test owns the folder");
    let state = state.to_str().expect("a path in UTF-8");
    let (output, errors) = run(LINES, state, &LOCAL).await;
    assert!(output.contains("Ann (X) wins"), "{output}");
    assert!(errors.contains("This game is not kept"), "{errors}");
}
