//! Connections that break under a terminal: messages on the screen, and the resumed game.

use noughts_tests::faults::proxy::Proxy;
use noughts_tests::program::TempDir;
use noughts_tests::server::ServerProcess;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::pty::Pty;

#[tokio::test]
async fn missed_moves_arrive_after_a_reconnect() {
    let server = TestServer::start().await;
    let proxy = Proxy::start(server.address()).await;
    let [ann, bob] = Pty::start_players([&proxy.url(), &server.url()], &[]).await;
    ann.play_key("1").await;
    bob.wait_for_text("YOUR MOVE").await;
    proxy.set_accepting(false);
    proxy.reset_all();
    ann.wait_for_text("offline").await;
    bob.wait_for_text("Ann is DISCONNECTED").await;
    bob.wait_for_text("to return").await;
    bob.send_keys("4");
    bob.wait_for_text("1     4").await;
    proxy.set_accepting(true);
    ann.wait_for_text_gone("offline").await;
    ann.wait_for_text("1     4").await;
    bob.wait_for_text_gone("DISCONNECTED").await;
    for (player, key) in [(&ann, "2"), (&bob, "5"), (&ann, "3")] {
        player.play_key(key).await;
    }
    for player in [&ann, &bob] {
        player.wait_for_text("row 1-2-3").await;
    }
}

#[tokio::test]
async fn a_lost_move_is_resent() {
    let server = TestServer::start().await;
    let proxy = Proxy::start(server.address()).await;
    let [ann, bob] = Pty::start_players([&proxy.url(), &server.url()], &[]).await;
    proxy.set_flow(false, true);
    ann.send_keys("1");
    ann.wait_for_text("Sending").await;
    proxy.reset_all();
    proxy.set_flow(true, true);
    bob.wait_for_text("YOUR MOVE").await;
    ann.wait_for_text("Bob to move").await;
    assert_eq!(server.metric("noughts_moves_total").await, 1);
}

#[tokio::test]
async fn a_move_with_a_lost_response_is_made_once() {
    let server = TestServer::start().await;
    let proxy = Proxy::start(server.address()).await;
    let [ann, bob] = Pty::start_players([&proxy.url(), &server.url()], &[]).await;
    proxy.set_flow(true, false);
    ann.send_keys("1");
    bob.wait_for_text("YOUR MOVE").await;
    ann.wait_for_text("Sending").await;
    proxy.reset_all();
    proxy.set_flow(true, true);
    ann.wait_for_text("Bob to move").await;
    bob.send_keys("4");
    ann.wait_for_text("YOUR MOVE").await;
    assert_eq!(server.metric("noughts_moves_total").await, 2);
}

#[tokio::test]
async fn a_disconnected_screen_can_be_quit() {
    let server = TestServer::start().await;
    let proxy = Proxy::start(server.address()).await;
    let [ann, _bob] = Pty::start_players([&proxy.url(), &server.url()], &[]).await;
    proxy.set_accepting(false);
    proxy.reset_all();
    ann.wait_for_text("offline").await;
    ann.send_keys("q");
    ann.wait_for_text("Leave this game?").await;
    ann.send_keys("y");
    assert_eq!(ann.wait_for_exit().await, 0);
    ann.wait_until_restored().await;
}

#[tokio::test]
async fn a_game_continues_after_a_server_kill() {
    let data = TempDir::default();
    let data = data.path().to_str().expect("a path in UTF-8");
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", data]);
    let url = first.url.clone();
    let ann = Pty::spawn_noughts(&["play", &url, "--name", "Ann", "--seat", "x"]);
    ann.wait_for_text("LOOKING FOR AN OPPONENT").await;
    let bob = Pty::spawn_noughts(&["play", &url, "--name", "Bob", "--seat", "o"]);
    for (player, key) in [(&ann, "1"), (&bob, "4"), (&ann, "2"), (&bob, "5")] {
        player.play_key(key).await;
    }
    ann.wait_for_text("YOUR MOVE").await;
    first.kill();
    for player in [&ann, &bob] {
        player.wait_for_text("offline").await;
    }
    let address = url.trim_start_matches("ws://").trim_end_matches("/ws");
    let _second = ServerProcess::start_with(&["--listen", address, "--data", data]);
    for player in [&ann, &bob] {
        player.wait_for_text_gone("offline").await;
    }
    ann.send_keys("3");
    for player in [&ann, &bob] {
        player.wait_for_text("row 1-2-3").await;
    }
}
