//! Several connections of one bot: turns to seek, failures, and connections reserved for people.

use noughts_protocol::wire::LobbyView;

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
        // While this connection seeks, no other one is opened.
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

/// A bot with three connections that ends after one game.
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

/// Waits for the answer to the second seek of the lobby, and pairs the bot.
async fn expect_answer_and_pair(peer: &mut FakeConnection, fake_room: &FakeRoom) {
    let (id, request) = peer.next_session_request().await;
    let SessionRequest::Answer { seek: SeekId(2) } = request else {
        panic!("not an answer: {request:?}")
    };
    // The seek leaves the lobby.
    let (re, at, view) = (None, 0, LobbyView::default());
    peer.send(Message::Lobby { re, at, view }).await;
    send_done(peer, id).await;
    peer.send(fake_room.snapshot_message(None)).await;
}

#[tokio::test(start_paused = true)]
async fn a_reserved_connection_plays_only_people() {
    let policy = Policy {
        concurrent_games: 2,
        reserved_for_people: 1,
        ..policy()
    };
    let (pipe, mut calls) = pipe_server();
    let shared = BotShared::new();
    let shutdown = CancellationToken::new();
    for _ in 0..2 {
        let target = BotTarget::Play(Arc::new(policy.clone()));
        let worker = worker(
            pipe.clone(),
            target,
            Behaviour::for_paired_game(None),
            shared.clone(),
            shutdown.clone(),
        );
        tokio::spawn(worker.run());
    }
    // The first connection plays anyone and is paired with a bot.
    let mut first = calls.accept_and_welcome().await;
    let against_bot = FakeRoom::new("3x3:3", None, Seat::O).with_opponent_kind(PlayerKind::Bot);
    expect_seek_and_pair(&mut first, &against_bot).await;
    // The second connection lists the lobby and opens no seek.
    let mut second = calls.accept_and_welcome().await;
    second.lobby.seeks = vec![listed_seek(1, "Bot Rob", "3x3:3")];
    let waiting = tokio::time::timeout(Duration::from_secs(5), second.next_request()).await;
    assert!(waiting.is_err(), "there is no person yet: {waiting:?}");
    second.lobby.seeks.push(listed_seek(2, "Ann", "3x3:3"));
    let (re, at, view) = (None, 0, second.lobby.clone());
    second.send(Message::Lobby { re, at, view }).await;
    // A bot was faster than Ann: the game is resigned at once.
    let mut resigned_room =
        FakeRoom::new("3x3:3", None, Seat::X).with_opponent_kind(PlayerKind::Bot);
    expect_answer_and_pair(&mut second, &resigned_room).await;
    let (id, resigns) = expect_command(&mut second).await;
    assert_eq!(resigns, RoomCommand::Resign);
    let resigned = ended(Outcome::Resigned { winner: Seat::O });
    let ended = resigned_room.apply_event(resigned, Some(id));
    second.send(ended).await;
    expect_leave(&mut second).await;
    // The next opponent is Ann.
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    expect_answer_and_pair(&mut second, &fake_room).await;
    fake_room.play_out(&mut second).await;
    shutdown.cancel();
}
