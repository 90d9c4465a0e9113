use super::*;
use crate::engine::{Report, Score};
use crate::local::{Lot, Setup};
use crate::model::Screen;
use crate::system::SystemError;
use crate::thinker::Choice;
use crate::thinker::child::Fault;
use noughts_protocol::{Cell, Phase};

fn setup(x: &str, o: &str) -> Start {
    let rules = "3x3:3".parse().unwrap();
    Start::Plan(Plan::Here(Setup {
        rules,
        sides: [x.parse().unwrap(), o.parse().unwrap()],
        lot: Lot::AsGiven,
    }))
}

/// Lets the bot that thinks choose this cell.
fn think(player: &mut Player, cell: u16) {
    let thought = player
        .effects
        .iter()
        .rev()
        .find_map(|effect| if let Effect::Think { ticket, .. } = effect { Some(*ticket) } else { None });
    let report = Report { best: Cell::new(cell), score: Score::Draw, depth: 1, nodes: 1, line: vec![] };
    let choice = Choice { cell: report.best, report: Some(report) };
    player.feed(Msg::Thought { ticket: thought.unwrap(), answer: Ok(choice) });
}

fn phase(player: &Player) -> Phase {
    player.model.table().unwrap().game.phase()
}

#[test]
fn two_people_play_and_play_again_with_seats_swapped() {
    let mut player = Player::new(Mode::Full, setup("Ann", "Bob"));
    player.letters("51234");
    assert_eq!(phase(&player), Phase::Playing);
    player.letters(":undo");
    player.press(&[Key::Enter]);
    assert_eq!(player.model.table().unwrap().game.position().ply(), 4);
    player.letters("8");
    assert_eq!(phase(&player), Phase::Over);
    player.press(&[Key::Enter]);
    assert_eq!(phase(&player), Phase::Playing, "played again");
    let table = player.model.table().unwrap();
    assert_eq!((table.game.number(), table.who(Seat::X).unwrap().name.as_str()), (2, "Bob"));
}

#[test]
fn a_bot_thinks_off_the_loop_and_moves_after_a_moment() {
    let mut player = Player::new(Mode::Full, setup("Ann", "bot:easy"));
    assert!(player.effects.is_empty());
    player.letters("5");
    assert!(matches!(player.effects[..], [Effect::Think { .. }]));
    player.letters("1");
    assert_eq!(player.told.last().unwrap(), "The bot is to move.");
    think(&mut player, 0);
    assert_eq!(player.model.table().unwrap().game.position().ply(), 1, "the eye is to see it come");
    let due = player.model.deadline().unwrap();
    player.wait(due - player.model.now);
    assert_eq!(player.told.last().unwrap(), "Bot easy (O) plays a1. Your move.");
}

#[test]
fn a_takeback_stops_the_bot_and_its_late_thought() {
    let mut player = Player::new(PERSON, setup("Ann", "bot:easy"));
    player.line("5");
    player.line("undo");
    assert!(matches!(player.effects[..], [Effect::Think { .. }, Effect::StopThinking]));
    think(&mut player, 0);
    assert_eq!(player.model.table().unwrap().game.position().ply(), 0);
    assert_eq!(player.told.last().unwrap(), "One move is taken back. Your move.");
}

#[test]
fn a_bot_answers_a_draw_by_what_it_thinks() {
    let mut player = Player::new(PERSON, setup("Ann", "bot:easy"));
    player.line("draw");
    assert_eq!(player.told.last().unwrap(), "The bot plays on.");
    player.line("5");
    think(&mut player, 0);
    player.heard();
    player.line("draw");
    assert_eq!(
        player.heard(),
        ["Drawn by agreement. Score: you 0, Bot easy 0, drawn 1.", "Play again? y or n."]
    );
    player.line("n");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn two_bots_play_to_the_end_without_anybody() {
    let mut player = Player::new(SCRIPT, setup("bot:easy", "bot:hard"));
    player.feed(Msg::Input(Input::End));
    for cell in [4, 0, 2, 1, 6] {
        assert_eq!(player.quit, None);
        think(&mut player, cell);
    }
    assert_eq!(
        player.told[player.told.len() - 2],
        "Bot easy (X) wins. Other diagonal: c1 b2 a3. Score: Bot easy 1, Bot hard 0, drawn 0."
    );
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn lots_are_drawn_both_ways() {
    let mut first = [0; 2];
    for chance in 0..64 {
        let rules = "3x3:3".parse().unwrap();
        let sides = ["Ann".parse().unwrap(), "Bob".parse().unwrap()];
        let mut model = Model::new(
            Mode::Full,
            Look { color: false, unicode: false, theme: Theme::Ansi },
            Words::default(),
            settings(),
            chance,
        );
        begin(&mut model, Start::Plan(Plan::Here(Setup { rules, sides, lot: Lot::Random })));
        first[usize::from(model.table().unwrap().who(Seat::X).unwrap().name.as_str() == "Bob")] += 1;
    }
    assert!(first.iter().all(|&count| count > 16), "{first:?}");
}

#[test]
fn a_game_is_saved_as_a_record() {
    let mut player = Player::new(PERSON, setup("Ann", "Bob"));
    player.line("5");
    player.line("save game.txt");
    let Some(Effect::Save { path, text }) = player.effects.pop() else { panic!("saved") };
    assert_eq!(path, "game.txt");
    assert!(text.parse::<noughts_protocol::Record>().is_ok(), "{text}");
    player.feed(Msg::Saved { path, result: Err(SystemError::other("disk full")) });
    assert_eq!(player.told.last().unwrap(), "Cannot write game.txt: disk full.");
}

#[test]
fn leaving_asks_only_when_something_has_begun() {
    let mut player = Player::new(Mode::Full, setup("Ann", "Bob"));
    player.letters("q");
    assert_eq!(player.quit, Some(Exit::Done));
    let mut player = Player::new(Mode::Full, setup("Ann", "Bob"));
    player.letters("5q");
    assert_eq!(player.quit, None);
    player.letters("y");
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn the_form_asks_for_both_players_line_by_line() {
    let form = crate::model::Form::new(crate::model::Purpose::Local, &settings());
    let mut player = Player::new(PERSON, Start::Form(form));
    for line in ["connect4", "", "bot:brutal", "bot:hard", "second", "numpad"] {
        assert!(matches!(player.model.screen, Screen::Form(_)), "{line}");
        player.line(line);
    }
    assert_eq!(
        player.told,
        [
            "Game [tictactoe] (a name, or sizes and line as in 15x15:5 or 7x6:4+gravity)?",
            "First player [Ann] (a name, or bot:easy, bot:medium, bot:hard, bot:perfect)?",
            "Second player [Guest] (a name, or bot:easy, bot:medium, bot:hard, bot:perfect)?",
            "A bot is bot, bot:easy, bot:medium, bot:hard or bot:perfect.",
            "Second player [Guest] (a name, or bot:easy, bot:medium, bot:hard, bot:perfect)?",
            "X goes to [first] (the one who begins: first or second player, or drawn by lot)?",
            "Digits [reading] (reading: 1 2 3 on top; numpad: 7 8 9 on top)?",
            "Game 1 begins, connect4 7x6:4+gravity: Bot hard has X, you have O.",
            "Type a cell to play it, b for the board, help for more.",
        ]
    );
}

/// What a search finds out for the last study that was asked for.
fn studied(player: &mut Player) {
    let study = player
        .effects
        .drain(..)
        .rev()
        .find_map(|effect| if let Effect::Study(study) = effect { Some(study) } else { None });
    let stop = std::sync::atomic::AtomicBool::new(false);
    let watch = crate::study::Watch { elapsed: &|| std::time::Duration::ZERO, stop: &stop };
    let time = std::time::Duration::from_secs(60);
    let findings = crate::study::study(&study.expect("a study was asked for"), time, watch);
    player.feed(Msg::Found(findings));
}

#[test]
fn the_value_of_each_free_cell_is_told_on_demand() {
    let mut player = Player::new(Mode::Line { person: true }, setup("Ann", "Bob"));
    for line in ["b2", "b1"] {
        player.line(line);
    }
    player.heard();
    player.line("values");
    assert_eq!(player.heard(), ["Looking ..."]);
    studied(&mut player);
    let told = player.heard();
    assert!(told.len() >= 2 && told[0].starts_with("wins in 3: "), "{told:?}");
    // The board has changed by the time that it is found out: nothing is told.
    player.line("v");
    player.line("a1");
    player.heard();
    studied(&mut player);
    assert!(player.heard().is_empty());
}

#[test]
fn a_finished_game_is_reviewed_in_words() {
    let mut player = Player::new(Mode::Line { person: true }, setup("Ann", "Bob"));
    player.line("review");
    assert!(player.effects.is_empty(), "not before its end");
    for line in ["b2", "b1", "a1", "c3", "a2", "a3", "c2"] {
        player.line(line);
    }
    player.heard();
    player.line("review");
    studied(&mut player);
    let told = player.heard();
    assert_eq!((told.len(), told[1].as_str()), (1 + 7 + 1, "1. X b2"), "{told:?}");
    assert!(told[2].starts_with("2. O b1: loses in 3, where "), "{told:?}");
    assert!(told[8].starts_with("The first losing mistake: move 2, O b1. It loses in 3, where"), "{told:?}");
}

#[test]
fn a_record_is_reviewed_before_the_program_ends() {
    let text = "[Rules \"3x3:3\"]\n[Result \"X line\"]\n\n1. b2 b1 2. a1 c3 3. a2 a3 4. c2\n";
    let mut player = Player::new(Mode::Line { person: false }, Start::Review(text.parse().unwrap()));
    // Nothing more can be typed: it stays all the same until the review is told.
    player.feed(Msg::Input(crate::input::Input::End));
    assert_eq!(player.quit, None);
    studied(&mut player);
    assert!(player.heard().iter().any(|line| line.starts_with("The first losing mistake: move 2, O b1.")));
    assert_eq!(player.quit, Some(Exit::Done));
}

#[test]
fn a_step_of_a_record_shows_what_its_free_cells_are_worth() {
    let text = "[Rules \"3x3:3\"]\n\n1. b2 b1\n";
    let mut player = Player::new(Mode::Full, Start::Replay(text.parse().unwrap()));
    player.press(&[Key::End, Key::Char('v')]);
    studied(&mut player);
    assert!(player.model.values().is_some_and(|values| values.cells.len() == 7));
    player.press(&[Key::Left]);
    assert!(player.model.values().is_none(), "of another position");
    player.press(&[Key::Right]);
    assert!(player.model.values().is_some(), "the same again");
}

#[test]
fn a_program_that_fails_gives_the_game_up() {
    let mut player = Player::new(PERSON, setup("Ann", "engine:pbrain-x"));
    player.line("5");
    let Some(Effect::Think { ticket, .. }) = player.effects.last() else { panic!("{:?}", player.effects) };
    let ticket = *ticket;
    player.heard();
    player.feed(Msg::Thought { ticket, answer: Err(Fault::Flood) });
    assert_eq!(
        player.heard()[..2],
        [
            "The engine failed: it says too much.",
            "You (X) win: the other resigned. Score: you 1, Bot pbrain-x 0, drawn 0."
        ]
    );
    assert_eq!(phase(&player), Phase::Over);
}
