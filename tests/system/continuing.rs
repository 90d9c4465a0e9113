//! A `noughts` that was killed: the next one offers its game, and plays it on.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use noughts_tests::pipe::Pipe;
use noughts_tests::program::{Folder, ServerProcess};
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;
use noughts_tests::wait::until;

/// A terminal, with what it keeps of games in this folder.
fn sit(state: &Folder, arguments: &[&str]) -> Pty {
    Pty::noughts_in(arguments, &[("NOUGHTS_STATE", text(state))])
}

fn text(folder: &Folder) -> &str {
    folder.path().to_str().expect("a plain path")
}

/// The files of a folder and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// The one game that is kept.
fn kept(state: &Folder) -> Option<PathBuf> {
    files(state.path()).into_iter().find(|path| path.extension().is_some_and(|end| end == "game"))
}

/// Moves, once it is this player's turn, and sees the turn go.
async fn marks(player: &Pty, key: &str) {
    player.sees("Your move.").await;
    player.keys(key);
    player.sees_no_more("Your move.").await;
}

/// Ann with X, whose game is kept in `state`, and Bob with O, each after a move.
async fn two(state: &Folder, url: &str) -> [Pty; 2] {
    let ann = sit(state, &["play", url, "--name", "Ann", "--seat", "x"]);
    ann.sees("Waiting for an opponent.").await;
    let bob = Pty::noughts(&["play", url, "--name", "Bob", "--seat", "o"]);
    marks(&ann, "1").await;
    marks(&bob, "4").await;
    ann.sees("Your move.").await;
    [ann, bob]
}

/// Ann, who is to move on the board of [`two`], wins.
async fn wins(ann: &Pty, bob: &Pty) {
    for (player, key) in [(ann, "2"), (bob, "5"), (ann, "3")] {
        marks(player, key).await;
    }
    for player in [ann, bob] {
        player.sees("Row: a1 b1 c1").await;
    }
}

async fn killed(pty: Pty) {
    pty.signal("KILL");
    pty.ended().await;
}

#[tokio::test]
async fn a_killed_program_is_offered_its_game_and_wins_it() {
    let server = Server::start().await;
    let state = Folder::default();
    let [ann, bob] = two(&state, &server.url()).await;
    killed(ann).await;
    bob.sees("Ann is away").await;
    let ann = sit(&state, &[]);
    ann.sees("> Continue      against Bob, tictactoe 3x3:3").await;
    ann.keys("\r");
    bob.sees_no_more("Ann is away").await;
    wins(&ann, &bob).await;
    assert_eq!(kept(&state), None, "a game that is over is not offered");
    ann.keys("q");
    ann.sees("> Quick play").await;
    assert!(!ann.text().contains("Continue"));
}

#[tokio::test]
async fn it_is_also_there_after_the_server_was_killed() {
    let data = Folder::default();
    let state = Folder::default();
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", text(&data)]);
    let url = first.url.clone();
    let [ann, bob] = two(&state, &url).await;
    killed(ann).await;
    first.kill();
    bob.sees("offline").await;
    // Nobody is there yet: the game stays to be continued.
    let early = sit(&state, &["continue"]);
    assert_eq!(early.ended().await, 3, "{early:?}");
    let address = url.trim_start_matches("ws://").trim_end_matches("/ws");
    let _second = ServerProcess::start_with(&["--listen", address, "--data", text(&data)]);
    let ann = sit(&state, &["continue"]);
    bob.sees_no_more("offline").await;
    wins(&ann, &bob).await;
}

#[tokio::test]
async fn a_terminal_that_goes_away_gives_nothing_up() {
    let server = Server::start().await;
    let state = Folder::default();
    let [ann, bob] = two(&state, &server.url()).await;
    ann.signal("HUP");
    assert_eq!(ann.ended().await, 129);
    bob.sees("Ann is away").await;
    let ann = sit(&state, &["continue"]);
    wins(&ann, &bob).await;
}

#[tokio::test]
async fn leaving_on_purpose_leaves_nothing_to_continue() {
    let server = Server::start().await;
    let state = Folder::default();
    let [ann, bob] = two(&state, &server.url()).await;
    assert!(kept(&state).is_some());
    ann.keys("q");
    ann.sees("Leave it?").await;
    ann.keys("y");
    assert_eq!(ann.ended().await, 0);
    bob.sees("has left").await;
    assert_eq!(kept(&state), None);
    let none = sit(&state, &["continue"]);
    assert_eq!(none.ended().await, 2);
    none.sees("There is no such game to continue any more.").await;
}

#[tokio::test]
async fn a_second_program_does_not_take_the_seat_of_a_living_one() {
    let server = Server::start().await;
    let state = Folder::default();
    let [ann, bob] = two(&state, &server.url()).await;
    let second = sit(&state, &[]);
    second.sees("> Quick play").await;
    assert!(!second.text().contains("Continue"), "{second:?}");
    let third = sit(&state, &["continue"]);
    assert_eq!(third.ended().await, 2, "{third:?}");
    wins(&ann, &bob).await;
}

#[tokio::test]
async fn the_token_is_its_owners_alone() {
    let server = Server::start().await;
    let state = Folder::default();
    let log = state.path().join("log");
    let log = log.to_str().expect("a plain path");
    let [ann, _bob] = two(&state, &server.url()).await;
    let game = kept(&state).expect("it is kept as soon as there is a seat");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&game), 0o600);
    assert_eq!(mode(game.parent().expect("in a folder")), 0o700);
    let text = std::fs::read_to_string(&game).expect("ours");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let token = value["token"].as_str().expect("a token").to_owned();
    let room = value["room"].as_str().expect("a room").to_owned();
    let mut said = ann.bytes();
    killed(ann).await;
    let again = Pty::noughts_in(
        &["continue", &room, "--log", log],
        &[("NOUGHTS_STATE", self::text(&state)), ("RUST_LOG", "trace")],
    );
    again.sees("Your move.").await;
    again.keys("?");
    again.sees("this help").await;
    said.extend(again.bytes());
    said.extend(std::fs::read(log).expect("a log"));
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains(&room), "the log is one of this game");
    assert!(!said.contains(&token), "a token was shown or logged");
}

#[tokio::test]
async fn what_is_damaged_is_removed_in_words_and_what_nobody_knows_too() {
    let server = Server::start().await;
    let state = Folder::default();
    let games = state.path().join("games");
    std::fs::create_dir(&games).expect("a folder");
    std::fs::write(games.join("half.game"), "{\"version\":1,\"server\":\"ws://").expect("written");
    std::fs::write(games.join("bytes.game"), [0, 159, 146, 150]).expect("written");
    let home = sit(&state, &[]);
    home.sees("What was kept of 2 games was damaged, and is removed.").await;
    home.sees("> Quick play").await;
    assert_eq!(kept(&state), None);
    let stranger = format!(
        "{{\"version\":1,\"server\":\"{}\",\"room\":\"00000000\",\"token\":\"{}\",\"name\":\"Ann\",\
         \"seat\":\"X\",\"rules\":\"3x3:3\",\"opponent\":\"Bob\"}}",
        server.url(),
        "0".repeat(26)
    );
    let name = format!("00000000-{}.game", server.url().replace([':', '/', '.'], "-"));
    std::fs::write(games.join(name), stranger).expect("written");
    let ann = sit(&state, &[]);
    ann.sees("> Continue      against Bob").await;
    ann.keys("\r");
    ann.sees("There is no such game to continue any more.").await;
    ann.sees("> Quick play").await;
}

#[tokio::test]
async fn line_mode_goes_on_too() {
    let server = Server::start().await;
    let state = Folder::default();
    let url = server.url();
    let flag = ["--state", text(&state)];
    let mut ann = Pipe::noughts(&[&["play", &url, "--name", "Ann", "--seat", "x"], &flag[..]].concat());
    ann.says("Waiting for an opponent").await;
    let bob = Pty::noughts(&["play", &url, "--name", "Bob", "--seat", "o"]);
    ann.says("Your move.").await;
    ann.line("a1");
    bob.sees("Your move.").await;
    bob.keys("4");
    ann.says("Bob (O) plays a2.").await;
    ann.signal("KILL");
    assert_eq!(ann.ended().await, None);
    let mut ann = Pipe::noughts(&[&["continue"], &flag[..]].concat());
    ann.says("You have X: Ann (X) against Bob (O), tictactoe 3x3:3, no clock. Your move.").await;
    ann.line("b1");
    bob.sees("Your move.").await;
    bob.keys("5");
    ann.says("Bob (O) plays b2. Your move.").await;
    ann.line("c1");
    ann.says("You (X) win. Row: a1 b1 c1.").await;
    until("the game forgotten", async || kept(&state).is_none().then_some(())).await;
}
