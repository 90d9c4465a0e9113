//! Several games on one screen, each on its own connection.

use noughts_tests::client::game_setup::{pair_players, play_moves, room_ref};
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use noughts_tests::terminal::pty::Pty;

#[tokio::test]
async fn two_games_are_watched_side_by_side() {
    let server = TestServer::start().await;
    let mut games = [
        pair_players(&server, "3x3:3", Some("5+0")).await,
        pair_players(&server, "connect4", None).await,
    ];
    let [first, second] = games
        .each_ref()
        .map(|players| room_ref(&players[0]).to_string());
    let spectator = Pty::spawn_noughts(&[
        "watch",
        &first,
        &second,
        "--server",
        &server.url(),
        "--name",
        "Fan",
    ]);
    spectator.wait_for_text(">Tic-tac-toe").await;
    spectator.wait_for_text("Connect Four").await;
    play_moves(&mut games[1], &[3, 3]).await;
    spectator.wait_for_text("[O]").await;
    play_moves(&mut games[0], &[4]).await;
    spectator.wait_for_text("[  X  ]").await;
    spectator.wait_for_text("[O]").await;
    // Opens one game in full, with its history, while the other game continues.
    spectator.send_keys("\t\r");
    spectator.wait_for_text("LIVE").await;
    spectator.wait_for_text_gone("Tic-tac-toe").await;
    spectator.send_keys("\x1b[D");
    spectator.wait_for_text("move 1 of 2").await;
    play_moves(&mut games[0], &[0, 2, 1, 6]).await;
    spectator.send_keys("q");
    spectator.wait_for_text(">Connect Four").await;
    spectator.wait_for_text("Ann WINS").await;
    // The screen shows the three marks of the winning line.
    spectator.wait_for_count("*  X  *", 3).await;
    spectator.send_keys("q");
    assert_eq!(spectator.wait_for_exit().await, 0);
    spectator.wait_until_restored().await;
}

#[tokio::test]
async fn an_unknown_room_does_not_end_watching_another() {
    let server = TestServer::start().await;
    let mut players = pair_players(&server, "3x3:3", None).await;
    let room = room_ref(&players[0]).to_string();
    let mut spectator =
        PipedProcess::spawn_noughts(&["watch", "00000000", &room, "--server", &server.url()]);
    spectator.wait_for_stdout(&format!("{room}: ")).await;
    spectator.wait_for_stderr("00000000: ").await;
    spectator.wait_for_stderr("No such room.").await;
    play_moves(&mut players, &[4]).await;
    spectator
        .wait_for_stdout(&format!("{room}: Ann (X) plays b2."))
        .await;
    spectator.write_line("q");
    assert_eq!(
        spectator.wait_for_exit().await,
        Some(4),
        "{}",
        spectator.stderr()
    );
}
