use super::*;
use crate::connection::{Ended, Offline, SendError};
use crate::model::{Screen, Stage};
use crate::system::SystemError;
use noughts_protocol::wire::Listing;
use noughts_protocol::{Cell, Phase};

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
