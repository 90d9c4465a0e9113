//! Resources of a server process: descriptors, tasks and memory, for one connection, after many misbehaving
//! connections, and with no descriptor left.

use std::process::{Command, Stdio};
use std::time::Duration;

use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_tests::client::frame::{BINARY, CONTINUATION, ClientFrame, PING, TEXT, encode_frames};
use noughts_tests::client::game_setup::{play_moves, room_ref, seat_players};
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::program::{self, TempDir};
use noughts_tests::server::ServerProcess;
use noughts_tests::wait::wait_until;
use rustix::process::Resource;
use tokio::net::TcpStream;

async fn start_pair(server: &ServerProcess) -> [TestClient; 2] {
    seat_players(&server.url, ["Ann", "Bob"], "5x5:5", None).await
}

#[tokio::test]
async fn running_games_survive_descriptor_exhaustion() {
    let folder = TempDir::default();
    let stderr = folder.path().join("stderr");
    let mut command = Command::new(program::binary_path("noughts-server"));
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--max-per-address",
        "1000",
        "--data",
    ]);
    command
        .arg(folder.path().join("data"))
        .env_remove("RUST_LOG");
    command.stderr(Stdio::from(std::fs::File::create(&stderr).expect("a file")));
    let server = ServerProcess::start_command(command);
    let mut players = start_pair(&server).await;
    let cells: Vec<u16> = (0..20).collect();
    play_moves(&mut players, &cells[0..4]).await;
    let max_descriptors = server.highest_descriptor() + 1 + 8;
    let before = server.open_descriptors();
    server.limit_resource(Resource::Nofile, Some(max_descriptors as u64));
    let read_log = || std::fs::read_to_string(&stderr).expect("text");
    let mut waiting_sockets = vec![];
    // Only one connection waits in the kernel's queue. If several waited, some might be accepted before all descriptors
    // are free again.
    for _ in 0..=max_descriptors - before {
        waiting_sockets.push(
            TcpStream::connect(server.address())
                .await
                .expect("the kernel queues the connection"),
        );
    }
    wait_until("the server to run out of descriptors", async || {
        read_log()
            .contains("accept failed; retrying with backoff")
            .then_some(())
    })
    .await;
    assert_eq!(server.open_descriptors(), max_descriptors);
    let ticks = server.cpu_ticks();
    play_moves(&mut players, &cells[4..12]).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    // The accept loop waits between its attempts. Otherwise it would use two seconds of processor time.
    let ticks_used = server.cpu_ticks() - ticks;
    assert!(
        ticks_used < 100,
        "{ticks_used} ticks of 10 ms in two idle seconds"
    );
    play_moves(&mut players, &cells[12..16]).await;
    drop(waiting_sockets);
    wait_until("the connections to end", async || {
        (server.open_descriptors() == before).then_some(())
    })
    .await;
    let mut late_client = TestClient::connect_as(&server.url, "Late").await;
    late_client
        .request(RequestBody::Session(SessionRequest::List))
        .await
        .expect("it is served");
    play_moves(&mut players, &cells[16..20]).await;
    // A thread of its own writes the log.
    wait_until("the recovery in the log", async || {
        read_log()
            .contains("accepting connections again")
            .then_some(())
    })
    .await;
    let log_text = read_log();
    for socket in [
        "accept failed; retrying with backoff",
        "accepting connections again",
    ] {
        assert_eq!(
            log_text.matches(socket).count(),
            1,
            "{socket} in\n{log_text}"
        );
    }
}

/// Runs one client of each misbehaving kind.
async fn run_bad_clients(server: &ServerProcess) {
    let to = server.address();
    let head = handshake_request("");
    // Unfinished handshakes and other protocols.
    let mut open_sockets = vec![];
    for bytes_sent in [
        &b""[..],
        b"G",
        &head.as_bytes()[..head.len() - 1],
        b"\x16\x03\x01\x00\xf1\x01\x00\x00\xed\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        &[0xff; 2000],
    ] {
        let mut socket = RawWebSocket::connect(to).await;
        socket.try_write(bytes_sent).await;
        open_sockets.push(socket);
    }
    let mut large = RawWebSocket::connect(to).await;
    large
        .try_write(handshake_request(&format!("X-Long: {}\r\n", "y".repeat(100_000))).as_bytes())
        .await;
    // Connections closed in the middle of the handshake.
    for at in [1, head.len() / 2, head.len()] {
        let mut socket = RawWebSocket::connect(to).await;
        socket.try_write(&head.as_bytes()[..at]).await;
        socket.reset();
    }
    // Protocol violations, with and without reading the response.
    for sent in [
        encode_frames(&[ClientFrame::new(TEXT, "{}").without_mask()]),
        encode_frames(&[ClientFrame::new(BINARY, "{}")]),
        encode_frames(&[ClientFrame::new(TEXT, b"\xff")]),
        encode_frames(&[ClientFrame::new(TEXT, "").with_declared_length(u64::MAX >> 1)]),
        encode_frames(&[ClientFrame::new(TEXT, "").without_fin()])
            .into_iter()
            .chain(
                ClientFrame::new(CONTINUATION, "")
                    .without_fin()
                    .to_bytes()
                    .repeat(9000),
            )
            .collect(),
        ClientFrame::new(PING, "").to_bytes().repeat(200),
        ClientFrame::new(TEXT, "[").to_bytes().repeat(20),
        ClientFrame::close(1005, b"").to_bytes(),
        ClientFrame::close(1000, b"bye").to_bytes(),
        encode_frames(&[ClientFrame::new(TEXT, "{\"type").without_fin()]),
    ] {
        let mut read = RawWebSocket::connect_and_greet(to).await;
        read.try_write(&sent).await;
        let mut unread = RawWebSocket::connect_and_greet(to).await;
        unread.try_write(&sent).await;
        unread.reset();
        open_sockets.push(read);
    }
    // Clients that leave a seek, rooms, a game and spectators behind.
    let mut seeks = TestClient::connect_as(&server.url, "Seeks").await;
    seeks.seek("9x9:5", None, None).await;
    let mut host = TestClient::connect_as(&server.url, "Host").await;
    host.create("3x3:3", None, None, false).await;
    let mut players = start_pair(server).await;
    play_moves(&mut players, &[0, 1, 2]).await;
    let mut spectator = TestClient::connect_as(&server.url, "Fan").await;
    spectator
        .watch(room_ref(&players[0]))
        .await
        .expect("public");
    // Some connections are read to the end, the other connections are dropped.
    for socket in open_sockets.iter_mut().skip(6).take(6) {
        socket.read_close_code().await;
    }
    drop((open_sockets, large, seeks, host, players, spectator));
}

#[tokio::test]
async fn bad_clients_leave_no_resources() {
    let server = ServerProcess::start(&[
        "--max-per-address",
        "1000",
        "--set",
        "handshake-timeout=1s",
        "--set",
        "hello-timeout=1s",
        "--set",
        "reconnect-grace=200ms",
        "--set",
        "leave-grace=100ms",
        "--set",
        "abandon-after=300ms",
        "--set",
        "room-idle-timeout=500ms",
    ]);
    let descriptors_before = server.open_descriptors();
    let tasks = server.metric("noughts_tasks").await;
    let wait_until_gone = async || {
        for gauge in ["connections", "rooms", "room_tasks", "seeks"] {
            let name = format!("noughts_{gauge}");
            wait_until(("gauge at zero", &name), async || {
                (server.metric(&name).await == 0).then_some(())
            })
            .await;
        }
        wait_until("no other sockets", async || {
            (server.metric("noughts_sockets").await == 1).then_some(())
        })
        .await;
        wait_until(("tasks", tasks), async || {
            (server.metric("noughts_tasks").await <= tasks).then_some(())
        })
        .await;
        // The connection of the metrics request closes shortly after the response.
        wait_until(("descriptors", descriptors_before), async || {
            (server.open_descriptors() <= descriptors_before).then_some(())
        })
        .await;
    };
    // The first round fills buffers and caches that stay allocated.
    run_bad_clients(&server).await;
    wait_until_gone().await;
    let memory = server.resident_kib();
    for _ in 0..5 {
        run_bad_clients(&server).await;
        wait_until_gone().await;
    }
    let growth_kib = server.resident_kib().saturating_sub(memory);
    println!(
        "five rounds of misbehaving clients: {tasks} tasks, {descriptors_before} descriptors as before, {growth_kib} KiB more"
    );
    assert!(
        growth_kib < 8 << 10,
        "{growth_kib} KiB more after five rounds"
    );
}

/// The figure is printed by `cargo test --release -p noughts-tests --test system -- an_idle_connection
/// --nocapture`.
#[tokio::test]
async fn an_idle_connection_costs_little() {
    const CONNECTIONS_PER_ROUND: usize = 200;
    let server = ServerProcess::start(&["--max-per-address", "2000"]);
    let mut sockets = vec![];
    let mut resident = vec![];
    // The first connections fill shared buffers.
    for _ in 0..3 {
        for _ in 0..CONNECTIONS_PER_ROUND {
            sockets.push(RawWebSocket::connect_and_greet(server.address()).await);
        }
        resident.push(server.resident_kib());
    }
    let bytes_each = 1024 * (resident[2] - resident[0]) / (2 * CONNECTIONS_PER_ROUND as u64);
    println!(
        "an idle connection: {bytes_each} bytes of memory, {resident:?} KiB at {CONNECTIONS_PER_ROUND} more each"
    );
    assert!(
        bytes_each < 24 << 10,
        "{bytes_each} bytes for each idle connection"
    );
    assert_eq!(
        server.metric("noughts_connections").await,
        3 * CONNECTIONS_PER_ROUND as i64
    );
}
