//! In a room of a server: who is there, what is proposed, and those who only watch.

use noughts_protocol::wire::{Claim, Presence};
use noughts_protocol::{Closing, Offer, Outcome};

use super::*;
use crate::model::Note;

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
