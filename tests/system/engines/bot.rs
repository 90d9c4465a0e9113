//! Bot process: an ordinary client that declares its kind, plays legal moves and exits cleanly.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, Presence, RequestBody, SessionRequest};
use noughts_protocol::{Event, PlayerKind, RoomRef, Seat};
use noughts_tests::client::test_client::TestClient;
use noughts_tests::server::TestServer;
use noughts_tests::terminal::piped_process::PipedProcess;
use tokio::time::Instant;

#[tokio::test]
async fn a_bot_joins_by_code_and_leaves_with_the_opponent() {
    let server =
        TestServer::start_with_limits(|limits| limits.leave_grace = Duration::from_millis(300))
            .await;
    let mut host = server.connect_client("Host").await;
    let code = host
        .create("7x6:4+gravity", None, Some(Seat::X), false)
        .await;
    assert!(matches!(code, RoomRef::Code(_)));
    let mut bot = PipedProcess::spawn_noughts(&[
        "bot",
        &server.url(),
        "--join",
        &code.to_string(),
        "--level",
        "easy",
    ]);
    host.wait_for_event("start", |event| matches!(event, Event::Started { .. }))
        .await;
    host.play(3).await.expect("X moves first");
    host.wait_for_event("answer", |event| {
        matches!(event, Event::Moved { seat: Seat::O, .. })
    })
    .await;
    host.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    drop(host);
    assert_eq!(bot.wait_for_exit().await, Some(0), "{}", bot.stderr());
    server.wait_until_idle().await;
}

/// The bot offers several games, and cannot wait with a seek for each of them.
#[tokio::test]
async fn a_resident_bot_answers_a_seek_at_once() {
    let server = TestServer::start().await;
    let games = [
        "--rules",
        "3x3:3",
        "--rules",
        "7x6:4+gravity",
        "--rules",
        "4x4x4:4",
    ];
    let bot = PipedProcess::spawn_noughts(
        &[&["bot", &server.url(), "--level", "easy"], &games[..]].concat(),
    );
    // The open seek of the bot shows that it is connected.
    let mut watcher = TestClient::connect_as(&server.url(), "Eve").await;
    watcher
        .request(RequestBody::Session(SessionRequest::Lobby { end: false }))
        .await
        .expect("a view");
    watcher
        .wait_for("the seek of the bot", |message| {
            matches!(message, Message::LobbyChanged { change, .. } if !change.seeks.is_empty())
                || matches!(message, Message::Lobby { view, .. } if !view.seeks.is_empty())
        })
        .await;
    let mut ann = server.connect_client("Ann").await;
    ann.seek("4x4x4:4", None, Some(Seat::X)).await;
    let begun = Instant::now();
    ann.next_snapshot().await;
    // The next change comes within half a second, and the requests take little time. Without the change, the bot would
    // look again only after 15 s.
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(
        ann.game().player(Seat::O).map(|player| player.kind),
        Some(PlayerKind::Bot)
    );
    drop(bot);
}

#[tokio::test]
async fn a_bot_without_flags_answers_any_game_with_any_clock() {
    let server = TestServer::start_with_limits(|limits| limits.leave_grace = Duration::ZERO).await;
    let bot = PipedProcess::spawn_noughts(&["bot", &server.url(), "--level", "easy"]);
    // The seek of the bot shows that it is connected.
    let mut first = server.connect_client("Ann").await;
    first.seek("3x3:3", None, None).await;
    first.next_snapshot().await;
    first
        .request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    for (rules, clock) in [
        ("7x6:4+gravity", Some("5+3")),
        ("15x15:5", Some("1+0")),
        ("4x4x4:4", None),
    ] {
        let mut client = server.connect_client("Ben").await;
        client.seek(rules, clock, Some(Seat::X)).await;
        client.next_snapshot().await;
        assert_eq!(
            client.game().player(Seat::O).map(|player| player.kind),
            Some(PlayerKind::Bot),
            "{rules}"
        );
        assert_eq!(client.game().rules().to_string(), rules);
        client.play(0).await.expect("X is to move");
        client
            .wait_for_event("a move", |event| {
                matches!(event, Event::Moved { seat: Seat::O, .. })
            })
            .await;
        client
            .request(RequestBody::Session(SessionRequest::Leave))
            .await
            .expect("in a room");
    }
    drop(bot);
}

#[tokio::test]
async fn a_resident_bot_takes_over_an_open_seat() {
    let server = TestServer::start_with_limits(|limits| limits.leave_grace = Duration::ZERO).await;
    let mut ann = TestClient::connect_as(&server.url(), "Ann").await;
    let room = ann.create("7x6:4+gravity", None, Some(Seat::X), true).await;
    let mut bob = server.connect_client("Bob").await;
    bob.join(room).await.expect("a free seat");
    ann.wait_until_seq(bob.game().seq()).await;
    ann.play(3).await.expect("X is to move");
    bob.request(RequestBody::Session(SessionRequest::Leave))
        .await
        .expect("in a room");
    ann.request(RequestBody::Session(SessionRequest::Substitute {
        end: false,
    }))
    .await
    .expect("Bob has left");
    let bot = PipedProcess::spawn_noughts(&[
        "bot",
        &server.url(),
        "--rules",
        "7x6:4+gravity",
        "--level",
        "easy",
    ]);
    ann.wait_for_event("the substitute", |event| {
        matches!(event, Event::Seated { seat: Seat::O, .. })
    })
    .await;
    ann.wait_for_event("a move of it", |event| {
        matches!(event, Event::Moved { seat: Seat::O, .. })
    })
    .await;
    drop(bot);
}

#[tokio::test]
async fn a_second_signal_makes_the_bot_leave() {
    let server = TestServer::start().await;
    let mut bot = PipedProcess::spawn_noughts(&[
        "bot",
        &server.url(),
        "--rules",
        "15x15:5",
        "--level",
        "easy",
    ]);
    let mut client = server.connect_client("Ann").await;
    client.seek("15x15:5", None, Some(Seat::X)).await;
    client.next_snapshot().await;
    bot.send_signal("TERM");
    bot.wait_for_stderr("Finishing running games").await;
    bot.send_signal("TERM");
    let has_left = |notice: &Notice| {
        matches!(
            notice,
            Notice::Presence {
                seat: Seat::O,
                presence: Presence::Left,
                claim_in_ms: Some(_)
            }
        )
    };
    client.wait_for_notice("goodbye", has_left).await;
    assert_eq!(bot.wait_for_exit().await, Some(143), "{}", bot.stderr());
}

#[tokio::test]
async fn a_first_signal_lets_the_bot_finish_its_game() {
    let server = TestServer::start().await;
    let flags = [
        "--level",
        "perfect",
        "--movetime",
        "200",
        "--min-movetime",
        "0",
    ];
    let mut bot = PipedProcess::spawn_noughts(&[&["bot", &server.url()], &flags[..]].concat());
    let mut client = server.connect_client("Ann").await;
    client.seek("3x3:3", None, Some(Seat::X)).await;
    client.next_snapshot().await;
    bot.send_signal("INT");
    bot.wait_for_stderr("Finishing running games").await;
    let outcome = client.play_to_end().await;
    assert_ne!(outcome.winner(), Some(Seat::X));
    assert_eq!(bot.wait_for_exit().await, Some(130), "{}", bot.stderr());
    assert_eq!(server.metric("noughts_games_total").await, 1);
}

#[tokio::test]
async fn two_bots_play_each_other() {
    let server = TestServer::start().await;
    let flags = [
        "--rules",
        "5x5:4",
        "--level",
        "easy",
        "--games",
        "1",
        "--movetime",
        "100",
    ];
    let url = server.url();
    let mut bots =
        [0, 1].map(|_| PipedProcess::spawn_noughts(&[&["bot", url.as_str()], &flags[..]].concat()));
    for bot in &mut bots {
        assert_eq!(bot.wait_for_exit().await, Some(0), "{}", bot.stderr());
    }
    assert_eq!(server.metric("noughts_games_total").await, 1);
    assert_eq!(server.metric("noughts_append_failures_total").await, 0);
    server.wait_until_idle().await;
}

#[tokio::test]
async fn an_unknown_room_is_reported() {
    let server = TestServer::start().await;
    let mut bot = PipedProcess::spawn_noughts(&["bot", &server.url(), "--join", "0000-0000-0000"]);
    assert_eq!(bot.wait_for_exit().await, Some(4), "{}", bot.stderr());
    assert!(bot.stderr().contains("room"), "{}", bot.stderr());
}

#[tokio::test]
async fn spectators_receive_evaluations_if_enabled() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::O), true).await;
    let spectator =
        PipedProcess::spawn_noughts(&["watch", &room.to_string(), "--server", &server.url()]);
    spectator.wait_for_stdout("Watching: ").await;
    let flags = [
        "--level",
        "perfect",
        "--movetime",
        "200",
        "--min-movetime",
        "0",
        "--tell-watchers",
        "--games",
        "1",
    ];
    let join = room.to_string();
    let _bot = PipedProcess::spawn_noughts(
        &[&["bot", &server.url(), "--join", &join], &flags[..]].concat(),
    );
    spectator
        .wait_for_stdout("Bot perfect (X) evaluates: draws (")
        .await;
    host.wait_for_event("the bot's move", |event| {
        matches!(event, Event::Moved { seat: Seat::X, .. })
    })
    .await;
    let remark = host.take_buffered(|message| {
        matches!(
            message,
            Message::Notice {
                notice: Notice::Remark { .. },
                ..
            }
        )
    });
    assert!(remark.is_none(), "the opponent received {remark:?}");
}

#[tokio::test]
async fn a_program_in_json_mode_is_labelled_as_a_bot() {
    let server = TestServer::start().await;
    let mut host = server.connect_client("Host").await;
    let code = host.create("3x3:3", None, Some(Seat::X), false).await;
    let (url, code) = (server.url(), code.to_string());
    let program = ["join", &code, "--server", &url, "--ui", "json", "--bot"];
    let _program = PipedProcess::spawn_noughts(&program);
    host.wait_for_event("start", |event| matches!(event, Event::Started { .. }))
        .await;
    let player = host.game().player(Seat::O).expect("seated");
    assert_eq!(player.kind, PlayerKind::Bot);
}
