//! Several connections of one bot: they take turns to seek, and may fail.

use super::super::{BotOptions, run_with};
use super::*;
use crate::connection::TerminationReason;
use crate::connection::server_url::ServerUrl;

#[tokio::test(start_paused = true)]
async fn connections_of_one_bot_are_not_paired_with_each_other() {
    let (pipe, mut calls) = pipe_server();
    let shared = BotShared::new();
    let shutdown = CancellationToken::new();
    let workers: Vec<_> = (0..3)
        .map(|_| {
            worker(
                pipe.clone(),
                play_target(),
                Behaviour::for_paired_game(None),
                shared.clone(),
                shutdown.clone(),
            )
        })
        .map(|worker| tokio::spawn(worker.run()))
        .collect();
    let mut games = Vec::new();
    for _ in 0..3 {
        let mut peer = calls.accept_and_welcome().await;
        let id = expect_seek(&mut peer).await;
        send_done(&mut peer, id).await;
        // While this connection seeks, the bot opens no second connection.
        let other = tokio::time::timeout(Duration::from_secs(10), calls.accept_stream()).await;
        assert!(other.is_err(), "one connection seeks at a time");
        let fake_room = FakeRoom::new("3x3:3", None, Seat::X);
        peer.send(fake_room.snapshot_message(None)).await;
        games.push((peer, fake_room));
    }
    // The three games run concurrently.
    for (peer, fake_room) in games.iter_mut().rev() {
        fake_room.play_out(peer).await;
    }
    shutdown.cancel();
    for (peer, _) in &mut games {
        expect_leave(peer).await;
    }
    for worker in workers {
        assert!(worker.await.unwrap().is_ok());
    }
}

/// Spawns a bot with three connections that ends after one game.
fn spawn_three_connections() -> (JoinHandle<Result<(), BotError>>, FakeServer) {
    let (pipe, calls) = pipe_server();
    let policy = Policy {
        concurrent_games: 3,
        ..policy()
    };
    let name = "Tess".parse().unwrap();
    let options = BotOptions {
        max_games: Some(1),
        ..BotOptions::new(ServerUrl::local(), name, Level::Perfect, policy)
    };
    let open = move |_| {
        let options = connection_options(RETRY_POLICY);
        ConnectionHandle::with_connector(options, pipe.clone(), ClientRng::default())
    };
    let bot = tokio::spawn(run_with(options, open, Arc::new(SearchPool::new(2))));
    (bot, calls)
}

#[tokio::test(start_paused = true)]
async fn a_bot_ends_if_its_first_connection_fails() {
    let (bot, mut calls) = spawn_three_connections();
    calls.refuse_connect().await;
    let error = bot.await.unwrap().unwrap_err();
    assert!(
        matches!(
            error,
            BotError::Connection(TerminationReason::CannotConnect(_))
        ),
        "{error:?}"
    );
    assert!(calls.expect_no_more().await);
}

#[tokio::test(start_paused = true)]
async fn a_rejected_connection_does_not_end_the_others() {
    let (bot, mut calls) = spawn_three_connections();
    let mut peer = calls.accept_and_welcome().await;
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    expect_seek_and_pair(&mut peer, &fake_room).await;
    calls.refuse_connect().await;
    calls.refuse_connect().await;
    fake_room.play_out(&mut peer).await;
    expect_leave(&mut peer).await;
    let error = bot.await.unwrap().unwrap_err();
    assert_eq!(error.exit_code(), 3, "the failure is returned at the end");
}
