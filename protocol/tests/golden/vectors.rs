//! Vectors for clients in other languages: how rules are read, and how events change a room.

use std::path::PathBuf;

use noughts_protocol::game::referee::Referee;
use noughts_protocol::rng::SeededRng;
use noughts_protocol::{
    Cell, Event, EventRecord, Game, Offer, Outcome, Phase, Player, PlayerKind, Record,
    RoomCloseReason, RuleFlag, Rules, Seat, Status,
};
use serde_json::{Value, json};

use super::check_golden_file;

/// The golden files of this module.
pub(super) const VECTOR_FILES: &[&str] = &[
    "vector-rules",
    "vector-fold",
    "vector-first_moves",
    "vector-record",
];

const ROOMS: &[(&str, Option<&str>)] = &[
    ("3x3:3", Some("5+3")),
    ("7x6:4+gravity", None),
    ("3x3x3:3+misere", Some("90s+0")),
    ("2x2x2x2:2+exact", None),
    ("9:3", None),
    ("3x3x3:3+gravity", Some("1+180")),
    ("4x3:3+torus", None),
];
const EVENTS_PER_ROOM: usize = 45;

#[test]
fn rules_vectors_match_their_golden_file() {
    let valid = [
        "3x3:3",
        "7x6:4+gravity",
        "4x4x4:4",
        "2x3x4x5:3",
        "25x25:6",
        "9:3",
        "1:1",
        "CONNECT4",
        "gomoku-exact",
        "score4",
        "tesseract",
        "15X15:5+Exact+MISERE",
        "8x8:4+misere+gravity",
        "Torus4",
        "7x6:4+torus+gravity",
        "5x5:4+torus+exact",
    ];
    let invalid = [
        "",
        "chess",
        "3x3",
        "3x3:4",
        "26x3:3",
        "0x3:3",
        "3x3:0",
        "9:3+gravity",
        "3x3:3+exact+torus",
        "3x3:3+fast",
        "3x3:3+exact+exact",
        "x3:3",
        "3x:3",
        "+3x3:3",
        "3x3:3:3",
        "2x2x2x2x2:2",
        "25x25x2:3",
        "3x3:999",
        "3 x3:3",
        "1x1x1x1:1+gravity+misere+exact++++++++++++++++",
    ];
    let mut lines: Vec<String> = valid
        .iter()
        .map(|text| {
            let rules: Rules = text.parse().unwrap();
            let cells = rules.cells();
            let names: Vec<Value> = [0, 1, cells / 3, cells / 2, cells - 1]
                .into_iter()
                .filter(|cell| *cell < cells)
                .map(|cell| json!([cell, rules.cell_text(Cell::new(u16::try_from(cell).unwrap()))]))
                .collect();
            json!({ "text": text, "canonical": rules.to_string(), "sides": rules.sides(), "line": rules.line(),
                "cells": cells, "names": names })
            .to_string()
        })
        .collect();
    lines.extend(invalid.iter().map(|text| {
        let error = text.parse::<Rules>().expect_err(text);
        json!({ "text": text, "error": error.code() }).to_string()
    }));
    check_golden_file("vector-rules", &lines);
}

/// Returns the flags and names of rules as a module of the page.
fn page_table() -> String {
    let flags: String = RuleFlag::ALL
        .iter()
        .map(|flag| format!("  \"{flag}\",\n"))
        .collect();
    let names: String = Rules::NAMED
        .iter()
        .map(|(name, rules)| {
            let key = if name.contains('-') {
                format!("\"{name}\"")
            } else {
                (*name).to_owned()
            };
            format!("  {key}: \"{rules}\",\n")
        })
        .collect();
    format!(
        "// Flags and names of rules, from the protocol. Written by NOUGHTS_TEST_GOLDEN=write cargo test -p noughts-protocol\n\n\
         /** @typedef {{(typeof FLAGS)[number]}} Flag */\n\n\
         /** Flags of rules, in the order of their text. */\n\
         export const FLAGS = /** @type {{const}} */ ([\n{flags}]);\n\n\
         /** Well-known names of rules, as a request may use them. */\n\
         export const NAMED_RULES = Object.freeze({{\n{names}}});\n"
    )
}

#[test]
fn the_page_has_the_flags_and_names_of_rules() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../client/web/page/core/rule-table.js");
    noughts_golden::check_file(path, &page_table());
}

#[test]
fn record_vectors_match_their_golden_file() {
    let names =
        "[Rules \"3x3:3\"]\n[X \"Ann \\\"A\\\\\\\" B\u{301}\"]\n[O \"\\u{202e}Боб\"]\n\n1. b2";
    let texts = [
        "[Rules \"3x3:3\"]\n[X \"Ann\"]\n[O \"Bob\"]\n[Clock \"5+3\"]\n[Result \"X line\"]\n\n1. b2 a1 2. c1 b1 3. a3\n",
        "[Rules \"connect4\"]\n[Event \"club night\"]\n\n d1 d2\n\n2. A6",
        "[Rules \"3x3:3\"]\n[Result \"draw full\"]\n1. a1 b1 2. c1 b2 3. a2 c2 4. b3 a3 5. c3",
        "[Rules \"3x3:3+misere\"]\n[Result \"O line\"]\n\n1. a1 b1 2. a2 b2 3. a3",
        "[Rules \"6:3+exact\"]\r\n[Result \"draw agreement\"]\r\n\r\na1 f1 b1 e1 d1",
        "[Rules \"6:3+exact\"]\n\na1 f1 b1 e1 d1 c1\n[Rules \"9:3\"]",
        "[Rules \"3x3x3:3\"]\n[Result \"X line\"]\n\n1. 1,1,1 1,2,1 2. 2,2,2 1,3,1 3. 3,3,3",
        "[Rules \"2x2x2x2:2+gravity\"]\n[Result \"X line\"]\n\n1. 1,1,1,1 2,1,2,2 2. 1,1,1,1",
        "[Rules \"1:1\"]\n[Result \"X line\"]\n\na1",
        "[Rules \"3x3:3+torus\"]\n[Result \"X line\"]\n\n1. b1 a1 2. c2 b2 3. a3",
        "[Rules \"7x6:4+gravity+torus\"]\n[Result \"X line\"]\n\n1. f6 f5 2. g6 g5 3. a6 a5 4. b6",
        "[Rules \"5x5:3+exact+torus\"]\n\n1. e1 e2 2. a1 a2 3. c1 c3 4. b1 d4",
        "[Rules \"3x5:4+torus\"]\n\n1. a1 a2 2. b2 b3 3. c3 c4 4. a4 b5",
        "[Rules \"3x3:3\"]\n[Result \"draw abandonment\"]\n",
        "[Rules \"3x3:3\"]\n[Result \"aborted\"]\n\n1. b2",
        "[Rules \"3x3:3\"]\n[Result \"O time\"]\n\nb2",
        names,
        "",
        "hello",
        "[X \"Ann\"]",
        "[Rules 3x3:3]",
        "[Rules \"3x3:3\"]\n[Rules \"3x3:3\"]",
        "[Rules \"3x3:9\"]",
        "[Rules \"3x3:3\"]\n[X \"a\\x\"]",
        "[Rules \"3x3:3\"]\n[X \"\\u{110000}\"]",
        "[Rules \"3x3:3\"]\n[Clock \"soon\"]",
        "[Rules \"3x3:3\"]\n[Result \"X maybe\"]",
        "[Rules \"3x3:3\"]\n[Result \"draw line\"]",
        "[Rules \"3x3:3\"]\n[Result \"X line\"]\n\nb2",
        "[Rules \"3x3:3\"]\n\n1. b2 a1 2. c1 b1 3. a3",
        "[Rules \"3x3:3\"]\n\n1. b2 a1 2. c1 b1 3. a3 4. c3",
        "[Rules \"3x3:3\"]\n\n2. b2",
        "[Rules \"3x3:3\"]\n\n1. b2 2. a1",
        "[Rules \"3x3:3\"]\n\n\nb2 b2",
        "[Rules \"2x2:2+gravity\"]\n\na1 a1 a2",
    ];
    let lines: Vec<String> = texts
        .iter()
        .map(|text| match text.parse::<Record>() {
            Ok(record) => {
                let result = record.outcome.as_ref().map_or("*".to_owned(), ToString::to_string);
                let clock = record.control.map(|control| control.to_string());
                let moves: Vec<usize> = record.moves.iter().map(|cell| cell.index()).collect();
                json!({ "text": text, "rules": record.rules.to_string(), "players": record.players, "clock": clock,
                    "moves": moves, "result": result, "written": record.to_string() })
                .to_string()
            }
            Err(error) => json!({ "text": text, "line": error.line, "error": error.code() }).to_string(),
        })
        .collect();
    check_golden_file("vector-record", &lines);
}

/// Returns a random event that the room may store next.
fn random_event(game: &Game, now: u64, rng: &mut SeededRng) -> Vec<Event> {
    let referee = Referee::new(game, now);
    let seat = *rng.choose(&[Seat::X, Seat::O]);
    let offer = *rng.choose(&[Offer::Draw, Offer::Takeback, Offer::Rematch]);
    match game.phase() {
        Phase::Waiting => match Seat::ALL
            .into_iter()
            .find(|seat| game.player(*seat).is_none())
        {
            Some(seat) => {
                let (name, kind) =
                    *rng.choose(&[("Bob", PlayerKind::Person), ("Deep", PlayerKind::Bot)]);
                vec![Event::Seated {
                    seat,
                    player: Player::guest(name.parse().unwrap(), kind),
                }]
            }
            None => vec![Event::Started { game: 1 }],
        },
        Phase::Playing => match rng.random_below(16) {
            0 => referee.resign(seat).into_iter().collect(),
            1 => vec![referee.end(Outcome::Abandoned { winner: None })],
            2 | 3 => referee.offer(seat, offer).into_iter().collect(),
            4 => referee.accept(seat, offer).into_iter().collect(),
            5 => referee.decline(seat, offer).into_iter().collect(),
            _ => {
                let cell = Cell::new(
                    u16::try_from(rng.random_below(game.rules().cells() as u64)).unwrap(),
                );
                referee
                    .play(game.position().turn(), cell)
                    .unwrap_or_default()
            }
        },
        Phase::Over if rng.random_one_in(40) => vec![Event::Closed {
            reason: RoomCloseReason::Idle,
        }],
        Phase::Over => match game.offered_by(Offer::Rematch) {
            Some(by) => referee
                .accept(by.other(), Offer::Rematch)
                .into_iter()
                .collect(),
            None => referee.offer(seat, Offer::Rematch).into_iter().collect(),
        },
        Phase::Closed => vec![],
    }
}

#[test]
fn fold_vectors_match_their_golden_file() {
    check_golden_file("vector-fold", &fold_vectors(false));
}

#[test]
fn fold_vectors_of_free_first_moves_match_their_golden_file() {
    let lines = fold_vectors(true);
    let counts = |text: &&String| text.contains(r#""shown""#);
    assert!(
        lines.iter().filter(counts).count() > 50,
        "no room with clocks"
    );
    check_golden_file("vector-first_moves", &lines);
}

/// Returns the state before and after each event of random rooms.
fn fold_vectors(free_first_moves: bool) -> Vec<String> {
    let mut lines = vec![];
    for (seed, (rules, clock)) in ROOMS.iter().enumerate() {
        let mut rng = SeededRng::new(seed as u64);
        if free_first_moves && clock.is_none() {
            continue;
        }
        let opened = Event::Opened {
            rules: rules.parse().unwrap(),
            clock: clock.map(|clock| clock.parse().unwrap()),
            public: seed % 2 == 0,
            free_first_moves,
        };
        let mut now = 1_795_257_126_464;
        let first: EventRecord =
            serde_json::from_value(json!({ "seq": 1, "at": now, "event": opened })).unwrap();
        let mut game = Game::open(&first).unwrap();
        let mut folded = 0;
        while folded < EVENTS_PER_ROOM && game.phase() != Phase::Closed {
            now += rng.random_below(900);
            for event in random_event(&game, now, &mut rng) {
                let record: EventRecord = serde_json::from_value(
                    json!({ "seq": game.seq().next(), "at": now, "event": event }),
                )
                .unwrap();
                let before = game.snapshot(game.last_event_at());
                let landings: Vec<[i32; 2]> = (0..game.rules().cells())
                    .step_by(4)
                    .filter(|_| game.phase() == Phase::Playing && game.rules().gravity())
                    // Between the last move of a game and its event `ended`, no stone may be placed.
                    .filter(|_| game.position().status() == Status::Ongoing)
                    .map(|cell| {
                        let landing = game
                            .position()
                            .landing_cell(Cell::new(u16::try_from(cell).unwrap()));
                        let landing =
                            landing.map_or(-1, |cell| i32::try_from(cell.index()).unwrap());
                        [i32::try_from(cell).unwrap(), landing]
                    })
                    .collect();
                game.apply(&record).unwrap();
                folded += 1;
                let after = game.snapshot(now);
                let vector = json!({ "before": before, "event": record, "after": after, "landings": landings });
                lines.push(vector.to_string());
            }
        }
    }
    lines
}
