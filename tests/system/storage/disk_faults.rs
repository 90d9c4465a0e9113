//! Server on a disk that is full, fails, is read-only, or does not sync. A preload library
//! (`disk_faults/shim.c`) injects the faults: no root is needed, and no disk is filled.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use noughts_protocol::wire::{RejectCode, RequestBody, RoomCommand};
use noughts_protocol::{Cell, RequestId};
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::preload::build_library;
use noughts_tests::program::{self, TempDir};
use noughts_tests::server::ServerProcess;
use noughts_tests::server::get;
use noughts_tests::wait::wait_until;
use rustix::process::Resource;

fn build_shim(folder: &Path) -> PathBuf {
    build_library(folder, "system/storage/disk_faults/shim.c")
}

fn start(folder: &Path, library: &Path, listen: &str) -> ServerProcess {
    start_with(folder, library, &["--listen", listen])
}

fn start_with(folder: &Path, library: &Path, flags: &[&str]) -> ServerProcess {
    let mut command = Process::new(program::binary_path("noughts-server"));
    command
        .env("LD_PRELOAD", library)
        .env("NOUGHTS_TEST_DISK", folder.join("fault"));
    command.args(flags).arg("--data").arg(folder.join("data"));
    // The log is on the full disk as well.
    command.stderr(
        fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("Linux has it"),
    );
    ServerProcess::start_command(command)
}

async fn ready_status(server: &ServerProcess) -> u16 {
    get(server.address(), "/ready").await.0
}

fn move_request(cell: u16, client: &TestClient) -> RequestBody {
    RequestBody::Command(RoomCommand::Move {
        cell: Cell::new(cell),
        seq: client.game().seq(),
    })
}

#[tokio::test]
async fn a_failing_disk_is_reported_and_loses_nothing() {
    for fault in ["full", "error", "read-only"] {
        let folder = TempDir::default();
        let library = build_shim(folder.path());
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
        x.play(0).await.expect("the disk works");
        o.wait_until_seq(x.game().seq()).await;
        assert_eq!(ready_status(&server).await, 200);

        fs::write(folder.path().join("fault"), fault).expect("a path of this test");
        let body = move_request(4, &o);
        let id = RequestId::new(500).expect("fits the type");
        let reject = o.request_with_id(id, body.clone()).await.unwrap_err();
        assert_eq!(reject.code, RejectCode::Unavailable, "{fault}");
        assert_eq!(ready_status(&server).await, 503, "{fault}");
        // Spectators can still join, and see only stored events.
        let before = x.game().seq();
        let sync =
            RequestBody::Session(noughts_protocol::wire::SessionRequest::Sync { seq: before });
        x.request(sync).await.expect("the room answers");
        assert_eq!(x.game().seq(), before, "{fault}");

        fs::remove_file(folder.path().join("fault")).expect("the file was written");
        wait_until("readiness", async || {
            (ready_status(&server).await == 200).then_some(())
        })
        .await;
        wait_until("the move", async || {
            o.request_with_id(id, body.clone()).await.ok()
        })
        .await;
        x.wait_until_seq(o.game().seq()).await;
        x.play(8).await.expect("the game continues");
        o.wait_until_seq(x.game().seq()).await;
        let (seat_info, moves) = (o.seat_info().clone(), x.game().position().moves().to_vec());
        server.kill();
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let mut o = TestClient::connect_as(&server.url, "Bob").await;
        o.resume(&seat_info, None).await.expect("its seat");
        assert_eq!(
            o.game().position().moves(),
            moves,
            "{fault}: sent events exist after a kill"
        );
    }
}

/// The server handles SIGXFSZ, because the signal would otherwise end it.
#[tokio::test]
async fn a_limit_on_the_size_of_files_is_reported_as_a_full_disk_is() {
    let folder = TempDir::default();
    let server = ServerProcess::start_durable(folder.path(), "power", &[]);
    let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(0).await.expect("the disk works");
    server.limit_resource(Resource::Fsize, Some(1));
    o.wait_until_seq(x.game().seq()).await;
    let reject = o.request(move_request(4, &o)).await.unwrap_err();
    assert_eq!(reject.code, RejectCode::Unavailable);
    server.limit_resource(Resource::Fsize, None);
    wait_until("the move", async || o.play(4).await.ok()).await;
    // A command reports it, too.
    let mut backup = Process::new("prlimit");
    backup
        .arg("--fsize=4096")
        .arg(program::binary_path("noughts-server"))
        .arg("backup")
        .arg(folder.path().join("backup.db"))
        .arg("--data")
        .arg(folder.path());
    let output = program::output(backup).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(!output.stderr.is_empty());
}

#[tokio::test]
async fn a_failed_sync_ends_the_server() {
    let folder = TempDir::default();
    let library = build_shim(folder.path());
    let mut server = start(folder.path(), &library, "127.0.0.1:0");
    let [mut x, o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(0).await.expect("the disk works");
    let (seat_info, moves_before) = (o.seat_info().clone(), x.game().position().moves().to_vec());
    fs::write(folder.path().join("fault"), "sync").expect("a path of this test");
    let body = self::move_request(4, &o);
    let mut o = o;
    o.send(&noughts_protocol::wire::Request {
        id: RequestId::new(500).expect("fits the type"),
        body,
    })
    .await;
    let status = server.wait_for_exit().await;
    assert!(!status.success(), "{status}");
    fs::remove_file(folder.path().join("fault")).expect("the file was written");
    let server = start(folder.path(), &library, "127.0.0.1:0");
    let mut reconnected = TestClient::connect_as(&server.url, "Bob").await;
    reconnected
        .resume(&seat_info, None)
        .await
        .expect("its seat");
    // The unacknowledged move may exist or not; acknowledged moves exist.
    assert!(
        reconnected
            .game()
            .position()
            .moves()
            .starts_with(&moves_before)
    );
}

#[tokio::test]
async fn a_hanging_disk_is_reported_and_does_not_block_the_exit() {
    let folder = TempDir::default();
    let (library, fault) = (build_shim(folder.path()), folder.path().join("fault"));
    let flags = [
        "--listen",
        "127.0.0.1:0",
        "--set",
        "append-timeout=500ms",
        "--set",
        "drain-timeout=500ms",
    ];
    let mut server = start_with(folder.path(), &library, &flags);
    let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(0).await.expect("the disk works");
    o.wait_until_seq(x.game().seq()).await;
    assert_eq!(ready_status(&server).await, 200);

    fs::write(&fault, "hang").expect("a path of this test");
    let (id, body) = (
        RequestId::new(500).expect("fits the type"),
        move_request(4, &o),
    );
    o.send(&noughts_protocol::wire::Request {
        id,
        body: body.clone(),
    })
    .await;
    wait_until("the server to be unready", async || {
        (ready_status(&server).await == 503).then_some(())
    })
    .await;
    fs::remove_file(&fault).expect("the file was written");
    wait_until("readiness", async || {
        (ready_status(&server).await == 200).then_some(())
    })
    .await;
    // The move was pending, and its response arrives when it is stored.
    o.wait_for_response(id, Some(o.seat()))
        .await
        .expect("it was stored");
    x.wait_until_seq(o.game().seq()).await;

    fs::write(&fault, "hang").expect("a path of this test");
    let body = move_request(8, &x);
    x.send(&noughts_protocol::wire::Request { id, body }).await;
    wait_until("the server to be unready", async || {
        (ready_status(&server).await == 503).then_some(())
    })
    .await;
    // The second signal differs from the first, because two pending signals of the same kind would merge.
    server.send_signal("TERM");
    server.send_signal("INT");
    let status = server.wait_for_exit().await;
    assert_eq!(
        status.code(),
        Some(130),
        "a hanging disk kept the process alive"
    );
    fs::remove_file(&fault).expect("the file was written");
}

#[tokio::test]
async fn a_server_starts_on_a_full_disk_and_serves_spectators() {
    let folder = TempDir::default();
    let (library, fault) = (build_shim(folder.path()), folder.path().join("fault"));
    // "w" leaves space for the index of the write-ahead log, "full" does not.
    for (was_killed, fault_kind) in [(true, "w"), (false, "w"), (true, "full"), (false, "full")] {
        let mut server = start(folder.path(), &library, "127.0.0.1:0");
        let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
        x.play(0).await.expect("the disk works");
        o.wait_until_seq(x.game().seq()).await;
        if was_killed {
            server.kill();
        } else {
            server.send_signal("TERM");
            assert_eq!(server.wait_for_exit().await.code(), Some(0));
        }
        fs::write(&fault, fault_kind).expect("a path of this test");
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let mut back = TestClient::connect_as(&server.url, "Bob").await;
        back.resume(o.seat_info(), None).await.expect("its seat");
        assert_eq!(back.game().position().moves(), o.game().position().moves());
        let reject = back.request(move_request(4, &back)).await.unwrap_err();
        assert_eq!(reject.code, RejectCode::Unavailable);
        assert_eq!(ready_status(&server).await, 503);
        // A server that is killed in this state can start again.
        server.kill();
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let mut back = TestClient::connect_as(&server.url, "Bob").await;
        back.resume(o.seat_info(), None).await.expect("its seat");

        fs::remove_file(&fault).expect("the file was written");
        wait_until("readiness", async || {
            (ready_status(&server).await == 200).then_some(())
        })
        .await;
        wait_until("the move", async || back.play(4).await.ok()).await;
        let moves = back.game().position().moves().to_vec();
        server.kill();
        let server = start(folder.path(), &library, "127.0.0.1:0");
        let mut back = TestClient::connect_as(&server.url, "Bob").await;
        back.resume(o.seat_info(), None).await.expect("its seat");
        assert_eq!(
            back.game().position().moves(),
            moves,
            "acknowledged moves exist after a kill"
        );
        server.kill();
    }
}

#[tokio::test]
async fn an_unusable_data_directory_is_reported_at_startup() {
    // The second fault fails the synchronization of a new directory. In the last case a file stands in place of the
    // directory, because even root cannot create a directory there.
    for (fault, data, expected) in [
        ("full", "data", "the disk is full: the data is intact"),
        ("d", "new/data", "cannot use"),
        ("", "file", "cannot use"),
    ] {
        let folder = TempDir::default();
        let (library, fault_file) = (build_shim(folder.path()), folder.path().join("fault"));
        fs::write(folder.path().join("file"), "no directory").expect("a path of this test");
        fs::write(&fault_file, fault).expect("a path of this test");
        let directory = folder.path().join(data);
        let mut command = Process::new(program::binary_path("noughts-server"));
        command
            .env("LD_PRELOAD", &library)
            .env("NOUGHTS_TEST_DISK", &fault_file)
            .args(["--listen", "127.0.0.1:0", "--data"])
            .arg(&directory);
        let output = program::output(command).await;
        let stderr_text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{data}: {stderr_text}");
        assert!(stderr_text.contains(expected), "{data}: {stderr_text}");
        let names_directory = expected != "cannot use" || stderr_text.contains(data);
        assert!(names_directory, "{data}: {stderr_text}");
        assert!(output.stdout.is_empty(), "{data}: an address is printed");
        // The server has not opened the data.
        let has_data = directory.join("noughts.db").exists();
        assert_eq!(has_data, fault == "full", "{data}");
    }
}
