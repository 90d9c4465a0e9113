//! The bot as a process: an ordinary client that says what it is, plays by the rules and leaves in order.

use std::time::Duration;

use noughts_protocol::wire::{Body, Lobby, Message, Notice, Presence};
use noughts_protocol::{Event, Kind, Offer, Outcome, Phase, RoomRef, Seat};
use noughts_tests::peer::Peer;
use noughts_tests::pipe::Pipe;
use noughts_tests::server::Server;

/// Plays a game to its end against whoever sits opposite, with cells picked by `pick`.
async fn play_on(peer: &mut Peer, mut pick: impl FnMut(usize) -> usize) -> Outcome {
    while peer.game().phase() == Phase::Playing {
        let seat = peer.seat();
        if peer.game().position().turn() == seat {
            let count = peer.game().position().legal_count();
            let cell = peer.game().position().legal_from(pick(count) % count).expect("legal");
            peer.play(cell.index() as u16).await.expect("legal");
        } else {
            let seq = peer.game().seq();
            peer.caught_up(seq.next()).await;
        }
    }
    peer.game().outcome().expect("over").clone()
}

#[tokio::test]
async fn it_says_that_it_is_a_bot_and_never_loses_tic_tac_toe() {
    let server = Server::start().await;
    let games: u32 = 12;
    let count = games.to_string();
    let flags = ["--level", "perfect", "--games", &count, "--budget", "200", "--pause", "0"];
    let mut bot = Pipe::noughts(&[&["bot", &server.url()], &flags[..]].concat());
    let mut peer = server.peer("Ann").await;
    peer.seek("3x3:3", None, Some(Seat::X)).await;
    peer.snapshot().await;
    let mut results = [0, 0, 0];
    for game in 1..=games {
        let player = peer.game().player(peer.seat().other()).expect("seated").clone();
        assert_eq!(player.kind, Kind::Bot, "{}", player.name);
        // Another sequence of cells each time, the same in every run.
        let mut state = u64::from(game * 7919);
        let outcome = play_on(&mut peer, |_| {
            state = state.wrapping_mul(1_103_515_245).wrapping_add(12345) % (1 << 31);
            (state >> 8) as usize
        })
        .await;
        let own = outcome.winner().map(|winner| winner == peer.seat());
        results[own.map_or(1, |own| if own { 0 } else { 2 })] += 1;
        if game < games {
            peer.offer(Offer::Rematch).await.expect("the game is over");
            peer.event("rematch", |event| *event == Event::Started { game: game + 1 }).await;
        }
    }
    assert_eq!(results[0], 0, "won, drawn, lost by random moves: {results:?}");
    assert!(results[2] > 0, "a perfect player beats random moves some time: {results:?}");
    assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
}

#[tokio::test]
async fn it_comes_where_it_is_called_and_goes_with_the_other() {
    let server = Server::limited(|limits| limits.left_grace = Duration::from_millis(300)).await;
    let mut host = server.peer("Host").await;
    let code = host.create("7x6:4+gravity", None, Some(Seat::X), false).await;
    assert!(matches!(code, RoomRef::Code(_)));
    let mut bot = Pipe::noughts(&["bot", &server.url(), "--join", &code.to_string(), "--level", "easy"]);
    host.event("start", |event| matches!(event, Event::Started { .. })).await;
    host.play(3).await.expect("X begins");
    host.event("answer", |event| matches!(event, Event::Moved { seat: Seat::O, .. })).await;
    host.ask(Body::Lobby(Lobby::Leave)).await.expect("in a room");
    drop(host);
    assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
    server.settled().await;
}

#[tokio::test]
async fn told_to_stop_twice_it_leaves_on_purpose() {
    let server = Server::start().await;
    let mut bot = Pipe::noughts(&["bot", &server.url(), "--rules", "15x15:5", "--level", "easy"]);
    let mut peer = server.peer("Ann").await;
    peer.seek("15x15:5", None, Some(Seat::X)).await;
    peer.snapshot().await;
    bot.signal("TERM");
    bot.heard("to their end").await;
    bot.signal("TERM");
    let gone = |notice: &Notice| {
        matches!(notice, Notice::Presence { seat: Seat::O, presence: Presence::Left, claim_in_ms: Some(_) })
    };
    peer.notice("goodbye", gone).await;
    assert_eq!(bot.ended().await, Some(143), "{}", bot.err());
}

#[tokio::test]
async fn told_to_stop_once_it_plays_its_game_to_the_end() {
    let server = Server::start().await;
    let flags = ["--level", "perfect", "--budget", "200", "--pause", "0"];
    let mut bot = Pipe::noughts(&[&["bot", &server.url()], &flags[..]].concat());
    let mut peer = server.peer("Ann").await;
    peer.seek("3x3:3", None, Some(Seat::X)).await;
    peer.snapshot().await;
    bot.signal("INT");
    bot.heard("to their end").await;
    let outcome = play_on(&mut peer, |_| 0).await;
    assert_ne!(outcome.winner(), Some(Seat::X));
    assert_eq!(bot.ended().await, Some(130), "{}", bot.err());
    assert_eq!(server.metric("noughts_games_total").await, 1);
}

#[tokio::test]
async fn two_bots_play_each_other() {
    let server = Server::start().await;
    let flags = ["--rules", "5x5:4", "--level", "easy", "--games", "1", "--budget", "100"];
    let url = server.url();
    let mut bots = [0, 1].map(|_| Pipe::noughts(&[&["bot", url.as_str()], &flags[..]].concat()));
    for bot in &mut bots {
        assert_eq!(bot.ended().await, Some(0), "{}", bot.err());
    }
    assert_eq!(server.metric("noughts_games_total").await, 1);
    assert_eq!(server.metric("noughts_append_failures_total").await, 0);
    server.settled().await;
}

#[tokio::test]
async fn a_room_that_is_not_there_refuses_it() {
    let server = Server::start().await;
    let mut bot = Pipe::noughts(&["bot", &server.url(), "--join", "0000-0000-0000"]);
    assert_eq!(bot.ended().await, Some(4), "{}", bot.err());
    assert!(bot.err().contains("room"), "{}", bot.err());
}

#[tokio::test]
async fn those_who_watch_see_what_it_thinks_if_it_was_told_to_say_so() {
    let server = Server::start().await;
    let mut host = server.peer("Host").await;
    let room = host.create("3x3:3", None, Some(Seat::O), true).await;
    let fan = Pipe::noughts(&["watch", &room.to_string(), "--server", &server.url()]);
    fan.says("You watch").await;
    let flags = ["--level", "perfect", "--budget", "200", "--pause", "0", "--tell-watchers", "--games", "1"];
    let join = room.to_string();
    let _bot = Pipe::noughts(&[&["bot", &server.url(), "--join", &join], &flags[..]].concat());
    fan.says("Bot perfect (X) thinks: draws (").await;
    host.event("its move", |event| matches!(event, Event::Moved { seat: Seat::X, .. })).await;
    let told = host.seen(|message| matches!(message, Message::Notice { notice: Notice::Remark { .. }, .. }));
    assert!(told.is_none(), "never to the opponent: {told:?}");
}
