//! The socket of the operator: `noughts-server ctl` and programs of the same user.

use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use noughts_protocol::wire::{Message, RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{
    Event, IdentitySecret, Offer, Outcome, PlayerKind, RoomCloseReason, RoomRef, Seat,
};
use noughts_tests::client::game_setup::play_moves;
use noughts_tests::client::raw_websocket::RawWebSocket;
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{TempDir, binary_path, output};
use noughts_tests::server::ServerProcess;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::wait::{wait_until, with_timeout};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

const KICKED: Option<u16> = Some(4006);
const BANNED: Option<u16> = Some(4007);

fn start(data: &Path) -> ServerProcess {
    ServerProcess::start_durable(data, "process", &[])
}

fn socket(data: &Path) -> PathBuf {
    data.join("operator.sock")
}

/// Runs `ctl` as the operator does.
async fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary_path("noughts-server"));
    command.arg("ctl").args(arguments).arg("--data").arg(data);
    output(command).await
}

/// Runs `ctl --json`. Returns the rows and the end.
async fn ctl(data: &Path, arguments: &[&str]) -> (Vec<Value>, Value) {
    let output = run(data, &[arguments, &["--json"]].concat()).await;
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(serde_json::from_str);
    let mut rows: Vec<Value> = lines.collect::<Result<_, _>>().expect("lines of JSON");
    let end = rows.pop();
    let end = end.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(output.status.success(), end.get("done").is_some(), "{text}");
    (rows, end)
}

/// Sends bytes to the socket. Returns the response.
async fn send(data: &Path, bytes: &[u8]) -> String {
    with_timeout("the operator's socket", async {
        // The queue of the kernel may be full for a moment.
        let connect = async || UnixStream::connect(socket(data)).await.ok();
        let mut stream = wait_until("a connection", connect).await;
        // A request that is too long is refused before its end.
        let (Ok(()) | Err(_)) = stream.write_all(bytes).await;
        // The rest of the request resets the connection after the response.
        let mut response = Vec::new();
        let (Ok(_) | Err(_)) = stream.read_to_end(&mut response).await;
        String::from_utf8(response).expect("text")
    })
    .await
}

fn lobby() -> RequestBody {
    RequestBody::Session(SessionRequest::Lobby { end: false })
}

async fn game(server: &ServerProcess) -> (TestClient, TestClient, RoomRef) {
    let mut ann = TestClient::connect_as(&server.url, "Ann").await;
    let code = ann.create("3x3:3", None, Some(Seat::X), false).await;
    let mut bob = TestClient::connect_as(&server.url, "Bob").await;
    bob.join(code).await.expect("a free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    let room = RoomRef::Id(bob.seat_info().id);
    (ann, bob, room)
}

#[tokio::test]
async fn the_operator_sees_rooms_and_closes_and_kicks() {
    let data = TempDir::default();
    let server = start(data.path());
    let mode = std::fs::metadata(socket(data.path())).expect("a socket");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
    let (ann, bob, room) = game(&server).await;
    let room = room.to_string();
    let mut players = [ann, bob];
    play_moves(&mut players, &[0, 1]).await;
    let [mut ann, bob] = players;
    let (rows, end) = ctl(data.path(), &["status"]).await;
    let report = &rows[0];
    assert_eq!(end, json!({"done": 1}));
    assert_eq!(
        [&report["rooms"], &report["games"], &report["people"]],
        [&json!(1), &json!(1), &json!(2)]
    );
    assert_eq!(
        [&report["ready"], &report["drained"]],
        [&json!(true), &json!(false)]
    );

    let (rows, _) = ctl(data.path(), &["rooms", "ANN"]).await;
    assert_eq!(
        rows[0]["room"],
        json!(room),
        "a private room, too: {rows:?}"
    );
    assert_eq!(rows[0]["players"][1]["name"], "Bob");
    assert!(!rows[0].to_string().contains("code"), "no secret: {rows:?}");
    assert!(ctl(data.path(), &["rooms", "eve"]).await.0.is_empty());

    let (rows, _) = ctl(data.path(), &["room", &room]).await;
    assert_eq!(rows[0]["phase"], "playing");
    let member = |seat: &str| {
        let found = rows.iter().find(|row| row["seat"] == json!(seat));
        found.unwrap_or_else(|| panic!("no {seat} in {rows:?}"))
    };
    assert_eq!(member("X")["player"]["name"], "Ann");
    assert_eq!(member("O")["network"], "127.0.0.1");
    let text = String::from_utf8(run(data.path(), &["room", &room]).await.stdout).expect("text");
    assert!(text.contains("players: Ann, Bob\n"), "{text}");

    let connection = member("O")["connection"].to_string();
    let (_, end) = ctl(data.path(), &["kick", &connection]).await;
    assert_eq!(end, json!({"done": 1}));
    assert_eq!(bob.wait_for_close().await, KICKED);
    let (_, end) = ctl(data.path(), &["kick", &connection]).await;
    assert_eq!(end, json!({"error": "unknown_connection"}));

    let (_, end) = ctl(data.path(), &["close", &room, "--reason", "spam"]).await;
    assert_eq!(end, json!({"done": 1}));
    let is_closed = |event: &Event| {
        matches!(
            event,
            Event::Closed {
                reason: RoomCloseReason::Operator
            }
        )
    };
    ann.wait_for_event("the end of the room", is_closed).await;
    assert_eq!(ann.game().outcome(), Some(&Outcome::Aborted));
    for verb in ["close", "room"] {
        let (_, end) = ctl(data.path(), &[verb, &room]).await;
        assert_eq!(end, json!({"error": "unknown_room"}), "{verb}");
    }
}

#[tokio::test]
async fn bans_refuse_at_the_handshake_and_at_the_hello_and_survive_a_kill() {
    const EVE: IdentitySecret = IdentitySecret::from_bytes([5; 16]);
    let banned_address = Ipv4Addr::new(127, 0, 0, 66);
    let data = TempDir::default();
    let server = start(data.path());
    let eve = TestClient::connect_with_identity(&server.url, "Eve", PlayerKind::Person, EVE);
    let (eve, identity, _) = eve.await;
    let identity = identity.to_string();
    let max = TestClient::connect_from(banned_address, &server.url, "Max").await;
    for (target, client) in [(&*identity, eve), ("127.0.0.64/30", max)] {
        let (_, end) = ctl(data.path(), &["ban", target, "--for", "24h"]).await;
        assert_eq!(end, json!({"done": 1}), "{target}");
        assert_eq!(client.wait_for_close().await, BANNED, "{target}");
    }
    server.kill();

    let server = start(data.path());
    let (rows, _) = ctl(data.path(), &["bans"]).await;
    let targets: Vec<&Value> = rows.iter().map(|row| &row["target"]).collect();
    assert_eq!(targets, [&json!(identity), &json!("127.0.0.64/30")]);
    assert!(rows.iter().all(|row| row["until"].is_u64()), "{rows:?}");
    let refused = async |hello: bool| {
        let mut socket = match hello {
            true => RawWebSocket::connect(server.address()).await,
            false => RawWebSocket::connect_from(banned_address, server.address()).await,
        };
        socket.upgrade().await;
        if hello {
            socket
                .write_text(&format!(
                    r#"{{"id":1,"type":"hello","versions":[1,1],"name":"Eve","kind":"person","identity":"{EVE}"}}"#
                ))
                .await;
        }
        socket.read_close_code().await
    };
    assert_eq!([refused(true).await, refused(false).await], [BANNED; 2]);
    // Other addresses and players are welcome, and each ban can be lifted.
    drop(TestClient::connect_as(&server.url, "Ann").await);
    for target in [&*identity, "127.0.0.64/30"] {
        let (_, end) = ctl(data.path(), &["unban", target]).await;
        assert_eq!(end, json!({"done": 1}));
        let (_, end) = ctl(data.path(), &["unban", target]).await;
        assert_eq!(end, json!({"error": "unknown_ban"}));
    }
    drop(TestClient::connect_from(banned_address, &server.url, "Max").await);
    let (_, _, _) =
        TestClient::connect_with_identity(&server.url, "Eve", PlayerKind::Person, EVE).await;

    // A server that cannot read its bans does not start without them.
    drop(server);
    std::fs::write(data.path().join("bans.json"), "[{").expect("a file of this test");
    let mut command = Command::new(binary_path("noughts-server"));
    command
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(data.path());
    let refusal = output(command).await;
    assert!(!refusal.status.success());
    let errors = String::from_utf8_lossy(&refusal.stderr).into_owned();
    assert!(errors.contains("bans.json"), "{errors}");
}

#[tokio::test]
async fn an_announcement_reaches_players_lists_and_programs() {
    let data = TempDir::default();
    let server = start(data.path());
    let (mut ann, mut bob, _) = game(&server).await;
    let mut eve = TestClient::connect_as(&server.url, "Eve").await;
    eve.request(lobby()).await.expect("a lobby");
    let state = TempDir::default();
    let folder = state.path().to_str().expect("a path in UTF-8");
    let player = |ui| {
        let arguments = [
            "play",
            &*server.url,
            "--ui",
            ui,
            "--public",
            "--state-dir",
            folder,
        ];
        PipedProcess::spawn_noughts(&arguments)
    };
    let (json_player, line_player) = (player("json"), player("line"));
    wait_until("five clients", async || {
        let (rows, _) = ctl(data.path(), &["status"]).await;
        (rows[0]["people"] == 5).then_some(())
    })
    .await;
    let text = "The server restarts at 22:00 — 再见";
    let (_, end) = ctl(data.path(), &["announce", text]).await;
    assert_eq!(end, json!({"done": 5}));
    for client in [&mut ann, &mut bob, &mut eve] {
        let is_announcement = |message: &Message| matches!(message, Message::Announcement { text: shown } if shown.as_str() == text);
        client.wait_for("the announcement", is_announcement).await;
    }
    json_player
        .wait_for_stdout("\"event\":\"announcement\"")
        .await;
    json_player.wait_for_stdout(text).await;
    line_player
        .wait_for_stderr(&format!("Message of the operator: {text}"))
        .await;
    for text in ["", &"x".repeat(201), "a\u{1b}[2Jb"] {
        let output = run(data.path(), &["announce", text]).await;
        assert_eq!(output.status.code(), Some(2), "{text:?}");
        let request = json!({"verb": "announce", "text": text});
        let response = send(data.path(), format!("{request}\n").as_bytes()).await;
        assert!(
            response.starts_with("{\"error\":\"bad_request\""),
            "{response}"
        );
    }
}

#[tokio::test]
async fn a_drained_server_finishes_its_games_and_starts_none() {
    let data = TempDir::default();
    let server = start(data.path());
    let (mut ann, mut bob, _) = game(&server).await;
    let mut host = TestClient::connect_as(&server.url, "Host").await;
    let waiting = host.create("3x3:3", None, None, true).await;
    let (_, end) = ctl(data.path(), &["drain"]).await;
    assert_eq!(end, json!({"done": 1}), "one game continues");
    let (rows, _) = ctl(data.path(), &["status"]).await;
    assert_eq!(
        [&rows[0]["drained"], &rows[0]["ready"]],
        [&json!(true), &json!(false)]
    );
    let (status, body) = noughts_tests::server::get(server.address(), "/ready").await;
    assert_eq!(
        (status, &*body),
        (503, "not ready: the operator drains the server\n")
    );

    let mut eve = TestClient::connect_as(&server.url, "Eve").await;
    let rules = "3x3:3".parse().expect("rules");
    for request in [
        SessionRequest::Seek {
            rules,
            clock: None,
            seat: None,
            opponents: None,
        },
        SessionRequest::Create {
            rules,
            clock: None,
            seat: None,
            public: true,
        },
        SessionRequest::Join { room: waiting },
    ] {
        let code = eve.expect_reject(RequestBody::Session(request)).await;
        assert_eq!(code, RejectCode::Draining);
    }
    for cell in [0, 3, 1, 4, 2] {
        let seq = ann.game().seq().max(bob.game().seq());
        ann.wait_until_seq(seq).await;
        bob.wait_until_seq(seq).await;
        let player = if cell < 3 { &mut ann } else { &mut bob };
        player.play(cell).await.expect("the game continues");
    }
    bob.wait_until_seq(ann.game().seq()).await;
    let reject = bob.offer(Offer::Rematch).await.expect_err("a new game");
    assert_eq!(reject.code, RejectCode::Draining);

    let (_, end) = ctl(data.path(), &["drain", "--end"]).await;
    assert_eq!(end, json!({"done": 0}));
    eve.join(waiting).await.expect("games start again");
    bob.offer(Offer::Rematch).await.expect("and rematches");
}

#[tokio::test]
async fn a_socket_of_a_killed_server_is_replaced_and_a_second_server_leaves_it() {
    let data = TempDir::default();
    start(data.path()).kill();
    assert!(socket(data.path()).exists(), "left behind");
    let output = run(data.path(), &["status"]).await;
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("is a server running"), "{errors}");

    let mut server = start(data.path());
    let mut second = Command::new(binary_path("noughts-server"));
    second
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(data.path());
    let refusal = noughts_tests::program::output(second).await;
    assert!(!refusal.status.success(), "the directory is in use");
    assert_eq!(ctl(data.path(), &["status"]).await.1, json!({"done": 1}));
    server.send_signal("TERM");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
    assert!(!socket(data.path()).exists(), "an orderly end removes it");

    // A file of another kind is not deleted. The server serves without a socket, and its bans count.
    std::fs::write(socket(data.path()), "mine").expect("a file of this test");
    let bans = r#"[{"target":"127.0.0.66","since":1}]"#;
    std::fs::write(data.path().join("bans.json"), bans).expect("a file of this test");
    let server = start(data.path());
    drop(TestClient::connect_as(&server.url, "Ann").await);
    let banned = Ipv4Addr::new(127, 0, 0, 66);
    let mut refused = RawWebSocket::connect_from(banned, server.address()).await;
    refused.upgrade().await;
    assert_eq!(refused.read_close_code().await, BANNED);
    let kept = std::fs::read_to_string(socket(data.path()));
    assert_eq!(kept.expect("a file of this test"), "mine");
}

#[tokio::test]
async fn broken_programs_of_the_operator_harm_no_player() {
    let data = TempDir::default();
    let server = start(data.path());
    let (mut ann, bob, _) = game(&server).await;
    for (request, error) in [
        (&b"\n"[..], "bad_request"),
        (b"{}\n", "bad_request"),
        (b"{\"verb\":\"explode\"}\n", "bad_request"),
        (b"{\"verb\":\"status\",\"more\":1}\n", "bad_request"),
        (
            b"{\"verb\":\"ban\",\"target\":\"everybody\"}\n",
            "bad_request",
        ),
        (b"{\"verb\":\"kick\",\"connection\":-1}\n", "bad_request"),
        (b"\xff\xfe\n", "bad_request"),
        (&[b'x'; 1 << 20], "too_long"),
    ] {
        let response = send(data.path(), request).await;
        assert!(response.contains(error), "{error}: {response}");
    }
    // A thousand connections that send nothing: some wait for a time limit, the others are refused.
    let mut idle = Vec::new();
    for _ in 0..1000 {
        // The queue of the kernel may be full for a moment.
        let connect = async || UnixStream::connect(socket(data.path())).await.ok();
        idle.push(wait_until("a connection", connect).await);
    }
    let busy = send(data.path(), b"{\"verb\":\"status\"}\n").await;
    assert_eq!(busy, "{\"error\":\"busy\"}\n");
    ann.play(0).await.expect("players do not notice");
    // The time limit frees the socket, although the programs stay.
    wait_until("a free socket", async || {
        let (_, end) = ctl(data.path(), &["status"]).await;
        (end == json!({"done": 1})).then_some(())
    })
    .await;
    drop((idle, bob));
}
