//! Server under a service manager: listeners that outlive it, notifications, watchdog.

use std::fs;
use std::path::Path;
use std::time::Duration;

use futures::future::join_all;
use noughts_protocol::wire::Message;
use noughts_tests::client::frame::{ClientFrame, TEXT};
use noughts_tests::client::game_setup::seat_players;
use noughts_tests::client::raw_websocket::{RawWebSocket, handshake_request};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::faults::preload::build_library;
use noughts_tests::program::TempDir;
use noughts_tests::server::{ServerProcess, TestServiceManager, get};
use noughts_tests::wait::{wait_until, with_timeout};
use tokio::net::TcpStream;
use tokio::sync::watch;

/// Number of clients that connect while no server runs.
const WAITING_CLIENTS: usize = 300;

/// All clients of a test share one address, so the limit per address is high.
const FLAGS: [&str; 2] = ["--max-per-address", "10000"];

fn start(manager: &TestServiceManager, data: &Path) -> ServerProcess {
    let data = data.to_str().expect("a path in UTF-8");
    manager.start(&[&FLAGS[..], &["--data", data]].concat())
}

/// Connects and sends hello. Returns whether the server welcomed the client; otherwise it announced its restart.
async fn connect_and_greet(manager: &TestServiceManager) -> bool {
    let stream = TcpStream::connect(manager.address())
        .await
        .expect("the port is open at all times");
    let mut socket = RawWebSocket::with_stream(stream);
    let hello = r#"{"type":"hello","id":0,"versions":[1,1],"name":"Eve","kind":"bot"}"#;
    let hello = ClientFrame::new(TEXT, hello).to_bytes();
    // The client sends handshake and hello in one write, because a stopping server sends its announcement immediately.
    let request = [handshake_request("").as_bytes(), &hello].concat();
    assert!(socket.try_write(&request).await, "the connection is reset");
    let head = socket.read_head().await;
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    let response = socket.next_message().await;
    let is_welcome = matches!(response, Message::Welcome { .. });
    assert!(
        is_welcome || matches!(response, Message::Restarting { .. }),
        "{response:?}"
    );
    is_welcome
}

#[tokio::test]
async fn a_restart_refuses_no_client_and_a_game_goes_on() {
    let (manager, data) = (TestServiceManager::default(), TempDir::default());
    let mut server = start(&manager, data.path());
    assert_eq!(
        server.address(),
        manager.address(),
        "the passed listener replaces --listen"
    );
    let url = server.url.clone();
    let [mut x, mut o] = seat_players(&url, ["Ann", "Bob"], "3x3:3", None).await;
    x.play(4).await.expect("a legal move");
    o.wait_until_seq(x.game().seq()).await;

    let (stop, stopped) = watch::channel(false);
    // Clients connect without a pause: to the old server, to the stopping server, to the queue of the listener, and to
    // the new server.
    let stream_of_clients = async {
        let mut welcomed = 0_u32;
        while !*stopped.borrow() {
            welcomed += u32::from(connect_and_greet(&manager).await);
        }
        welcomed
    };
    let restart = async {
        manager.wait_for_notification("READY=1").await;
        server.send_signal("TERM");
        manager.wait_for_notification("STOPPING=1").await;
        assert_eq!(server.wait_for_exit().await.code(), Some(0));
        let seats = [x.disconnect(), o.disconnect()];
        // No server runs, and the queue of the kernel takes all clients.
        let waiting: Vec<TcpStream> = join_all((0..WAITING_CLIENTS).map(|_| async {
            with_timeout("the kernel", TcpStream::connect(manager.address()))
                .await
                .expect("the port is open")
        }))
        .await;
        let server = start(&manager, data.path());
        manager.wait_for_notification("READY=1").await;
        let greetings = waiting.into_iter().map(|stream| async {
            let mut client = TestClient::with_stream(stream, &url).await;
            client.greet("Eve").await
        });
        for greeting in with_timeout("all clients are served", join_all(greetings)).await {
            assert!(matches!(greeting, Message::Welcome { .. }), "{greeting:?}");
        }
        stop.send(true).expect("the other clients connect");
        (server, seats)
    };
    let (welcomed, (_server, [x, o])) = tokio::join!(stream_of_clients, restart);
    assert!(welcomed > 0, "the new server serves clients");

    let mut x_again = TestClient::connect_as(&url, "Ann").await;
    x_again.resume(&x, None).await.expect("its seat");
    let mut o_again = TestClient::connect_as(&url, "Bob").await;
    o_again.resume(&o, None).await.expect("its seat");
    o_again.play(0).await.expect("a legal move");
    x_again.wait_until_seq(o_again.game().seq()).await;
    x_again.play(8).await.expect("the game goes on");
}

#[tokio::test]
async fn the_service_manager_learns_when_the_server_is_ready_reloads_and_stops() {
    let manager = TestServiceManager::default();
    let mut server = manager.start(&["--data", "memory"]);
    assert_eq!(manager.next_notification().await, "READY=1\n");
    assert_eq!(get(manager.address(), "/health").await.0, 200);
    assert_eq!(get(manager.admin_address(), "/ready").await.0, 200);
    // Without a certificate there is nothing to reload, but a reload must not stop the server.
    server.send_signal("HUP");
    let reloading = manager.next_notification().await;
    assert!(
        reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="),
        "{reloading}"
    );
    assert_eq!(manager.next_notification().await, "READY=1\n");
    assert_eq!(get(manager.address(), "/health").await.0, 200);
    server.send_signal("TERM");
    assert_eq!(manager.next_notification().await, "STOPPING=1\n");
    assert_eq!(server.wait_for_exit().await.code(), Some(0));
}

#[tokio::test]
async fn the_watchdog_is_fed_only_while_the_store_makes_progress() {
    let (manager, folder) = (TestServiceManager::default(), TempDir::default());
    let library = build_library(folder.path(), "system/storage/disk_faults/shim.c");
    let fault = folder.path().join("fault");
    let data = folder.path().join("data");
    let mut command = manager.command(&["--data", data.to_str().expect("a path in UTF-8")]);
    command
        .env("LD_PRELOAD", library)
        .env("NOUGHTS_TEST_DISK", &fault)
        .env("WATCHDOG_USEC", "2000000");
    let server = manager.start_prepared(command);
    for _ in 0..3 {
        manager.wait_for_notification("WATCHDOG=1").await;
    }

    let mut client = TestClient::connect_as(&server.url, "Ann").await;
    fs::write(&fault, "hang").expect("a path of this test");
    client
        .send_text(r#"{"id":7,"type":"create","rules":"3x3:3"}"#)
        .await;
    let silence = Duration::from_secs(2);
    wait_until("no more reports", async || {
        (!manager.is_notified_within(silence).await).then_some(())
    })
    .await;
    // The server still answers, because only the writer has stopped.
    assert_eq!(get(manager.address(), "/health").await.0, 200);

    fs::remove_file(&fault).expect("the file was written");
    manager.wait_for_notification("WATCHDOG=1").await;
}
