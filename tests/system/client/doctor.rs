//! `noughts doctor` reports the state of its environment and fails if something is wrong.

use std::os::unix::fs::PermissionsExt;

use noughts_tests::program::TempDir;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::terminal::pty::Pty;
use serde_json::Value;

/// Runs `noughts doctor` on pipes; returns its report.
async fn run_doctor(arguments: &[&str], code: i32) -> Value {
    let mut pipe = PipedProcess::spawn_noughts(&[&["doctor", "--ui", "json"], arguments].concat());
    assert_eq!(
        pipe.wait_for_exit().await,
        Some(code),
        "{arguments:?}: {}{}",
        pipe.stdout(),
        pipe.stderr()
    );
    pipe.wait_for_stdout("\n").await;
    serde_json::from_str(&pipe.stdout()).expect("one object")
}

#[tokio::test]
async fn a_good_setup_passes() {
    let server = TestServer::start().await;
    let pty = Pty::spawn_noughts(&["doctor", &server.url(), "--lang", "ru"]);
    for expected in [
        "80x24",
        "TERM: xterm",
        "Русский (--lang)",
        ".config/noughts/config.toml",
        " мс",
    ] {
        pty.wait_for_text(expected).await;
    }
    assert_eq!(pty.wait_for_exit().await, 0);
    assert!(!pty.screen_text().contains('!'), "{pty:?}");
    pty.wait_until_restored().await;
    server.wait_until_idle().await;
}

#[tokio::test]
async fn problems_are_reported_and_fail() {
    let server = TestServer::start().await;
    let folder = TempDir::default();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let fine = run_doctor(&[&server.url(), "--state-dir", &path("new")], 0).await;
    assert_eq!(
        (&fine["ok"], &fine["state"]["status"]),
        (&Value::Bool(true), &Value::from("missing"))
    );
    assert_eq!(fine["server"]["version"], 1);
    assert!(fine["server"]["lag_ms"].is_u64(), "{fine}");
    // An address where no server listens.
    let unused_server = {
        // The port was free before, so no server listens on it.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.local_addr().expect("bound").to_string()
    };
    assert_eq!(
        run_doctor(&[&unused_server], 1).await["server"]["failed"]["code"],
        "cannot_connect"
    );
    // Settings with an unknown key.
    std::fs::write(path("bad.toml"), "\nnmae = 1\n").expect("a folder of this test");
    let settings = &run_doctor(&["--config", &path("bad.toml")], 1).await["settings"];
    assert_eq!(
        (&settings["status"], &settings["line"]),
        (&Value::from("mistake"), &Value::from(2))
    );
    // A folder with secrets that is readable by others.
    let games = folder.path().join("state").join("games");
    std::fs::create_dir_all(&games).expect("a folder of this test");
    std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o755))
        .expect("a folder of this test");
    let state = &run_doctor(&["--state-dir", &path("state")], 1).await["state"];
    assert_eq!(
        (&state["status"], &state["detail"]),
        (&Value::from("open"), &Value::from("755"))
    );
    std::fs::set_permissions(&games, std::fs::Permissions::from_mode(0o700))
        .expect("a folder of this test");
    assert_eq!(
        run_doctor(&["--state-dir", &path("state")], 0).await["state"]["status"],
        "private"
    );
}
