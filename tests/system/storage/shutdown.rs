//! Server process: printed lines, signals, exit codes, and errors at the start.

use std::process::{Command, ExitStatus, Output};
use std::time::Duration;

use noughts_protocol::wire::{Message, RequestBody, SessionRequest};
use noughts_protocol::{RoomRef, Seat};
use noughts_tests::client::frame::{ClientFrame, TEXT};
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{self, TempDir};
use noughts_tests::server::{ServerProcess, get};
use noughts_tests::wait::wait_until;
use tokio::net::TcpStream;
use tokio::time::Instant;

/// Runs a server that exits without a signal.
async fn run_server(flags: &[&str]) -> Output {
    let mut command = Command::new(program::binary_path("noughts-server"));
    command.args(flags).env_remove("RUST_LOG");
    program::output(command).await
}

fn as_text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

/// Reads to the end; returns whether a restart was announced, and the close code.
async fn read_to_close(mut socket: RawWebSocket) -> (bool, Option<u16>) {
    let (messages, code) = socket.read_until_close().await;
    (
        messages.iter().any(|message| {
            matches!(
                message,
                Message::Restarting {
                    retry_after_ms: 1..
                }
            )
        }),
        code,
    )
}

#[tokio::test]
async fn startup_prints_the_url_and_the_join_command() {
    let mut server = ServerProcess::start(&[]);
    assert!(
        server.url.starts_with("ws://127.0.0.1:") && server.url.ends_with("/ws"),
        "{}",
        server.url
    );
    assert_eq!(server.join, format!("noughts play {}", server.address()));
    TestClient::connect_as(&server.url, "Ann").await;
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    assert_eq!(server.remaining_stdout(), "", "logs are not for stdout");
}

async fn stop_with_clients(signal: &str) -> ExitStatus {
    let mut server = ServerProcess::start(&["--set", "drain-timeout=5s"]);
    let to = server.address();
    // There is a client in each state: before the hello, in the lobby, seeking, in a room, in a game, watching.
    let awaiting_hello = RawWebSocket::connect_websocket(to).await;
    let in_lobby = RawWebSocket::connect_and_greet(to).await;
    let mut seeking = RawWebSocket::connect_and_greet(to).await;
    seeking
        .write_text(r#"{"type":"seek","id":1,"rules":"7x6:4+gravity"}"#)
        .await;
    assert!(matches!(seeking.next_message().await, Message::Done { .. }));
    let mut host = RawWebSocket::connect_and_greet(to).await;
    host.write_text(r#"{"type":"create","id":1,"rules":"3x3:3","public":true}"#)
        .await;
    let room = loop {
        if let Message::Snapshot { room, .. } = host.next_message().await {
            break room;
        }
    };
    let mut sockets = vec![awaiting_hello, in_lobby, seeking, host];
    for request_type in ["join", "watch"] {
        let mut socket = RawWebSocket::connect_and_greet(to).await;
        socket
            .write_text(&format!(
                r#"{{"type":"{request_type}","id":1,"room":"{room}"}}"#
            ))
            .await;
        while !matches!(socket.next_message().await, Message::Snapshot { .. }) {}
        sockets.push(socket);
    }
    server.send_signal(signal);
    for (index, outcome) in futures::future::join_all(sockets.into_iter().map(read_to_close))
        .await
        .iter()
        .enumerate()
    {
        assert_eq!(*outcome, (true, Some(1012)), "client {index}");
    }
    let status = server.wait_for_exit().await;
    assert!(
        TcpStream::connect(to).await.is_err(),
        "the listener is closed"
    );
    status
}

#[tokio::test]
async fn a_signal_announces_the_restart_and_exits_cleanly() {
    assert_eq!(stop_with_clients("TERM").await.code(), Some(0));
    assert_eq!(stop_with_clients("INT").await.code(), Some(0));
}

#[tokio::test]
async fn stalled_clients_do_not_delay_the_shutdown() {
    let mut server = ServerProcess::start(&["--set", "drain-timeout=500ms"]);
    let to = server.address();
    let mut open_sockets = vec![];
    // In addition, there are an idle connection, an unfinished request, a client that does not read, and an unfinished
    // message.
    open_sockets.push(RawWebSocket::connect(to).await);
    let mut partial_request = RawWebSocket::connect(to).await;
    partial_request.write(b"GET /ws HTTP/1.1\r\n").await;
    open_sockets.push(partial_request);
    let mut non_reading = RawWebSocket::connect_with_small_buffer(to).await;
    non_reading.upgrade().await;
    non_reading.greet().await;
    let mut mid_message = RawWebSocket::connect_and_greet(to).await;
    mid_message
        .write_frames(&[ClientFrame::new(TEXT, "{").without_fin()])
        .await;
    server.send_signal("TERM");
    let ended = tokio::time::timeout(Duration::from_secs(8), server.wait_for_exit()).await;
    assert_eq!(ended.expect("ends in its time").code(), Some(0));
    assert_eq!(read_to_close(mid_message).await, (true, Some(1012)));
    drop((open_sockets, non_reading));
}

#[tokio::test]
async fn draining_ends_all_connections_and_a_second_signal_exits() {
    for (first, second) in [("TERM", "TERM"), ("TERM", "INT"), ("INT", "TERM")] {
        let mut server = ServerProcess::start(&["--set", "drain-timeout=10m"]);
        let to = server.address();
        // The server waits for both handshakes.
        let [mut late_client, mut silent] = [
            RawWebSocket::connect(to).await,
            RawWebSocket::connect(to).await,
        ];
        let handshake_text = handshake_request("");
        let (begin, rest) = handshake_text.split_at(20);
        late_client.write(begin.as_bytes()).await;
        silent.write(begin.as_bytes()).await;
        let greeted_client = RawWebSocket::connect_and_greet(to).await;
        server.send_signal(first);
        assert_eq!(read_to_close(greeted_client).await, (true, Some(1012)));
        wait_until("the listener is closed", async || {
            TcpStream::connect(to).await.err()
        })
        .await;
        // An unfinished handshake is completed, so that its client learns when to return.
        late_client.write(rest.as_bytes()).await;
        let head = late_client.read_head().await;
        assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
        assert_eq!(read_to_close(late_client).await, (true, Some(1012)));
        server.send_signal(second);
        assert_eq!(
            server.wait_for_exit().await.code(),
            Some(130),
            "{first}, then {second}"
        );
        drop(silent);
    }
}

#[tokio::test]
async fn the_server_serves_until_the_wait_before_the_drain_is_over() {
    for signals in [["TERM", "TERM", "INT"], ["INT", "INT", "TERM"]] {
        let flags = ["--drain-wait", "5m", "--set", "drain-timeout=10m"];
        let mut server = ServerProcess::start(&flags);
        let mut ann = TestClient::connect_as(&server.url, "Ann").await;
        let room = ann.create("3x3:3", None, Some(Seat::X), true).await;
        server.send_signal(signals[0]);
        wait_until("the server is not ready", async || {
            (get(server.address(), "/ready").await.0 == 503).then_some(())
        })
        .await;
        // New connections, games and moves still work as before.
        let mut bob = TestClient::connect_as(&server.url, "Bob").await;
        bob.join(room).await.expect("a free seat");
        ann.wait_until_seq(bob.game().seq()).await;
        ann.play(4).await.expect("a legal move");
        let mut carl = TestClient::connect_as(&server.url, "Carl").await;
        carl.create("3x3:3", None, None, false).await;
        let mut silent = RawWebSocket::connect(server.address()).await;
        silent.write(&handshake_request("").as_bytes()[..20]).await;
        // Connections are accepted in order, so this response follows the acceptance of the silent connection.
        assert_eq!(get(server.address(), "/ready").await.0, 503);

        server.send_signal(signals[1]);
        for client in [ann, bob, carl] {
            assert_eq!(client.wait_for_close().await, Some(1012));
        }
        server.send_signal(signals[2]);
        assert_eq!(server.wait_for_exit().await.code(), Some(130));
        drop(silent);
    }
}

#[tokio::test]
async fn the_drain_begins_when_the_wait_before_it_is_over() {
    let wait = Duration::from_millis(400);
    let flags = ["--drain-wait", "400ms", "--set", "drain-timeout=10m"];
    for has_silent_client in [false, true] {
        let mut server = ServerProcess::start(&flags);
        let to = server.address();
        let greeted_client = RawWebSocket::connect_and_greet(to).await;
        let mut silent = RawWebSocket::connect(to).await;
        silent.write(&handshake_request("").as_bytes()[..20]).await;
        let silent = has_silent_client.then_some(silent);
        let stopped_at = Instant::now();
        server.send_signal("TERM");
        assert_eq!(read_to_close(greeted_client).await, (true, Some(1012)));
        assert!(stopped_at.elapsed() >= wait, "{:?}", stopped_at.elapsed());
        if has_silent_client {
            server.send_signal("TERM");
        }
        let code = if has_silent_client { 130 } else { 0 };
        assert_eq!(
            server.wait_for_exit().await.code(),
            Some(code),
            "a signal during the drain aborts"
        );
        drop(silent);
    }
}

#[tokio::test]
async fn invalid_options_are_reported() {
    let server = ServerProcess::start(&[]);
    let used_address = server.address().to_string();
    let output = run_server(&["--listen", &used_address, "--data", "memory"]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(as_text(&output.stdout).is_empty(), "no address is printed");
    let error = as_text(&output.stderr);
    assert!(
        error.contains(&used_address) && error.contains("--listen"),
        "{error}"
    );
    for flags in [
        &["--listen", "nowhere"][..],
        &["--set", "reconnect-grace=soon"],
        &["--drain-wait", "6m"],
        &["--durability", "hope"],
        &["--max-rooms", "-1"],
        &["--set", "rate-burst=many"],
        &["--no-such-flag"],
        &["serve"],
    ] {
        let output = run_server(flags).await;
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        assert!(
            !output.stderr.is_empty() && output.stdout.is_empty(),
            "{flags:?}: {output:?}"
        );
    }
}

#[tokio::test]
async fn unusable_data_is_reported() {
    let folder = TempDir::default();
    let data = folder.path().to_str().expect("UTF-8").to_owned();
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", &data]);
    let output = run_server(&["--listen", "127.0.0.1:0", "--data", &data]).await;
    assert_eq!(output.status.code(), Some(1));
    assert!(
        as_text(&output.stderr).contains("in use by another server"),
        "{output:?}"
    );
    assert!(
        output.stdout.is_empty(),
        "an address is printed: {output:?}"
    );
    first.kill();
    // The process has released the lock.
    ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", &data]).kill();
    // If the server had made no checkpoint, only the write-ahead log would contain the data.
    for file in std::fs::read_dir(folder.path()).expect("the data directory") {
        std::fs::remove_file(file.expect("a file").path()).expect("the data directory is unused");
    }
    std::fs::write(folder.path().join("noughts.db"), b"this is not a database").expect("written");
    let output = run_server(&["--listen", "127.0.0.1:0", "--data", &data]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let file = folder.path().join("noughts.db");
    let output = run_server(&[
        "--listen",
        "127.0.0.1:0",
        "--data",
        file.to_str().expect("UTF-8"),
    ])
    .await;
    assert_eq!(
        output.status.code(),
        Some(1),
        "a file is accepted as a directory: {output:?}"
    );
}

#[tokio::test]
async fn help_and_version_are_printed() {
    let help = run_server(&["--help"]).await;
    assert_eq!(help.status.code(), Some(0));
    assert!(as_text(&help.stdout).contains("--set <NAME=VALUE>"));
    let version = run_server(&["--version"]).await;
    assert_eq!(
        as_text(&version.stdout).trim(),
        concat!("noughts-server ", env!("CARGO_PKG_VERSION"))
    );
}

#[tokio::test]
async fn output_contains_no_secrets() {
    let log = TempDir::default();
    let file = log.path().join("stderr");
    let mut command = Command::new(program::binary_path("noughts-server"));
    command
        .args(["--listen", "127.0.0.1:0", "--data", "memory"])
        .env("RUST_LOG", "trace");
    command.stderr(std::fs::File::create(&file).expect("a file"));
    let mut server = ServerProcess::start_command(command);
    let [mut ann, mut bob] = [
        TestClient::connect_as(&server.url, "Ann").await,
        TestClient::connect_as(&server.url, "Bob").await,
    ];
    let room = ann.create("3x3:3", None, Some(Seat::X), false).await;
    let RoomRef::Code(code) = room else {
        panic!("a private room has a code")
    };
    bob.join(room).await.expect("the free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(4).await.expect("a legal move");
    let seat_info = bob.disconnect();
    let mut bob = TestClient::connect_as(&server.url, "Bob").await;
    bob.resume(&seat_info, None).await.expect("its seat");
    assert!(
        bob.request(RequestBody::Session(SessionRequest::Leave))
            .await
            .is_ok()
    );
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    let printed = std::fs::read_to_string(&file).expect("text");
    assert!(
        printed.contains(&seat_info.id.to_string()),
        "logging is off:\n{printed}"
    );
    let tokens = [seat_info.role.token, ann.seat_info().role.token]
        .map(|token| token.expect("a player").to_string());
    let code = code.to_string();
    for secret in [&tokens[0], &tokens[1], &code, &code.replace('-', "")] {
        assert!(!printed.contains(secret), "a secret is in the log");
    }
}
