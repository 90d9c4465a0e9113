//! Snapshots of the lines in JSON mode. A changed line changes an interface for programs, see `VERSION`.

use std::path::PathBuf;

use noughts_protocol::wire::{
    CloseCode, Evaluation, Message, Notice, Phrase, Presence, Reject, RejectCode,
};
use noughts_protocol::{
    CellError, Event, MatchScore, Offer, Outcome, Position, Record, RoomCloseReason, Rules, Seat,
};

use super::{JsonState, state};
use crate::connection::server_url::ServerUrl;
use crate::connection::{DisconnectReason, TerminationReason};
use crate::engine::SearchScore;
use crate::engines::analysis::{GameReview, MoveValues, ReviewedMove};
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::{
    Ending, EngineEvaluation, Exit, Failure, FormFieldError, HostError, LeaveEffect, NextMove,
    Notification, PendingRequest, PlayerRef, QueryAnswer, Unavailable,
};
use crate::game_link::parse_game_link;
use crate::input::TextCommandError;
use crate::input::commands::COMMANDS;
use crate::io::io_error::LocalizableIoError;
use crate::io::saved_games::SavedGameError;
use crate::model::{Mode, Model, SessionGoal};
use crate::settings::file::SettingsFileError;
use crate::update::InitialAction;
use crate::update::tests::own_games::own_games;
use crate::update::tests::{
    TestPlayer, TestRoom, notice_message, opponent_presence, seated_event, seek_goal,
};

/// A player in JSON mode. Records the events and the changed states in the order of their output.
struct JsonClient {
    player: TestPlayer,
    last_state: Option<JsonState>,
    lines: Vec<String>,
}

impl JsonClient {
    fn new(player: TestPlayer) -> JsonClient {
        let mut client = JsonClient {
            player,
            last_state: None,
            lines: vec![super::hello()],
        };
        client.record();
        client
    }

    fn record(&mut self) {
        self.lines.append(&mut self.player.output);
        let current = JsonState::collect_all(&self.player.model).remove(0);
        if !self
            .last_state
            .as_ref()
            .is_some_and(|last| last.is_unchanged_from(&current))
        {
            self.lines.push(state(&current));
            self.last_state = Some(current);
        }
    }

    fn type_line(&mut self, line: &str) {
        self.lines.push(format!("> {line}"));
        self.player.type_line(line);
        self.record();
    }

    fn receive(&mut self, message: Message) {
        self.player.receive_message(message);
        self.record();
    }
}

/// Compares a client's lines with a snapshot.
fn check(name: &str, client: JsonClient) {
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!(name, client.lines.join("\n"));
    });
}

#[test]
fn a_game_on_a_server_is_printed_as_json() {
    let mut host = TestRoom::open("3x3:3", Some("5+3"));
    let player = TestPlayer::online(Mode::Json, seek_goal());
    let mut client = JsonClient::new(player);
    client.receive(host.snapshot(Some(Seat::X)));
    client.receive(host.apply_event(seated_event(
        Seat::O,
        "Bob",
        noughts_protocol::PlayerKind::Bot,
    )));
    client.receive(host.apply_event(Event::Started { game: 1 }));
    client.type_line(r#"{"do":"move","cell":"b2"}"#);
    // While a move is pending, a second move is rejected, and the board does not change.
    client.type_line(r#"{"do":"move","cell":"a1"}"#);
    client.receive(host.play("b2"));
    client.type_line(r#"{"do":"move","cell":"c1"}"#);
    client.type_line(r#"{"do":"move","cell":"c1","ply":7}"#);
    client.receive(notice_message(Notice::Lag {
        ms: [Some(20), Some(140)],
    }));
    client.receive(opponent_presence(Presence::Disconnected, Some(45_000)));
    client.receive(host.play("a1"));
    client.type_line(r#"{"do":"offer","offer":"draw"}"#);
    client.receive(host.offer(Seat::X, Offer::Draw));
    client.receive(host.apply_event(Event::Declined {
        seat: Seat::O,
        offer: Offer::Draw,
    }));
    for cell in ["c1", "b1", "a3"] {
        client.receive(host.play(cell));
    }
    client.receive(host.end_on_board());
    client.type_line(r#"{"do":"quit"}"#);
    assert_eq!(client.player.quit, Some(Exit::Done));
    check("json_game", client);
}

#[test]
fn text_lines_are_queued_and_objects_are_not() {
    let mut host = TestRoom::in_game("3x3:3", None);
    let mut client = JsonClient::new(TestPlayer::seated(Mode::Json, &host));
    client.type_line("b2");
    client.type_line("c1");
    assert_eq!(
        client.player.sent.len(),
        2,
        "the seek and one move: {:?}",
        client.player.sent
    );
    client.receive(host.play("b2"));
    client.receive(host.play("a1"));
    assert_eq!(
        client.player.sent.len(),
        3,
        "the queued move is sent: {:?}",
        client.player.sent
    );
    client.receive(host.play("c1"));
    client.type_line(r#"{"do":"move","cell":"a3"}"#);
    let is_rejected = client
        .lines
        .iter()
        .any(|line| line.contains(r#""code":"not_your_turn""#));
    assert!(is_rejected, "{:#?}", client.lines);
}

#[test]
fn unexpected_and_invalid_commands_are_rejected() {
    let mut client = JsonClient::new(TestPlayer::seated(
        Mode::Json,
        &TestRoom::in_game("3x3:3", None),
    ));
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
        client.type_line(line);
    }
    check("json_refusals", client);
}

#[test]
fn objects_choose_menu_items_and_fill_in_forms() {
    let mut client = JsonClient::new(TestPlayer::new(Mode::Json, InitialAction::Home));
    client.type_line(r#"{"do":"choose","number":99}"#);
    client.type_line(r#"{"do":"choose","number":5}"#);
    client.type_line(r#"{"do":"answer","text":"4x4:4"}"#);
    client.type_line(r#"{"do":"answer"}"#);
    client.type_line(r#"{"do":"answer","text":"bot:brutal"}"#);
    client.type_line(r#"{"do":"answer","text":"Bob"}"#);
    client.type_line(r#"{"do":"answer","text":"second"}"#);
    client.type_line(r#"{"do":"answer"}"#);
    check("json_form", client);
}

#[test]
fn a_rejection_has_the_code_of_the_server() {
    let mut client = JsonClient::new(TestPlayer::online(
        Mode::Json,
        SessionGoal::Join("k7qf3mzx".parse().unwrap()),
    ));
    client.player.reject_last(RejectCode::UnknownRoom);
    client.record();
    assert_eq!(client.player.quit, Some(Exit::Rejected));
    check("json_refused", client);
}

#[test]
fn answers_to_queries_are_objects() {
    let mut host = TestRoom::in_game("4x4x4:4", Some("1+0"));
    let mut client = JsonClient::new(TestPlayer::seated(Mode::Json, &host));
    client.receive(host.play("a1-1"));
    for line in ["b", "s 1,1", "p", "l", "c", "o", "help"] {
        client.type_line(line);
    }
    check("json_answers", client);
}

#[test]
fn passing_time_alone_prints_no_state() {
    let mut host = TestRoom::in_game("3x3:3", Some("5+3"));
    let mut player = TestPlayer::seated(Mode::Json, &host);
    let before = JsonState::collect_all(&player.model).remove(0);
    player.advance(1500);
    let later = JsonState::collect_all(&player.model).remove(0);
    assert_ne!(before, later, "the clocks are equal");
    assert!(later.is_unchanged_from(&before));
    player.receive_message(host.play("b2"));
    assert!(
        !JsonState::collect_all(&player.model)
            .remove(0)
            .is_unchanged_from(&before)
    );
}

#[test]
fn the_resume_token_is_never_printed() {
    let game = crate::io::saved_games::tests::saved_game("k7qf3mzx");
    let token = game.token.to_string();
    let player = TestPlayer::with_saved_games(Mode::Json, InitialAction::Home, vec![game.clone()]);
    assert!(player.output.iter().any(|line| line.contains("k7qf3mzx")));
    assert!(
        !player.output.iter().any(|line| line.contains(&token)),
        "{:?}",
        player.output
    );
    let line = super::event(None, &Notification::MayContinue(Box::new(game))).unwrap();
    assert!(!line.contains(&token), "{line}");
}

/// Covers the events that no other snapshot has.
#[test]
fn facts_are_written_with_the_words_of_json_mode() {
    let rules: Rules = "3x3:3".parse().unwrap();
    let cell = |name| rules.parse_cell(name).unwrap();
    let mut position = Position::new(rules);
    position.play(cell("b2")).unwrap();
    let ann = PlayerRef {
        seat: Seat::X,
        name: "Ann".parse().unwrap(),
        you: true,
        identity: None,
    };
    let io = LocalizableIoError::other("disk full");
    let path = || "game.txt".to_owned();
    let score = |evaluation, exact| SearchScore { evaluation, exact };
    let lost = |reason| Notification::Offline {
        reason,
        retry_in_ms: 500,
    };
    let ended = |reason| Notification::Ended {
        server: ServerUrl::default(),
        reason,
    };
    let invalid = |text: &str, error| Notification::InvalidCommand {
        text: text.to_owned(),
        error,
    };
    let events = [
        lost(DisconnectReason::Io(io.clone())),
        lost(DisconnectReason::Silent),
        lost(DisconnectReason::Closed(None)),
        lost(DisconnectReason::Closed(Some(1001))),
        lost(DisconnectReason::Http(503)),
        lost(DisconnectReason::NotReady(Reject::new(
            RejectCode::Draining,
        ))),
        Notification::Back,
        ended(TerminationReason::CannotConnect(DisconnectReason::Io(
            io.clone(),
        ))),
        ended(TerminationReason::Rejected(Reject::new(
            RejectCode::Version,
        ))),
        ended(TerminationReason::Http(403)),
        ended(TerminationReason::NotNoughts),
        ended(TerminationReason::Final(CloseCode::ServerClosed)),
        ended(TerminationReason::GaveUp(DisconnectReason::Garbled)),
        Notification::RoomGone,
        Notification::Restarting {
            retry_after_ms: 2000,
        },
        Notification::RoomAddress {
            server: ServerUrl::default(),
            room: "k7qf3mzx".parse().unwrap(),
            rules,
            clock: None,
        },
        Notification::BotInvited {
            level: "easy".parse().unwrap(),
        },
        Notification::TakenBack {
            plies: 2,
            next: NextMove::You,
        },
        Notification::Over {
            ending: Ending {
                outcome: Outcome::Full,
                rules,
            },
            players: [ann.clone(), ann.clone()],
            score: MatchScore::default(),
        },
        Notification::Studying,
        Notification::Values(MoveValues {
            position: position.clone(),
            cells: vec![
                (cell("a1"), score(Evaluation::Win(3), true)),
                (cell("b1"), score(Evaluation::Loss(4), false)),
                (cell("c1"), score(Evaluation::Draw, true)),
                (cell("a2"), score(Evaluation::Estimate(-7), false)),
            ],
            nodes: 4,
        }),
        Notification::Review(GameReview {
            rules,
            winner: None,
            moves: vec![ReviewedMove {
                seat: Seat::X,
                cell: cell("b1"),
                score_before: score(Evaluation::Draw, true),
                score_after: score(Evaluation::Loss(4), true),
                best_cell: cell("b2"),
            }],
        }),
        Notification::Closed {
            reason: RoomCloseReason::Idle,
        },
        Notification::Claimable(ann.clone()),
        Notification::Spectators { count: 2 },
        Notification::Phrase {
            who: ann.clone(),
            phrase: Phrase::ALL[0],
        },
        Notification::HostFailed(HostError::PortTaken(80)),
        Notification::Muted { on: true },
        Notification::Remark {
            who: ann.clone(),
            evaluation: EngineEvaluation {
                score: Evaluation::Win(5),
                pv: vec![cell("a1"), cell("c3")],
            },
            rules,
        },
        Notification::Rejected {
            asked: Some(PendingRequest::Offer(Offer::Takeback)),
            reject: Reject::new(RejectCode::NothingToTakeBack),
        },
        Notification::Unavailable(Unavailable::LeaveQuestion(LeaveEffect::Resigns)),
        invalid("h9\u{7}", TextCommandError::BadCell(CellError::Dimensions)),
        invalid("", TextCommandError::BadArgument(&COMMANDS[0])),
        Notification::FieldInvalid(FormFieldError::BadPort),
        Notification::SettingsSaved { path: path() },
        Notification::Failed(Failure::Engine {
            detail: EngineError::NoMove,
        }),
        Notification::Failed(Failure::NotSaved {
            path: path(),
            error: io.clone(),
        }),
        Notification::Failed(Failure::SettingsNotSaved(SettingsFileError::Write(
            PathBuf::new(),
            io.clone(),
        ))),
        Notification::Failed(Failure::BadRecord {
            path: path(),
            error: "x".parse::<Record>().unwrap_err(),
        }),
        Notification::Failed(Failure::NotContinued {
            detail: SavedGameError::Held,
        }),
        Notification::Record {
            players: ["Ann".to_owned(), String::new()],
            position,
            outcome: Some(Outcome::Resigned { winner: Seat::O }),
        },
        Notification::Damaged { files: 1 },
        Notification::OwnGames {
            games: own_games(&["Bob"]).games,
            is_selectable: true,
        },
        Notification::DamagedGames {
            files: 2,
            folder: path(),
        },
        Notification::GameLink {
            link: "#r/AAAA".to_owned(),
        },
        Notification::Failed(Failure::BadLink {
            error: parse_game_link("#r/?").unwrap_err(),
        }),
        Notification::Failed(Failure::GameNotKept { error: io }),
        Notification::QueryAnswer(QueryAnswer::Last {
            who: None,
            cell: None,
        }),
    ];
    let lines = events.map(|event| super::event(None, &event).unwrap());
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("json_events", lines.join("\n"));
    });
}

#[test]
fn only_hints_for_people_are_omitted() {
    assert_eq!(super::event(None, &Notification::Hint), None);
    let address = Notification::RoomAddress {
        server: ServerUrl::default(),
        room: "k7qf3mzx".parse().unwrap(),
        rules: "3x3:3".parse().unwrap(),
        clock: None,
    };
    let line = super::event(Some("00000000"), &address).unwrap();
    assert_eq!(line.matches("\"room\"").count(), 1, "{line}");
    assert!(super::event(None, &Notification::Unavailable(Unavailable::NoGame)).is_some());
    let mut model: Model = TestPlayer::new(Mode::Json, InitialAction::Home).model;
    model.exit = Exit::ConnectionLost;
    assert_eq!(super::end(model.exit), r#"{"event":"end","exit":5}"#);
}
