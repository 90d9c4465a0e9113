use super::test_lobby::lobby_view;
use super::*;
use crate::facts::FormKind;
use crate::model::{LobbyScreen, Session};
use crate::settings::PhraseDisplay;
use noughts_protocol::wire::{LobbyView, Phrase, SeekId};

/// Returns a lobby with a room, and with Zoe's seeks with these numbers.
fn lobby_of(seeks: &[u64]) -> LobbyView {
    let seeks: Vec<_> = seeks.iter().map(|number| (*number, "Zoe")).collect();
    lobby_view(&seeks, &["00000000"])
}

fn open_lobby(player: &TestPlayer) -> &LobbyScreen {
    player.model.screen.as_lobby().expect("the lobby is open")
}

#[test]
fn a_pushed_lobby_follows_changes_and_its_seeks_are_answered() {
    let mut player = TestPlayer::in_lobby(lobby_of(&[7]));
    assert_eq!(player.last_sent(), r#"{"type":"lobby"}"#);
    let lobby = open_lobby(&player);
    assert_eq!(lobby.row_count(), 2);
    assert_eq!(
        lobby.selected_seek().and_then(|seek| seek.number),
        Some(SeekId(7))
    );
    let age = lobby
        .selected_seek()
        .and_then(|seek| seek.age_ms(player.model.now));
    assert_eq!(age, Some(41_000));
    // An older seek appears above. The same seek stays selected.
    player.change_lobby(&lobby_of(&[7]), &lobby_of(&[5, 7]));
    let lobby = open_lobby(&player);
    assert_eq!(
        (
            lobby.row_count(),
            lobby.selected_seek().and_then(|seek| seek.number)
        ),
        (3, Some(SeekId(7)))
    );
    player.press(&[Key::Enter]);
    assert_eq!(player.last_sent(), r#"{"type":"accept_seek","seek":7}"#);
    // Another player was faster. The lobby stays open.
    player.take_output();
    player.reject_last(RejectCode::NoOffer);
    assert_eq!(player.take_output(), ["This player is no longer waiting."]);
    assert_eq!(open_lobby(&player).row_count(), 3, "the lobby stays open");
}

#[test]
fn a_room_with_a_free_seat_is_joined_or_watched() {
    for (key, sent) in [
        (Key::Enter, r#"{"type":"join","room":"00000000"}"#),
        (
            Key::Char('w'),
            r#"{"type":"watch","room":"00000000","remarks":true}"#,
        ),
    ] {
        let mut player = TestPlayer::in_lobby(lobby_of(&[]));
        player.press(&[key]);
        assert_eq!(player.last_sent(), sent);
    }
}

/// Returns a player who has called a substitute for the opponent, after the server has opened the seat.
fn player_with_open_seat() -> (TestRoom, TestPlayer) {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.receive_message(host.play("b2"));
    player.receive_message(opponent_presence(Presence::Left, Some(0)));
    player.take_output();
    player.type_line("bot hard");
    assert_eq!(player.last_sent(), r#"{"type":"substitute"}"#);
    player.confirm_last();
    assert_eq!(
        player.take_output(),
        ["Waiting for a bot of the server ..."]
    );
    player.effects.clear();
    player.sent.clear();
    (host, player)
}

fn is_own_bot_started(player: &TestPlayer) -> bool {
    player.effects.iter().any(|effect| {
        matches!(
            effect,
            Effect::InviteBot {
                level: Level::Hard,
                ..
            }
        )
    })
}

#[test]
fn a_bot_of_the_server_takes_the_seat_of_an_absent_opponent() {
    let (mut host, mut player) = player_with_open_seat();
    player.receive_message(host.apply_event(seated_event(Seat::O, "Deep Four", PlayerKind::Bot)));
    player.advance(5_000);
    assert!(!is_own_bot_started(&player) && player.sent.is_empty());
}

#[test]
fn an_own_bot_is_started_if_no_bot_of_the_server_takes_the_seat() {
    let (mut host, mut player) = player_with_open_seat();
    assert_eq!(player.model.deadline(), Some(2_000));
    player.advance(1_999);
    assert!(!is_own_bot_started(&player));
    player.advance(1);
    assert!(is_own_bot_started(&player));
    assert_eq!(player.take_output(), ["Starting a bot (hard) ..."]);
    // A repeated call starts no second bot.
    player.effects.clear();
    player.type_line("bot");
    assert!(player.effects.is_empty() && player.sent.is_empty());
    player.receive_message(host.apply_event(seated_event(Seat::O, "Bot hard", PlayerKind::Bot)));
    player.take_output();
    player.feed(Msg::BotExited { failed: true });
    assert!(
        player.sent.is_empty() && player.take_output().is_empty(),
        "it had taken the seat"
    );
}

#[test]
fn the_seat_of_an_absent_opponent_is_closed_again_if_the_own_bot_fails() {
    let (_, mut player) = player_with_open_seat();
    player.advance(2_000);
    player.take_output();
    player.feed(Msg::BotExited { failed: true });
    assert_eq!(player.sent, [r#"{"type":"substitute","end":true}"#]);
    assert_eq!(player.take_output(), ["The bot could not join."]);
    // The opponent returns before a bot has started.
    let (_, mut player) = player_with_open_seat();
    player.receive_message(opponent_presence(Presence::Connected, None));
    player.advance(5_000);
    assert!(!is_own_bot_started(&player) && player.sent.is_empty());
}

#[test]
fn an_invitation_names_the_address_that_others_reach() {
    let server: ServerUrl = ServerUrl::default();
    let mut session = Session::new(server.clone(), "Ann".parse().unwrap(), SessionGoal::Browse);
    assert_eq!(*session.invite_server(), server);
    session.address = Some("ws://192.168.1.5:7878/ws".parse().unwrap());
    assert_eq!(
        session.invite_server().to_string(),
        "ws://192.168.1.5:7878/ws"
    );
    // The address that the player has typed also works for others.
    session.server = "games.example.org".parse().unwrap();
    assert_eq!(*session.invite_server(), session.server);
}

/// Creates a seated player on a server that delivers phrases.
fn seated_with_phrases(host: &TestRoom, mode: Mode) -> TestPlayer {
    let mut player = TestPlayer::seated(mode, host);
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.take_output();
    player
}

#[test]
fn phrases_are_said_by_a_menu_and_shown_in_the_language_of_the_reader() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_with_phrases(&host, Mode::Full);
    player.type_letters("s2");
    assert_eq!(player.last_sent(), r#"{"type":"say","phrase":"good_luck"}"#);
    player.type_letters("s");
    player.press(&[Key::Down, Key::Down, Key::Enter]);
    assert_eq!(player.last_sent(), r#"{"type":"say","phrase":"have_fun"}"#);
    let phrase = Phrase::WellPlayed;
    let said = |seat| notice_message(Notice::Phrase { seat, phrase });
    player.receive_message(said(Seat::O));
    assert_eq!(player.take_output(), ["Bob (O): Well played"]);
    player.model.settings.lang = Lang::Ru;
    player.receive_message(said(Seat::O));
    assert_eq!(player.take_output(), ["Bob (O): Отличная игра"]);
    let mut spectator = TestPlayer::watching(Mode::Full, &host);
    spectator.connect();
    spectator.receive_message(host.snapshot(None));
    spectator.type_letters("m");
    spectator.take_output();
    spectator.receive_message(said(Seat::O));
    assert!(spectator.take_output().is_empty());
    // A muted room shows only the player's own phrases.
    player.type_letters("sm");
    player.take_output();
    player.receive_message(said(Seat::O));
    assert!(player.take_output().is_empty());
    player.receive_message(said(Seat::X));
    assert_eq!(player.take_output().len(), 1);
    player.type_letters("s");
    player.press(&[Key::Esc]);
    assert!(player.model.overlay.is_none());
}

#[test]
fn a_setting_hides_phrases_until_the_player_shows_them_in_a_room() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::online(Mode::Full, seek_goal());
    player.model.settings.phrases = PhraseDisplay::Hide;
    player.connect();
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.take_output();
    let phrase = Phrase::WellPlayed;
    let said = notice_message(Notice::Phrase {
        seat: Seat::O,
        phrase,
    });
    player.receive_message(said.clone());
    assert!(player.take_output().is_empty());
    player.type_letters("sm");
    player.take_output();
    player.receive_message(said);
    assert_eq!(player.take_output(), ["Bob (O): Well played"]);
}

#[test]
fn phrases_are_said_by_lines() {
    let host = TestRoom::in_game("3x3:3", None);
    let mut player = seated_with_phrases(&host, INTERACTIVE);
    for line in ["say 8", "say well_played", "сказать 8"] {
        player.type_line(line);
        assert_eq!(
            player.last_sent(),
            r#"{"type":"say","phrase":"well_played"}"#,
            "{line}"
        );
        player.sent.clear();
    }
}

#[test]
fn an_empty_lobby_leads_to_a_room_and_to_the_computer() {
    for (key, kind) in [("n", FormKind::Private), ("b", FormKind::Bot)] {
        let mut player = TestPlayer::in_lobby(lobby_of(&[7]));
        player.type_letters(key);
        assert_eq!(
            player.model.screen.as_form().map(|form| form.kind),
            Some(kind),
            "{key}"
        );
        assert!(
            player.model.session.is_none() && player.quit.is_none(),
            "{key}"
        );
        // The lobby keeps its own server, whatever the form says.
        let server = player.model.settings.server.clone();
        player.model.settings.server = "other.example".parse().unwrap();
        player.press(&[Key::Esc]);
        assert_eq!(open_lobby(&player).row_count(), 2, "{key}");
        assert_eq!(player.session().server, server);
        assert_eq!(player.session().goal, SessionGoal::Browse);
    }
}

#[test]
fn leaving_a_watched_game_leads_back_to_the_same_row_of_the_lobby() {
    let view = |ids: &[&str]| lobby_view(&[(7, "Zoe")], ids);
    let mut player = TestPlayer::in_lobby(view(&["00000000", "k7qf3mzx"]));
    player.press(&[Key::End]);
    player.type_letters("w");
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(None));
    assert!(player.is_in_room());
    player.press(&[Key::Esc]);
    assert_eq!(player.session().goal, SessionGoal::Browse);
    player.connect();
    assert_eq!(player.last_sent(), r#"{"type":"lobby"}"#);
    let (re, at) = (Some(player.last_id()), 62_000);
    let view = view(&["11111111", "00000000", "k7qf3mzx"]);
    player.receive_message(Message::Lobby { re, at, view });
    let selected = open_lobby(&player)
        .selected_room()
        .map(|listing| listing.room);
    assert_eq!(selected, "k7qf3mzx".parse().ok());
    // Leaving the lobby itself works as before.
    player.press(&[Key::Esc]);
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn a_lost_connection_does_not_lead_back_to_the_lobby() {
    let mut player = TestPlayer::in_lobby(lobby_view(&[], &["00000000"]));
    player.type_letters("w");
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(None));
    player.terminate(TerminationReason::GaveUp(DisconnectReason::Timeout));
    player.press(&[Key::Esc]);
    assert_eq!(player.quit, Some(Exit::ConnectionLost));
}

#[test]
fn finished_games_come_last_in_the_lobby() {
    let phases = [Phase::Over, Phase::Waiting, Phase::Playing];
    let rooms = ["00000000", "11111111", "k7qf3mzx"].iter().zip(phases);
    let view = LobbyView {
        rooms: rooms.map(|(room, phase)| listing(room, phase)).collect(),
        ..LobbyView::default()
    };
    let player = TestPlayer::in_lobby(view);
    let rooms = open_lobby(&player).rooms.iter().flatten();
    let phases: Vec<Phase> = rooms.map(|listing| listing.phase).collect();
    assert_eq!(phases, [Phase::Waiting, Phase::Playing, Phase::Over]);
}

#[test]
fn a_spectator_who_enters_after_the_end_reads_the_result() {
    let mut host = TestRoom::in_game("3x3:3", None);
    host.end(Outcome::Resigned { winner: Seat::X });
    let mut player = TestPlayer::watching(INTERACTIVE, &host);
    let output = player.take_output().join("\n");
    assert!(output.contains("resigned"), "{output}");
}
