//! Watching several games.

use noughts_protocol::RoomRef;
use noughts_protocol::wire::{LobbyView, RoomListing};

use super::*;
use crate::facts::{Notification, Unavailable};
use crate::model::{GameSlot, GameView, MultiWatch, RESULT_DISPLAY_MS, Screen, Stage};

const ROOMS: [&str; 3] = ["k7qf3mzx", "00000000", "11111111"];

/// Creates a player who watches this number of games, with all connections open.
pub(crate) fn watching_player(mode: Mode, count: usize) -> TestPlayer {
    let games = ROOMS[..count]
        .iter()
        .map(|room| (ServerUrl::local(), room.parse().unwrap()));
    let mut player = TestPlayer::new(mode, InitialAction::Watch(games.collect()));
    for place in 0..count {
        player.receive_for_game(place, ConnectionEvent::Connected { welcome: welcome() });
    }
    player
}

/// Returns an event with a message for the room with this index.
pub(crate) fn message_event_for(place: usize, mut message: Message) -> ConnectionEvent {
    if let Message::Snapshot { room, .. } | Message::Events { room, .. } = &mut message {
        *room = ROOMS[place].parse().unwrap();
    }
    ConnectionEvent::Message(message)
}

/// Returns two games in progress, and a player who watches them.
fn two_games(mode: Mode) -> (TestPlayer, [TestRoom; 2]) {
    let hosts = [
        TestRoom::in_game("3x3:3", Some("5+3")),
        TestRoom::in_game("connect4", None),
    ];
    let mut player = watching_player(mode, 2);
    for (place, host) in hosts.iter().enumerate() {
        player.receive_for_place(place, host.snapshot(None));
    }
    player.take_output();
    (player, hosts)
}

fn grid(player: &TestPlayer) -> &MultiWatch {
    let Screen::MultiWatch(grid) = &player.model.screen else {
        panic!("{:?}", player.model.screen)
    };
    grid
}

fn plies(player: &TestPlayer) -> Vec<usize> {
    let ply = |game: &GameSlot| {
        game.model
            .game_view()
            .map(|view| view.game.position().ply())
    };
    grid(player).games.iter().filter_map(ply).collect()
}

fn closed_count(player: &TestPlayer) -> usize {
    player.count_effects(|effect| {
        matches!(
            effect,
            Effect::ForGame {
                effect: GameEffect::Disconnect,
                ..
            }
        )
    })
}

fn opened_count(player: &TestPlayer) -> usize {
    player.count_effects(|effect| {
        matches!(
            effect,
            Effect::ForGame {
                effect: GameEffect::Connect { .. },
                ..
            }
        )
    })
}

#[test]
fn each_game_has_its_own_connection_and_events() {
    let (mut player, mut hosts) = two_games(Mode::Full);
    assert_eq!(opened_count(&player), 2);
    player.receive_for_place(1, hosts[1].play("d1"));
    assert_eq!(plies(&player), [0, 1]);
    // A lost connection concerns only one game, which resumes with the missing events.
    let reason = DisconnectReason::Silent;
    player.receive_for_game(
        0,
        ConnectionEvent::Disconnected {
            attempt: 2,
            retry_in: secs(1),
            reason,
        },
    );
    player.receive_for_place(1, hosts[1].play("d1"));
    hosts[0].play("b2");
    player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
    player.receive_for_place(0, hosts[0].snapshot(None));
    assert_eq!(plies(&player), [1, 2]);
}

#[test]
fn a_rejected_game_shows_its_reason_and_the_others_continue() {
    let mut player = watching_player(Mode::Full, 3);
    let host = TestRoom::in_game("3x3:3", None);
    player.receive_for_place(0, host.snapshot(None));
    let reject = Reject::new(RejectCode::UnknownRoom);
    let re = Some(RequestId::new(2).unwrap());
    player.receive_for_game(1, ConnectionEvent::Message(Message::Reject { re, reject }));
    player.receive_for_game(
        2,
        ConnectionEvent::Terminated(TerminationReason::CannotConnect(DisconnectReason::Timeout)),
    );
    assert_eq!(player.quit, None);
    let exits: Vec<Option<Exit>> = grid(&player).games.iter().map(|game| game.exit).collect();
    assert_eq!(
        exits,
        [None, Some(Exit::Rejected), Some(Exit::CannotConnect)]
    );
    assert!(
        grid(&player).games[1..]
            .iter()
            .all(|game| game.exit_reason.is_some())
    );
    // An ended connection is retried only on request.
    player.press(&[Key::Char('r')]);
    assert_eq!(grid(&player).games[0].exit, None);
    player.press(&[Key::Tab, Key::Tab]);
    player.type_letters("r");
    assert!(matches!(
        player.effects.last(),
        Some(Effect::ForGame {
            index: 2,
            effect: GameEffect::Connect { .. }
        })
    ));
    let stage = grid(&player)
        .focused()
        .model
        .session
        .as_ref()
        .map(|session| session.stage.clone());
    assert_eq!(
        (grid(&player).games[2].exit, stage),
        (None, Some(Stage::Connecting))
    );
    // If no game could be watched, the exit status says so when the player leaves.
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::Rejected));
}

#[test]
fn keys_move_the_focus_and_open_and_close_a_game() {
    let (mut player, mut hosts) = two_games(Mode::Full);
    player.receive_for_place(1, hosts[1].play("d1"));
    player.press(&[Key::Right, Key::Right]);
    assert_eq!(grid(&player).focus, 1, "the focus left the last game");
    player.press(&[Key::Tab]);
    assert_eq!(grid(&player).focus, 0, "Tab does not wrap around");
    player.press(&[Key::Char('l'), Key::Enter]);
    assert!(grid(&player).is_open);
    // In an opened game, the player can step back while the others continue.
    player.press(&[Key::Left]);
    let plies_back = |player: &TestPlayer| {
        grid(player)
            .focused()
            .model
            .game_view()
            .and_then(GameView::plies_back)
    };
    assert_eq!(plies_back(&player), Some(1));
    player.receive_for_place(0, hosts[0].play("b2"));
    assert_eq!(plies(&player), [1, 1]);
    player.press(&[Key::Char('?'), Key::Esc]);
    assert!(
        grid(&player).is_open,
        "Esc closed the game and not the help"
    );
    let sent = player.sent.len();
    // Esc first leads back to the game, then to the other games.
    player.press(&[Key::Esc]);
    assert!(grid(&player).is_open && plies_back(&player).is_none());
    player.press(&[Key::Esc]);
    assert!(!grid(&player).is_open);
    player.press(&[Key::Enter]);
    player.type_letters("q");
    assert!(!grid(&player).is_open);
    player.press(&[Key::Enter]);
    player.type_letters("q");
    assert_eq!(
        (grid(&player).is_open, player.sent.len(), player.quit),
        (false, sent, None)
    );
    player.type_letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
    assert_eq!(
        (player.sent[sent..].to_vec(), closed_count(&player)),
        (vec![lobby_json(SessionRequest::Leave); 2], 2)
    );
}

#[test]
fn the_first_click_focuses_a_game_and_the_second_opens_it() {
    let (mut player, _) = two_games(Mode::Full);
    assert!(player.model.is_mouse_enabled());
    let (left, right, header) = (Input::Click(3, 8), Input::Click(60, 8), Input::Click(60, 0));
    player.feed(Msg::Input(right.clone()));
    assert_eq!((grid(&player).focus, grid(&player).is_open), (1, false));
    player.feed(Msg::Input(header));
    player.feed(Msg::Input(left));
    assert_eq!((grid(&player).focus, grid(&player).is_open), (0, false));
    player.feed(Msg::Input(right.clone()));
    player.feed(Msg::Input(right));
    assert_eq!((grid(&player).focus, grid(&player).is_open), (1, true));
}

#[test]
fn a_json_command_can_name_its_room() {
    let (mut player, mut hosts) = two_games(Mode::Json);
    player.receive_for_place(1, hosts[1].play("d1"));
    player.take_output();
    player.type_line(&format!(r#"{{"do":"last","room":"{}"}}"#, ROOMS[1]));
    let output = player.take_output().join("\n");
    assert!(
        output.contains(r#""cell":"d1""#) && output.contains(ROOMS[1]),
        "{output}"
    );
    assert_eq!(grid(&player).focus, 0, "the command moved the focus");
    player.type_line(r#"{"do":"last","room":"99999999"}"#);
    assert!(
        player
            .take_output()
            .join("\n")
            .contains(r#""code":"no_room""#)
    );
    player.type_line(&format!(r#"{{"do":"quit","room":"{}"}}"#, ROOMS[0]));
    assert_eq!(
        (player.quit, closed_count(&player)),
        (None, 1),
        "the other game was left"
    );
    player.type_line(&format!(r#"{{"do":"quit","room":"{}"}}"#, ROOMS[1]));
    assert_eq!((player.quit, closed_count(&player)), (Some(Exit::Done), 2));
}

#[test]
fn ctrl_c_ends_the_program_in_every_view() {
    let (mut player, _) = two_games(Mode::Full);
    player.press(&[Key::Enter, Key::Ctrl('c')]);
    assert_eq!(
        (player.quit, closed_count(&player)),
        (Some(Exit::Signal(2)), 2)
    );
}

#[test]
fn no_key_and_no_command_acts_in_a_watched_game() {
    let (mut player, mut hosts) = two_games(Mode::Full);
    let (sent, seat, offer) = (player.sent.len(), Seat::X, Offer::Draw);
    for key in bound_keys(&player) {
        player.press(&[key]);
        for event in [
            Event::Offered { seat, offer },
            Event::Declined { seat, offer },
        ] {
            player.receive_for_place(1, hosts[1].apply_event(event));
        }
    }
    if let Screen::MultiWatch(grid) = &mut player.model.screen {
        grid.is_open = true;
        (
            grid.games[grid.focus].model.prompt,
            grid.games[grid.focus].model.overlay,
        ) = (None, None);
    }
    type_player_commands(&mut player);
    player.feed(Msg::Input(Input::Click(5, 4)));
    player.feed(Msg::Input(Input::Paste("resign".to_owned())));
    assert_eq!(player.sent.len(), sent, "{:?}", &player.sent[sent..]);
    assert_eq!(player.quit, None);
}

#[test]
fn output_lines_name_their_room() {
    let (mut player, mut hosts) = two_games(SCRIPT);
    player.receive_for_place(1, hosts[1].play("d1"));
    assert_eq!(player.take_output(), ["00000000: Ann (X) plays d1."]);
    player.type_line("2");
    let output = player.take_output();
    assert!(
        output.len() > 6 && output.iter().all(|line| line.starts_with("00000000: ")),
        "{output:?}"
    );
    assert!(
        output.last().is_some_and(|line| line.contains("[X]")),
        "{output:?}"
    );
    player.type_line("l");
    let output = player.take_output().join("\n");
    assert!(
        output.starts_with("00000000: ") && output.contains("d1"),
        "{output}"
    );
    player.type_line("3");
    assert_eq!(
        player.take_output(),
        [player
            .model
            .lang()
            .texts()
            .notification(&Notification::Unavailable(Unavailable::Number))]
    );
    player.type_line("resign");
    assert_eq!(player.take_output().len(), 1, "not one report");
    player.feed(Msg::Input(Input::Eof));
    assert_eq!(player.quit, None, "the program left games in progress");
    let reason = RoomCloseReason::Deserted;
    player.receive_for_place(0, hosts[0].apply_event(Event::Closed { reason }));
    assert_eq!(player.quit, None, "the program left a game in progress");
    player.receive_for_place(1, hosts[1].apply_event(Event::Closed { reason }));
    assert_eq!((player.quit, closed_count(&player)), (Some(Exit::Done), 2));
}

#[test]
fn a_room_code_is_never_printed() {
    let code = "abcd-efgh-jkmn".parse::<RoomCode>().unwrap();
    let games = vec![(ServerUrl::local(), RoomRef::Code(code)); 2];
    for (mode, label) in [(INTERACTIVE, "2: "), (Mode::Json, r#""room":"2""#)] {
        let player = TestPlayer::new(mode, InitialAction::Watch(games.clone()));
        let output = player.output.join("\n");
        assert!(
            !output.contains("abcd") && output.contains(label),
            "{output}"
        );
    }
}

#[test]
fn leaving_watched_games_returns_to_the_room_list() {
    let rooms = vec![
        listing(ROOMS[2], Phase::Waiting),
        listing(ROOMS[0], Phase::Playing),
    ];
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    let re = player.last_id();
    player.receive_message(Message::Rooms {
        re,
        rooms,
        seeks: vec![],
    });
    player.type_letters("g");
    assert_eq!(grid(&player).games.len(), 1, "a waiting room is watched");
    player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
    assert_eq!(
        player.last_sent(),
        lobby_json(SessionRequest::Watch {
            room: ROOMS[0].parse().unwrap(),
            remarks: true
        })
    );
    player.press(&[Key::Esc]);
    assert!(matches!(player.model.screen, Screen::Lobby(_)));
    assert_eq!(
        (player.sent.last(), closed_count(&player)),
        (Some(&lobby_json(SessionRequest::Lobby { end: false })), 1)
    );
    // Without a game in progress, there is nothing to watch.
    let re = player.last_id();
    player.receive_message(Message::Rooms {
        re,
        rooms: vec![listing(ROOMS[2], Phase::Waiting)],
        seeks: vec![],
    });
    player.type_letters("g");
    assert!(matches!(player.model.screen, Screen::Lobby(_)) && player.model.notification.is_some());
}

/// Returns the number of connections that the games have opened, and each game's room.
fn opened_rooms(player: &TestPlayer) -> (usize, Vec<String>) {
    let rooms = grid(player)
        .games
        .iter()
        .map(|game| game.room.to_string())
        .collect();
    (opened_count(player), rooms)
}

#[test]
fn a_finished_game_keeps_its_result_and_gives_way_to_the_next_running_game() {
    let mut player = TestPlayer::online(Mode::Full, SessionGoal::Browse);
    player.connect();
    let lobby = |re, rooms: &[(usize, Phase)]| {
        let rooms = rooms
            .iter()
            .map(|&(place, phase)| listing(ROOMS[place], phase))
            .collect();
        Message::Lobby {
            re,
            at: 1,
            view: LobbyView {
                rooms,
                ..LobbyView::default()
            },
        }
    };
    let re = Some(player.last_id());
    player.receive_message(lobby(re, &[(0, Phase::Playing)]));
    player.type_letters("g");
    player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
    let mut host = TestRoom::in_game("3x3:3", None);
    player.receive_for_place(0, host.snapshot(None));
    let outcome = Outcome::Resigned { winner: Seat::X };
    player.receive_for_place(0, host.end(outcome));
    player.receive_message(lobby(
        None,
        &[(1, Phase::Waiting), (2, Phase::Playing), (0, Phase::Over)],
    ));
    player.advance(RESULT_DISPLAY_MS - 1);
    assert_eq!(
        opened_rooms(&player),
        (1, vec![ROOMS[0].to_owned()]),
        "the result stays for a while"
    );
    assert_eq!(player.model.deadline(), Some(player.model.now + 1));
    // A game that covers the screen stays.
    player.press(&[Key::Enter]);
    player.advance(1);
    assert_eq!(opened_rooms(&player), (1, vec![ROOMS[0].to_owned()]));
    player.press(&[Key::Esc]);
    player.feed(Msg::Tick);
    assert_eq!(opened_rooms(&player), (2, vec![ROOMS[2].to_owned()]));
    assert_eq!(closed_count(&player), 1);
    player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
    let watch = SessionRequest::Watch {
        room: ROOMS[2].parse().unwrap(),
        remarks: true,
    };
    assert_eq!(player.last_sent(), lobby_json(watch));
    // The lobby is followed again after its connection was lost.
    player.connect();
    assert_eq!(
        player.last_sent(),
        lobby_json(SessionRequest::Lobby { end: false })
    );
}

/// Returns games by these rules, in the rooms 00000001, 00000002 and so on.
fn running(rules: &[&str]) -> LobbyView {
    let game = |(number, rules): (usize, &&str)| RoomListing {
        rules: rules.parse().unwrap(),
        ..listing(&format!("{number:08}"), Phase::Playing)
    };
    LobbyView {
        rooms: (1..).zip(rules).map(game).collect(),
        ..LobbyView::default()
    }
}

#[test]
fn the_games_that_fit_together_are_watched_first() {
    let rules = [
        "19x19:5", "gomoku", "connect4", "3x3:3", "19x19:5", "connect4", "4x4:4",
    ];
    let mut player = TestPlayer::in_lobby(running(&rules));
    player.type_letters("g");
    let (count, rooms) = opened_rooms(&player);
    assert_eq!(count, 6);
    let fitting = ["00000003", "00000004", "00000006", "00000007"];
    assert!(
        fitting
            .iter()
            .all(|room| rooms[..4].contains(&(*room).to_owned())),
        "{rooms:?}"
    );
}

#[test]
fn the_tv_goes_on_with_a_game_that_fits_beside_the_others() {
    let mut player = TestPlayer::new(
        Mode::Full,
        InitialAction::Tv(ServerUrl::local(), Vec::new()),
    );
    player.connect();
    let lobby = |rules: &[&str]| Message::Lobby {
        re: None,
        at: 1,
        view: running(rules),
    };
    player.receive_message(lobby(&["19x19:5", "3x3:3", "connect4"]));
    assert_eq!(opened_rooms(&player).1, ["00000002", "00000003"]);
    for (place, rules) in ["3x3:3", "connect4"].iter().enumerate() {
        player.receive_for_game(place, ConnectionEvent::Connected { welcome: welcome() });
        let mut host = TestRoom::in_game(rules, None);
        let message = |mut message: Message| {
            if let Message::Snapshot { room, .. } | Message::Events { room, .. } = &mut message {
                *room = format!("{:08}", place + 2).parse().unwrap();
            }
            ConnectionEvent::Message(message)
        };
        player.receive_for_game(place, message(host.snapshot(None)));
        if place == 0 {
            let ended = host.end(Outcome::Resigned { winner: Seat::X });
            player.receive_for_game(place, message(ended));
        }
    }
    player.receive_message(lobby(&["19x19:5", "3x3:3", "connect4", "19x19:5", "4x4:4"]));
    player.advance(RESULT_DISPLAY_MS);
    assert_eq!(opened_rooms(&player).1, ["00000005", "00000003"]);
    // A game that begins later joins them, once their boards are known.
    let next = TestRoom::in_game("4x4:4", None);
    player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
    let mut board = next.snapshot(None);
    if let Message::Snapshot { room, .. } = &mut board {
        *room = "00000005".parse().unwrap();
    }
    player.receive_for_game(0, ConnectionEvent::Message(board));
    player.receive_message(lobby(&["19x19:5", "3x3:3", "connect4", "19x19:5", "4x4:4"]));
    let expected = ["00000005", "00000003", "00000002"];
    assert_eq!(opened_rooms(&player).1, expected);
}

#[test]
fn tv_goes_on_with_the_next_game_in_line_mode_and_in_json_mode() {
    for mode in [SCRIPT, Mode::Json] {
        let mut player = TestPlayer::new(mode, InitialAction::Tv(ServerUrl::local(), Vec::new()));
        player.connect();
        assert_eq!(player.sent, [r#"{"type":"lobby"}"#], "{mode:?}");
        let lobby = |ids: &[&str]| Message::Lobby {
            re: None,
            at: 1,
            view: LobbyView {
                rooms: ids.iter().map(|id| listing(id, Phase::Playing)).collect(),
                ..LobbyView::default()
            },
        };
        player.receive_message(lobby(&[]));
        assert!(player.model.screen.is_waiting(), "no game is running yet");
        player.receive_message(lobby(&["k7qf3mzx"]));
        assert_eq!(
            player
                .model
                .screen
                .as_multi_watch()
                .map(|grid| grid.games.len()),
            Some(1)
        );
        player.receive_for_game(0, ConnectionEvent::Connected { welcome: welcome() });
        let mut host = TestRoom::in_game("3x3:3", None);
        player.receive_for_place(0, host.snapshot(None));
        let resigned = Outcome::Resigned { winner: Seat::X };
        let ended = host.apply_event(Event::Ended {
            outcome: resigned,
            left: None,
        });
        player.receive_for_place(0, ended);
        player.receive_message(lobby(&["00000000"]));
        player.advance(crate::model::RESULT_DISPLAY_MS - 1);
        let room =
            |player: &TestPlayer| player.model.screen.as_multi_watch().unwrap().games[0].room;
        assert_eq!(
            room(&player).to_string(),
            "k7qf3mzx",
            "the result stays for a while"
        );
        player.advance(1);
        assert_eq!(room(&player).to_string(), "00000000");
        assert_eq!(player.quit, None);
    }
}
