//! Settings file: precedence below flags and environment, errors, and changes by the program itself.

use std::path::Path;

use noughts_tests::program::TempDir;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::terminal::pty::Pty;

fn write_settings(folder: &TempDir, text: &str) -> String {
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).expect("a folder of this test");
    path.display().to_string()
}

async fn expect_exit(pipe: &mut PipedProcess, code: i32) {
    assert_eq!(
        pipe.wait_for_exit().await,
        Some(code),
        "{}{}",
        pipe.stdout(),
        pipe.stderr()
    );
}

#[tokio::test]
async fn flags_override_environment_which_overrides_the_file() {
    let folder = TempDir::default();
    let path = write_settings(
        &folder,
        "name = \"File\"\nclock = \"5+3\"\ntheme = \"light\"\n\n[keys]\nguide = \"z\"\n",
    );
    let script = format!(
        "NOUGHTS_NAME=Env NOUGHTS_THEME=dark NOUGHTS_DIGITS=numpad noughts config show --config {path} --theme auto; noughts config path"
    );
    let mut pipe = PipedProcess::spawn_script(&script, &[]);
    expect_exit(&mut pipe, 0).await;
    for line in [
        "theme = \"auto\"  # --theme".to_owned(),
        "name = \"Env\"  # NOUGHTS_NAME".to_owned(),
        "digits = \"numpad\"  # NOUGHTS_DIGITS".to_owned(),
        format!("clock = \"5+3\"  # {path}"),
        "rules = \"tictactoe\"  # default".to_owned(),
        "[keys]\nguide = [\"z\"]".to_owned(),
        // The output also names the default path of the platform.
        ".config/noughts/config.toml\n".to_owned(),
    ] {
        pipe.wait_for_stdout(&line).await;
    }
}

#[tokio::test]
async fn file_settings_apply_by_default() {
    let folder = TempDir::default();
    let path = write_settings(
        &folder,
        "ui = \"json\"\nrules = \"connect4\"\nlang = \"ru\"\n",
    );
    let mut pipe =
        PipedProcess::spawn_noughts(&["local", "--config", &path, "--x", "Ann", "--o", "Bob"]);
    pipe.wait_for_stdout(r#""rules":"7x6:4+gravity""#).await;
    pipe.close_stdin();
    expect_exit(&mut pipe, 0).await;
    // The language also applies to errors of the command line.
    let mut pipe =
        PipedProcess::spawn_noughts(&["analyse", "missing", "--config", &path, "--ui", "line"]);
    expect_exit(&mut pipe, 2).await;
    let cyrillic = |text: &str| text.chars().any(|letter| ('а'..='я').contains(&letter));
    assert!(cyrillic(&pipe.stderr()), "{}", pipe.stderr());
}

#[tokio::test]
async fn errors_name_file_line_and_key() {
    let folder = TempDir::default();
    for (text, line, key) in [
        ("# fine\nnmae = \"x\"\n", "line 2", "nmae"),
        ("clock = \"soon\"\n", "line 1", "clock"),
        ("[keys]\nguide = \"q\"\n", "line 2", "guide"),
        ("color = [\n", "line", "TOML"),
    ] {
        let path = write_settings(&folder, text);
        let mut pipe = PipedProcess::spawn_noughts(&["local", "--config", &path]);
        expect_exit(&mut pipe, 2).await;
        for expected in [path.as_str(), line, key] {
            pipe.wait_for_stderr(expected).await;
        }
        assert_eq!(pipe.stdout(), "");
    }
    // An unreadable file is an error; a missing file is not.
    let unreadable = folder.path().display().to_string();
    let mut pipe = PipedProcess::spawn_noughts(&["local", "--config", &unreadable]);
    expect_exit(&mut pipe, 2).await;
    let missing = folder.path().join("missing.toml").display().to_string();
    let mut pipe = PipedProcess::spawn_noughts(&["config", "show", "--config", &missing]);
    expect_exit(&mut pipe, 0).await;
}

#[tokio::test]
async fn key_bindings_come_from_the_file_and_show_in_help() {
    let folder = TempDir::default();
    let path = write_settings(&folder, "[keys]\nplace = \"z\"\nhelp = \"Ctrl-G\"\n");
    let pty = Pty::spawn_noughts(&["local", "--x", "Ann", "--o", "Bob", "--config", &path]);
    pty.wait_for_text("Ctrl-G keys").await;
    pty.send_keys("z");
    pty.wait_for_text("Bob (O) TO MOVE").await;
    pty.send_keys("\x07");
    pty.wait_for_text("play the cell").await;
    let row = pty
        .screen_text()
        .lines()
        .find(|line| line.contains("play the cell"))
        .map(str::to_owned);
    assert!(
        row.as_deref()
            .is_some_and(|row| row.trim_start().starts_with("z ")),
        "{row:?}"
    );
    // Ctrl-C ends the program whatever keys the file binds.
    pty.send_keys("\x03\x03");
    assert_eq!(pty.wait_for_exit().await, 130);
    pty.wait_until_restored().await;
}

#[tokio::test]
async fn the_settings_screen_writes_the_file_and_applies_at_once() {
    let folder = TempDir::default();
    let path = write_settings(&folder, "# mine\nname = \"Ann\"\n");
    let pty = Pty::spawn_noughts(&["--config", &path]);
    pty.wait_for_text("Settings").await;
    // Selects the entry two above the last entry.
    pty.send_keys(&"j".repeat(20));
    pty.send_keys("kk\r");
    pty.wait_for_text("Your name").await;
    pty.send_keys("\x15Zoe\r");
    pty.wait_for_text("Quick play").await;
    pty.wait_for_text("Zoe").await;
    let text = std::fs::read_to_string(Path::new(&path)).expect("the room exists");
    assert_eq!(
        text, "# mine\nname = \"Zoe\"\n",
        "the rest of the file is unchanged"
    );
    pty.send_keys("\x03");
    assert_eq!(pty.wait_for_exit().await, 130);
    pty.wait_until_restored().await;
}
