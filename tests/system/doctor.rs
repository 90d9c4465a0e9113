//! `noughts doctor`: tells what is there, and fails when something is wrong.

use std::os::unix::fs::PermissionsExt;

use noughts_tests::pipe::Pipe;
use noughts_tests::program::Folder;
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;
use serde_json::Value;

/// What it found, by pipes.
async fn found(arguments: &[&str], code: i32) -> Value {
    let mut pipe = Pipe::noughts(&[&["doctor", "--ui", "json"], arguments].concat());
    assert_eq!(pipe.ended().await, Some(code), "{arguments:?}: {}{}", pipe.out(), pipe.err());
    pipe.says("\n").await;
    serde_json::from_str(&pipe.out()).expect("one object")
}

#[tokio::test]
async fn all_is_well_on_a_terminal_with_a_server() {
    let server = Server::start().await;
    let pty = Pty::noughts(&["doctor", &server.url(), "--lang", "ru"]);
    for seen in ["80x24", "TERM: xterm-256color", "русский (--lang)", ".config/noughts/config.toml", " мс"]
    {
        pty.sees(seen).await;
    }
    assert_eq!(pty.ended().await, 0);
    assert!(!pty.text().contains('!'), "{pty:?}");
    pty.given_back().await;
    server.settled().await;
}

#[tokio::test]
async fn whatever_is_wrong_is_told_and_fails() {
    let server = Server::start().await;
    let folder = Folder::default();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let fine = found(&[&server.url(), "--state", &path("new")], 0).await;
    assert_eq!((&fine["ok"], &fine["state"]["is"]), (&Value::Bool(true), &Value::from("missing")));
    assert_eq!(fine["server"]["version"], 1);
    assert!(fine["server"]["lag_ms"].is_u64(), "{fine}");
    // A server that is not there.
    let nobody = {
        // A port that was free a moment ago.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    assert_eq!(found(&[&nobody], 1).await["server"]["failed"]["code"], "cannot_connect");
    // Settings with a mistake.
    std::fs::write(path("bad.toml"), "\nnmae = 1\n").expect("a folder of our own");
    let settings = &found(&["--config", &path("bad.toml")], 1).await["settings"];
    assert_eq!((&settings["is"], &settings["line"]), (&Value::from("mistake"), &Value::from(2)));
    // A folder with secrets that others may look into.
    let games = folder.path().join("state").join("games");
    std::fs::create_dir_all(&games).expect("a folder of our own");
    std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let state = &found(&["--state", &path("state")], 1).await["state"];
    assert_eq!((&state["is"], &state["detail"]), (&Value::from("open"), &Value::from("755")));
    std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o700)).expect("ours");
    assert_eq!(found(&["--state", &path("state")], 0).await["state"]["is"], "private");
}
