//! A whole connection: finding games, playing them, and leaving.

use noughts_protocol::wire::{OpenSeek, Reject, RejectCode};
use noughts_protocol::{Offer, Outcome, Player, RoomRef};
use tokio::time::Instant;

use super::super::{BotOptions, run_over};
use super::*;
use crate::connection::Ended;
use crate::server_url::ServerUrl;

#[tokio::test(start_paused = true)]
async fn it_is_paired_plays_accepts_a_rematch_and_leaves_when_it_has_enough() {
    let mut bot = bot(aim(), Manners::of_paired(Some(2)));
    let mut peer = bot.calls.welcome().await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut peer, &referee).await;
    referee.plays_out(&mut peer).await;
    assert_ne!(referee.game.outcome().unwrap().winner(), Some(Seat::O), "the bot is not beaten");

    let offered = referee.happens(Event::Offered { seat: Seat::O, offer: Offer::Rematch }, None);
    peer.say(offered).await;
    let (id, accepted) = command(&mut peer).await;
    assert_eq!(accepted, Command::Accept { offer: Offer::Rematch });
    // The request was made from the seat held then.
    let started = referee.happens(Event::Started { game: 2 }, None);
    let Message::Events { mut events, .. } = started else { unreachable!() };
    events[0].by = Some(noughts_protocol::By { seat: Seat::X, id });
    peer.say(Message::Events { re: None, room: room(), events }).await;
    assert_eq!(referee.bot, Seat::O);
    referee.plays_out(&mut peer).await;
    assert_ne!(referee.game.outcome().unwrap().winner(), Some(Seat::X), "the bot is not beaten");

    leaves(&mut peer).await;
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn it_seeks_again_when_no_rematch_comes() {
    let mut bot = bot(aim(), Manners::of_paired(None));
    let mut peer = bot.calls.welcome().await;
    for on_purpose in [false, true] {
        let mut referee = Referee::new("3x3:3", None, Seat::O);
        pairs(&mut peer, &referee).await;
        referee.plays_out(&mut peer).await;
        let over = Instant::now();
        if on_purpose {
            peer.say(referee.other_is(Presence::Left, None)).await;
        }
        leaves(&mut peer).await;
        assert_eq!(over.elapsed().as_secs(), if on_purpose { 0 } else { 20 });
    }
    assert!(matches!(peer.lobby().await, (_, Lobby::Seek { .. })));
    bot.shutdown.cancel();
    leaves(&mut peer).await;
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_cut_line_in_mid_game_is_no_reason_to_stop() {
    let mut bot = bot(aim(), Manners::of_paired(Some(1)));
    let mut peer = bot.calls.welcome().await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut peer, &referee).await;
    referee.bot_moves(&mut peer).await;
    // The other moves while the line is down; then a move is lost on the way and sent again.
    drop(peer);
    let reply = referee.game.position().legal_moves().next().unwrap();
    let missed = referee.happens(Event::Moved { seat: Seat::O, cell: reply, left: None }, None);
    let mut peer = bot.calls.welcome().await;
    let (resume, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Resume { .. }), "{lobby:?}");
    let Message::Events { events, .. } = missed else { unreachable!() };
    peer.say(Message::Events { re: Some(resume), room: room(), events }).await;
    let (first, _) = command(&mut peer).await;
    drop(peer);
    let mut peer = bot.calls.welcome().await;
    let (resume, _) = peer.lobby().await;
    peer.say(referee.snapshot(Some(resume))).await;
    let (again, sent) = command(&mut peer).await;
    assert_eq!(again, first);
    let Command::Move { cell, .. } = sent else { panic!("not a move: {sent:?}") };
    referee.moves(&mut peer, cell, Some(again)).await;
    referee.plays_out(&mut peer).await;
    leaves(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_wish_does_not_survive_a_cut_and_is_uttered_again() {
    let mut bot = bot(aim(), Manners::of_paired(Some(1)));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    done(&mut peer, id).await;
    drop(peer);
    let mut peer = bot.calls.welcome().await;
    assert!(matches!(peer.lobby().await, (_, Lobby::Seek { .. })));
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_busy_lobby_is_asked_again_later() {
    let mut bot = bot(aim(), Manners::of_paired(Some(1)));
    let mut peer = bot.calls.welcome().await;
    for _ in 0..3 {
        let (id, lobby) = peer.lobby().await;
        assert!(matches!(lobby, Lobby::Seek { .. }));
        let refused = Instant::now();
        peer.say(Message::Reject { re: Some(id), reject: Reject::new(RejectCode::Busy).wait_ms(7_000) })
            .await;
        let (id, _) = peer.lobby().await;
        assert_eq!(refused.elapsed().as_secs(), 7);
        peer.say(Message::Reject { re: Some(id), reject: RejectCode::Unavailable.into() }).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_room_that_does_not_take_it_is_reported() {
    for code in [RejectCode::UnknownRoom, RejectCode::RoomFull] {
        let by = RoomRef::Id(room());
        let mut bot = bot(Aim::Join(by), Manners::of_guest(None));
        let mut peer = bot.calls.welcome().await;
        let (id, lobby) = peer.lobby().await;
        assert!(matches!(lobby, Lobby::Join { room } if room == by));
        peer.say(Message::Reject { re: Some(id), reject: code.into() }).await;
        let error = bot.task.await.unwrap().unwrap_err();
        assert!(matches!(&error, BotError::Refused(reject) if reject.code == code), "{error:?}");
        assert_eq!(error.exit_code(), 4);
    }
}

#[tokio::test(start_paused = true)]
async fn told_to_stop_it_leaves_first_wherever_it_is() {
    // In a game, while it thinks long about a large board.
    let mut bot = bot(Aim::Join(RoomRef::Id(room())), Manners::of_guest(None));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    let mut referee = Referee::new("15x15:5", None, Seat::O);
    peer.say(referee.snapshot(Some(id))).await;
    let cell = referee.game.rules().parse_cell("h8").unwrap();
    referee.moves(&mut peer, cell, None).await;
    bot.shutdown.cancel();
    leaves(&mut peer).await;
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());

    // In a game, with a server that answers nothing more.
    let mut bot = super::bot(aim(), Manners::of_paired(None));
    let mut peer = bot.calls.welcome().await;
    pairs(&mut peer, &Referee::new("3x3:3", None, Seat::O)).await;
    tokio::task::yield_now().await;
    let told = Instant::now();
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
    assert!(told.elapsed() < Duration::from_secs(4), "{:?}", told.elapsed());

    // Before it has reached the server.
    let mut bot = super::bot(aim(), Manners::of_paired(None));
    let _silent = bot.calls.pick_up().await;
    bot.shutdown.cancel();
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn connections_of_one_bot_are_not_paired_with_each_other() {
    let (pipe, mut calls) = server();
    let crew = Crew::new();
    let shutdown = CancellationToken::new();
    let workers: Vec<_> = (0..3)
        .map(|_| worker(pipe.clone(), aim(), Manners::of_paired(None), crew.clone(), shutdown.clone()))
        .map(|worker| tokio::spawn(worker.work()))
        .collect();
    let mut tables = Vec::new();
    for _ in 0..3 {
        let mut peer = calls.welcome().await;
        let (id, lobby) = peer.lobby().await;
        assert!(matches!(lobby, Lobby::Seek { .. }));
        done(&mut peer, id).await;
        // As long as this one waits, no other calls.
        let other = tokio::time::timeout(Duration::from_secs(10), calls.pick_up()).await;
        assert!(other.is_err(), "one at a time");
        let referee = Referee::new("3x3:3", None, Seat::X);
        peer.say(referee.snapshot(None)).await;
        tables.push((peer, referee));
    }
    // All three games go on at once, in any order.
    for (peer, referee) in tables.iter_mut().rev() {
        referee.plays_out(peer).await;
    }
    shutdown.cancel();
    for (peer, _) in &mut tables {
        leaves(peer).await;
    }
    for worker in workers {
        assert!(worker.await.unwrap().is_ok());
    }
}

fn three_at_once() -> BotOptions {
    let name = "Tess".parse().unwrap();
    let policy = Policy { count: 3, ..policy() };
    let options = BotOptions::new(ServerUrl::local(), name, Level::Perfect, policy);
    BotOptions { games: Some(1), ..options }
}

#[tokio::test(start_paused = true)]
async fn where_nobody_gets_in_one_attempt_is_enough() {
    let (pipe, mut calls) = server();
    let options = three_at_once();
    let open = move |_| Link::over(super::options(PATIENT), pipe.clone(), Chance::default());
    let bot = tokio::spawn(run_over(options, open, Arc::new(Threads::new(2))));
    calls.refuse().await;
    let error = bot.await.unwrap().unwrap_err();
    assert!(matches!(error, BotError::Ended(Ended::CannotConnect(_))), "{error:?}");
    assert!(calls.none_follow().await);
}

#[tokio::test(start_paused = true)]
async fn a_connection_too_many_does_not_end_the_others() {
    let (pipe, mut calls) = server();
    let options = three_at_once();
    let open = move |_| Link::over(super::options(PATIENT), pipe.clone(), Chance::default());
    let bot = tokio::spawn(run_over(options, open, Arc::new(Threads::new(2))));
    let mut peer = calls.welcome().await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut peer, &referee).await;
    calls.refuse().await;
    calls.refuse().await;
    referee.plays_out(&mut peer).await;
    leaves(&mut peer).await;
    let error = bot.await.unwrap().unwrap_err();
    assert_eq!(error.exit_code(), 3, "what went wrong is told in the end");
}

#[tokio::test(start_paused = true)]
async fn a_board_that_changes_under_its_thought_is_thought_about_anew() {
    let mut bot = bot(Aim::Join(RoomRef::Id(room())), Manners::of_guest(Some(1)));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    let mut referee = Referee::new("3x3:3", None, Seat::O);
    let corner = referee.game.rules().parse_cell("a1").unwrap();
    let middle = referee.game.rules().parse_cell("b2").unwrap();
    peer.say(referee.snapshot(Some(id))).await;
    // Moved, asked to take it back and moved otherwise, before the bot has a word in.
    referee.moves(&mut peer, corner, None).await;
    let offered = referee.happens(Event::Offered { seat: Seat::X, offer: Offer::Takeback }, None);
    peer.say(offered).await;
    loop {
        let (id, asked) = command(&mut peer).await;
        if asked == (Command::Accept { offer: Offer::Takeback }) {
            let back = referee.happens(Event::TakenBack { plies: 1, left: None }, Some(id));
            peer.say(back).await;
            break;
        }
        // It had moved already: too late for the old board.
        let reject = Reject::new(RejectCode::Stale).at_seq(referee.game.seq());
        peer.say(Message::Reject { re: Some(id), reject }).await;
    }
    referee.moves(&mut peer, middle, None).await;
    referee.plays_out(&mut peer).await;
    assert_ne!(referee.game.outcome().unwrap().winner(), Some(Seat::X));
    leaves(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_resignation_ends_its_thought_and_its_game() {
    let mut bot = bot(Aim::Join(RoomRef::Id(room())), Manners::of_guest(Some(1)));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    let mut referee = Referee::new("15x15:5", None, Seat::O);
    peer.say(referee.snapshot(Some(id))).await;
    let cell = referee.game.rules().parse_cell("h8").unwrap();
    referee.moves(&mut peer, cell, None).await;
    referee.ends(&mut peer, Outcome::Resigned { winner: Seat::O }).await;
    leaves(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn told_to_retire_it_plays_its_game_to_the_end_and_no_other() {
    let mut bot = bot(aim(), Manners::of_paired(None));
    let mut peer = bot.calls.welcome().await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut peer, &referee).await;
    referee.bot_moves(&mut peer).await;
    bot.retire.cancel();
    referee.plays_out(&mut peer).await;
    let over = Instant::now();
    leaves(&mut peer).await;
    assert!(over.elapsed() < Duration::from_secs(1), "it waits for no rematch");
    assert_eq!(peer.request_or_end().await.unwrap_err(), Some(1000));
    assert!(bot.task.await.unwrap().is_ok());

    // Without a game there is nothing to finish.
    let mut bot = super::bot(aim(), Manners::of_paired(None));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    done(&mut peer, id).await;
    bot.retire.cancel();
    withdraws(&mut peer, None).await;
    leaves(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn told_to_retire_as_it_is_paired_it_plays_that_game() {
    let mut bot = bot(aim(), Manners::of_paired(None));
    let mut peer = bot.calls.welcome().await;
    let (id, _) = peer.lobby().await;
    done(&mut peer, id).await;
    bot.retire.cancel();
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    withdraws(&mut peer, Some(RejectCode::NotSeeking)).await;
    peer.say(referee.snapshot(None)).await;
    referee.plays_out(&mut peer).await;
    leaves(&mut peer).await;
    assert!(bot.task.await.unwrap().is_ok());
}

/// Waits for the bot to take its wish back, and lets it, or says why not.
async fn withdraws(peer: &mut Peer, refused: Option<RejectCode>) {
    let (id, lobby) = peer.lobby().await;
    assert!(matches!(lobby, Lobby::Cancel), "{lobby:?}");
    match refused {
        Some(code) => peer.say(Message::Reject { re: Some(id), reject: code.into() }).await,
        None => done(peer, id).await,
    }
}

#[tokio::test(start_paused = true)]
async fn it_plays_as_many_rematches_as_its_owner_lets_it() {
    let mut bot = bot(aim(), Manners::of_paired(None).with_rematches(Some(1)));
    let mut peer = bot.calls.welcome().await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut peer, &referee).await;
    referee.plays_out(&mut peer).await;
    let other = referee.bot.other();
    let offered = referee.happens(Event::Offered { seat: other, offer: Offer::Rematch }, None);
    peer.say(offered).await;
    let (id, accepted) = command(&mut peer).await;
    assert_eq!(accepted, Command::Accept { offer: Offer::Rematch });
    let started = referee.happens(Event::Started { game: 2 }, Some(id));
    peer.say(started).await;
    referee.plays_out(&mut peer).await;
    leaves(&mut peer).await;
    assert!(matches!(peer.lobby().await, (_, Lobby::Seek { .. })), "another opponent is welcome");
}

#[tokio::test(start_paused = true)]
async fn of_two_seats_one_is_kept_for_people() {
    let policy = Policy { count: 2, for_people: 1, ..policy() };
    let (pipe, mut calls) = server();
    let crew = Crew::new();
    let shutdown = CancellationToken::new();
    for _ in 0..2 {
        let aim = Aim::Play(Arc::new(policy.clone()));
        let worker = worker(pipe.clone(), aim, Manners::of_paired(None), crew.clone(), shutdown.clone());
        tokio::spawn(worker.work());
    }
    // The first may play with anyone, and gets a bot.
    let mut first = calls.welcome().await;
    let against_bot = Referee::new("3x3:3", None, Seat::O).against(Kind::Bot);
    pairs(&mut first, &against_bot).await;
    // The second looks for people, and waits for nobody.
    let mut second = calls.welcome().await;
    let seek = |name: &str, kind| OpenSeek {
        player: Player { name: name.parse().unwrap(), kind },
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        seat: None,
    };
    let (re, lobby) = second.lobby().await;
    assert!(matches!(lobby, Lobby::List));
    let seeks = vec![seek("Rob", Kind::Bot)];
    second.say(Message::Rooms { re, rooms: Vec::new(), seeks }).await;
    let (re, lobby) = second.lobby().await;
    assert!(matches!(lobby, Lobby::List), "still nobody: {lobby:?}");
    let seeks = vec![seek("Rob", Kind::Bot), seek("Ann", Kind::Human)];
    second.say(Message::Rooms { re, rooms: Vec::new(), seeks }).await;
    // A bot was faster than Ann: it is not kept waiting.
    let mut unwelcome = Referee::new("3x3:3", None, Seat::X).against(Kind::Bot);
    pairs(&mut second, &unwelcome).await;
    let (id, resigns) = command(&mut second).await;
    assert_eq!(resigns, Command::Resign);
    let resigned = Event::Ended { outcome: Outcome::Resigned { winner: Seat::O }, left: None };
    let ended = unwelcome.happens(resigned, Some(id));
    second.say(ended).await;
    leaves(&mut second).await;
    // Ann, at last.
    let (re, lobby) = second.lobby().await;
    assert!(matches!(lobby, Lobby::List), "{lobby:?}");
    second.say(Message::Rooms { re, rooms: Vec::new(), seeks: vec![seek("Ann", Kind::Human)] }).await;
    let mut referee = Referee::new("3x3:3", None, Seat::X);
    pairs(&mut second, &referee).await;
    referee.plays_out(&mut second).await;
    shutdown.cancel();
}
