//! Data that is removed or replaced under a running server, and a deleted lock file.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use futures::future::join_all;
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, binary_path, output};
use noughts_tests::server::{ServerProcess, get};
use noughts_tests::wait::{wait_until, with_timeout};

/// Starts a server with its data in the folder `data` and its log in the file `stderr`.
fn start(folder: &Path) -> ServerProcess {
    let stderr = fs::File::create(folder.join("stderr")).expect("a path of this test");
    let mut command = Command::new(binary_path("noughts-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--durability",
        "process",
        "--set",
        "drain-timeout=500ms",
        "--data",
    ]);
    command.arg(folder.join("data")).stderr(stderr);
    ServerProcess::start_command(command)
}

fn log_text(folder: &Path) -> String {
    fs::read_to_string(folder.join("stderr")).expect("text")
}

/// Seats two players; X makes the first move.
async fn start_game(server: &ServerProcess) -> [TestClient; 2] {
    let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(0).await.expect("X moves first");
    o.wait_until_seq(x.game().seq()).await;
    [x, o]
}

#[tokio::test]
async fn removed_or_replaced_data_ends_the_server() {
    let changes = [
        "database",
        "write-ahead log",
        "index",
        "directory",
        "replaced database",
    ];
    join_all(changes.map(async |change| {
        let folder = TempDir::default();
        let data = folder.path().join("data");
        let mut server = start(folder.path());
        // A thread of its own writes the log.
        wait_until("a start without data", async || {
            log_text(folder.path())
                .contains("data not found; starting without data")
                .then_some(())
        })
        .await;
        let _players = start_game(&server).await;
        let file = match change {
            "write-ahead log" => "noughts.db-wal",
            "index" => "noughts.db-shm",
            _ => "noughts.db",
        };
        match change {
            "directory" => {
                fs::rename(&data, folder.path().join("moved")).expect("a directory of this test");
            }
            "replaced database" => {
                fs::copy(data.join(file), data.join("copy")).expect("a file of this test");
                fs::rename(data.join("copy"), data.join(file)).expect("a file of this test");
            }
            _ => fs::remove_file(data.join(file)).expect("a file of this test"),
        }
        let status = with_timeout(("the end without the", change), server.wait_for_exit()).await;
        let log = log_text(folder.path());
        assert_eq!(status.code(), Some(1), "{change}: {log}");
        let named = if change == "directory" {
            "data was removed or moved"
        } else {
            file
        };
        let expected = log.contains("data was removed or replaced while the server was running")
            && log.contains(named);
        assert!(expected, "{change}: {log}");
        assert_eq!(
            log.contains("was replaced"),
            change == "replaced database",
            "{change}: {log}"
        );
    }))
    .await;
}

#[tokio::test]
async fn a_server_continues_from_a_directory_that_was_moved_and_moved_back() {
    let folder = TempDir::default();
    let (data, moved) = (folder.path().join("data"), folder.path().join("moved"));
    let mut server = start(folder.path());
    let [x, mut o] = start_game(&server).await;
    fs::rename(&data, &moved).expect("a directory of this test");
    // The server has stored the move before it detected the change, or has rejected it.
    let acknowledged = o.play(4).await.is_ok();
    with_timeout("the end of the server", server.wait_for_exit()).await;
    fs::rename(&moved, &data).expect("a directory of this test");
    let server = start(folder.path());
    assert!(!log_text(folder.path()).contains("data not found"));
    let mut back = TestClient::connect_as(&server.url, "Ann").await;
    back.resume(x.seat_info(), None).await.expect("its seat");
    assert_eq!(
        back.game().position().moves().len(),
        if acknowledged { 2 } else { 1 }
    );
}

#[tokio::test]
async fn a_deleted_lock_file_admits_no_second_server_and_is_created_again() {
    let folder = TempDir::default();
    let server = start(folder.path());
    let [mut x, mut o] = start_game(&server).await;
    let lock = folder.path().join("data/noughts.lock");
    fs::remove_file(&lock).expect("the lock file");
    let mut second = Command::new(binary_path("noughts-server"));
    second
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(folder.path().join("data"))
        .stderr(Stdio::piped());
    let refused = output(second).await;
    let text = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("in use by another server"), "{text}");
    wait_until("the lock file", async || {
        fs::read(&lock)
            .ok()
            .filter(|bytes| bytes.starts_with(b"in use"))
    })
    .await;
    wait_until("the warning", async || {
        log_text(folder.path())
            .contains("lock file was deleted")
            .then_some(())
    })
    .await;
    o.play(4).await.expect("the game continues");
    x.wait_until_seq(o.game().seq()).await;
    assert_eq!(get(server.address(), "/ready").await.0, 200);
}
