//! A server that cannot write to stderr: a closed pipe, a pipe that no process reads, a full disk.

use std::fs::File;
use std::io::{Write, pipe};
use std::process::{Command, Stdio};
use std::time::Duration;

use futures::future::join_all;
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::program;
use noughts_tests::server::{ServerProcess, get, send_raw};
use noughts_tests::wait::{wait_until, wait_until_timeout, with_timeout};

/// Limit for the requests that fill the queue of the log.
const LOG_TIMEOUT: Duration = Duration::from_secs(120);

/// Capacity of a pipe on Linux.
const PIPE_BYTES: usize = 65_536;

fn start(stderr: impl Into<Stdio>) -> ServerProcess {
    let mut command = Command::new(program::binary_path("noughts-server"));
    command
        .args(["--listen", "127.0.0.1:0", "--data", "memory"])
        .env("RUST_LOG", "debug")
        .stderr(stderr);
    ServerProcess::start_command(command)
}

/// Plays, waits until lines are dropped and counted, and stops the server.
async fn check_whole_service(mut server: ServerProcess) {
    let [mut x, mut o] = seat_players(&server.url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(4).await.expect("a legal move");
    o.wait_until_seq(x.game().seq()).await;
    wait_until_timeout(LOG_TIMEOUT, "dropped lines", async || {
        // Each invalid request causes a log line.
        join_all((0..50).map(|_| send_raw(server.address(), b"?\r\n\r\n"))).await;
        (server.metric("noughts_log_lines_dropped_total").await > 0).then_some(())
    })
    .await;
    o.play(0).await.expect("a legal move");
    x.wait_until_seq(o.game().seq()).await;
    for path in ["/health", "/ready"] {
        assert_eq!(get(server.address(), path).await.0, 200, "{path}");
    }
    assert_eq!(server.metric("noughts_room_task_panics_total").await, 0);
    server.send_signal("TERM");
    assert_eq!(
        (x.wait_for_close().await, o.wait_for_close().await),
        (Some(1012), Some(1012))
    );
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
}

#[tokio::test]
async fn a_closed_stderr_pipe_disturbs_nothing() {
    let (reader, writer) = pipe().expect("a pipe");
    drop(reader);
    check_whole_service(start(writer)).await;
}

#[tokio::test]
async fn a_stderr_pipe_that_nothing_reads_disturbs_nothing() {
    let (_reader, mut writer) = pipe().expect("a pipe");
    writer
        .write_all(&[b'\n'; PIPE_BYTES])
        .expect("fits the pipe");
    check_whole_service(start(writer)).await;
}

#[tokio::test]
async fn a_full_disk_under_stderr_disturbs_nothing() {
    check_whole_service(start(
        File::options()
            .write(true)
            .open("/dev/full")
            .expect("Linux has it"),
    ))
    .await;
}

#[tokio::test]
async fn a_failed_start_ends_although_nothing_reads_its_error() {
    let (_reader, mut writer) = pipe().expect("a pipe");
    writer
        .write_all(&[b'\n'; PIPE_BYTES])
        .expect("fits the pipe");
    let running = ServerProcess::start(&[]);
    let mut command = Command::new(program::binary_path("noughts-server"));
    command.args([
        "--listen",
        &running.address().to_string(),
        "--data",
        "memory",
    ]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(writer)
        .spawn()
        .expect("the server starts");
    let ended = async { wait_until("its end", async || child.try_wait().expect("a child")).await };
    assert_eq!(
        with_timeout("the address is in use", ended).await.code(),
        Some(1)
    );
}
