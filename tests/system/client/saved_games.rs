//! Resuming a game after the client was killed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use noughts_protocol::wire::{Message, RequestBody, SessionRequest};
use noughts_tests::program::TempDir;
use noughts_tests::server::ServerProcess;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::terminal::pty::Pty;
use noughts_tests::wait::wait_until;

/// Starts a client with its saved games in this folder.
fn start_player(state: &TempDir, arguments: &[&str]) -> Pty {
    Pty::spawn_noughts_with_env(arguments, &[("NOUGHTS_STATE", path_text(state))])
}

fn path_text(folder: &TempDir) -> &str {
    folder.path().to_str().expect("a path in UTF-8")
}

/// Returns the files in a folder and its subfolders.
fn saved_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                saved_files(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// Returns the only saved game.
fn saved_game_file(state: &TempDir) -> Option<PathBuf> {
    saved_files(state.path())
        .into_iter()
        .find(|path| path.extension().is_some_and(|end| end == "game"))
}

/// Starts Ann with X and Bob with O; each has made a move. Ann's games are saved in `state`.
async fn start_two_terminals(state: &TempDir, url: &str) -> [Pty; 2] {
    let ann = start_player(state, &["play", url, "--name", "Ann", "--seat", "x"]);
    ann.wait_for_text("LOOKING FOR AN OPPONENT").await;
    let bob = Pty::spawn_noughts(&["play", url, "--name", "Bob", "--seat", "o"]);
    ann.play_key("1").await;
    bob.play_key("4").await;
    ann.wait_for_text("YOUR MOVE").await;
    [ann, bob]
}

/// Plays the game of [`start_two_terminals`] until Ann wins.
async fn play_to_ann_win(ann: &Pty, bob: &Pty) {
    for (player, key) in [(ann, "2"), (bob, "5"), (ann, "3")] {
        player.play_key(key).await;
    }
    for player in [ann, bob] {
        player.wait_for_text("row 1-2-3").await;
    }
}

async fn kill_and_wait(pty: Pty) {
    pty.send_signal("KILL");
    pty.wait_for_exit().await;
}

#[tokio::test]
async fn a_killed_client_is_offered_its_saved_game() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let [ann, bob] = start_two_terminals(&state, &server.url()).await;
    kill_and_wait(ann).await;
    bob.wait_for_text("Ann is DISCONNECTED").await;
    let ann = start_player(&state, &[]);
    ann.wait_for_text("> 0  Continue                tic-tac-toe 3x3, vs Bob")
        .await;
    ann.send_keys("\r");
    bob.wait_for_text_gone("Ann is DISCONNECTED").await;
    play_to_ann_win(&ann, &bob).await;
    assert_eq!(
        saved_game_file(&state),
        None,
        "a finished game is not offered"
    );
    ann.send_keys("q");
    ann.wait_for_text("1  Quick play").await;
    assert!(!ann.screen_text().contains("Continue"));
}

#[tokio::test]
async fn both_players_of_one_account_can_resume() {
    let server = TestServer::start().await;
    let (state, url) = (TempDir::default(), server.url());
    // A person is not paired with itself, but two people may meet in a room.
    let host = ["play", &*url, "--name", "Ann", "--seat", "x", "--public"];
    let ann = start_player(&state, &host);
    let mut guest = server.connect_client("Guest").await;
    let room = wait_until("the room", async || {
        let list = RequestBody::Session(SessionRequest::List);
        match guest.request(list).await {
            Ok(Message::Rooms { rooms, .. }) => rooms.first().map(|room| room.room),
            response => panic!("expected a list: {response:?}"),
        }
    })
    .await;
    let invite = format!("{url}#{room}");
    let bob = start_player(&state, &["join", &invite, "--name", "Bob"]);
    ann.play_key("1").await;
    bob.wait_for_text("YOUR MOVE").await;
    kill_and_wait(bob).await;
    ann.wait_for_text("Bob is DISCONNECTED").await;
    let bob = start_player(&state, &["continue"]);
    bob.play_key("4").await;
    play_to_ann_win(&ann, &bob).await;
}

#[tokio::test]
async fn a_saved_game_survives_a_server_kill() {
    let data = TempDir::default();
    let state = TempDir::default();
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", path_text(&data)]);
    let url = first.url.clone();
    let [ann, bob] = start_two_terminals(&state, &url).await;
    kill_and_wait(ann).await;
    first.kill();
    bob.wait_for_text("offline").await;
    // While the server is not reachable, the saved game stays.
    let early = start_player(&state, &["continue"]);
    assert_eq!(early.wait_for_exit().await, 3, "{early:?}");
    let address = url.trim_start_matches("ws://").trim_end_matches("/ws");
    let _second = ServerProcess::start_with(&["--listen", address, "--data", path_text(&data)]);
    let ann = start_player(&state, &["continue"]);
    bob.wait_for_text_gone("offline").await;
    play_to_ann_win(&ann, &bob).await;
}

#[tokio::test]
async fn a_terminal_hangup_keeps_the_saved_game() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let [ann, bob] = start_two_terminals(&state, &server.url()).await;
    ann.send_signal("HUP");
    assert_eq!(ann.wait_for_exit().await, 129);
    bob.wait_for_text("Ann is DISCONNECTED").await;
    let ann = start_player(&state, &["continue"]);
    play_to_ann_win(&ann, &bob).await;
}

#[tokio::test]
async fn leaving_removes_the_saved_game() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let [ann, bob] = start_two_terminals(&state, &server.url()).await;
    assert!(saved_game_file(&state).is_some());
    ann.send_keys("q");
    ann.wait_for_text("Leave and resign").await;
    ann.send_keys("y");
    assert_eq!(ann.wait_for_exit().await, 0);
    bob.wait_for_text("Ann left").await;
    assert_eq!(saved_game_file(&state), None);
    let none = start_player(&state, &["continue"]);
    assert_eq!(none.wait_for_exit().await, 2);
    none.wait_for_text("There is no game to resume.").await;
}

#[tokio::test]
async fn a_second_client_does_not_take_a_connected_seat() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let [ann, bob] = start_two_terminals(&state, &server.url()).await;
    let second = start_player(&state, &[]);
    second.wait_for_text("1  Quick play").await;
    assert!(!second.screen_text().contains("Continue"), "{second:?}");
    let third = start_player(&state, &["continue"]);
    assert_eq!(third.wait_for_exit().await, 2, "{third:?}");
    play_to_ann_win(&ann, &bob).await;
}

#[tokio::test]
async fn saved_tokens_are_readable_by_their_owner_only() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let log = state.path().join("log");
    let log = log.to_str().expect("a path in UTF-8");
    let [ann, _bob] = start_two_terminals(&state, &server.url()).await;
    let game = saved_game_file(&state).expect("a game is saved when the seat is taken");
    let mode = |path: &Path| {
        std::fs::metadata(path)
            .expect("the room exists")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(&game), 0o600);
    assert_eq!(mode(game.parent().expect("in a folder")), 0o700);
    let text = std::fs::read_to_string(&game).expect("a file of this test");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let token = value["token"].as_str().expect("a token").to_owned();
    let room = value["room"].as_str().expect("a room").to_owned();
    let mut output = ann.written_bytes();
    kill_and_wait(ann).await;
    let again = Pty::spawn_noughts_with_env(
        &["continue", &room, "--log", log],
        &[
            ("NOUGHTS_STATE", self::path_text(&state)),
            ("RUST_LOG", "trace"),
        ],
    );
    again.wait_for_text("YOUR MOVE").await;
    again.send_keys("?");
    again.wait_for_text("How to win").await;
    output.extend(again.written_bytes());
    output.extend(std::fs::read(log).expect("a log"));
    let output = String::from_utf8_lossy(&output);
    assert!(output.contains(&room), "the log contains this game");
    assert!(!output.contains(&token), "a token was shown or logged");
}

#[tokio::test]
async fn corrupt_and_unknown_saved_games_are_removed_with_a_message() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let games = state.path().join("games");
    std::fs::create_dir(&games).expect("a folder");
    std::fs::write(games.join("half.game"), "{\"version\":1,\"server\":\"ws://").expect("written");
    std::fs::write(games.join("bytes.game"), [0, 159, 146, 150]).expect("written");
    let home = start_player(&state, &[]);
    home.wait_for_text("2 resumable games were damaged and have been deleted.")
        .await;
    home.wait_for_text("1  Quick play").await;
    assert_eq!(saved_game_file(&state), None);
    let stranger = format!(
        "{{\"version\":1,\"number\":1,\"server\":\"{}\",\"room\":\"00000000\",\"token\":\"{}\",\"name\":\"Ann\",\
         \"seat\":\"X\",\"rules\":\"3x3:3\",\"opponent\":\"Bob\"}}",
        server.url(),
        "0".repeat(26)
    );
    let name = format!(
        "00000000-X-{}.game",
        server.url().replace([':', '/', '.'], "-")
    );
    std::fs::write(games.join(name), stranger).expect("written");
    let ann = start_player(&state, &[]);
    ann.wait_for_text("> 0  Continue                tic-tac-toe 3x3, vs Bob")
        .await;
    ann.send_keys("\r");
    ann.wait_for_text("This game is over, or its server has ended it:")
        .await;
    ann.wait_for_text("1  Quick play").await;
}

#[tokio::test]
async fn line_mode_continues_a_saved_game() {
    let server = TestServer::start().await;
    let state = TempDir::default();
    let url = server.url();
    let flag = ["--state-dir", path_text(&state)];
    let mut ann = PipedProcess::spawn_noughts(
        &[&["play", &url, "--name", "Ann", "--seat", "x"], &flag[..]].concat(),
    );
    ann.wait_for_stdout("Waiting for an opponent").await;
    let bob = Pty::spawn_noughts(&["play", &url, "--name", "Bob", "--seat", "o"]);
    ann.wait_for_stdout("Your move.").await;
    ann.write_line("a1");
    bob.wait_for_text("YOUR MOVE").await;
    bob.send_keys("4");
    ann.wait_for_stdout("Bob (O) plays a2.").await;
    ann.send_signal("KILL");
    assert_eq!(ann.wait_for_exit().await, None);
    let mut ann = PipedProcess::spawn_noughts(&[&["continue"], &flag[..]].concat());
    ann.wait_for_stdout("You are X: Ann (X) vs Bob (O), tic-tac-toe 3x3, no clock. Your move.")
        .await;
    ann.write_line("b1");
    bob.wait_for_text("YOUR MOVE").await;
    bob.send_keys("5");
    ann.wait_for_stdout("Bob (O) plays b2. Your move.").await;
    ann.write_line("c1");
    ann.wait_for_stdout("You win! Row a1-b1-c1.").await;
    wait_until("the resumable game to be deleted", async || {
        saved_game_file(&state).is_none().then_some(())
    })
    .await;
}
