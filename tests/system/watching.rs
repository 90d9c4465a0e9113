//! Several games on one screen, each on a line of its own.

use noughts_tests::pipe::Pipe;
use noughts_tests::pty::Pty;
use noughts_tests::server::Server;
use noughts_tests::table::{pair, play_text, public};

#[tokio::test]
async fn two_games_are_seen_side_by_side_each_as_it_goes_on() {
    let server = Server::start().await;
    let mut games = [pair(&server, "3x3:3", Some("5+0")).await, pair(&server, "connect4", None).await];
    let [first, second] = games.each_ref().map(|players| public(&players[0]).to_string());
    let fan = Pty::noughts(&["watch", &first, &second, "--server", &server.url(), "--name", "Fan"]);
    fan.sees(&format!(">{first}")).await;
    fan.sees(&second).await;
    play_text(&mut games[1], "d1 d1").await;
    fan.sees("[O]").await;
    play_text(&mut games[0], "b2").await;
    fan.sees("[X]").await;
    fan.sees("[O]").await;
    // One of them alone, with its past; the other goes on meanwhile.
    fan.keys("\t\r");
    fan.sees("* live").await;
    fan.sees_no_more(&first).await;
    fan.keys("\x1b[D");
    fan.sees("< 1 of 2").await;
    play_text(&mut games[0], "a1 c1 b1 a3").await;
    fan.keys("q");
    fan.sees(&format!(">{second}")).await;
    fan.sees("Ann (X) wins.").await;
    assert_eq!(fan.text().matches("*X*").count(), 3, "the winning line on\n{}", fan.text());
    fan.keys("q");
    assert_eq!(fan.ended().await, 0);
    fan.given_back().await;
}

#[tokio::test]
async fn one_room_that_is_not_there_does_not_end_the_watching_of_another() {
    let server = Server::start().await;
    let mut players = pair(&server, "3x3:3", None).await;
    let room = public(&players[0]).to_string();
    let mut fan = Pipe::noughts(&["watch", "00000000", &room, "--server", &server.url()]);
    fan.says(&format!("{room}: ")).await;
    fan.heard("00000000: ").await;
    fan.heard("there is no such room").await;
    play_text(&mut players, "b2").await;
    fan.says(&format!("{room}: Ann (X) plays b2.")).await;
    fan.line("q");
    assert_eq!(fan.ended().await, Some(4), "{}", fan.err());
}
