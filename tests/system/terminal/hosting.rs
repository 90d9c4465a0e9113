//! A server that the player starts from the home menu.

use std::net::TcpListener;

use noughts_tests::terminal::pty::Pty;
use noughts_tests::wait::wait_until;

/// Returns a free port of this computer.
fn free_port() -> u16 {
    let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Opens the form of the menu item, and submits it with this port.
async fn host_a_game(port: u16) -> Pty {
    let host = Pty::spawn_noughts(&[]);
    host.wait_for_text("Host on this computer").await;
    // Moves to the second to last item.
    host.send_keys(&"\x1b[B".repeat(20));
    host.wait_for_text(">    Quit").await;
    host.send_keys("k\r");
    host.wait_for_text("Choose a game").await;
    host.send_keys("\r");
    host.wait_for_text("> Clock").await;
    host.send_keys("\x1b[B\x1b[B\x1b[B");
    host.wait_for_text("> Port").await;
    host.send_keys("\x15");
    host.send_keys(&port.to_string());
    host.wait_for_text(&port.to_string()).await;
    host.send_keys("\r");
    host
}

#[tokio::test]
async fn a_friend_plays_on_the_server_of_the_host_until_the_host_leaves() {
    let port = free_port();
    let host = host_a_game(port).await;
    host.wait_for_text("Your friend types").await;
    let shown = host
        .wait_until("the line for the friend", |pty| {
            let screen = pty.screen_text();
            let line = screen
                .lines()
                .map(str::trim)
                .find(|line| line.starts_with("noughts join "));
            line.map(|line| line.trim_start_matches("noughts join ").to_owned())
        })
        .await;
    assert!(shown.contains(&format!(":{port}#")), "{shown}");
    let (_, code) = shown.split_once('#').expect("a code");
    // The friend uses the loopback address, because the network decides whether the printed address is reachable.
    let friend =
        Pty::spawn_noughts(&["join", &format!("127.0.0.1:{port}#{code}"), "--name", "Zoe"]);
    friend.wait_for_text("Tic-tac-toe 3x3").await;
    host.wait_for_text("Zoe").await;
    host.send_keys("q");
    host.wait_for_text("Abort and leave").await;
    host.send_keys("y");
    host.wait_for_text("Host on this computer").await;
    friend.wait_for_text("the host has closed the server").await;
    TcpListener::bind(("0.0.0.0", port)).expect("the server has stopped");
}

#[tokio::test]
async fn the_server_of_a_host_ends_when_its_program_is_killed() {
    let port = free_port();
    let host = host_a_game(port).await;
    host.wait_for_text("Your friend types").await;
    TcpListener::bind(("0.0.0.0", port)).expect_err("the server runs");
    host.send_signal("KILL");
    host.wait_for_exit().await;
    wait_until("the end of the server", async || {
        TcpListener::bind(("0.0.0.0", port)).ok()
    })
    .await;
}

#[tokio::test]
async fn a_port_in_use_is_reported_and_the_form_stays_open() {
    let taken = TcpListener::bind("0.0.0.0:0").expect("a free port");
    let port = taken.local_addr().expect("an address").port();
    let host = host_a_game(port).await;
    host.wait_for_text(&format!("Another program uses port {port}."))
        .await;
    host.wait_for_text("> Port").await;
}
