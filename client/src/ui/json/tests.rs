//! The lines as text. A line that changes is a decision about an interface: see `VERSION`.

use noughts_protocol::wire::{Message, Notice, Presence, RejectCode};
use noughts_protocol::{Event, Offer, Seat};

use super::{Stated, state};
use crate::model::{Exit, Goal, Mode, Model, NotNow, Note};
use crate::update::Start;
use crate::update::tests::{Host, Player, notice, seated, seek};

/// Plays, and keeps what is told and the state whenever it has changed: as the loop does.
struct Program {
    player: Player,
    told: Option<Stated>,
    lines: Vec<String>,
}

impl Program {
    fn new(player: Player) -> Program {
        let mut program = Program { player, told: None, lines: vec![super::hello()] };
        program.look();
        program
    }

    fn look(&mut self) {
        self.lines.append(&mut self.player.told);
        let now = Stated::all(&self.player.model).remove(0);
        if !self.told.as_ref().is_some_and(|told| told.stands_as(&now)) {
            self.lines.push(state(&now));
            self.told = Some(now);
        }
    }

    fn says(&mut self, line: &str) {
        self.lines.push(format!("> {line}"));
        self.player.line(line);
        self.look();
    }

    fn hears(&mut self, message: Message) {
        self.player.message(message);
        self.look();
    }
}

/// The one place that compares lines.
fn check(name: &str, program: Program) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, program.lines.join("\n"));
    });
}

#[test]
fn a_game_on_a_server() {
    let mut host = Host::waiting("3x3:3", Some("5+3"));
    let player = Player::online(Mode::Json, seek());
    let mut program = Program::new(player);
    program.hears(host.snapshot(Some(Seat::X)));
    program.hears(host.happens(seated(Seat::O, "Bob", noughts_protocol::Kind::Bot)));
    program.hears(host.happens(Event::Started { game: 1 }));
    program.says(r#"{"do":"move","cell":"b2"}"#);
    // It is on its way: a second one is not taken, and the board is not told before the server has it.
    program.says(r#"{"do":"move","cell":"a1"}"#);
    program.hears(host.moves("b2"));
    program.says(r#"{"do":"move","cell":"c1"}"#);
    program.says(r#"{"do":"move","cell":"c1","ply":7}"#);
    program.hears(notice(Notice::Lag { ms: [Some(20), Some(140)] }));
    program.hears(notice(Notice::Presence {
        seat: Seat::O,
        presence: Presence::Away,
        claim_in_ms: Some(45_000),
    }));
    program.hears(host.moves("a1"));
    program.says(r#"{"do":"offer","offer":"draw"}"#);
    program.hears(host.happens(Event::Offered { seat: Seat::X, offer: Offer::Draw }));
    program.hears(host.happens(Event::Declined { seat: Seat::O, offer: Offer::Draw }));
    for cell in ["c1", "b1", "a3"] {
        program.hears(host.moves(cell));
    }
    let outcome = host.game.position().outcome().unwrap();
    program.hears(host.happens(Event::Ended { outcome, left: None }));
    program.says(r#"{"do":"quit"}"#);
    assert_eq!(program.player.quit, Some(Exit::Done));
    check("json_game", program);
}

#[test]
fn typed_words_wait_for_their_turn_and_objects_do_not() {
    let mut host = Host::playing("3x3:3", None);
    let mut program = Program::new(Player::seated(Mode::Json, &host));
    program.says("b2");
    program.says("c1");
    assert_eq!(program.player.sent.len(), 2, "the wish to play and one move: {:?}", program.player.sent);
    program.hears(host.moves("b2"));
    program.hears(host.moves("a1"));
    assert_eq!(program.player.sent.len(), 3, "the second word had its turn: {:?}", program.player.sent);
    program.hears(host.moves("c1"));
    program.says(r#"{"do":"move","cell":"a3"}"#);
    let refused = program.lines.iter().any(|line| line.contains(r#""code":"not_your_turn""#));
    assert!(refused, "{:#?}", program.lines);
}

#[test]
fn what_nobody_asks_is_refused() {
    let mut program = Program::new(Player::seated(Mode::Json, &Host::playing("3x3:3", None)));
    for line in [
        r#"{"do":"answer","text":"x"}"#,
        r#"{"do":"choose","number":1}"#,
        r#"{"do":"refresh"}"#,
        r#"{"do":"accept"}"#,
        r#"{"do":"move","cell":"k99"}"#,
        r#"{"do":"move","row":1}"#,
        r#"{"do":"dance"}"#,
        "dance",
        "{",
    ] {
        program.says(line);
    }
    check("json_refusals", program);
}

#[test]
fn forms_and_menus_are_answered() {
    let mut program = Program::new(Player::new(Mode::Json, Start::Home));
    program.says(r#"{"do":"choose","number":99}"#);
    program.says(r#"{"do":"choose","number":5}"#);
    program.says(r#"{"do":"answer","text":"4x4:4"}"#);
    program.says(r#"{"do":"answer"}"#);
    program.says(r#"{"do":"answer","text":"bot:brutal"}"#);
    program.says(r#"{"do":"answer","text":"Bob"}"#);
    program.says(r#"{"do":"answer","text":"second"}"#);
    program.says(r#"{"do":"answer"}"#);
    check("json_form", program);
}

#[test]
fn a_refusal_of_the_server_is_told_by_its_code() {
    let mut program = Program::new(Player::online(Mode::Json, Goal::Join("k7qf3mzx".parse().unwrap())));
    program.player.refused(RejectCode::UnknownRoom);
    program.look();
    assert_eq!(program.player.quit, Some(Exit::Refused));
    check("json_refused", program);
}

#[test]
fn answers_are_objects() {
    let mut host = Host::playing("4x4x4:4", Some("1+0"));
    let mut program = Program::new(Player::seated(Mode::Json, &host));
    program.hears(host.moves("1,1,1"));
    for line in ["b", "s 1,1", "p", "l", "c", "o", "help", "keys numpad"] {
        program.says(line);
    }
    check("json_answers", program);
}

#[test]
fn time_alone_is_no_change() {
    let mut host = Host::playing("3x3:3", Some("5+3"));
    let mut player = Player::seated(Mode::Json, &host);
    let told = Stated::all(&player.model).remove(0);
    player.wait(1500);
    let later = Stated::all(&player.model).remove(0);
    assert_ne!(told, later, "the clock has moved");
    assert!(later.stands_as(&told));
    player.message(host.moves("b2"));
    assert!(!Stated::all(&player.model).remove(0).stands_as(&told));
}

#[test]
fn the_right_to_a_seat_is_never_told() {
    let game = crate::unfinished::tests::game("k7qf3mzx");
    let token = game.token.to_string();
    let player = Player::killed(Mode::Json, Start::Home, vec![game.clone()]);
    assert!(player.told.iter().any(|line| line.contains("k7qf3mzx")));
    assert!(!player.told.iter().any(|line| line.contains(&token)), "{:?}", player.told);
    let mention = super::told(None, &Note::MayContinue(Box::new(game))).unwrap();
    assert!(!mention.contains(&token), "{mention}");
}

#[test]
fn only_what_people_need_is_left_out() {
    assert_eq!(super::told(None, &Note::Hint), None);
    assert!(super::told(None, &Note::NotNow(NotNow::NoGame)).is_some());
    let mut model: Model = Player::new(Mode::Json, Start::Home).model;
    model.exit = Exit::Lost;
    assert_eq!(super::end(model.exit), r#"{"event":"end","exit":5}"#);
}
