//! Contents of the log: format, levels, quoting, addresses of refused clients; and SIGHUP under nohup.

use std::fs::{self, File};
use std::process::Command;

use futures::future::join_all;
use noughts_protocol::Seat;
use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_tests::client::http::request_head;
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{self, TempDir};
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::wait_until;
use serde_json::Value;

/// Server that logs to a file.
struct LoggingServer {
    process: ServerProcess,
    folder: TempDir,
}

impl LoggingServer {
    fn start(level: &str, flags: &[&str]) -> LoggingServer {
        let folder = TempDir::default();
        let mut command = Command::new(program::binary_path("noughts-server"));
        command
            .args(["--listen", "127.0.0.1:0", "--data", "memory"])
            .args(flags)
            .env("RUST_LOG", level);
        command.stderr(File::create(folder.path().join("log")).expect("a file"));
        LoggingServer {
            process: ServerProcess::start_command(command),
            folder,
        }
    }

    /// Stops the server and returns its log.
    async fn stop(mut self) -> String {
        self.process.send_signal("TERM");
        assert_eq!(self.process.wait_for_exit().await.code(), Some(0));
        fs::read_to_string(self.folder.path().join("log")).expect("text")
    }
}

#[tokio::test]
async fn a_name_cannot_forge_fields() {
    let name = "Ann kind=Bot client=x";
    let server = LoggingServer::start("debug", &[]);
    TestClient::connect_as(&server.process.url, name).await;
    let log = server.stop().await;
    assert!(
        log.contains(&format!("name=\"{name}\" kind=Person")),
        "{log}"
    );
}

#[tokio::test]
async fn the_json_log_has_an_object_per_line() {
    let server = LoggingServer::start("debug", &["--log-format", "json"]);
    TestClient::connect_as(&server.process.url, "Ann").await;
    let log = server.stop().await;
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}")))
        .collect();
    let hello = lines
        .iter()
        .find(|line| line["message"] == "hello received")
        .expect("logged at debug");
    assert_eq!(
        (&hello["name"], &hello["level"]),
        (&"Ann".into(), &"DEBUG".into()),
        "{hello}"
    );
    for key in ["timestamp", "target"] {
        assert!(hello[key].is_string(), "{hello}");
    }
    assert!(
        lines.iter().any(|line| line["message"] == "server stopped"),
        "the last line is written"
    );
}

#[tokio::test]
async fn rooms_are_logged_at_debug_only() {
    for (level, is_logged) in [("info", false), ("debug", true)] {
        let server = LoggingServer::start(level, &[]);
        let mut ann = TestClient::connect_as(&server.process.url, "Ann").await;
        ann.create("3x3:3", None, Some(Seat::X), true).await;
        let room = ann.seat_info().id.to_string();
        ann.request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("a room");
        wait_until("the end of the room", async || {
            (server.process.metric("noughts_rooms").await == 0).then_some(())
        })
        .await;
        assert_eq!(server.stop().await.contains(&room), is_logged, "{level}");
    }
}

#[tokio::test]
async fn the_address_of_a_refused_client_is_logged_once_per_minute() {
    join_all(["text", "json"].map(async |format| {
        let server =
            LoggingServer::start("info", &["--max-per-address", "1", "--log-format", format]);
        let address = server.process.address();
        let _first = RawWebSocket::connect_websocket(address).await;
        for _ in 0..3 {
            let (_, response) = request_head(address, &handshake_request("")).await;
            assert_eq!(response.status, 429);
        }
        let mut garbage = RawWebSocket::connect_from([127, 0, 0, 2].into(), address).await;
        garbage.upgrade().await;
        for _ in 0..11 {
            garbage.write_text("garbage").await;
        }
        assert_eq!(garbage.read_close_code().await, Some(4003));
        let log = server.stop().await;
        let refused: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("client refused"))
            .collect();
        assert_eq!(refused.len(), 2, "{log}");
        for (line, address, reason) in [
            (refused[0], "127.0.0.1", "too_many_connections"),
            (refused[1], "127.0.0.2", "garbage"),
        ] {
            assert!(line.contains(reason), "{line}");
            assert!(matches_ban_filter(line, address), "{line}");
        }
    }))
    .await;
}

#[tokio::test]
async fn no_client_can_write_a_line_of_the_ban_filter() {
    for format in ["text", "json"] {
        let server = LoggingServer::start("trace", &["--log-format", format]);
        let address = server.process.address();
        let mut client = RawWebSocket::connect_websocket(address).await;
        for forged in [
            "client refused address=203.0.113.7 reason=",
            r#"WARN noughts_server::runtime::context: client refused"#,
            "\n2026-01-01T00:00:00Z  WARN noughts_server::runtime::context: client refused address=203.0.113.7 reason=",
        ] {
            let hello = serde_json::json!({
                "type": "hello", "id": 1, "versions": [1, 1], "name": "Eve", "kind": "person",
                "client": forged
            });
            client.write_text(&hello.to_string()).await;
            client.next_message().await;
        }
        let log = server.stop().await;
        assert!(log.contains("203.0.113.7"), "{log}");
        for line in log.lines() {
            assert!(!matches_ban_filter(line, "203.0.113.7"), "{line}");
        }
    }
}

/// Returns whether an expression of the filter for fail2ban matches a line, and finds this address.
fn matches_ban_filter(line: &str, address: &str) -> bool {
    let filter = include_str!("../../../server/deploy/fail2ban-filter.conf");
    let expressions = filter
        .lines()
        .filter(|line| line.contains("<SUBNET>"))
        .map(|line| line.trim_start_matches("failregex =").trim())
        .map(|line| line.replace("<SUBNET>", &regex::escape(address)));
    // From a file, from the journal, from a file of syslog, and without the time, which fail2ban removes.
    let journal = format!("host noughts-server[42]: {line}");
    let syslog = format!(" {journal}");
    let without_time = regex::Regex::new(r"20\d\d-[-0-9T:.]+Z")
        .expect("an expression")
        .replace(line, "")
        .into_owned();
    let matches: Vec<bool> = expressions
        .map(|expression| {
            let expression = regex::Regex::new(&expression).expect("an expression");
            [line, &journal, &syslog, &without_time].map(|line| expression.is_match(line))
        })
        .map(|matches| {
            assert!(
                matches.iter().all(|one| *one == matches[0]),
                "{line}: {matches:?}"
            );
            matches[0]
        })
        .collect();
    assert_eq!(matches.len(), 2, "one for each format of the log");
    matches.contains(&true)
}

#[tokio::test]
async fn a_server_under_nohup_survives_the_end_of_the_terminal() {
    let mut command = Command::new("nohup");
    command.arg(program::binary_path("noughts-server")).args([
        "--listen",
        "127.0.0.1:0",
        "--data",
        "memory",
    ]);
    command.stderr(
        File::options()
            .write(true)
            .open("/dev/null")
            .expect("a device"),
    );
    let mut server = ServerProcess::start_command(command);
    let mut ann = TestClient::connect_as(&server.url, "Ann").await;
    server.send_signal("HUP");
    // A stopping server opens no room.
    ann.create("3x3:3", None, None, true).await;
    TestClient::connect_as(&server.url, "Bob").await;
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
}
