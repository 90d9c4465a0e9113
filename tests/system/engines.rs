//! Bots, engines and arenas as processes.

mod bot;
mod external;
mod minimal_bot;
mod programs;
mod typescript;

use noughts_protocol::wire::Notice;
use noughts_protocol::{Event, Offer, PlayerKind, Seat};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;

/// Starts a game as X against the bot that seeks these rules.
async fn start_game(server: &TestServer, rules: &str) -> TestClient {
    let mut client = server.connect_client("Ann").await;
    client.seek(rules, None, Some(Seat::X)).await;
    client.next_snapshot().await;
    client
}

/// Plays two games against a bot of this name, the second as a rematch with swapped seats, and waits until the bot has
/// left.
async fn play_two_games(client: &mut TestClient, bot_name: &str) {
    for game in 1..=2 {
        let player = client
            .game()
            .player(client.seat().other())
            .expect("seated")
            .clone();
        assert_eq!(
            (player.kind, player.name.as_str()),
            (PlayerKind::Bot, bot_name)
        );
        client.play_to_end().await;
        if game == 1 {
            client
                .wait_for_event("offer", |event| matches!(event, Event::Offered { .. }))
                .await;
            client
                .offer(Offer::Rematch)
                .await
                .expect("the game is over");
        }
    }
    let own = client.seat();
    let has_left =
        |notice: &Notice| matches!(notice, Notice::Presence { seat, .. } if *seat != own);
    client.wait_for_notice("the bot to leave", has_left).await;
}
