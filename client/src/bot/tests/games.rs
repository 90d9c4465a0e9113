//! Whole connections of a bot: matchmaking, games and leaving.

use noughts_protocol::wire::{Reject, RejectCode};
use tokio::time::Instant;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_bot_plays_accepts_a_rematch_and_leaves_after_its_last_game() {
    let (bot, mut peer, mut fake_room) =
        spawn_paired_bot(Behaviour::for_paired_game(Some(2))).await;
    fake_room.play_out(&mut peer).await;
    assert_ne!(
        fake_room.game.outcome().unwrap().winner(),
        Some(Seat::O),
        "the bot does not lose"
    );

    let id = fake_room.offer_rematch(&mut peer).await;
    // The request came from the bot's seat before the rematch.
    let started = fake_room.apply_event(Event::Started { game: 2 }, None);
    let Message::Events { mut events, .. } = started else {
        unreachable!()
    };
    events[0].by = Some(noughts_protocol::RequestRef { seat: Seat::X, id });
    peer.send_events(None, events).await;
    assert_eq!(fake_room.bot_seat, Seat::O);
    fake_room.play_out(&mut peer).await;
    assert_ne!(
        fake_room.game.outcome().unwrap().winner(),
        Some(Seat::X),
        "the bot does not lose"
    );

    expect_leave(&mut peer).await;
    assert_eq!(peer.next_request_or_close().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_bot_seeks_again_without_a_rematch() {
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(None));
    let mut peer = bot.calls.accept_and_welcome().await;
    for opponent_leaves in [false, true] {
        let mut fake_room = FakeRoom::new("3x3:3", None, Seat::O);
        expect_seek_and_pair(&mut peer, &fake_room).await;
        fake_room.play_out(&mut peer).await;
        let over_at = Instant::now();
        if opponent_leaves {
            peer.send(fake_room.opponent_presence(Presence::Left, None))
                .await;
        }
        expect_leave(&mut peer).await;
        assert_eq!(
            over_at.elapsed().as_secs(),
            if opponent_leaves { 0 } else { 20 }
        );
    }
    expect_seek(&mut peer).await;
    bot.shutdown.cancel();
    expect_leave(&mut peer).await;
    assert_eq!(peer.next_request_or_close().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_connection_lost_during_a_game_is_resumed() {
    let (mut bot, mut peer, mut fake_room) =
        spawn_paired_bot(Behaviour::for_paired_game(Some(1))).await;
    fake_room.expect_bot_move(&mut peer).await;
    // The opponent moves while the bot is disconnected. Then a move of the bot is lost and sent again.
    drop(peer);
    let reply = fake_room.game.position().legal_moves().next().unwrap();
    let missed = fake_room.move_event(Seat::O, reply);
    let mut peer = bot.calls.accept_and_welcome().await;
    let (resume, lobby) = peer.next_session_request().await;
    assert!(matches!(lobby, SessionRequest::Resume { .. }), "{lobby:?}");
    let Message::Events { events, .. } = missed else {
        unreachable!()
    };
    peer.send_events(Some(resume), events).await;
    let (first, _) = expect_command(&mut peer).await;
    drop(peer);
    let mut peer = bot.calls.accept_and_welcome().await;
    let (resume, _) = peer.next_session_request().await;
    peer.send(fake_room.snapshot_message(Some(resume))).await;
    let (again, sent) = expect_command(&mut peer).await;
    assert_eq!(again, first);
    let RoomCommand::Move { cell, .. } = sent else {
        panic!("not a move: {sent:?}")
    };
    fake_room.play_move(&mut peer, cell, Some(again)).await;
    fake_room.play_out(&mut peer).await;
    expect_leave(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_seek_is_sent_again_after_a_reconnect() {
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(Some(1)));
    let mut peer = bot.calls.accept_and_welcome().await;
    let (id, _) = peer.next_session_request().await;
    send_done(&mut peer, id).await;
    drop(peer);
    let mut peer = bot.calls.accept_and_welcome().await;
    expect_seek(&mut peer).await;
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_busy_lobby_is_retried_later() {
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(Some(1)));
    let mut peer = bot.calls.accept_and_welcome().await;
    for _ in 0..3 {
        let id = expect_seek(&mut peer).await;
        let rejected_at = Instant::now();
        peer.reject(id, Reject::new(RejectCode::Busy).wait_ms(7_000))
            .await;
        let (id, _) = peer.next_session_request().await;
        assert_eq!(rejected_at.elapsed().as_secs(), 7);
        peer.reject(id, RejectCode::Unavailable).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_rejected_join_ends_the_bot_with_an_error() {
    for code in [RejectCode::UnknownRoom, RejectCode::RoomFull] {
        let by = RoomRef::Id(room_id());
        let mut bot = spawn_bot(BotTarget::Join(by), Behaviour::for_invited_bot(None));
        let mut peer = bot.calls.accept_and_welcome().await;
        let (id, lobby) = peer.next_session_request().await;
        assert!(matches!(lobby, SessionRequest::Join { room } if room == by));
        peer.reject(id, code).await;
        let error = bot.task.await.unwrap().unwrap_err();
        assert!(
            matches!(&error, BotError::Rejected(reject) if reject.code == code),
            "{error:?}"
        );
        assert_eq!(error.exit_code(), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn on_shutdown_a_bot_leaves_its_room_first() {
    // The bot shuts down during a long search in a game.
    let (bot, mut peer, mut fake_room) = spawn_invited_bot("15x15:5", None).await;
    let cell = fake_room.game.rules().parse_cell("h8").unwrap();
    fake_room.play_move(&mut peer, cell, None).await;
    bot.shutdown.cancel();
    expect_leave(&mut peer).await;
    assert_eq!(peer.next_request_or_close().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());

    // A bot in a game shuts down although its server has stopped responding.
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(None));
    let mut peer = bot.calls.accept_and_welcome().await;
    expect_seek_and_pair(&mut peer, &FakeRoom::new("3x3:3", None, Seat::O)).await;
    tokio::task::yield_now().await;
    let stopped_at = Instant::now();
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
    assert!(
        stopped_at.elapsed() < Duration::from_secs(4),
        "{:?}",
        stopped_at.elapsed()
    );

    // A bot shuts down before its connection is established.
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(None));
    let _silent = bot.calls.accept_stream().await;
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_board_that_changes_during_a_search_is_searched_again() {
    let (bot, mut peer, mut fake_room) = spawn_invited_bot("3x3:3", Some(1)).await;
    let corner = fake_room.game.rules().parse_cell("a1").unwrap();
    let middle = fake_room.game.rules().parse_cell("b2").unwrap();
    // The opponent moves, takes the move back, and moves elsewhere before the bot has moved.
    fake_room.play_move(&mut peer, corner, None).await;
    let offered = fake_room.opponent_offer(Offer::Takeback);
    peer.send(offered).await;
    loop {
        let (id, command) = expect_command(&mut peer).await;
        if command
            == (RoomCommand::Accept {
                offer: Offer::Takeback,
            })
        {
            let back = fake_room.apply_event(
                Event::TakenBack {
                    plies: 1,
                    left: None,
                },
                Some(id),
            );
            peer.send(back).await;
            break;
        }
        // The bot had already sent a move for the old board.
        let reject = Reject::new(RejectCode::Stale).at_seq(fake_room.game.seq());
        peer.reject(id, reject).await;
    }
    fake_room.play_move(&mut peer, middle, None).await;
    fake_room.play_out(&mut peer).await;
    assert_ne!(fake_room.game.outcome().unwrap().winner(), Some(Seat::X));
    expect_leave(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_resignation_of_the_opponent_ends_the_search() {
    let (bot, mut peer, mut fake_room) = spawn_invited_bot("15x15:5", Some(1)).await;
    let cell = fake_room.game.rules().parse_cell("h8").unwrap();
    fake_room.play_move(&mut peer, cell, None).await;
    fake_room
        .end_game(&mut peer, Outcome::Resigned { winner: Seat::O })
        .await;
    expect_leave(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn when_retiring_a_bot_finishes_its_game_and_starts_no_other() {
    let (bot, mut peer, mut fake_room) = spawn_paired_bot(Behaviour::for_paired_game(None)).await;
    fake_room.expect_bot_move(&mut peer).await;
    bot.retire.cancel();
    fake_room.play_out(&mut peer).await;
    let over_at = Instant::now();
    expect_leave(&mut peer).await;
    assert!(
        over_at.elapsed() < Duration::from_secs(1),
        "a retired bot does not wait for a rematch"
    );
    assert_eq!(peer.next_request_or_close().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());

    // A bot that retires without a running game ends immediately.
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(None));
    let mut peer = bot.calls.accept_and_welcome().await;
    let (id, _) = peer.next_session_request().await;
    send_done(&mut peer, id).await;
    bot.retire.cancel();
    expect_cancel(&mut peer, None).await;
    expect_leave(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_retiring_bot_does_not_wait_long_for_a_lost_server() {
    let (bot, mut peer, mut fake_room) = spawn_paired_bot(Behaviour::for_paired_game(None)).await;
    fake_room.expect_bot_move(&mut peer).await;
    bot.retire.cancel();
    drop(peer);
    let lost_at = Instant::now();
    let mut calls = bot.calls;
    let refusals = tokio::spawn(async move {
        loop {
            calls.refuse_connect().await;
        }
    });
    assert!(bot.task.await.unwrap().is_ok());
    refusals.abort();
    let waited = lost_at.elapsed();
    assert!(
        (Duration::from_secs(10)..Duration::from_secs(15)).contains(&waited),
        "{waited:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_bot_that_retires_while_being_paired_plays_the_game() {
    let mut bot = spawn_bot(play_target(), Behaviour::for_paired_game(None));
    let mut peer = bot.calls.accept_and_welcome().await;
    let (id, _) = peer.next_session_request().await;
    send_done(&mut peer, id).await;
    bot.retire.cancel();
    let mut fake_room = FakeRoom::new("3x3:3", None, Seat::X);
    expect_cancel(&mut peer, Some(RejectCode::NotSeeking)).await;
    peer.send(fake_room.snapshot_message(None)).await;
    fake_room.play_out(&mut peer).await;
    expect_leave(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

/// Waits for a cancel request, then confirms or rejects it.
async fn expect_cancel(peer: &mut FakeConnection, reject_code: Option<RejectCode>) {
    let (id, lobby) = peer.next_session_request().await;
    assert!(matches!(lobby, SessionRequest::Cancel), "{lobby:?}");
    match reject_code {
        Some(code) => {
            peer.reject(id, code).await;
        }
        None => send_done(peer, id).await,
    }
}
