use super::*;

#[test]
fn a_script_can_write_all_input_in_advance() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::online(SCRIPT, seek_goal());
    for line in ["b2", "a1", "board", "q"] {
        player.type_line(line);
    }
    player.feed(Msg::Input(Input::Eof));
    player.confirm_last();
    player.sent.clear();
    player.receive_message(host.snapshot(Some(Seat::X)));
    assert_eq!(player.sent, [move_json(4, 4)]);
    player.receive_message(host.play("b2"));
    assert_eq!(
        player.sent.len(),
        1,
        "the second move was sent before its turn"
    );
    player.receive_message(host.play("c3"));
    assert_eq!(player.sent[1], move_json(0, 6));
    assert_eq!(
        player.quit, None,
        "the lines after a pending move were executed"
    );
    player.take_output();
    player.receive_message(host.play("a1"));
    assert_eq!(
        player.take_output(),
        [
            "You (X) play a1.",
            "    a  b  c",
            " 1 [X] 2  3",
            " 2  4  X  6",
            " 3  7  8  O"
        ]
    );
    assert_eq!(player.quit, Some(Exit::Done));
    assert_eq!(player.last_sent(), lobby_json(SessionRequest::Leave));
}

#[test]
fn the_command_of_a_script_waits_for_the_game() {
    for (line, command) in [
        ("resign", RoomCommand::Resign),
        ("draw", RoomCommand::Offer { offer: Offer::Draw }),
        (
            "undo",
            RoomCommand::Offer {
                offer: Offer::Takeback,
            },
        ),
    ] {
        let mut host = TestRoom::open("3x3:3", None);
        let mut player = TestPlayer::online(SCRIPT, seek_goal());
        player.type_line(line);
        player.sent.clear();
        player.receive_message(host.snapshot(Some(Seat::X)));
        assert_eq!(player.sent, [""; 0], "{line} was sent before the game");
        player.receive_message(host.apply_event(seated_event(Seat::O, "Bob", PlayerKind::Person)));
        player.receive_message(host.apply_event(Event::Started { game: 1 }));
        assert_eq!(player.sent, [command_json(command)], "{line}");
    }
}

#[test]
fn a_printed_board_marks_the_winning_line() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.receive_moves(&mut host, &["b2", "a1", "c1", "b1", "a3"]);
    player.take_output();
    player.type_line("b");
    assert_eq!(
        player.take_output()[1..],
        [" 1  O  O *X*", " 2  . *X* .", " 3 *X* .  ."]
    );
}

#[test]
fn the_line_of_a_person_is_executed_at_once() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.receive_message(host.play("b2"));
    player.take_output();
    for (line, answer) in [
        ("a1", "Not your turn yet."),
        ("hello", "Unknown command \"hello\". Type help for a list."),
        ("a9", "There is no cell a9."),
        ("s 9", "Usage: s 8"),
        ("s 2", "Row 2: free a2, X b2, free c2."),
        ("s c", "Column c: free c1 to c3."),
        ("p", "You (X): b2."),
        ("l", "Last: you (X) at b2."),
        ("c", "No clock in this game."),
        ("o", "Bob (O): person, connected."),
        ("rematch", "Rejected: the game is still in progress."),
        (
            "bot",
            "You can invite a bot only while waiting in your own room.",
        ),
        ("q", "Abort and leave this game? y or n."),
        ("maybe", "Type y or n."),
    ] {
        player.type_line(line);
        if line == "rematch" {
            player.reject_last(RejectCode::GameOn);
        }
        assert_eq!(player.take_output(), [answer], "{line}");
    }
    player.type_line("");
    player.type_line("n");
    player.type_line("");
    assert_eq!(player.quit, None);
    for line in ["退出", "y"] {
        player.type_line(line);
    }
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn after_the_end_of_the_input_the_program_leaves_when_it_would_wait_for_the_player() {
    let end = || Msg::Input(Input::Eof);
    // It is the turn of the player.
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(SCRIPT, &host);
    player.feed(end());
    assert_eq!(player.quit, Some(Exit::Done));
    assert_eq!(player.last_output(), "End of input: leaving the game.");
    // It is the opponent's turn, and the move may end the game.
    let mut player = TestPlayer::seated(SCRIPT, &host);
    player.receive_message(host.play("b2"));
    player.feed(end());
    assert_eq!(player.quit, None);
    player.receive_message(host.play("a1"));
    assert_eq!(player.quit, Some(Exit::Done));
    // A person ends the input to leave.
    let mut person = TestPlayer::seated(INTERACTIVE, &host);
    person.feed(end());
    assert_eq!(person.quit, Some(Exit::Done));
    // A spectator needs no input.
    let mut watcher = TestPlayer::online(SCRIPT, SessionGoal::Watch("k7qf3mzx".parse().unwrap()));
    watcher.feed(end());
    watcher.receive_message(host.snapshot(None));
    watcher.receive_message(host.play("c1"));
    assert_eq!(watcher.quit, None);
    assert_eq!(watcher.last_output(), "Ann (X) plays c1.");
    // The program waits for the room list.
    let mut list = TestPlayer::online(SCRIPT, SessionGoal::List);
    list.feed(end());
    assert_eq!(list.quit, None);
    list.receive_message(Message::Rooms {
        re: list.last_id(),
        rooms: Vec::new(),
        seeks: Vec::new(),
    });
    assert_eq!(
        (list.quit, list.last_output()),
        (Some(Exit::Done), "No public rooms yet.")
    );
    // The program waits for the result of connecting.
    let mut connecting = TestPlayer::connecting(SCRIPT, ServerUrl::local(), seek_goal());
    connecting.feed(end());
    assert_eq!(connecting.quit, None);
}

#[test]
fn the_home_menu_is_a_numbered_list() {
    let mut player = TestPlayer::new(INTERACTIVE, InitialAction::Home);
    assert_eq!(player.output[1], "1  Quick play    find an opponent");
    player.take_output();
    player.expect_output("12", &["Type one of the numbers."]);
    player.expect_output("3", &["Code (the code or address that a friend gave you)?"]);
    player.type_line("no such room");
    assert_eq!(
        player.take_output()[0],
        "A room is a code, an id, or ADDRESS#CODE."
    );
    player.type_line("q");
    assert_eq!(
        player.take_output()[0],
        "Tic-tac-toe, Gomoku, Connect Four and more"
    );
    player.type_line("11");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn a_number_enters_or_watches_a_room() {
    let listing = |phase: &str| {
        let text = format!(
            r#"{{"room":"k7qf3mzx","rules":"3x3:3","phase":"{phase}","players":[null,null],"moves":0,"spectators":0}}"#
        );
        serde_json::from_str(&text).unwrap()
    };
    let rooms = vec![listing("waiting"), listing("playing")];
    let room = "k7qf3mzx".parse().unwrap();
    for (line, request) in [
        ("1", SessionRequest::Join { room }),
        (
            "w 1",
            SessionRequest::Watch {
                room,
                remarks: true,
            },
        ),
        (
            "2",
            SessionRequest::Watch {
                room,
                remarks: true,
            },
        ),
        ("r", SessionRequest::List),
    ] {
        let mut player = TestPlayer::online(INTERACTIVE, SessionGoal::Browse);
        player.receive_message(Message::Rooms {
            re: player.last_id(),
            rooms: rooms.clone(),
            seeks: Vec::new(),
        });
        player.type_line(line);
        assert_eq!(player.last_sent(), lobby_json(request), "{line}");
    }
}

#[test]
fn lines_beyond_the_queue_limit_are_dropped() {
    let mut player = TestPlayer::online(SCRIPT, seek_goal());
    for _ in 0..1000 {
        player.type_line("b2");
    }
    assert_eq!(
        player.model.queued_lines.len(),
        crate::model::MAX_QUEUED_LINES
    );
}

/// Types lines, and returns the session as a terminal shows it. Input lines start with `>`.
fn transcript(
    player: &mut TestPlayer,
    lines: &[&str],
    mut meanwhile: impl FnMut(&mut TestPlayer, &str),
) -> String {
    let mut session = player.take_output();
    for line in lines {
        session.push(format!("> {line}"));
        player.type_line(line);
        meanwhile(player, line);
        session.append(&mut player.take_output());
    }
    session.join("\n")
}

#[test]
fn a_local_game_in_line_mode() {
    let form = crate::model::Form::new(crate::facts::FormKind::Local, &settings());
    let mut player = TestPlayer::new(INTERACTIVE, InitialAction::Form(form));
    let lines = [
        "tictactoe",
        "Ann",
        "Bob",
        "",
        "5",
        "b",
        "7",
        "7",
        "p",
        "undo",
        "1",
        "9",
        "s a",
        "3",
        "l",
        "y",
        "q",
        "y",
    ];
    insta::assert_snapshot!("local", transcript(&mut player, &lines, |_, _| {}));
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn an_online_game_in_line_mode() {
    let mut host = TestRoom::in_game("7x6:4+gravity", Some("5+3"));
    let mut player = TestPlayer::online(
        INTERACTIVE,
        SessionGoal::Seek {
            rules: *host.game.rules(),
            clock: host.game.control(),
            seat: None,
            opponents: Some(PlayerKind::Person),
        },
    );
    player.confirm_last();
    player.receive_message(host.snapshot(Some(Seat::X)));
    let lines = ["4", "4", "d", "d1", "o", "c", "draw", "s 6", "resign", "y"];
    let session = transcript(&mut player, &lines, |player, line| match line {
        "4" if host.game.position().ply() == 0 => {
            player.receive_message(host.play("d1"));
        }
        "4" => {
            player.receive_message(host.play("c1"));
        }
        "draw" => {
            let (seat, offer) = (Seat::X, Offer::Draw);
            player.receive_message(host.apply_event(Event::Offered { seat, offer }));
            player.receive_message(host.apply_event(Event::Declined {
                seat: Seat::O,
                offer,
            }));
        }
        "resign" => {
            let outcome = Outcome::Resigned { winner: Seat::O };
            let left = host.game.left(0);
            player.receive_message(host.apply_event(Event::Ended { outcome, left }));
        }
        _ => {}
    });
    insta::assert_snapshot!("network", session);
}
