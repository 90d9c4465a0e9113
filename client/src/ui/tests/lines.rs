//! Line mode in every language, and that its sentences have room as notices.

use noughts_protocol::wire::{CloseCode, Reject, RejectCode, Score};
use noughts_protocol::{Cell, Closing, Outcome, Rules, Seq};

use super::*;
use crate::connection::{Ended, SendError};
use crate::model::{Ask, NotNow, Note};
use crate::ui;
use crate::update::tests::{PERSON, SCRIPT};

/// A game with all that can be told of one, as line mode prints it.
fn transcript(lang: Lang) -> String {
    let mut host = Host::waiting("3x3:3", Some("5+3"));
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let mut player = Player::online(PERSON, crate::update::tests::seek());
    player.heard();
    player.model.words = Words::new(lang);
    player.message(host.snapshot(Some(Seat::X)));
    player.message(host.happens(seated(Seat::O, "Bob", Kind::Human)));
    player.message(host.happens(Event::Started { game: 1 }));
    player.message(notice(Notice::Crowd { watching: 2 }));
    let line = vec![Cell::new(0), Cell::new(1)];
    player.message(notice(Notice::Remark { seat: Seat::O, seq: Seq::new(5), score: Score::Loss(4), line }));
    player.message(host.moves("b2"));
    player.message(host.moves("a1"));
    for line in ["b", "s 1", "s b", "p", "l", "c", "o", "b2", "d9", "claim", "nonsense", "help"] {
        player.line(line);
    }
    for offer in [Offer::Draw, Offer::Takeback] {
        player.message(host.happens(Event::Offered { seat: Seat::O, offer }));
        player.message(host.happens(Event::Declined { seat: Seat::O, offer }));
    }
    let away = Presence::Away;
    player.message(notice(Notice::Presence { seat: Seat::O, presence: away, claim_in_ms: Some(45_000) }));
    for cell in ["b1", "b3"] {
        player.message(host.moves(cell));
    }
    player.message(host.happens(Event::Ended { outcome: Outcome::Resigned { winner: Seat::X }, left: None }));
    player.message(host.happens(Event::Closed { closing: Closing::Deserted }));
    player.told.join("\n")
}

#[test]
fn line_mode_speaks_every_language() {
    for lang in Lang::ALL {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("lines_{lang}"), transcript(lang));
        });
    }
}

/// The words that a player types are understood whatever is spoken.
#[test]
fn commands_may_be_typed_in_any_language() {
    for (typed, sent) in [("сдаюсь", "resign"), ("認輸", "resign"), ("悔棋", "takeback"), ("ничья", "draw")]
    {
        let host = Host::playing("3x3:3", None);
        let mut player = Player::seated(PERSON, &host);
        player.line("b2");
        player.line(typed);
        assert!(
            player.sent.last().is_some_and(|sent_last| sent_last.contains(sent)),
            "{typed}: {:?}",
            player.sent
        );
    }
}

#[test]
fn the_language_can_be_changed_on_the_way() {
    let (mut player, _) = playing("3x3:3", None, &[]);
    player.letters(":lang ru");
    player.press(&[Key::Enter]);
    assert!(text(&paint(&player.model, SIZES[0])).contains("Ваш ход."));
    let mut player = Player::new(SCRIPT, Start::Home);
    player.heard();
    player.line("lang zh-TW");
    assert_eq!(player.heard(), ["語言：繁體中文。"]);
}

/// Everything that a code can say, as a note.
fn sentences() -> Vec<Note> {
    let reject = |&code: &RejectCode| Note::Refused { ask: None, reject: Reject::new(code) };
    let full = Note::Refused { ask: Some(Ask::Goal), reject: Reject::new(RejectCode::RoomFull) };
    let server = ServerUrl::default();
    let ended = CloseCode::ALL.map(|code| Note::Ended { ended: Ended::Final(code), server: server.clone() });
    let unsent = [SendError::Full, SendError::Ended].map(Note::Unsent);
    let not_now = [
        NotNow::Pending,
        NotNow::Watching,
        NotNow::NoBoard,
        NotNow::NoOffer,
        NotNow::WhichOffer,
        NotNow::NoGame,
        NotNow::GameOn,
        NotNow::BotMoves,
        NotNow::BotPlaysOn,
        NotNow::NotWaiting,
        NotNow::Offline,
        NotNow::NothingToTakeBack,
        NotNow::LocalOnly,
        NotNow::NotClaimable,
        NotNow::YesOrNo,
        NotNow::Number,
        NotNow::NoRoom,
        NotNow::LeaveQuestion,
        NotNow::NoOpponent,
    ];
    let mut all: Vec<Note> = RejectCode::ALL.iter().map(reject).collect();
    all.push(full);
    all.extend(ended);
    all.extend(unsent);
    all.extend(not_now.map(Note::NotNow));
    all
}

#[test]
fn every_refusal_has_a_sentence_that_fits_the_notice() {
    for lang in Lang::ALL {
        for note in sentences() {
            let lines = ui::line::lines(Words::new(lang), &note);
            let [line] = &lines[..] else { panic!("one sentence: {lines:?}") };
            assert!(line.width() <= 80, "{} columns: {line}", line.width());
            assert_eq!(line.is_ascii(), lang == Lang::En, "{lang}: {line}");
        }
    }
}

/// To be read: each is all that a player is told of why.
#[test]
fn refusals_in_every_language() {
    for lang in Lang::ALL {
        let said: Vec<String> = sentences().iter().map(|note| Words::new(lang).note(note)).collect();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(format!("refusals_{lang}"), said.join("\n"));
        });
    }
}

#[test]
fn free_text_of_a_server_is_not_shown() {
    for lang in Lang::ALL {
        for &code in RejectCode::ALL {
            let detail = Some("SECRET".into());
            let reject = Reject { detail, field: Some("FIELD".into()), ..Reject::new(code) };
            let said = Words::new(lang).note(&Note::Refused { ask: None, reject });
            assert!(!said.contains("SECRET") && !said.contains("FIELD"), "{said}");
        }
    }
}

#[test]
fn rules_have_one_name_in_all_languages() {
    let rules: Rules = "connect4".parse().unwrap();
    for lang in Lang::ALL {
        assert_eq!(Words::new(lang).rules(&rules), "connect4 7x6:4+gravity");
    }
}
