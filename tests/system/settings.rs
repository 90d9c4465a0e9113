//! The settings file: below flags and environment, never silently wrong, and written by the program itself.

use std::path::Path;

use noughts_tests::pipe::Pipe;
use noughts_tests::program::Folder;
use noughts_tests::pty::Pty;

fn written(folder: &Folder, text: &str) -> String {
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).expect("a folder of our own");
    path.display().to_string()
}

async fn ended(pipe: &mut Pipe, code: i32) {
    assert_eq!(pipe.ended().await, Some(code), "{}{}", pipe.out(), pipe.err());
}

#[tokio::test]
async fn flags_beat_the_environment_and_that_the_file() {
    let folder = Folder::default();
    let path =
        written(&folder, "name = \"File\"\nclock = \"5+3\"\ncolor = \"never\"\n\n[keys]\nguide = \"z\"\n");
    let script = format!(
        "NOUGHTS_NAME=Env NOUGHTS_COLOR=always noughts config show --config {path} --color auto; noughts config path"
    );
    let mut pipe = Pipe::script(&script, &[]);
    ended(&mut pipe, 0).await;
    for line in [
        "color = \"auto\"  # --color".to_owned(),
        "name = \"Env\"  # NOUGHTS_NAME".to_owned(),
        format!("clock = \"5+3\"  # {path}"),
        "rules = \"tictactoe\"  # by default".to_owned(),
        "[keys]\nguide = [\"z\"]".to_owned(),
        // Without a flag, where the platform has such files.
        ".config/noughts/config.toml\n".to_owned(),
    ] {
        pipe.says(&line).await;
    }
}

#[tokio::test]
async fn the_file_says_what_nobody_else_says() {
    let folder = Folder::default();
    let path = written(&folder, "ui = \"json\"\nrules = \"connect4\"\nlang = \"ru\"\n");
    let mut pipe = Pipe::noughts(&["local", "--config", &path, "--x", "Ann", "--o", "Bob"]);
    pipe.says(r#""rules":"7x6:4+gravity""#).await;
    pipe.finish();
    ended(&mut pipe, 0).await;
    // The language of what is wrong with the command line, too.
    let mut pipe = Pipe::noughts(&["replay", "missing", "--config", &path, "--ui", "line"]);
    ended(&mut pipe, 2).await;
    let cyrillic = |text: &str| text.chars().any(|letter| ('а'..='я').contains(&letter));
    assert!(cyrillic(&pipe.err()), "{}", pipe.err());
}

#[tokio::test]
async fn a_mistake_is_told_with_file_line_and_key() {
    let folder = Folder::default();
    for (text, line, key) in [
        ("# fine\nnmae = \"x\"\n", "line 2", "nmae"),
        ("clock = \"soon\"\n", "line 1", "clock"),
        ("[keys]\nguide = \"q\"\n", "line 2", "guide"),
        ("color = [\n", "line", "TOML"),
    ] {
        let path = written(&folder, text);
        let mut pipe = Pipe::noughts(&["local", "--config", &path]);
        ended(&mut pipe, 2).await;
        for said in [path.as_str(), line, key] {
            pipe.heard(said).await;
        }
        assert_eq!(pipe.out(), "");
    }
    // One that cannot be read is a mistake as well; one that is not there is none.
    let unreadable = folder.path().display().to_string();
    let mut pipe = Pipe::noughts(&["local", "--config", &unreadable]);
    ended(&mut pipe, 2).await;
    let missing = folder.path().join("missing.toml").display().to_string();
    let mut pipe = Pipe::noughts(&["config", "show", "--config", &missing]);
    ended(&mut pipe, 0).await;
}

#[tokio::test]
async fn keys_are_what_the_file_says_and_so_is_the_help() {
    let folder = Folder::default();
    let path = written(&folder, "[keys]\nplace = \"z\"\nhelp = \"Ctrl-G\"\n");
    let pty = Pty::noughts(&["local", "--x", "Ann", "--o", "Bob", "--config", &path]);
    pty.sees("Ctrl-G help").await;
    pty.keys("z");
    pty.sees("Bob is to move.").await;
    pty.keys("\x07");
    pty.sees("mark the cell").await;
    let row = pty.text().lines().find(|line| line.contains("mark the cell")).map(str::to_owned);
    assert!(row.as_deref().is_some_and(|row| row.starts_with("z ")), "{row:?}");
    // The way out is always there.
    pty.keys("\x03");
    assert_eq!(pty.ended().await, 130);
    pty.given_back().await;
}

#[tokio::test]
async fn the_screen_of_settings_writes_the_file_and_counts_at_once() {
    let folder = Folder::default();
    let path = written(&folder, "# mine\nname = \"Ann\"\n");
    let pty = Pty::noughts(&["--config", &path]);
    pty.sees("Settings").await;
    // The last but one entry.
    pty.keys(&"j".repeat(20));
    pty.keys("k\r");
    pty.sees("Your name").await;
    pty.keys("\x15Zoe\r");
    pty.sees("Quick play").await;
    pty.keys("\r");
    pty.sees("Zoe").await;
    let text = std::fs::read_to_string(Path::new(&path)).expect("it is there");
    assert_eq!(text, "# mine\nname = \"Zoe\"\n", "nothing else is written");
    pty.keys("\x03");
    assert_eq!(pty.ended().await, 130);
    pty.given_back().await;
}
