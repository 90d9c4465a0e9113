//! What is kept of a game, when it is forgotten, and how it is gone on with.

use super::*;
use crate::connection::{Ended, Offline};
use crate::model::{Entry, Screen};
use crate::system::SystemError;
use crate::unfinished::tests::game;
use crate::unfinished::{TakeError, Unfinished};
use noughts_protocol::{Closing, Outcome, ResumeToken};

/// A snapshot as the server sends it to the holder of a seat.
fn to_player(host: &Host, seat: Seat) -> Message {
    let you = You { seat: Some(seat), token: Some(ResumeToken::from_bits(77)), code: host.code };
    Message::Snapshot { re: None, room: room(), you, state: host.state() }
}

fn seated_in(mode: Mode, host: &Host) -> Player {
    let mut player = Player::online(mode, seek());
    player.message(to_player(host, Seat::X));
    player
}

/// What was to be done about files since the last look.
fn files(player: &mut Player) -> Vec<String> {
    let done = std::mem::take(&mut player.effects).into_iter().filter_map(|effect| {
        if let Effect::Keep(game) = effect {
            let opponent = game.opponent.map(|name| name.to_string());
            Some(format!("keep {} as {} against {opponent:?}", game.room, game.seat))
        } else if let Effect::Forget = effect {
            Some("forget".to_owned())
        } else if let Effect::TakeUp(game) = effect {
            Some(format!("take up {}", game.room))
        } else {
            None
        }
    });
    done.collect()
}

const KEPT: &str = "keep k7qf3mzx as X against Some(\"Bob\")";

#[test]
fn a_seat_is_kept_as_long_as_its_game_is_on() {
    let mut host = Host::waiting("3x3:3", None);
    let mut player = seated_in(PERSON, &host);
    assert_eq!(files(&mut player), ["keep k7qf3mzx as X against None"], "also while one waits for a friend");
    player.message(host.happens(seated(Seat::O, "Bob", Kind::Human)));
    player.message(host.happens(Event::Started { game: 1 }));
    assert_eq!(files(&mut player), [KEPT]);
    for cell in ["b2", "a1", "c1", "b1", "a3"] {
        player.message(host.moves(cell));
    }
    assert!(files(&mut player).is_empty(), "moves are the server's to keep");
    let outcome = host.game.position().outcome().unwrap();
    player.message(host.happens(Event::Ended { outcome, left: None }));
    assert_eq!(files(&mut player), ["forget"]);
    player.message(host.happens(Event::Started { game: 2 }));
    assert_eq!(files(&mut player), ["keep k7qf3mzx as O against Some(\"Bob\")"]);
    player.message(host.happens(Event::Closed { closing: Closing::Idle }));
    assert_eq!(files(&mut player), ["forget"]);
}

#[test]
fn spectators_and_games_on_this_terminal_keep_nothing() {
    let host = Host::playing("3x3:3", None);
    let mut watcher = Player::online(Mode::Full, Goal::Watch("k7qf3mzx".parse().unwrap()));
    watcher.message(host.snapshot(None));
    assert!(files(&mut watcher).is_empty());
}

#[test]
fn leaving_on_purpose_forgets_and_being_killed_does_not() {
    let host = Host::playing("3x3:3", None);
    let ctrl_c = || Msg::Input(Input::Key(Key::Ctrl('c')));
    for (msg, said, done) in [
        (ctrl_c(), vec![lobby(Lobby::Leave)], vec!["forget"]),
        (Msg::Signal(2), vec![lobby(Lobby::Leave)], vec!["forget"]),
        (Msg::Signal(15), vec![], vec![]),
        (Msg::Signal(1), vec![], vec![]),
        (Msg::Input(Input::Gone), vec![], vec![]),
    ] {
        let mut player = seated_in(Mode::Full, &host);
        files(&mut player);
        player.sent.clear();
        let what = format!("{msg:?}");
        player.feed(msg);
        assert_eq!(player.sent, said, "{what}");
        assert_eq!(files(&mut player), done, "{what}");
    }
    let mut player = seated_in(Mode::Full, &host);
    files(&mut player);
    player.letters("qy");
    assert_eq!(files(&mut player), ["forget"]);
}

#[test]
fn a_seat_that_nobody_could_be_told_of_is_not_given_up() {
    let host = Host::playing("3x3:3", None);
    let mut player = seated_in(Mode::Full, &host);
    files(&mut player);
    player.sent.clear();
    player.hear(News::Offline { attempt: 1, retry_in: secs(1), why: Offline::Silent });
    player.feed(Msg::Input(Input::Key(Key::Ctrl('c'))));
    assert_eq!((files(&mut player), player.sent), (vec![], vec![]));
}

#[test]
fn a_line_that_is_lost_for_good_leaves_the_game_to_be_continued() {
    let host = Host::playing("3x3:3", None);
    let gave_up = || News::Ended(Ended::GaveUp(Offline::Silent));
    let mut line = seated_in(SCRIPT, &host);
    files(&mut line);
    line.hear(gave_up());
    assert!(files(&mut line).is_empty());
    assert_eq!(
        line.told.last().unwrap(),
        "A game is not finished: against Bob, tictactoe 3x3:3. noughts continue goes on with it."
    );
    let mut full = seated_in(Mode::Full, &host);
    files(&mut full);
    full.hear(gave_up());
    full.letters("q");
    assert_eq!((files(&mut full), full.quit), (vec![], Some(Exit::Lost)));
}

#[test]
fn a_room_that_is_gone_is_forgotten() {
    let host = Host::playing("3x3:3", None);
    for mode in [Mode::Full, PERSON] {
        let mut player = seated_in(mode, &host);
        files(&mut player);
        let reject = Reject::new(RejectCode::UnknownRoom);
        player.message(Message::Reject { re: RequestId::new(999), reject });
        assert_eq!(files(&mut player), ["forget"]);
    }
}

#[test]
fn the_home_screen_offers_games_first_and_lets_them_alone() {
    let games = || vec![game("k7qf3mzx"), game("00000000")];
    let mut player = Player::killed(Mode::Full, Start::Home, games());
    assert_eq!(player.model.entries()[..3], [Entry::Continue(0), Entry::Continue(1), Entry::Quick]);
    player.press(&[Key::Down, Key::Enter]);
    assert_eq!(files(&mut player), ["take up 00000000"]);
    let mut other = Player::killed(Mode::Full, Start::Home, games());
    other.press(&[Key::Down, Key::Down, Key::Enter]);
    assert!(matches!(other.model.screen, Screen::Form(_)));
    assert!(files(&mut other).is_empty());

    let mut line = Player::killed(PERSON, Start::Home, games());
    assert_eq!(line.told[1], "1  Continue      against Bob, tictactoe 3x3:3");
    assert_eq!(line.told[3], "3  Quick play    anyone, the same game");
    line.line("2");
    assert_eq!(files(&mut line), ["take up 00000000"]);
}

#[test]
fn whoever_begins_something_else_is_told_that_there_is_a_game() {
    let plan = || Plan::Online(ServerUrl::local(), "Ann".parse().unwrap(), seek());
    let player = Player::killed(PERSON, Start::Plan(plan()), vec![game("k7qf3mzx")]);
    assert_eq!(
        player.told.last().unwrap(),
        "A game is not finished: against Bob, tictactoe 3x3:3. noughts continue goes on with it."
    );
    let player = Player::killed(PERSON, Start::Plan(plan()), Vec::new());
    assert_eq!(player.told, ["Connecting to ws://127.0.0.1:7878/ws."]);
}

/// One who goes on with a game, welcomed by its server.
fn continuing(mode: Mode, unfinished: Unfinished) -> Player {
    let mut player = Player::killed(mode, Start::Continue(unfinished.clone()), Vec::new());
    assert_eq!(files(&mut player), ["take up k7qf3mzx"]);
    assert!(player.sent.is_empty(), "nothing is asked before the game is ours");
    player.feed(Msg::TakenUp(Ok(Box::new(unfinished))));
    assert!(matches!(player.effects[..], [Effect::Connect]));
    player.hear(News::Online { welcome: welcome() });
    player
}

#[test]
fn a_game_goes_on_where_it_was() {
    let mut host = Host::playing("3x3:3", None);
    host.moves("b2");
    host.moves("a1");
    for mode in [Mode::Full, PERSON] {
        let mut player = continuing(mode, game("k7qf3mzx"));
        let resume = Lobby::Resume { room: room(), token: game("k7qf3mzx").token, seq: None };
        assert_eq!(player.sent, [lobby(resume)]);
        player.heard();
        player.message(to_player(&host, Seat::X));
        assert_eq!(
            player.heard()[0],
            "You have X: Ann (X) against Bob (O), tictactoe 3x3:3, no clock. Your move."
        );
        assert!(player.model.table().unwrap().may_move());
        assert!(files(&mut player).is_empty(), "it is kept as it was");
        player.letters("q");
        player.line("q");
        player.letters("y");
        player.line("y");
        assert_eq!(files(&mut player), ["forget"]);
    }
}

#[test]
fn who_comes_back_too_late_hears_how_it_ended() {
    let mut host = Host::playing("3x3:3", None);
    let outcome = Outcome::Abandoned { winner: Some(Seat::O) };
    host.happens(Event::Ended { outcome, left: None });
    let mut player = continuing(PERSON, game("k7qf3mzx"));
    player.heard();
    player.message(to_player(&host, Seat::X));
    let heard = player.heard();
    assert_eq!(heard[1], "Bob (O) wins: the other did not return. Score: you 0, Bob 1, drawn 0.");
    assert_eq!(files(&mut player), ["forget"]);
}

#[test]
fn a_game_that_its_server_does_not_know_is_forgotten_in_words() {
    for (code, said, done) in [
        (RejectCode::UnknownRoom, "There is no such game to continue any more.", vec!["forget"]),
        (RejectCode::Busy, "Refused: the server is busy; try again.", vec![]),
        (RejectCode::Draining, "Refused: the server is about to stop and begins nothing new.", vec![]),
    ] {
        let mut player = continuing(PERSON, game("k7qf3mzx"));
        files(&mut player);
        player.refused(code);
        assert_eq!(player.told.last().unwrap(), said);
        assert_eq!(files(&mut player), done);
        assert_eq!(player.quit, Some(Exit::Refused));
    }
    let mut away = continuing(PERSON, game("k7qf3mzx"));
    files(&mut away);
    away.hear(News::Ended(Ended::CannotConnect(Offline::Timeout)));
    assert!(files(&mut away).is_empty(), "the server may be there again later");
}

#[test]
fn a_game_that_is_not_to_be_had_is_not_asked_for() {
    for (error, said) in [
        (TakeError::Held, "Another noughts plays this game already."),
        (TakeError::Gone, "There is no such game to continue any more."),
        (TakeError::Io(SystemError::other("disk\u{1b}")), "The game cannot be continued: disk."),
    ] {
        let mut player = Player::killed(PERSON, Start::Continue(game("k7qf3mzx")), Vec::new());
        player.feed(Msg::TakenUp(Err(error.clone())));
        assert_eq!((player.told.last().unwrap().as_str(), player.quit), (said, Some(Exit::Usage)));
        let mut home = Player::killed(Mode::Full, Start::Home, vec![game("k7qf3mzx")]);
        home.press(&[Key::Enter]);
        home.feed(Msg::TakenUp(Err(error)));
        assert!(matches!(home.model.screen, Screen::Home { .. }));
        assert_eq!((home.told.last().unwrap().as_str(), home.quit), (said, None));
        assert!(home.sent.is_empty());
    }
}

#[test]
fn what_cannot_be_kept_is_said_once() {
    let host = Host::playing("3x3:3", None);
    let mut player = seated_in(PERSON, &host);
    player.feed(Msg::NotKept(TakeError::Io(SystemError::other("no space left"))));
    assert_eq!(
        player.told.last().unwrap(),
        "If this program is killed, this game cannot be continued: no space left."
    );
    files(&mut player);
    player.message(notice(Notice::Crowd { watching: 1 }));
    assert!(files(&mut player).is_empty());
}

#[test]
fn no_token_is_told_or_shown_in_debug() {
    let host = Host::playing("3x3:3", None);
    let mut player = continuing(PERSON, game("k7qf3mzx"));
    player.message(to_player(&host, Seat::X));
    let token = game("k7qf3mzx").token.to_string();
    assert!(!player.told.iter().any(|line| line.contains(&token)));
    assert!(!format!("{:?} {:?}", player.model, player.effects).contains(&token));
}
