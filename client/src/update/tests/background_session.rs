//! A local game against the bot while the client looks for an opponent.

use super::test_lobby::lobby_view;
use super::*;

/// Creates a player who looks for an opponent on the full screen.
fn waiting_player() -> TestPlayer {
    waiting_in(Mode::Full)
}

fn waiting_in(mode: Mode) -> TestPlayer {
    let goal = seek_goal_for("4x4:4".parse().unwrap());
    let mut player = TestPlayer::connecting(mode, ServerUrl::default(), goal);
    player.connect();
    player.confirm_last();
    player
}

#[test]
fn a_waiting_player_sees_the_time_and_plays_the_bot_while_the_search_goes_on() {
    let mut player = waiting_player();
    assert_eq!(
        player.last_sent(),
        r#"{"type":"lobby"}"#,
        "who else is there"
    );
    let now = player.model.now;
    assert_eq!(
        player.model.deadline(),
        Some(now + 1000),
        "the time counts up"
    );
    player.type_letters("b");
    let is_local = |player: &TestPlayer| player.is_in_local_game();
    assert!(is_local(&player));
    assert_eq!(player.view().game.rules().to_string(), "4x4:4");
    assert!(player.count_effects(|effect| matches!(effect, Effect::Disconnect)) == 0);
    // Leaving the game leads back to the search, without a question.
    player.type_letters("q");
    assert!(player.model.screen.is_waiting() && player.model.session.is_some());
    player.type_letters("b");
    // An opponent comes. One key leads to the game on the server.
    let mut host = TestRoom::in_game("4x4:4", None);
    player.take_output();
    player.receive_message(host.snapshot_with_token(Seat::X));
    let call = "Bob is here. Leaving for that game ends this one without a result: q.";
    assert_eq!(player.last_output(), call);
    assert!(player.count_effects(|effect| matches!(effect, Effect::RingBell(_))) > 0);
    assert!(
        player.count_effects(|effect| matches!(effect, Effect::SaveGame(_))) > 0,
        "for a crash"
    );
    assert!(
        is_local(&player),
        "no key of the local game reaches the other one"
    );
    let deletes = |player: &TestPlayer| {
        player.count_effects(|effect| matches!(effect, Effect::DeleteSavedGame))
    };
    player.advance(10);
    assert_eq!(deletes(&player), 0);
    player.receive_message(host.play("b2"));
    player.type_letters("q");
    let view = player.model.game_view().expect("the game on the server");
    assert_eq!(
        (view.room().is_some(), view.game.position().ply()),
        (true, 1)
    );
    assert!(player.model.background.is_none());
    player.receive_message(host.play("a1"));
    assert!(player.view().can_move());
}

#[test]
fn an_invitation_that_ends_the_search_asks_first() {
    let mut player = waiting_player();
    player.sent.clear();
    player.type_letters("i");
    assert!(player.model.screen.is_waiting() && player.sent.is_empty());
    player.type_letters("n");
    assert!(player.model.screen.is_waiting() && player.model.overlay.is_none());
    player.type_letters("iy");
    assert!(matches!(player.session().goal, SessionGoal::Create { .. }));
    // The arrival of an opponent answers the question.
    let mut player = waiting_player();
    player.type_letters("i");
    player.receive_message(TestRoom::in_game("4x4:4", None).snapshot(Some(Seat::X)));
    assert!(player.model.overlay.is_none() && player.model.game_view().is_some());
}

/// Creates a waiting player. The server lists the player's own seek, and seeks by Zoe and Kim for another game.
fn waiting_beside_others() -> TestPlayer {
    let mut player = waiting_player();
    let view = lobby_view(&[(1, "Ann"), (7, "Zoe"), (8, "Kim")], &["00000000"]);
    let (re, at) = (Some(player.last_id()), 60_000);
    player.receive_message(Message::Lobby { re, at, view });
    player.model.session.as_mut().unwrap().goal = seek_goal();
    player.sent.clear();
    player
}

#[test]
fn a_waiting_player_accepts_the_seek_of_another_player() {
    let mut player = waiting_beside_others();
    player.press(&[Key::Down, Key::Down, Key::Up, Key::Down, Key::Enter]);
    assert_eq!(player.sent, [r#"{"type":"cancel"}"#]);
    player.confirm_last();
    assert_eq!(player.last_sent(), r#"{"type":"accept_seek","seek":8}"#);
    // Kim has found another opponent, so the player's own search continues.
    player.reject_last(RejectCode::NoOffer);
    assert!(player.last_sent().starts_with(r#"{"type":"seek""#));
    assert_eq!(player.last_output(), "This player is no longer waiting.");
    assert!(player.model.screen.is_waiting() && player.quit.is_none());
}

#[test]
fn no_key_starts_a_game_that_was_not_chosen() {
    let mut player = waiting_beside_others();
    player.press(&[Key::Enter]);
    assert!(player.sent.is_empty(), "no player is selected at first");
    player.press(&[Key::Down]);
    let (re, at) = (Some(player.last_id()), 60_000);
    let view = lobby_view(&[(1, "Ann"), (8, "Kim")], &[]);
    player.receive_message(Message::Lobby { re, at, view });
    player.press(&[Key::Enter]);
    assert!(player.sent.is_empty(), "the selected player has gone");
}

#[test]
fn a_search_that_cannot_be_withdrawn_goes_on() {
    let mut player = waiting_beside_others();
    player.press(&[Key::Down, Key::Enter]);
    player.reject_last(RejectCode::RateLimited);
    assert!(player.model.screen.is_waiting() && player.model.is_seeking());
    assert!(player.last_output().starts_with("Rejected"));
}

#[test]
fn an_opponent_who_comes_first_is_not_lost() {
    let mut player = waiting_beside_others();
    player.press(&[Key::Down, Key::Enter]);
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(Some(Seat::X)));
    player.reject(player.requests, RejectCode::NotSeeking);
    assert!(player.is_in_room());
}

#[test]
fn the_lobby_is_read_while_the_search_goes_on() {
    let mut player = waiting_beside_others();
    player.type_letters("w");
    assert!(player.model.screen.as_lobby().is_some() && player.sent.is_empty());
    player.type_letters("q");
    assert!(player.model.screen.is_waiting() && player.sent.is_empty());
    // Entering a room ends the search first.
    player.type_letters("w");
    player.press(&[Key::End, Key::Enter]);
    assert_eq!(player.sent, [r#"{"type":"cancel"}"#]);
    player.confirm_last();
    assert_eq!(player.last_sent(), r#"{"type":"join","room":"00000000"}"#);
    // An opponent comes while the player reads.
    let mut player = waiting_beside_others();
    player.type_letters("w");
    player.receive_message(TestRoom::in_game("3x3:3", None).snapshot(Some(Seat::X)));
    assert!(player.is_in_room());
}

#[test]
fn the_own_seek_leads_back_to_the_waiting_screen_and_watching_asks_first() {
    let mut player = waiting_beside_others();
    player.type_letters("w");
    player.press(&[Key::Home, Key::Enter]);
    assert!(player.model.screen.is_waiting() && player.sent.is_empty());
    // A room with players can only be watched.
    let mut view = lobby_view(&[(1, "Ann")], &["k7qf3mzx"]);
    view.rooms[0].phase = Phase::Playing;
    let (re, at) = (None, 60_000);
    player.receive_message(Message::Lobby { re, at, view });
    player.type_letters("w");
    player.press(&[Key::End, Key::Enter]);
    assert!(player.sent.is_empty() && player.model.overlay.is_some());
    player.type_letters("n");
    assert!(player.model.is_seeking(), "the search continues");
    player.press(&[Key::Enter]);
    player.type_letters("y");
    assert_eq!(player.sent, [r#"{"type":"cancel"}"#]);
    player.confirm_last();
    assert!(player.last_sent().starts_with(r#"{"type":"watch""#));
}

#[test]
fn the_own_ended_seek_is_not_offered() {
    let mut player = waiting_beside_others();
    player.press(&[Key::Down, Key::Enter]);
    player.confirm_last();
    player.reject_last(RejectCode::NoOffer);
    // The search continues with another number. The lobby still lists the ended seek briefly.
    player.confirm_last();
    let view = lobby_view(&[(1, "Ann"), (8, "Kim"), (9, "Ann")], &[]);
    let (re, at) = (None, 60_000);
    player.receive_message(Message::Lobby { re, at, view });
    let others = player.session().other_seeks();
    let numbers: Vec<u64> = others.iter().map(|seek| seek.seek.0).collect();
    assert_eq!(numbers, [8]);
}

#[test]
fn line_mode_plays_the_bot_while_the_search_goes_on_and_goes_to_the_opponent() {
    let mut player = waiting_in(INTERACTIVE);
    player.take_output();
    for (waited_ms, printed) in [
        (9_999, None),
        (
            1,
            Some("Nobody has come yet. Type \"bot\" to play a bot meanwhile."),
        ),
        (60_000, None),
    ] {
        player.model.now += waited_ms;
        player.feed(Msg::Tick);
        assert_eq!(player.take_output().first().map(String::as_str), printed);
    }
    player.type_line("bot");
    assert!(player.is_in_local_game(), "{:?}", player.take_output());
    player.take_output();
    player.expect_output(
        "q",
        &["Waiting for an opponent: 4x4, four in a row wins, no clock."],
    );
    player.type_line("bot");
    player.take_output();
    let mut host = TestRoom::in_game("4x4:4", None);
    player.receive_message(host.snapshot(Some(Seat::X)));
    let call = "Bob is here. Leaving for that game ends this one without a result: q.";
    assert_eq!(
        player.take_output(),
        [call],
        "nothing else of the other game"
    );
    player.receive_message(host.play("b2"));
    assert_eq!(player.take_output(), Vec::<String>::new());
    player.type_line("q");
    let output = player.take_output().join("\n");
    assert!(output.contains("Bob") && output.contains("[X]"), "{output}");
    assert!(player.is_in_room());
    player.receive_message(host.play("a1"));
    assert!(!player.take_output().is_empty(), "its events are printed");
}

#[test]
fn a_failed_search_does_not_end_the_game_against_the_bot() {
    let mut player = waiting_player();
    player.type_letters("b");
    player.terminate(TerminationReason::GaveUp(DisconnectReason::Timeout));
    assert_eq!(player.quit, None);
    assert!(player.model.session.is_none() && player.model.background.is_none());
    player.sent.clear();
    player.type_letters("1");
    assert!(player.sent.is_empty());
    assert!(player.is_in_local_game());
}

#[test]
fn leaving_a_game_against_the_bot_asks_and_leads_back_to_the_search() {
    for key in [Key::Char('q'), Key::Ctrl('c')] {
        let mut player = waiting_player();
        player.type_letters("b");
        let is_bot_first =
            player.count_effects(|effect| matches!(effect, Effect::Search { .. })) > 0;
        if is_bot_first {
            local_game::finish_search(&mut player, 0);
            player.advance(5_000);
        } else {
            player.press(&[Key::Enter]);
        }
        assert_eq!(
            player
                .model
                .game_view()
                .map(|view| view.game.position().ply()),
            Some(1)
        );
        player.press(&[key]);
        assert!(
            player.model.overlay.is_some() && player.quit.is_none(),
            "{key:?} asks"
        );
        assert!(
            player.model.background.is_some(),
            "the game goes on until the answer"
        );
        player.type_letters("y");
        assert!(player.model.screen.is_waiting() && player.model.session.is_some());
        assert_eq!(player.quit, None);
    }
}

#[test]
fn ctrl_c_asks_before_it_gives_up_the_seat_beside_an_opponent_who_was_found() {
    let mut player = waiting_player();
    player.type_letters("b");
    player.receive_message(TestRoom::in_game("4x4:4", None).snapshot(Some(Seat::X)));
    player.sent.clear();
    player.press(&[Key::Ctrl('c')]);
    assert!(player.is_in_room(), "the game of the question");
    assert!(player.model.overlay.is_some() && player.quit.is_none());
    assert!(player.sent.is_empty(), "{:?}", player.sent);
    player.type_letters("y");
    assert_eq!(player.last_sent(), lobby_json(SessionRequest::Leave));
    assert!(player.quit.is_some());
}
