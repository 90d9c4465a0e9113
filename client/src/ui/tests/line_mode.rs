//! Line mode in every language, and the length of its sentences.

use noughts_protocol::wire::{CloseCode, Evaluation, Reject, RejectCode};
use noughts_protocol::{Cell, RoomCloseReason, Seq};

use super::*;
use crate::connection::TerminationReason;
use crate::facts::{LeaveEffect, Notification, PendingRequest, Unavailable};
use crate::ui;
use crate::update::tests::INTERACTIVE;

/// Returns the output of line mode for a game that has most kinds of reports.
fn transcript(lang: Lang) -> String {
    let mut host = TestRoom::open("3x3:3", Some("5+3"));
    host.code = Some("abcd-efgh-jkmn".parse().unwrap());
    let mut player = TestPlayer::online(INTERACTIVE, crate::update::tests::seek_goal());
    player.take_output();
    player.model.settings.lang = lang;
    player.receive_message(host.snapshot(Some(Seat::X)));
    player.receive_message(host.apply_event(seated_event(Seat::O, "Bob", PlayerKind::Person)));
    player.receive_message(host.apply_event(Event::Started { game: 1 }));
    player.receive_message(notice_message(Notice::Spectators { count: 2 }));
    player.receive_message(notice_message(Notice::Remark {
        seat: Seat::O,
        seq: Seq::new(5),
        evaluation: Evaluation::Loss(4),
        pv: vec![Cell::new(0), Cell::new(1)],
    }));
    player.receive_message(host.play("b2"));
    player.receive_message(host.play("a1"));
    for line in [
        "b", "s 1", "s b", "p", "l", "c", "o", "b2", "d9", "claim", "nonsense", "help",
    ] {
        player.type_line(line);
    }
    for offer in [Offer::Draw, Offer::Takeback] {
        player.receive_message(host.apply_event(Event::Offered {
            seat: Seat::O,
            offer,
        }));
        player.receive_message(host.apply_event(Event::Declined {
            seat: Seat::O,
            offer,
        }));
    }
    player.receive_message(opponent_presence(Presence::Disconnected, Some(45_000)));
    player.receive_moves(&mut host, &["b1", "b3"]);
    player.receive_message(host.end(Outcome::Resigned { winner: Seat::X }));
    player.receive_message(host.close(RoomCloseReason::Deserted));
    player.output.join("\n")
}

/// Compares the texts in all languages with a single snapshot.
fn assert_languages(name: &str, text: impl Fn(Lang) -> String) {
    let texts = Lang::ALL.map(|lang| format!("=== {lang}\n{}", text(lang)));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, texts.join("\n"));
    });
}

#[test]
fn line_mode_is_translated() {
    assert_languages("lines", transcript);
}

#[test]
fn command_words_of_all_languages_are_accepted_in_english() {
    for (typed, sent) in [
        ("сдаюсь", "resign"),
        ("認輸", "resign"),
        ("悔棋", "takeback"),
        ("ничья", "draw"),
    ] {
        let mut host = TestRoom::in_game("3x3:3", None);
        let mut player = TestPlayer::seated(INTERACTIVE, &host);
        player.receive_moves(&mut host, &["b2", "a1"]);
        player.type_line(typed);
        assert!(
            player
                .sent
                .last()
                .is_some_and(|request| request.contains(sent)),
            "{typed}: {:?}",
            player.sent
        );
    }
}

/// Returns a notification for every rejection and every failure with a code.
pub(super) fn error_notifications() -> Vec<Notification> {
    let reject = |&code: &RejectCode| Notification::Rejected {
        asked: None,
        reject: Reject::new(code),
    };
    let room_full = Notification::Rejected {
        asked: Some(PendingRequest::Goal),
        reject: Reject::new(RejectCode::RoomFull),
    };
    let server = ServerUrl::default();
    let terminated = CloseCode::ALL.map(|code| Notification::Ended {
        reason: TerminationReason::Final(code),
        server: server.clone(),
    });
    let unavailable = [
        Unavailable::Busy,
        Unavailable::Offline,
        Unavailable::Pending,
        Unavailable::Watching,
        Unavailable::NoBoard,
        Unavailable::NoOffer,
        Unavailable::WhichOffer,
        Unavailable::NoGame,
        Unavailable::GameOn,
        Unavailable::BotMoves,
        Unavailable::BotPlaysOn,
        Unavailable::NotWaiting,
        Unavailable::NothingToTakeBack,
        Unavailable::NotOnAServer,
        Unavailable::OnlyOnAServer,
        Unavailable::NotClaimable,
        Unavailable::YesOrNo,
        Unavailable::Number,
        Unavailable::NoRoom,
        Unavailable::LeaveQuestion(LeaveEffect::Nothing),
        Unavailable::LeaveQuestion(LeaveEffect::Aborts),
        Unavailable::LeaveQuestion(LeaveEffect::Resigns),
        Unavailable::RequestPending,
        Unavailable::SelectionGone,
        Unavailable::NoOpponent,
        Unavailable::SeekGone,
        Unavailable::Stale,
        Unavailable::NothingAsked,
    ];
    let mut all: Vec<Notification> = RejectCode::ALL.iter().map(reject).collect();
    all.push(room_full);
    all.extend(terminated);
    all.extend(unavailable.map(Notification::Unavailable));
    all
}

#[test]
fn every_rejection_fits_into_one_row() {
    for lang in Lang::ALL {
        for notification in error_notifications() {
            let lines = ui::line_mode::notification_lines(Texts::new(lang), &notification);
            let [line] = &lines[..] else {
                panic!("not one line: {lines:?}")
            };
            assert!(line.width() <= 80, "{} columns: {line}", line.width());
            assert_eq!(line.is_ascii(), lang == Lang::En, "{lang}: {line}");
        }
    }
}

/// After a change, read the snapshot. Each line is the only explanation of a rejection that a player gets.
#[test]
fn rejections_are_translated() {
    assert_languages("refusals", |lang| {
        let texts: Vec<String> = error_notifications()
            .iter()
            .map(|notification| Texts::new(lang).notification(notification))
            .collect();
        texts.join("\n")
    });
}

#[test]
fn free_text_of_the_server_is_not_shown() {
    for lang in Lang::ALL {
        for code in RejectCode::ALL {
            let detail = Some("SECRET".into());
            let reject = Reject {
                detail,
                field: Some("FIELD".into()),
                ..Reject::new(code)
            };
            let text = Texts::new(lang).notification(&Notification::Rejected {
                asked: None,
                reject,
            });
            assert!(
                !text.contains("SECRET") && !text.contains("FIELD"),
                "{text}"
            );
        }
    }
}

#[test]
fn the_board_is_printed_at_each_turn_of_a_person_who_wants_it() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut player = TestPlayer::seated(INTERACTIVE, &host);
    player.take_output();
    player.receive_moves(&mut host, &["b2", "a1"]);
    assert!(
        !player.take_output().concat().contains("[O]"),
        "the board is printed without a request"
    );
    player.model.settings.board = crate::settings::BoardPrinting::Always;
    player.receive_message(host.play("c1"));
    assert_eq!(
        player.take_output().len(),
        1,
        "the board is printed at the turn of the opponent"
    );
    player.receive_message(host.play("b1"));
    assert_eq!(
        player.take_output(),
        [
            "Bob (O) plays b1. Your move.",
            "    a  b  c",
            " 1  O [O] X",
            " 2  4  X  6",
            " 3  7  8  9"
        ]
    );
    player.receive_message(host.play("a3"));
    player.receive_message(host.end_on_board());
    let output = player.take_output();
    assert_eq!(
        output[2..6],
        ["    a  b  c", " 1  O  O *X*", " 2  . *X* .", " 3 *X* .  ."],
        "{output:?}"
    );
    player.receive_message(host.apply_event(Event::Started { game: 2 }));
    player.model.settings.board = crate::settings::BoardPrinting::Never;
    player.take_output();
    player.receive_message(host.play("b2"));
    assert_eq!(player.take_output(), ["Bob (X) plays b2. Your move."]);
}
