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
    let mut peer = server.connect_client("Ann").await;
    peer.seek(rules, None, Some(Seat::X)).await;
    peer.next_snapshot().await;
    for game in 1..=2 {
        let player = peer.game().player(peer.seat().other()).expect("seated").clone();
        assert_eq!((player.kind, player.name.as_str()), (PlayerKind::Bot, "Minimal"));
        while peer.game().phase() == Phase::Playing {
            if peer.game().position().turn() == peer.seat() {
                let cell = peer.game().position().legal_from(0).expect("the game is not over");
                peer.play(cell.index() as u16).await.expect("legal");
            } else {
                let seq = peer.game().seq();
                peer.wait_until_seq(seq.next()).await;
            }
        }
        if game == 1 {
            peer.wait_for_event("offer", |event| matches!(event, Event::Offered { .. })).await;
            peer.offer(Offer::Rematch).await.expect("the game is over");
        }
    }
    let own = peer.seat();
    let has_left = |notice: &Notice| matches!(notice, Notice::Presence { seat, .. } if *seat != own);
    peer.wait_for_notice("the bot to leave", has_left).await;
    peer.request(RequestBody::Lobby(LobbyRequest::Leave)).await.expect("in a room");
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
