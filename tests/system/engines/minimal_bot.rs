//! The example `minimal_bot` of the client crate plays whole games on a server.

use noughts_protocol::wire::{LobbyRequest, Notice, RequestBody};
use noughts_protocol::{Event, Offer, Phase, PlayerKind, Seat};
use noughts_tests::server::TestServer;
use noughts_tests::wait::with_timeout;

#[path = "../../../client/examples/minimal_bot.rs"]
#[expect(dead_code, reason = "the tests call `play` instead of `main`")]
mod example;

/// Plays two games as X and O against a bot, marking the first free cell. Waits until the bot has left.
async fn play_two_games(server: &TestServer, rules: &str) {
    let mut client = server.connect_client("Ann").await;
    client.seek(rules, None, Some(Seat::X)).await;
    client.next_snapshot().await;
    for game in 1..=2 {
        let player = client.game().player(client.seat().other()).expect("seated").clone();
        assert_eq!((player.kind, player.name.as_str()), (PlayerKind::Bot, "Minimal"));
        while client.game().phase() == Phase::Playing {
            if client.game().position().turn() == client.seat() {
                let cell = client.game().position().legal_from(0).expect("the game is not over");
                client.play(cell.index() as u16).await.expect("legal");
            } else {
                let seq = client.game().seq();
                client.wait_until_seq(seq.next()).await;
            }
        }
        if game == 1 {
            client.wait_for_event("offer", |event| matches!(event, Event::Offered { .. })).await;
            client.offer(Offer::Rematch).await.expect("the game is over");
        }
    }
    let own = client.seat();
    let has_left = |notice: &Notice| matches!(notice, Notice::Presence { seat, .. } if *seat != own);
    client.wait_for_notice("the bot to leave", has_left).await;
    client.request(RequestBody::Lobby(LobbyRequest::Leave)).await.expect("in a room");
}

#[tokio::test]
async fn the_minimal_bot_plays_whole_games() {
    let server = TestServer::start().await;
    let address = server.address().to_string();
    for rules in ["3x3:3", "7x6:4+gravity", "3x3x3:3"] {
        let bot = example::play(&address, "Minimal".parse().unwrap(), rules.parse().unwrap(), 2);
        let (games, ()) = tokio::join!(bot, play_two_games(&server, rules));
        assert_eq!(games.expect("no failure"), 2, "{rules}");
    }
}

#[tokio::test]
async fn two_minimal_bots_play_each_other() {
    let server = TestServer::start().await;
    let address = server.address().to_string();
    let play = |name: &str| example::play(&address, name.parse().unwrap(), "3x3:3".parse().unwrap(), 3);
    let games = async { tokio::join!(play("Ann"), play("Bob")) };
    let (ann, bob) = with_timeout("three games", games).await;
    assert_eq!((ann.expect("no failure"), bob.expect("no failure")), (3, 3));
}
