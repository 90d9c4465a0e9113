//! Presence, offers and spectators in a room on a server.

use noughts_protocol::wire::Claim;

use super::*;
use crate::facts::Notification;

#[test]
fn proposals_are_sent_and_answered() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.receive_message(host.play("b2"));
    player.receive_message(host.play("a1"));
    player.sent.clear();
    for (line, sent) in [
        (
            "draw",
            command_json(RoomCommand::Offer { offer: Offer::Draw }),
        ),
        (
            "undo",
            command_json(RoomCommand::Offer {
                offer: Offer::Takeback,
            }),
        ),
        ("resign", command_json(RoomCommand::Resign)),
        ("flag", command_json(RoomCommand::Flag)),
        (
            "claim draw",
            command_json(RoomCommand::Claim {
                result: Claim::Draw,
            }),
        ),
    ] {
        player.type_line(line);
        assert_eq!(player.sent.pop().unwrap(), sent, "{line}");
    }
    player.receive_message(host.offer(Seat::O, Offer::Draw));
    assert_eq!(
        player.last_output(),
        "Bob offers a draw. Accept or decline?"
    );
    player.type_line("no");
    assert_eq!(
        player.sent.pop().unwrap(),
        command_json(RoomCommand::Decline { offer: Offer::Draw })
    );
    player.receive_message(host.offer(Seat::O, Offer::Takeback));
    player.take_output();
    player.expect_output(
        "yes",
        &["There are several offers. Say which: accept draw."],
    );
    player.type_line("accept undo");
    assert_eq!(
        player.sent.pop().unwrap(),
        command_json(RoomCommand::Accept {
            offer: Offer::Takeback
        })
    );
}

#[test]
fn a_rematch_swaps_the_seats() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    player.receive_message(host.end_on_board());
    // A key that was pressed for the game does nothing.
    let sent = player.sent.len();
    player.press(&[Key::Enter]);
    assert_eq!(player.sent.len(), sent);
    player.advance(1000);
    player.press(&[Key::Enter]);
    assert_eq!(
        player.last_sent(),
        command_json(RoomCommand::Offer {
            offer: Offer::Rematch
        })
    );
    player.receive_message(host.offer(Seat::X, Offer::Rematch));
    player.take_output();
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    assert_eq!(
        player.take_output(),
        ["Game 2, tic-tac-toe 3x3. Bob is X, you are O."]
    );
    assert_eq!(player.view().own_seat(), Some(Seat::O));
    player.receive_message(host.play("b2"));
    assert_eq!(player.take_output(), ["Bob (X) plays b2. Your move."]);
}

#[test]
fn presence_lag_and_spectators_are_reported() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.receive_message(host.play("b2"));
    player.take_output();
    let disconnected = |claim_in_ms| opponent_presence(Presence::Disconnected, Some(claim_in_ms));
    player.receive_message(disconnected(45_000));
    player.receive_message(notice_message(Notice::Lag {
        ms: [Some(20), None],
    }));
    player.receive_message(notice_message(Notice::Spectators { count: 2 }));
    player.receive_message(notice_message(Notice::Spectators { count: 2 }));
    assert_eq!(
        player.take_output(),
        [
            "Bob (O) is disconnected: 45 s to reconnect.",
            "2 spectators."
        ]
    );
    assert_eq!(
        player.model.deadline(),
        Some(1000),
        "the countdown changes each second"
    );
    player.advance(45_000);
    assert!(player.view().can_claim(player.model.now));
    player.receive_message(disconnected(0));
    assert_eq!(
        player.take_output(),
        ["Bob did not reconnect. On Bob's turn, type \"claim win\" or \"claim draw\"."]
    );
    player.receive_message(opponent_presence(Presence::Connected, None));
    assert_eq!(player.take_output(), ["Bob (O) is connected."]);
    assert!(!player.view().can_claim(player.model.now));
}

#[test]
fn a_running_clock_changes_the_screen_each_second() {
    let mut host = TestRoom::in_game("3x3:3", Some("1+0"));
    let mut player = TestPlayer::seated(Mode::Full, &host);
    assert_eq!(player.model.deadline(), Some(1000));
    player.advance(300);
    assert_eq!(player.model.deadline(), Some(1000));
    host.advance(300);
    player.receive_message(host.play("b2"));
    assert_eq!(
        player.view().time_left(player.model.now),
        Some([59_700, 60_000])
    );
    let resigned = Event::Ended {
        outcome: Outcome::Resigned { winner: Seat::X },
        left: Some([59_700, 60_000]),
    };
    player.receive_message(host.apply_event(resigned));
    assert_eq!(player.model.deadline(), None);
    player.receive_message(host.close(RoomCloseReason::Idle));
    assert_eq!(player.model.deadline(), None);
}

#[test]
fn a_bot_can_be_invited_only_while_the_own_room_waits() {
    let mut host = TestRoom::open("3x3:3", None);
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let goal = create_goal(*host.game.rules(), false);
    let mut player = TestPlayer::online(Mode::Full, goal);
    player.receive_message(host.snapshot(Some(Seat::X)));
    assert_eq!(
        player.output[2..],
        [
            "Waiting in your room: tic-tac-toe 3x3, no clock.",
            "Code: abcd-efgh-jkmn",
            "Your friend types: noughts join abcd-efgh-jkmn",
            "Only this computer can reach this server. For others: noughts-server --listen 0.0.0.0:7878, or \"Host on this computer\" on the home screen.",
            "Type bot to play a bot, or q to leave.",
        ]
    );
    player.effects.clear();
    player.type_letters("b");
    assert!(matches!(
        player.effects[..],
        [Effect::InviteBot {
            level: Level::Easy,
            ..
        }]
    ));
    player.receive_message(host.apply_event(seated_event(Seat::O, "Bot", PlayerKind::Bot)));
    player.receive_message(host.apply_event(Event::Started { game: 1 }));
    player.effects.clear();
    player.type_letters("b");
    assert!(
        player.effects.is_empty(),
        "the key that moves the cursor invites a bot"
    );
    // The bot ends with the program, so the game could not be resumed.
    player.type_letters("qk");
    assert!(player.model.overlay.is_some() && player.quit.is_none());
}

#[test]
fn leaving_a_game_needs_confirmation_and_resigns() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1"]);
    player.type_letters("qn");
    assert_eq!(player.quit, None);
    player.sent.clear();
    player.type_letters("в");
    player.type_letters("y");
    assert_eq!(
        player.sent,
        [
            command_json(RoomCommand::Resign),
            lobby_json(SessionRequest::Leave)
        ]
    );
    assert_eq!(player.quit, Some(Exit::Done));
    assert!(matches!(player.effects.last(), Some(Effect::Disconnect)));
}

#[test]
fn only_leaving_while_connected_forfeits() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.receive_moves(&mut host, &["b2", "a1"]);
    player.take_output();
    player.expect_output("q", &["Resign and leave this game? y or n."]);
    player.type_line("n");
    player.disconnect(1, 1);
    player.take_output();
    player.expect_output("q", &["Leave this game? y or n."]);
}

#[test]
fn the_invitation_notice_ends_when_the_bot_arrives_or_fails() {
    let mut host = TestRoom::open("3x3:3", None);
    let seated_and_waiting = |host: &TestRoom| {
        let mut player = TestPlayer::online(Mode::Full, seek_goal());
        player.receive_message(host.snapshot(Some(Seat::X)));
        player.type_letters("b");
        assert!(matches!(
            player.model.notification,
            Some(Notification::BotInvited { .. })
        ));
        player
    };
    let mut joined = seated_and_waiting(&host);
    let mut failed = seated_and_waiting(&host);
    failed.feed(Msg::BotExited { failed: true });
    assert!(matches!(
        failed.model.notification,
        Some(Notification::BotFailed)
    ));
    joined.receive_message(host.apply_event(seated_event(Seat::O, "Bot easy", PlayerKind::Bot)));
    assert!(joined.model.notification.is_none());
    // A bot that leaves after its game is not reported.
    joined.receive_message(host.apply_event(Event::Started { game: 1 }));
    joined.feed(Msg::BotExited { failed: true });
    assert!(joined.model.notification.is_none());
}

#[test]
fn a_spectator_steps_back_while_the_game_continues() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1"]);
    let shown_ply = |player: &TestPlayer| player.view().shown_position().ply();
    let plies_back = |player: &TestPlayer| player.view().plies_back();
    assert_eq!((shown_ply(&player), plies_back(&player)), (3, None));
    player.press(&[Key::Left]);
    assert_eq!((shown_ply(&player), plies_back(&player)), (2, Some(1)));
    // The game continues, and the displayed position stays.
    player.receive_message(host.play("b1"));
    assert_eq!((shown_ply(&player), plies_back(&player)), (2, Some(2)));
    player.press(&[Key::Home, Key::Left]);
    assert_eq!(shown_ply(&player), 0);
    player.press(&[Key::Right, Key::End]);
    assert_eq!((shown_ply(&player), plies_back(&player)), (4, None));
    player.receive_message(host.play("a3"));
    assert_eq!(
        (shown_ply(&player), plies_back(&player)),
        (5, None),
        "the view does not follow the game"
    );
    // A new game is shown from its start.
    player.press(&[Key::Left]);
    player.receive_message(host.end_on_board());
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    assert_eq!((shown_ply(&player), plies_back(&player)), (0, None));
}

#[test]
fn no_key_and_no_command_of_a_spectator_acts() {
    let mut host = TestRoom::in_game("3x3:3", Some("5+3"));
    let mut player = TestPlayer::watching(Mode::Full, &host);
    player.receive_message(host.play("b2"));
    let sent = player.sent.len();
    player.press(&bound_keys(&player));
    player.model.prompt = None;
    player.model.overlay = None;
    type_player_commands(&mut player);
    player.feed(Msg::Input(crate::input::Input::Click(5, 4)));
    assert_eq!(player.sent.len(), sent, "{:?}", &player.sent[sent..]);
    assert_eq!(player.quit, None);
}
