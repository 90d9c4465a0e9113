use super::*;
use crate::connection::{Ended, Offline, SendError};
use crate::model::{Note, Screen, Stage};
use crate::system::SystemError;
use noughts_protocol::wire::{Claim, Listing, Presence};
use noughts_protocol::{Cell, Closing, Offer, Outcome, Phase};

fn mark(cell: u16, seq: u64) -> String {
    json(Command::Move { cell: Cell::new(cell), seq: Seq::new(seq) })
}

#[test]
fn a_wish_leads_to_a_game() {
    let mut player = Player::new(
        Mode::Full,
        Start::Plan(Plan::Online(ServerUrl::local(), "Ann".parse().unwrap(), seek())),
    );
    assert!(matches!(player.effects[..], [Effect::Connect]));
    player.hear(News::Online { welcome: welcome() });
    assert_eq!(player.sent, [serde_json::to_string(&seek().request()).unwrap()]);
    player.message(Message::Done { re: player.last_id(), seq: None });
    assert_eq!(player.model.session.as_ref().unwrap().stage, Stage::Seeking);
    player.message(Host::playing("3x3:3", None).snapshot(Some(Seat::X)));
    assert!(matches!(player.model.screen, Screen::Table(_)));
    assert_eq!(
        player.told.last().unwrap(),
        "Game 1 begins, tictactoe 3x3:3: you have X, Bob has O. Your move."
    );
}

#[test]
fn a_move_is_pending_until_the_server_has_it_and_only_one_is() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    player.sent.clear();
    player.heard();
    player.letters("51");
    assert_eq!(player.sent, [mark(4, 4)]);
    assert_eq!(player.heard(), ["Your move is still on its way."]);
    assert!(player.model.table().unwrap().pending.is_some());
    assert_eq!(
        player.model.table().unwrap().game.position().ply(),
        0,
        "the board changes by the event alone"
    );
    let by = Some(By { seat: Seat::X, id: player.last_id() });
    let left = None;
    player.message(host.answers(Event::Moved { seat: Seat::X, cell: Cell::new(4), left }, by));
    let table = player.model.table().unwrap();
    assert_eq!((table.pending, table.game.position().ply()), (None, 1));
}

#[test]
fn a_refused_move_says_why_and_may_be_made_again() {
    let host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    for (code, text) in [
        (RejectCode::Stale, "Refused: the board has changed in the meantime; look again."),
        (RejectCode::CellTaken, "Refused: the cell is taken."),
        (RejectCode::Busy, "Refused: the server is busy; try again."),
    ] {
        player.letters("5");
        player.heard();
        player.refused(code);
        assert_eq!(player.heard(), [text]);
        assert!(player.model.table().unwrap().pending.is_none());
    }
}

#[test]
fn what_the_own_board_forbids_is_not_even_asked() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    player.message(host.moves("b2"));
    player.sent.clear();
    for (keys, text) in
        [("1", "a1: it is not your turn."), ("x", "Nothing is proposed."), ("a", "Nothing is proposed.")]
    {
        player.heard();
        player.letters(keys);
        assert_eq!(player.heard(), [text], "{keys}");
    }
    player.message(host.moves("a1"));
    player.heard();
    player.letters("5");
    assert_eq!(player.heard(), ["b2: the cell is taken."]);
    assert!(player.sent.is_empty());
}

#[test]
fn proposals_are_made_and_answered() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(PERSON, &host);
    player.message(host.moves("b2"));
    player.sent.clear();
    for (line, sent) in [
        ("draw", json(Command::Offer { offer: Offer::Draw })),
        ("undo", json(Command::Offer { offer: Offer::Takeback })),
        ("resign", json(Command::Resign)),
        ("flag", json(Command::Flag)),
        ("claim draw", json(Command::Claim { result: Claim::Draw })),
    ] {
        player.line(line);
        assert_eq!(player.sent.pop().unwrap(), sent, "{line}");
    }
    player.message(host.happens(Event::Offered { seat: Seat::O, offer: Offer::Draw }));
    assert_eq!(player.told.last().unwrap(), "Bob (O) proposes a draw. Accept or decline?");
    player.line("no");
    assert_eq!(player.sent.pop().unwrap(), json(Command::Decline { offer: Offer::Draw }));
    player.message(host.happens(Event::Offered { seat: Seat::O, offer: Offer::Takeback }));
    player.heard();
    player.line("yes");
    assert_eq!(player.heard(), ["More than one thing is proposed: say which, as in accept draw."]);
    player.line("accept undo");
    assert_eq!(player.sent.pop().unwrap(), json(Command::Accept { offer: Offer::Takeback }));
}

#[test]
fn a_rematch_swaps_the_seats() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    for cell in ["b2", "a1", "c1", "b1", "a3"] {
        player.message(host.moves(cell));
    }
    let outcome = host.game.position().outcome().unwrap();
    player.message(host.happens(Event::Ended { outcome, left: None }));
    player.press(&[Key::Enter]);
    assert_eq!(player.sent.last().unwrap(), &json(Command::Offer { offer: Offer::Rematch }));
    player.message(host.happens(Event::Offered { seat: Seat::X, offer: Offer::Rematch }));
    player.heard();
    player.message(host.happens(Event::Started { game: 2 }));
    assert_eq!(player.heard(), ["Game 2 begins, tictactoe 3x3:3: Bob has X, you have O."]);
    assert_eq!(player.model.table().unwrap().own_seat(), Some(Seat::O));
    player.message(host.moves("b2"));
    assert_eq!(player.heard(), ["Bob (X) plays b2. Your move."]);
}

#[test]
fn a_gap_is_filled_and_what_is_known_is_passed_over() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    let first = host.moves("b2");
    let (second, third) = (host.moves("a1"), host.moves("c1"));
    player.message(first.clone());
    player.message(first);
    player.sent.clear();
    player.message(third.clone());
    player.message(third.clone());
    assert_eq!(player.sent, [lobby(Lobby::Sync { seq: Seq::new(5) })], "asked once");
    player.message(second);
    player.message(third);
    assert_eq!(player.model.table().unwrap().game.seq(), host.game.seq());
    player.message(host.snapshot(Some(Seat::X)));
    assert_eq!(player.model.table().unwrap().game.position(), host.game.position());
}

#[test]
fn a_lost_line_is_told_once_and_the_pending_move_stays() {
    let host = Host::playing("3x3:3", None);
    let mut player = Player::seated(PERSON, &host);
    player.line("b2");
    player.heard();
    let offline = |attempt| News::Offline { attempt, retry_in: secs(attempt.into()), why: Offline::Silent };
    player.hear(offline(1));
    player.hear(News::Connecting { attempt: 1 });
    player.hear(offline(2));
    assert_eq!(
        player.heard(),
        ["The connection is lost: nothing heard from the server. Trying again in 1 s."]
    );
    assert!(matches!(player.model.session.as_ref().unwrap().stage, Stage::Offline { attempt: 2, .. }));
    player.sent.clear();
    player.hear(News::Online { welcome: welcome() });
    assert_eq!(player.heard(), ["The connection is back."]);
    assert!(player.sent.is_empty(), "the line takes the seat and sends the move again by itself");
    assert!(player.model.table().unwrap().pending.is_some());
}

#[test]
fn what_does_not_survive_a_lost_line_is_asked_for_again() {
    let mut player = Player::online(Mode::Full, seek());
    player.message(Message::Done { re: player.last_id(), seq: None });
    player.sent.clear();
    player.hear(News::Online { welcome: welcome() });
    assert_eq!(player.sent, [serde_json::to_string(&seek().request()).unwrap()]);

    // Back into a room goes the line by itself.
    let mut watcher = Player::online(Mode::Full, Goal::Watch("k7qf3mzx".parse().unwrap()));
    watcher.message(Host::playing("3x3:3", None).snapshot(None));
    watcher.sent.clear();
    watcher.hear(News::Online { welcome: welcome() });
    assert!(watcher.sent.is_empty());
    watcher
        .message(Message::Reject { re: RequestId::new(999), reject: Reject::new(RejectCode::UnknownRoom) });
    assert!(watcher.model.table().unwrap().room().unwrap().gone.is_some(), "the board stays");
}

#[test]
fn a_room_that_is_gone_leaves_its_board() {
    let host = Host::playing("3x3:3", Some("5+0"));
    let mut player = Player::seated(Mode::Full, &host);
    player.message(Message::Reject { re: RequestId::new(999), reject: Reject::new(RejectCode::UnknownRoom) });
    assert!(player.model.deadline().is_none(), "no clock runs any more");
    player.heard();
    player.letters("5");
    assert_eq!(player.heard(), ["Refused: there is no such room, or the code is wrong."]);
    player.letters("q");
    assert_eq!(player.quit, Some(Exit::Lost));
}

#[test]
fn the_end_of_the_line_has_its_exit_code() {
    let cannot = Ended::CannotConnect(Offline::Timeout);
    let version = Ended::Refused(Reject::new(RejectCode::Version));
    for (ended, exit) in [
        (cannot, Exit::CannotConnect),
        (version, Exit::Refused),
        (Ended::GaveUp(Offline::Silent), Exit::Lost),
    ] {
        let mut player = Player::online(SCRIPT, seek());
        player.hear(News::Ended(ended));
        assert_eq!(player.quit, Some(exit));
    }
    let mut refused = Player::online(SCRIPT, Goal::Join("k7qf3mzx".parse().unwrap()));
    refused.refused(RejectCode::RoomFull);
    assert_eq!(refused.quit, Some(Exit::Refused));
    assert_eq!(
        refused.told.last().unwrap(),
        "Both seats of this room are taken: noughts watch shows the game."
    );
}

#[test]
fn from_the_home_screen_a_failure_leads_back_there() {
    let mut player = Player::new(Mode::Full, Start::Home);
    player.press(&[Key::Enter, Key::Enter]);
    assert!(matches!(player.model.screen, Screen::Waiting));
    player.hear(News::Ended(Ended::CannotConnect(Offline::Timeout)));
    assert!(matches!(player.model.screen, Screen::Home { .. }));
    assert_eq!(player.quit, None);
    assert_eq!(player.told.last().unwrap(), "Cannot connect to ws://127.0.0.1:7878/ws: no answer in time.");
}

#[test]
fn presence_lag_and_crowd_are_news() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::seated(PERSON, &host);
    player.message(host.moves("b2"));
    player.heard();
    let away = |claim_in_ms| {
        notice(Notice::Presence { seat: Seat::O, presence: Presence::Away, claim_in_ms: Some(claim_in_ms) })
    };
    player.message(away(45_000));
    player.message(notice(Notice::Lag { ms: [Some(20), None] }));
    player.message(notice(Notice::Crowd { watching: 2 }));
    player.message(notice(Notice::Crowd { watching: 2 }));
    assert_eq!(player.heard(), ["Bob (O) is away, 45 s left to return.", "2 watch."]);
    assert_eq!(player.model.deadline(), Some(1000), "the countdown goes second by second");
    player.wait(45_000);
    assert!(player.model.table().unwrap().may_claim(player.model.now));
    player.message(away(0));
    assert_eq!(player.heard(), ["Bob (O) did not return: on its turn type claim win or claim draw."]);
    player.message(notice(Notice::Presence { seat: Seat::O, presence: Presence::Here, claim_in_ms: None }));
    assert_eq!(player.heard(), ["Bob (O) is here."]);
    assert!(!player.model.table().unwrap().may_claim(player.model.now));
}

#[test]
fn a_clock_is_seen_second_by_second_and_only_while_it_runs() {
    let mut host = Host::playing("3x3:3", Some("1+0"));
    let mut player = Player::seated(Mode::Full, &host);
    assert_eq!(player.model.deadline(), Some(1000));
    player.wait(300);
    assert_eq!(player.model.deadline(), Some(1000));
    host.later(300);
    player.message(host.moves("b2"));
    assert_eq!(player.model.table().unwrap().left(player.model.now), Some([59_700, 60_000]));
    let resigned =
        Event::Ended { outcome: Outcome::Resigned { winner: Seat::X }, left: Some([59_700, 60_000]) };
    player.message(host.happens(resigned));
    assert_eq!(player.model.deadline(), None);
    player.message(host.happens(Event::Closed { closing: Closing::Idle }));
    assert_eq!(player.model.deadline(), None);
}

#[test]
fn one_waits_in_a_room_with_its_code_and_may_call_a_bot() {
    let mut host = Host::waiting("3x3:3", None);
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let goal = Goal::Create { rules: *host.game.rules(), clock: None, seat: None, public: false, bot: None };
    let mut player = Player::online(Mode::Full, goal);
    player.message(host.snapshot(Some(Seat::X)));
    assert_eq!(
        player.told[2..],
        [
            "Waiting in your room: tictactoe 3x3:3, no clock.",
            "Code: abcd-efgh-jkmn",
            "A friend joins with: noughts join abcd-efgh-jkmn",
            "Type bot to play a bot here, or q to leave.",
        ]
    );
    player.effects.clear();
    player.letters("b");
    assert!(matches!(player.effects[..], [Effect::InviteBot { level: Level::Easy, .. }]));
    player.message(host.happens(seated(Seat::O, "Bot", Kind::Bot)));
    player.message(host.happens(Event::Started { game: 1 }));
    player.effects.clear();
    player.letters("b");
    assert!(player.effects.is_empty(), "the same key moves the cursor now");
}

#[test]
fn leaving_a_game_asks_and_says_goodbye() {
    let host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    player.letters("qn");
    assert_eq!(player.quit, None);
    player.sent.clear();
    player.letters("в");
    player.letters("y");
    assert_eq!(player.sent, [lobby(Lobby::Leave)]);
    assert_eq!(player.quit, Some(Exit::Done));
    assert!(matches!(player.effects.last(), Some(Effect::Disconnect)));
}

#[test]
fn signals_end_at_once_with_their_number() {
    let host = Host::playing("3x3:3", None);
    // A terminal that is gone and a system that goes down are not the player's word.
    for (msg, exit, farewells) in [
        (Msg::Signal(15), Exit::Signal(15), 0),
        (Msg::Input(Input::Key(Key::Ctrl('c'))), Exit::Signal(2), 1),
        (Msg::Input(Input::Gone), Exit::Signal(1), 0),
    ] {
        let mut player = Player::seated(Mode::Full, &host);
        player.sent.clear();
        player.feed(msg);
        assert_eq!((player.quit, player.sent.len()), (Some(exit), farewells));
    }
}

#[test]
fn a_request_that_cannot_leave_is_told() {
    let host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    player.letters("5");
    player.feed(Msg::Unsent { ask: Some(crate::model::Ask::Move(Cell::new(4))), error: SendError::Full });
    assert!(player.model.table().unwrap().pending.is_none());
    assert_eq!(player.told.last().unwrap(), "Too much waits to be sent already; wait for the connection.");
}

#[test]
fn a_snapshot_that_contradicts_itself_changes_nothing() {
    let host = Host::playing("3x3:3", None);
    let mut player = Player::seated(Mode::Full, &host);
    let mut state = host.state();
    state.moves = vec![Cell::new(0), Cell::new(0)];
    let you = You { seat: Some(Seat::X), token: None, code: None };
    player.message(Message::Snapshot { re: None, room: room(), you, state });
    assert_eq!(player.model.table().unwrap().game.position().ply(), 0);
}

#[test]
fn a_bot_that_sat_down_is_no_longer_on_its_way_and_one_that_cannot_come_is_told() {
    let mut host = Host::waiting("3x3:3", None);
    let seated_and_waiting = |host: &Host| {
        let mut player = Player::online(Mode::Full, seek());
        player.message(host.snapshot(Some(Seat::X)));
        player.letters("b");
        assert!(matches!(player.model.notice, Some(Note::BotInvited(_))));
        player
    };
    let mut lucky = seated_and_waiting(&host);
    let mut unlucky = seated_and_waiting(&host);
    unlucky.feed(Msg::BotGone { failed: true });
    assert!(matches!(unlucky.model.notice, Some(Note::BotFailed)));
    lucky.message(host.happens(seated(Seat::O, "Bot easy", Kind::Bot)));
    assert!(lucky.model.notice.is_none());
    // One that leaves after its game is nobody's concern.
    lucky.message(host.happens(Event::Started { game: 1 }));
    lucky.feed(Msg::BotGone { failed: true });
    assert!(lucky.model.notice.is_none());
}

#[test]
fn the_list_of_rooms_is_fetched_again_by_itself_and_keeps_what_is_selected() {
    let listing = |room: &str| Listing {
        room: room.parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
        phase: Phase::Playing,
        players: [None, None],
        moves: 0,
        watching: 0,
    };
    let rooms = |player: &Player, rooms: &[&str]| Message::Rooms {
        re: player.last_id(),
        rooms: rooms.iter().map(|room| listing(room)).collect(),
        seeks: Vec::new(),
    };
    let mut player = Player::online(Mode::Full, Goal::Browse);
    player.message(rooms(&player, &["00000000", "11111111", "22222222"]));
    player.press(&[Key::Down]);
    let due = player.model.deadline().expect("it is fetched again");
    let sent = player.sent.len();
    player.wait(due - player.model.now - 1);
    assert_eq!(player.sent.len(), sent, "not before its time");
    player.wait(1);
    assert_eq!(player.sent.len(), sent + 1);
    player.message(rooms(&player, &["33333333", "00000000", "11111111"]));
    let Screen::Lobby(lobby) = &player.model.screen else { panic!("the list") };
    assert_eq!(lobby.at, 2, "the same room");
    // Not while the line is down, and not line by line.
    player.hear(News::Offline { attempt: 1, retry_in: secs(1), why: Offline::Timeout });
    player.wait(1_000);
    assert_eq!(player.sent.len(), sent + 1);
    let mut line = Player::online(PERSON, Goal::Browse);
    line.message(rooms(&line, &["00000000"]));
    assert_eq!(line.model.deadline(), None);
}

#[test]
fn a_spectator_steps_back_while_the_game_goes_on() {
    let mut host = Host::playing("3x3:3", None);
    let mut player = Player::online(Mode::Full, Goal::Watch("k7qf3mzx".parse().unwrap()));
    player.message(host.snapshot(None));
    for cell in ["b2", "a1", "c1"] {
        player.message(host.moves(cell));
    }
    let shown = |player: &Player| player.model.table().unwrap().shown().ply();
    let behind = |player: &Player| player.model.table().unwrap().behind();
    assert_eq!((shown(&player), behind(&player)), (3, None));
    player.press(&[Key::Left]);
    assert_eq!((shown(&player), behind(&player)), (2, Some(1)));
    // The game goes on, and what is looked at stays.
    player.message(host.moves("b1"));
    assert_eq!((shown(&player), behind(&player)), (2, Some(2)));
    player.press(&[Key::Home, Key::Left]);
    assert_eq!(shown(&player), 0);
    player.press(&[Key::Right, Key::End]);
    assert_eq!((shown(&player), behind(&player)), (4, None));
    player.message(host.moves("a3"));
    assert_eq!((shown(&player), behind(&player)), (5, None), "live again");
    // Another game begins at its beginning.
    player.press(&[Key::Left]);
    let outcome = host.game.position().outcome().unwrap();
    player.message(host.happens(Event::Ended { outcome, left: None }));
    player.message(host.happens(Event::Started { game: 2 }));
    assert_eq!((shown(&player), behind(&player)), (0, None));
}

#[test]
fn nothing_that_a_spectator_does_leaves_the_program() {
    let mut host = Host::playing("3x3:3", Some("5+3"));
    let mut player = Player::online(Mode::Full, Goal::Watch("k7qf3mzx".parse().unwrap()));
    player.message(host.snapshot(None));
    player.message(host.moves("b2"));
    let sent = player.sent.len();
    let keymap = player.model.keymap.clone();
    let keys: Vec<Key> = crate::input::Context::ALL
        .into_iter()
        .flat_map(|context| {
            keymap.bindings(context).flat_map(|binding| binding.keys.to_vec()).collect::<Vec<_>>()
        })
        .filter(|key| !matches!(key, Key::Char('q' | 'й' | 'в') | Key::Esc | Key::Ctrl(_)))
        .collect();
    player.press(&keys);
    player.model.prompt = None;
    player.model.overlay = None;
    for typed in
        ["a1", "5", "resign", "draw", "undo", "rematch", "accept", "decline", "claim win", "flag", "bot"]
    {
        player.letters(&format!(":{typed}"));
        player.press(&[Key::Enter]);
    }
    player.feed(Msg::Input(crate::input::Input::Click(5, 4)));
    assert_eq!(player.sent.len(), sent, "{:?}", &player.sent[sent..]);
    assert_eq!(player.quit, None);
}

#[test]
fn where_there_is_no_server_one_is_told_how_to_go_on_and_the_bot_is_a_key_away() {
    let mut player = Player::new(Mode::Full, Start::Home);
    player.press(&[Key::Enter, Key::Enter]);
    let refused = Offline::Io(SystemError::other("refused"));
    player.hear(News::Ended(Ended::CannotConnect(refused.clone())));
    let told = player.told.last().unwrap();
    assert!(told.contains("No server at 127.0.0.1:7878") && told.contains("noughts-server"), "{told}");
    assert!(matches!(player.model.screen, Screen::Home { .. }) && player.model.notice.is_some());
    player.letters("b");
    assert!(matches!(&player.model.screen, Screen::Form(form) if form.purpose == crate::model::Purpose::Bot));
    // A server that was named is told of as it is.
    let elsewhere: ServerUrl = "games.example.org".parse().unwrap();
    let told = Words::default().ended(&Ended::CannotConnect(refused), &elsewhere);
    assert!(told.starts_with("Cannot connect to"), "{told}");
}
