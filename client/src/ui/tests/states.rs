//! Snapshots of the states of a session and of a game.

use noughts_protocol::wire::{Evaluation, RejectCode};
use noughts_protocol::{Cell, Seq};

use super::*;
use crate::update::tests::identity::room_with_recognised_opponent;
use crate::update::tests::own_games::{in_own_games, in_profile, with_server_games};

#[test]
fn a_spectator_sees_an_earlier_position() {
    let mut host = TestRoom::in_game("3x3:3", Some("10s+0"));
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1"]);
    player.press(&[Key::Left, Key::Left]);
    check_state("behind", player.model);
}

#[test]
fn a_profile_shows_numbers_of_games_and_the_latest_games() {
    for size in [(80, 24), (120, 40)] {
        let screen = screen_text(&with_server_games(Mode::Full), size);
        for shown in [
            "My games  2",
            "Only on the server",
            "Bob·5k7qf3",
            "o profile",
        ] {
            let is_expected = shown != "o profile";
            assert_eq!(screen.contains(shown), is_expected, "{shown}: {screen}");
        }
        let screen = screen_text(&in_profile(), size);
        for shown in [
            "Bob·5k7qf3",
            "Games: 4. Won 3, drawn 0, lost 1.",
            "Your games against this player: 1 won, 0 drawn, 3 lost.",
            "Since 2026-11-27",
            "Latest games",
            "Ann·3n8kxw",
            "o profile",
        ] {
            assert!(screen.contains(shown), "{shown}: {screen}");
        }
    }
}

#[test]
fn the_list_of_own_games_shows_the_final_board_of_the_selected_game() {
    let player = in_own_games(Mode::Full, &["Bob", "a name of many letters", "Bot easy"]);
    check("own_games", player.model);
    check("own_games_empty", in_own_games(Mode::Full, &[]).model);
}

#[test]
fn the_cards_of_namesakes_have_tags() {
    for (name, tagged) in [("Bob", false), ("Ann", true)] {
        let host = room_with_recognised_opponent(name);
        for size in [(80, 24), (120, 40)] {
            let screen = screen_text(&TestPlayer::seated(Mode::Full, &host), size);
            assert_eq!(screen.contains("·5k7qf3"), tagged, "{size:?}\n{screen}");
        }
    }
}

#[test]
fn connecting_shows_the_server() {
    let form_result = FormResult::Server(ServerUrl::local(), "Ann".parse().unwrap(), seek_goal());
    check(
        "connecting",
        TestPlayer::new(Mode::Full, InitialAction::Apply(form_result)).model,
    );
}

#[test]
fn waiting_shows_the_command_for_the_friend() {
    let mut host = TestRoom::open("connect4", Some("5+3"));
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let goal = create_goal(*host.game.rules(), false);
    let server: ServerUrl = "games.example.org".parse().unwrap();
    let mut player = TestPlayer::connecting(Mode::Full, server, goal);
    player.receive_message(host.snapshot(Some(Seat::X)));
    check("waiting", player.model);
}

#[test]
fn a_pending_move_is_marked_and_a_second_one_is_rejected() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.type_letters("3");
    player.press(&[Key::Down]);
    player.type_letters("2");
    check_state("pending", player.model);
}

#[test]
fn an_offer_and_the_absence_of_the_opponent_are_shown() {
    let (mut player, mut host) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.receive_message(host.offer(Seat::O, Offer::Draw));
    player.receive_message(opponent_presence(Presence::Disconnected, Some(45_000)));
    check_state("proposal", player.model);
}

#[test]
fn a_lost_connection_shows_the_next_attempt() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.disconnect(3, 4);
    check_state("offline", player.model);
}

#[test]
fn a_finished_game_shows_its_result_and_the_rematch_offer() {
    let (mut player, mut host) = playing(
        "gomoku",
        None,
        &["h8", "a1", "i9", "b1", "j10", "c1", "k11", "d1", "l12"],
    );
    player.receive_message(host.end_on_board());
    player.receive_message(host.offer(Seat::O, Offer::Rematch));
    check("result", player.model);
}

#[test]
fn a_spectator_sees_the_evaluation_of_an_engine() {
    let mut host = TestRoom::open("3x3:3", None);
    host.apply_event(seated_event(Seat::O, "Deep Three", PlayerKind::Bot));
    host.apply_event(Event::Started { game: 1 });
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_message(host.play("b2"));
    player.receive_message(notice_message(Notice::Remark {
        seat: Seat::O,
        seq: Seq::new(5),
        evaluation: Evaluation::Win(5),
        pv: vec![Cell::new(0), Cell::new(1)],
    }));
    check_state("watching", player.model);
}

#[test]
fn the_confirmation_and_the_command_line_are_shown() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.type_letters("q");
    check_state("question", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.type_letters(":b");
    check_state("command_line", player.model);
}

#[test]
fn a_rematch_shows_the_score_the_low_clock_and_the_spectators() {
    let (mut player, mut host) = playing("3x3:3", Some("10s+0"), &["b2", "a1", "c1", "b1", "a3"]);
    let outcome = host.game.position().outcome().unwrap();
    player.receive_message(host.apply_event(Event::Ended {
        outcome,
        left: Some([9000, 8000]),
    }));
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    player.receive_message(host.play("b2"));
    player.receive_message(notice_message(Notice::Lag {
        ms: [Some(1240), None],
    }));
    player.receive_message(notice_message(Notice::Spectators { count: 3 }));
    player.advance(2500);
    check_state("series", player.model);
}

#[test]
fn the_own_offer_is_shown() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.receive_message(host.offer(Seat::X, Offer::Takeback));
    check_state("own_proposal", player.model);
}

#[test]
fn an_absent_opponent_can_be_claimed_against_after_a_countdown() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    let presence_event = |presence, claim_in_ms| {
        notice_message(Notice::Presence {
            seat: Seat::O,
            presence,
            claim_in_ms,
        })
    };
    player.receive_message(presence_event(Presence::Left, Some(10_000)));
    player.advance(2_000);
    check_state("left", player.model);
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.receive_message(presence_event(Presence::Disconnected, Some(3_000)));
    player.advance(3_000);
    check_state("claimable", player.model);
    // On the player's own turn, the game continues.
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.receive_message(presence_event(Presence::Disconnected, Some(60_000)));
    assert_shown(
        &screen_text(&player, (80, 24)),
        &[" YOUR MOVE   Bob is DISCONNECTED: 1:00 to return"],
    );
}

#[test]
fn a_restart_of_the_server_is_announced() {
    let (mut player, _) = playing("3x3:3", Some("5+3"), &["b2"]);
    player.receive_message(Message::Restarting {
        retry_after_ms: 2_000,
    });
    check_state("restarting", player.model);
}

#[test]
fn a_local_bot_is_shown_as_thinking() {
    let mut player = TestPlayer::local(Mode::Full, "gomoku", ["Ann", "bot:hard"]);
    player.press(&[Key::Enter]);
    check_state("thinks", player.model);
}

#[test]
fn a_long_rejection_is_wrapped() {
    let (mut player, _) = playing("3x3:3", None, &["b2", "a1"]);
    player.type_letters("3");
    player.reject_last(RejectCode::Unavailable);
    check_state("refused", player.model);
}

#[test]
fn a_long_text_stands_beside_the_board() {
    let (mut player, _) = playing("gomoku", None, &["h8", "i8"]);
    player.model.notification = None;
    let board = |player: &TestPlayer| {
        let screen = screen_text(player, (80, 24));
        let columns = |line: &str| line.chars().take(48).collect::<String>();
        screen.lines().take(22).map(columns).collect::<Vec<_>>()
    };
    let before = board(&player);
    player.model.notification = Some(crate::facts::Notification::OpponentFound(
        "Bob".parse().unwrap(),
    ));
    assert_eq!(board(&player), before);
    assert_shown(
        &screen_text(&player, (80, 24)),
        &["Bob is here.", "without a result: q."],
    );
}

#[test]
fn the_guide_marks_only_cells_on_lines_of_the_winning_length() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.press(&[Key::Up]);
    player.type_letters("g");
    let screen = screen_text(&player, (80, 24));
    // From b1, no diagonal has three cells.
    assert_eq!(screen.matches('+').count(), 2 + 2 + 1, "{screen}");
    let (mut player, _) = playing("qubic", None, &[]);
    player.type_letters("g");
    let screen = screen_text(&player, (30, 60));
    assert!(screen.contains('+'), "{screen}");
}

#[test]
fn signs_in_the_rulers_say_where_a_board_continues() {
    let (mut player, _) = playing("25x25:5", None, &[]);
    let rows = |player: &TestPlayer| {
        let screen = screen_text(player, (80, 24));
        let sign = |sign: &str| screen.lines().any(|line| line.get(3..4) == Some(sign));
        (sign("^"), sign("v"))
    };
    player.press(&[Key::Up; 24]);
    assert_eq!(rows(&player), (false, true));
    player.press(&[Key::Down; 24]);
    assert_eq!(rows(&player), (true, false));
    let columns = |player: &TestPlayer| {
        let screen = screen_text(player, (40, 24));
        let letters = screen
            .lines()
            .find(|line| line.contains(" w ") || line.contains(" c "))
            .unwrap_or_default();
        (letters.contains('<'), letters.contains('>'))
    };
    player.press(&[Key::Left; 24]);
    assert_eq!(columns(&player), (false, true));
    player.press(&[Key::Right; 24]);
    assert_eq!(columns(&player), (true, false));
    let (player, _) = playing("8x8x8:5", None, &[]);
    assert!(
        screen_text(&player, (80, 24)).contains("z 4-8/8"),
        "{}",
        screen_text(&player, (80, 24))
    );
}

#[test]
fn a_long_name_is_cut_with_a_sign_and_keeps_its_clock() {
    let mut host = TestRoom::open("gomoku", Some("5+3"));
    host.apply_event(seated_event(
        Seat::O,
        "Bartholomew the Great",
        PlayerKind::Person,
    ));
    host.apply_event(Event::Started { game: 1 });
    let player = TestPlayer::seated(Mode::Full, &host);
    let screen = screen_text(&player, (40, 12));
    let players = screen.lines().find(|line| line.contains("Ann")).unwrap();
    assert!(
        players.contains('~') && players.matches("5:00").count() == 2,
        "{screen}"
    );
}

#[test]
fn the_home_screen_names_a_key_when_no_server_runs() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.press(&[Key::Enter, Key::Enter, Key::Enter]);
    let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
    player.receive(ConnectionEvent::Terminated(
        TerminationReason::CannotConnect(DisconnectReason::Io(refused.into())),
    ));
    let screen = screen_text(&player, (80, 24));
    assert_shown(
        &screen,
        &[
            "No server at 127.0.0.1.",
            "b play the computer",
            "8 another server",
        ],
    );
    assert_hidden(&screen, &["noughts local"]);
}

#[test]
fn the_help_lists_only_keys_with_an_effect() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    player.type_letters("?");
    let help = screen_text(&player, (80, 60));
    for absent in [
        "next layer",
        "evaluate",
        "claim the win if",
        "accept the offer",
        "invite a bot",
    ] {
        assert!(!help.contains(absent), "{absent}: {help}");
    }
    assert_shown(&help, &["offer a draw", "show how others can watch"]);
    player.press(&[Key::Esc]);
    player.receive_message(host.offer(Seat::O, Offer::Draw));
    player.type_letters("?");
    assert!(screen_text(&player, (80, 60)).contains("accept the offer"));
    let (mut player, _) = playing("qubic", None, &[]);
    player.type_letters("?");
    assert!(screen_text(&player, (80, 60)).contains("previous / next layer"));
    let mut player = TestPlayer::online(Mode::Full, create_goal("3x3:3".parse().unwrap(), false));
    player.receive_message(TestRoom::open("3x3:3", None).snapshot(Some(Seat::X)));
    player.type_letters("?");
    let help = screen_text(&player, (80, 60));
    assert_shown(&help, &["invite a bot"]);
    assert_hidden(&help, &["offer a draw"]);
}

#[test]
fn an_invitation_to_a_server_on_this_computer_says_so() {
    let mut host = TestRoom::open("3x3:3", None);
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let player = TestPlayer::seated(Mode::Full, &host);
    let screen = screen_text(&player, (80, 24));
    assert_shown(&screen, &["Only this computer can reach this server."]);
}

#[test]
fn a_reconnection_replaces_the_report_about_the_last_command() {
    let (mut player, _) = playing("3x3:3", None, &["b2"]);
    player.type_letters("3");
    assert!(screen_text(&player, (80, 24)).contains("Not your turn yet."));
    player.disconnect(1, 1);
    assert!(!screen_text(&player, (80, 24)).contains("Not your turn yet."));
    player.connect();
    assert!(screen_text(&player, (80, 24)).contains("Reconnected."));
    // A temporary report disappears without a key press.
    player.advance(6_000);
    assert_hidden(&screen_text(&player, (80, 24)), &["Reconnected."]);
}

#[test]
fn the_own_turn_ends_the_report_that_it_is_not() {
    let (mut player, mut host) = playing("3x3:3", None, &["b2"]);
    let reject = RejectCode::NotYourTurn.into();
    let asked = None;
    player.model.notification = Some(crate::facts::Notification::Rejected { asked, reject });
    player.receive_message(notice_message(Notice::Spectators { count: 1 }));
    assert!(player.model.notification.is_some());
    player.receive_message(host.play("a1"));
    assert!(player.model.notification.is_none());
}

#[test]
fn the_help_names_keys_of_the_own_keyboard() {
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Home);
    player.type_letters("?");
    for (lang, has_letters) in [(Lang::En, false), (Lang::Ru, true)] {
        player.model.settings.lang = lang;
        let help = screen_text(&player, (120, 40));
        assert_eq!(help.contains("q й"), has_letters, "{help}");
    }
}

#[test]
fn an_analysis_marks_only_the_shown_move() {
    let text = "[Rules \"4x4:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n";
    let mut player = TestPlayer::new(Mode::Full, InitialAction::Analysis(text.parse().unwrap()));
    player.type_letters(",");
    let buffer = render(&player.model, (80, 24));
    let screen = buffer_text(&buffer);
    let (y, line) = screen
        .lines()
        .enumerate()
        .find(|(_, line)| line.contains("3.   c1"))
        .unwrap();
    let column = |name: &str| {
        line.find(name)
            .map(|at| line[..at].chars().count())
            .unwrap() as u16
    };
    let is_bold = |name: &str| {
        buffer[(column(name), y as u16)]
            .modifier
            .contains(Modifier::BOLD)
    };
    assert_eq!((is_bold("c1"), is_bold("b1")), (false, true), "{screen}");
    assert!(line.contains("> b1 <"), "{screen}");
}

#[test]
fn the_clock_stands_still_until_the_first_move_and_its_limit_is_stated() {
    let mut host = TestRoom::with_free_first_moves("3x3:3", "1+0");
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.advance(20_000);
    let screen = screen_text(&player, (80, 24));
    assert!(
        screen.matches("1:00").count() == 2 && !screen.contains("move within"),
        "{screen}"
    );
    player.advance(15_000);
    let screen = screen_text(&player, (80, 24));
    assert!(
        screen.matches("1:00").count() == 2 && screen.contains("move within 25 s"),
        "{screen}"
    );
    host.advance(35_000);
    player.receive_message(host.play("b2"));
    player.receive_message(host.play("a1"));
    player.advance(10_000);
    assert_shown(&screen_text(&player, (80, 24)), &["0:50", "1:00"]);
}
