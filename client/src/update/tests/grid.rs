//! Several games at once.

use noughts_protocol::wire::Listing;
use noughts_protocol::{Closing, Code, Offer, Phase, RoomRef};

use super::*;
use crate::connection::{Ended, Offline};
use crate::model::{Grid, NotNow, Note, Screen, Stage, Table, Watched};

/// The rooms of these tables.
const ROOMS: [&str; 3] = ["k7qf3mzx", "00000000", "11111111"];

/// One who watches so many games, the line to each open.
pub(crate) fn watching(mode: Mode, count: usize) -> Player {
    let games = ROOMS[..count].iter().map(|room| (ServerUrl::local(), room.parse().unwrap()));
    let mut player = Player::new(mode, Start::Watch(games.collect()));
    for place in 0..count {
        player.hear_of(place, News::Online { welcome: welcome() });
    }
    player
}

/// What a server says of the room in this place.
pub(crate) fn of(place: usize, mut message: Message) -> News {
    if let Message::Snapshot { room, .. } | Message::Events { room, .. } = &mut message {
        *room = ROOMS[place].parse().unwrap();
    }
    News::Message(message)
}

/// Two games that are on, and whoever watches them.
fn two(mode: Mode) -> (Player, [Host; 2]) {
    let hosts = [Host::playing("3x3:3", Some("5+3")), Host::playing("connect4", None)];
    let mut player = watching(mode, 2);
    for (place, host) in hosts.iter().enumerate() {
        player.hear_of(place, of(place, host.snapshot(None)));
    }
    player.heard();
    (player, hosts)
}

fn grid(player: &Player) -> &Grid {
    let Screen::Grid(grid) = &player.model.screen else { panic!("{:?}", player.model.screen) };
    grid
}

fn plies(player: &Player) -> Vec<usize> {
    let table = |game: &Watched| game.model.table().map(|table| table.game.position().ply());
    grid(player).games.iter().filter_map(table).collect()
}

fn closed(player: &Player) -> usize {
    let closes = |effect: &&Effect| matches!(effect, Effect::Of { errand: Errand::Disconnect, .. });
    player.effects.iter().filter(closes).count()
}

#[test]
fn each_game_has_its_own_line_and_its_own_events() {
    let (mut player, mut hosts) = two(Mode::Full);
    let opened = player.effects.iter();
    let opened = opened.filter(|effect| matches!(effect, Effect::Of { errand: Errand::Connect { .. }, .. }));
    assert_eq!(opened.count(), 2);
    player.hear_of(1, of(1, hosts[1].moves("d1")));
    assert_eq!(plies(&player), [0, 1]);
    // A line that is lost is one game's alone, and that one comes back to what it has missed.
    let why = Offline::Silent;
    player.hear_of(0, News::Offline { attempt: 2, retry_in: secs(1), why });
    player.hear_of(1, of(1, hosts[1].moves("d1")));
    hosts[0].moves("b2");
    player.hear_of(0, News::Online { welcome: welcome() });
    player.hear_of(0, of(0, hosts[0].snapshot(None)));
    assert_eq!(plies(&player), [1, 2]);
}

#[test]
fn what_is_refused_says_why_in_its_place_and_the_others_go_on() {
    let mut player = watching(Mode::Full, 3);
    let host = Host::playing("3x3:3", None);
    player.hear_of(0, of(0, host.snapshot(None)));
    let reject = Reject::new(RejectCode::UnknownRoom);
    let re = Some(RequestId::new(2).unwrap());
    player.hear_of(1, News::Message(Message::Reject { re, reject }));
    player.hear_of(2, News::Ended(Ended::CannotConnect(Offline::Timeout)));
    assert_eq!(player.quit, None);
    let over: Vec<Option<Exit>> = grid(&player).games.iter().map(|game| game.over).collect();
    assert_eq!(over, [None, Some(Exit::Refused), Some(Exit::CannotConnect)]);
    assert!(grid(&player).games[1..].iter().all(|game| game.reason.is_some()));
    // It is tried again when that is wished, and only then.
    player.press(&[Key::Char('r')]);
    assert_eq!(grid(&player).games[0].over, None);
    player.press(&[Key::Tab, Key::Tab]);
    player.letters("r");
    assert!(matches!(player.effects.last(), Some(Effect::Of { place: 2, errand: Errand::Connect { .. } })));
    let stage = grid(&player).focused().model.session.as_ref().map(|session| session.stage.clone());
    assert_eq!((grid(&player).games[2].over, stage), (None, Some(Stage::Connecting)));
    // Where none is to be had, leaving says so.
    player.letters("q");
    assert_eq!(player.quit, Some(Exit::Refused));
}

#[test]
fn the_focus_goes_by_keys_and_a_game_is_opened_and_closed() {
    let (mut player, mut hosts) = two(Mode::Full);
    player.hear_of(1, of(1, hosts[1].moves("d1")));
    player.press(&[Key::Right, Key::Right]);
    assert_eq!(grid(&player).at, 1, "there is nothing further right");
    player.press(&[Key::Tab]);
    assert_eq!(grid(&player).at, 0, "and round");
    player.press(&[Key::Char('l'), Key::Enter]);
    assert!(grid(&player).open);
    // Alone it is watched as any other: one may step back, and the others go on.
    player.press(&[Key::Left]);
    let behind = |player: &Player| grid(player).focused().model.table().and_then(Table::behind);
    assert_eq!(behind(&player), Some(1));
    player.hear_of(0, of(0, hosts[0].moves("b2")));
    assert_eq!(plies(&player), [1, 1]);
    player.press(&[Key::Char('?'), Key::Esc]);
    assert!(grid(&player).open, "that closed the help");
    let sent = player.sent.len();
    player.press(&[Key::Esc]);
    assert!(!grid(&player).open);
    player.press(&[Key::Enter]);
    player.letters("q");
    assert!(!grid(&player).open);
    player.press(&[Key::Enter]);
    player.letters(":quit");
    player.press(&[Key::Enter]);
    assert_eq!((grid(&player).open, player.sent.len(), player.quit), (false, sent, None));
    player.letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
    assert_eq!((player.sent[sent..].to_vec(), closed(&player)), (vec![lobby(Lobby::Leave); 2], 2));
}

#[test]
fn a_click_lays_the_focus_on_a_game_and_the_next_opens_it() {
    let (mut player, _) = two(Mode::Full);
    assert!(player.model.wants_mouse());
    let (left, right, header) = (Input::Click(3, 8), Input::Click(60, 8), Input::Click(60, 0));
    player.feed(Msg::Input(right.clone()));
    assert_eq!((grid(&player).at, grid(&player).open), (1, false));
    player.feed(Msg::Input(header));
    player.feed(Msg::Input(left));
    assert_eq!((grid(&player).at, grid(&player).open), (0, false));
    player.feed(Msg::Input(right.clone()));
    player.feed(Msg::Input(right));
    assert_eq!((grid(&player).at, grid(&player).open), (1, true));
}

#[test]
fn an_order_may_name_its_room() {
    let (mut player, mut hosts) = two(Mode::Json);
    player.hear_of(1, of(1, hosts[1].moves("d1")));
    player.heard();
    player.line(&format!(r#"{{"do":"last","room":"{}"}}"#, ROOMS[1]));
    let heard = player.heard().join("\n");
    assert!(heard.contains(r#""cell":"d6""#) && heard.contains(ROOMS[1]), "{heard}");
    assert_eq!(grid(&player).at, 0, "what is chosen stays");
    player.line(r#"{"do":"last","room":"99999999"}"#);
    assert!(player.heard().join("\n").contains(r#""code":"no_room""#));
    player.line(&format!(r#"{{"do":"quit","room":"{}"}}"#, ROOMS[0]));
    assert_eq!((player.quit, closed(&player)), (None, 1), "the other goes on");
    player.line(&format!(r#"{{"do":"quit","room":"{}"}}"#, ROOMS[1]));
    assert_eq!((player.quit, closed(&player)), (Some(Exit::Done), 2));
}

#[test]
fn ctrl_c_ends_the_program_wherever_it_is_pressed() {
    let (mut player, _) = two(Mode::Full);
    player.press(&[Key::Enter, Key::Ctrl('c')]);
    assert_eq!((player.quit, closed(&player)), (Some(Exit::Signal(2)), 2));
}

#[test]
fn nothing_that_is_done_leaves_the_program() {
    let (mut player, mut hosts) = two(Mode::Full);
    let (sent, seat, offer) = (player.sent.len(), Seat::X, Offer::Draw);
    let keymap = player.model.keymap.clone();
    let contexts = crate::input::Context::ALL;
    let bindings = contexts.into_iter().flat_map(|context| keymap.bindings(context).collect::<Vec<_>>());
    let keys: Vec<Key> = bindings
        .flat_map(|binding| binding.keys.to_vec())
        .filter(|key| !matches!(key, Key::Char('q' | 'й' | 'в') | Key::Esc | Key::Ctrl(_)))
        .collect();
    for key in keys {
        player.press(&[key]);
        for event in [Event::Offered { seat, offer }, Event::Declined { seat, offer }] {
            player.hear_of(1, of(1, hosts[1].happens(event)));
        }
    }
    if let Screen::Grid(grid) = &mut player.model.screen {
        grid.open = true;
        (grid.games[grid.at].model.prompt, grid.games[grid.at].model.overlay) = (None, None);
    }
    for typed in
        ["a1", "5", "resign", "draw", "undo", "rematch", "accept", "decline", "claim win", "flag", "bot"]
    {
        player.letters(&format!(":{typed}"));
        player.press(&[Key::Enter]);
    }
    player.feed(Msg::Input(Input::Click(5, 4)));
    player.feed(Msg::Input(Input::Paste("resign".to_owned())));
    assert_eq!(player.sent.len(), sent, "{:?}", &player.sent[sent..]);
    assert_eq!(player.quit, None);
}

#[test]
fn a_language_that_is_typed_in_one_game_is_that_of_all() {
    let (mut player, _) = two(Mode::Full);
    player.press(&[Key::Enter]);
    player.letters(":lang ru");
    player.press(&[Key::Enter, Key::Esc]);
    assert_eq!(player.model.words.lang(), Lang::Ru);
    assert!(grid(&player).games.iter().all(|game| game.model.words.lang() == Lang::Ru));
}

#[test]
fn lines_say_which_room_they_are_about() {
    let (mut player, mut hosts) = two(SCRIPT);
    player.hear_of(1, of(1, hosts[1].moves("d1")));
    assert_eq!(player.heard(), ["00000000: Ann (X) plays d6."]);
    player.line("2");
    let heard = player.heard();
    assert!(heard.len() > 6 && heard.iter().all(|line| line.starts_with("00000000: ")), "{heard:?}");
    assert!(heard.last().is_some_and(|line| line.contains("[X]")), "{heard:?}");
    player.line("l");
    let heard = player.heard().join("\n");
    assert!(heard.starts_with("00000000: ") && heard.contains("d6"), "{heard}");
    player.line("3");
    assert_eq!(player.heard(), [player.model.words.note(&Note::NotNow(NotNow::Number))]);
    player.line("resign");
    assert_eq!(player.heard().len(), 1, "refused, and told");
    player.feed(Msg::Input(Input::End));
    assert_eq!(player.quit, None, "the games go on");
    let closing = Closing::Deserted;
    player.hear_of(0, of(0, hosts[0].happens(Event::Closed { closing })));
    assert_eq!(player.quit, None, "one is left");
    player.hear_of(1, of(1, hosts[1].happens(Event::Closed { closing })));
    assert_eq!((player.quit, closed(&player)), (Some(Exit::Done), 2));
}

#[test]
fn a_code_is_told_to_nobody() {
    let code = "abcd-efgh-jkmn".parse::<Code>().unwrap();
    let games = vec![(ServerUrl::local(), RoomRef::Code(code)); 2];
    for (mode, label) in [(PERSON, "2: "), (Mode::Json, r#""room":"2""#)] {
        let player = Player::new(mode, Start::Watch(games.clone()));
        let told = player.told.join("\n");
        assert!(!told.contains("abcd") && told.contains(label), "{told}");
    }
}

#[test]
fn games_of_the_list_are_watched_and_the_list_is_there_again() {
    let listing = |room: &str, phase| Listing {
        room: room.parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        players: [None, None],
        phase,
        moves: 0,
        watching: 0,
    };
    let rooms = vec![listing(ROOMS[2], Phase::Waiting), listing(ROOMS[0], Phase::Playing)];
    let mut player = Player::online(Mode::Full, Goal::Browse);
    let re = player.last_id();
    player.message(Message::Rooms { re, rooms, seeks: vec![] });
    player.letters("g");
    assert_eq!(grid(&player).games.len(), 1, "the one that is on");
    player.hear_of(0, News::Online { welcome: welcome() });
    assert_eq!(
        player.sent.last(),
        Some(&lobby(Lobby::Watch { room: ROOMS[0].parse().unwrap(), remarks: true }))
    );
    player.press(&[Key::Esc]);
    assert!(matches!(player.model.screen, Screen::Lobby(_)));
    assert_eq!((player.sent.last(), closed(&player)), (Some(&lobby(Lobby::List)), 1));
    // Where no game is on there is nothing to watch.
    let re = player.last_id();
    player.message(Message::Rooms { re, rooms: vec![listing(ROOMS[2], Phase::Waiting)], seeks: vec![] });
    player.letters("g");
    assert!(matches!(player.model.screen, Screen::Lobby(_)) && player.model.notice.is_some());
}
