//! The example `minimal_bot` of the client crate plays whole games on a server.

use noughts_protocol::wire::{RequestBody, SessionRequest};
use noughts_tests::server::TestServer;
use noughts_tests::wait::with_timeout;

use super::{play_two_games, start_game};

#[path = "../../../client/examples/minimal_bot.rs"]
#[expect(dead_code, reason = "the tests call `play` instead of `main`")]
mod example;

#[tokio::test]
async fn the_minimal_bot_plays_whole_games() {
    let server = TestServer::start().await;
    let address = server.address().to_string();
    for rules in ["3x3:3", "7x6:4+gravity", "3x3x3:3"] {
        let bot = example::play(
            &address,
            "Minimal".parse().unwrap(),
            rules.parse().unwrap(),
            2,
        );
        let opponent = async {
            let mut client = start_game(&server, rules).await;
            play_two_games(&mut client, "Minimal").await;
            client
                .request(RequestBody::Session(SessionRequest::Leave))
                .await
                .expect("in a room");
        };
        let (games, ()) = tokio::join!(bot, opponent);
        assert_eq!(games.expect("no failure"), 2, "{rules}");
    }
}

#[tokio::test]
async fn two_minimal_bots_play_each_other() {
    let server = TestServer::start().await;
    let address = server.address().to_string();
    let play =
        |name: &str| example::play(&address, name.parse().unwrap(), "3x3:3".parse().unwrap(), 3);
    let games = async { tokio::join!(play("Ann"), play("Bob")) };
    let (ann, bob) = with_timeout("three games", games).await;
    assert_eq!((ann.expect("no failure"), bob.expect("no failure")), (3, 3));
}
