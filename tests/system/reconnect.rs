//! Lines that break under a terminal: what its screen says, and that the game goes on where it was.

use noughts_tests::program::{Folder, ServerProcess};
use noughts_tests::proxy::Proxy;
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;

/// Ann with X over a line that can fail, Bob with O over a sound one.
async fn two(server: &Server, proxy: &Proxy) -> [Pty; 2] {
    let ann = Pty::noughts(&["play", &proxy.url(), "--name", "Ann", "--seat", "x"]);
    ann.sees("Waiting for an opponent.").await;
    let bob = Pty::noughts(&["play", &server.url(), "--name", "Bob", "--seat", "o"]);
    ann.sees("Your move.").await;
    [ann, bob]
}

/// Moves, once it is this player's turn, and sees the turn go: a screen that still shows the turn before
/// says nothing about the next.
async fn marks(player: &Pty, key: &str) {
    player.sees("Your move.").await;
    player.keys(key);
    player.sees_no_more("Your move.").await;
}

#[tokio::test]
async fn what_was_missed_is_there_after_a_cut() {
    let server = Server::start().await;
    let proxy = Proxy::before(server.address()).await;
    let [ann, bob] = two(&server, &proxy).await;
    marks(&ann, "1").await;
    bob.sees("Your move.").await;
    proxy.open(false);
    proxy.cut();
    ann.sees("offline").await;
    bob.sees("Ann is away").await;
    bob.sees("left to return").await;
    bob.keys("4");
    bob.sees("Ann is to move.").await;
    proxy.open(true);
    ann.sees_no_more("offline").await;
    ann.sees("Last   O a2").await;
    bob.sees_no_more("is away").await;
    for (player, key) in [(&ann, "2"), (&bob, "5"), (&ann, "3")] {
        marks(player, key).await;
    }
    for player in [&ann, &bob] {
        player.sees("Row: a1 b1 c1").await;
    }
}

#[tokio::test]
async fn a_move_that_was_lost_on_its_way_is_sent_again() {
    let server = Server::start().await;
    let proxy = Proxy::before(server.address()).await;
    let [ann, bob] = two(&server, &proxy).await;
    proxy.flow(false, true);
    ann.keys("1");
    ann.sees("is on its way").await;
    proxy.cut();
    proxy.flow(true, true);
    bob.sees("Your move.").await;
    ann.sees("Bob is to move.").await;
    assert_eq!(server.metric("noughts_moves_total").await, 1);
}

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_made_once() {
    let server = Server::start().await;
    let proxy = Proxy::before(server.address()).await;
    let [ann, bob] = two(&server, &proxy).await;
    proxy.flow(true, false);
    ann.keys("1");
    bob.sees("Your move.").await;
    ann.sees("is on its way").await;
    proxy.cut();
    proxy.flow(true, true);
    ann.sees("Bob is to move.").await;
    bob.keys("4");
    ann.sees("Your move.").await;
    assert_eq!(server.metric("noughts_moves_total").await, 2);
}

#[tokio::test]
async fn a_screen_without_a_line_can_be_left() {
    let server = Server::start().await;
    let proxy = Proxy::before(server.address()).await;
    let [ann, _bob] = two(&server, &proxy).await;
    proxy.open(false);
    proxy.cut();
    ann.sees("offline").await;
    ann.keys("q");
    ann.sees("Leave it?").await;
    ann.keys("y");
    assert_eq!(ann.ended().await, 0);
    ann.given_back().await;
}

#[tokio::test]
async fn a_game_goes_on_after_its_server_was_killed() {
    let data = Folder::default();
    let data = data.path().to_str().expect("a plain path");
    let first = ServerProcess::start_with(&["--listen", "127.0.0.1:0", "--data", data]);
    let url = first.url.clone();
    let ann = Pty::noughts(&["play", &url, "--name", "Ann", "--seat", "x"]);
    ann.sees("Waiting for an opponent.").await;
    let bob = Pty::noughts(&["play", &url, "--name", "Bob", "--seat", "o"]);
    for (player, key) in [(&ann, "1"), (&bob, "4"), (&ann, "2"), (&bob, "5")] {
        marks(player, key).await;
    }
    ann.sees("Your move.").await;
    first.kill();
    for player in [&ann, &bob] {
        player.sees("offline").await;
    }
    let address = url.trim_start_matches("ws://").trim_end_matches("/ws");
    let _second = ServerProcess::start_with(&["--listen", address, "--data", data]);
    for player in [&ann, &bob] {
        player.sees_no_more("offline").await;
    }
    ann.keys("3");
    for player in [&ann, &bob] {
        player.sees("Row: a1 b1 c1").await;
    }
}
