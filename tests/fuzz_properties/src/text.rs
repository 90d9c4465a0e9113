//! Text formats: accepted text round-trips; rejected text yields a bounded reject.

use noughts_protocol::wire::{Message, Request};
use noughts_protocol::{Cell, Game, Phase, Position, Record, Rules, Seat, Status};

/// Checks the server's parser of client messages.
pub fn request(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    match Request::parse(text) {
        Ok(request) => {
            let written = request.to_json();
            let reparsed = Request::parse(&written).expect("output is parsed");
            assert_eq!(reparsed.to_json(), written);
            assert_eq!(reparsed.id, request.id);
            true
        }
        Err(parse_error) => {
            let response = serde_json::to_string(&Message::Reject {
                re: parse_error.re,
                reject: parse_error.reject,
            });
            let response = response.expect("a reject can be written");
            // A reject quotes the input only up to a limit.
            assert!(response.len() <= 1024, "reject of {} bytes", response.len());
            Message::parse(&response).expect("a client reads its reject");
            false
        }
    }
}

/// Checks the client's parser of server messages, one a line, and the game folded from their snapshots and
/// events.
pub fn message(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let mut game: Option<Game> = None;
    let mut accepted = false;
    for line in text.lines() {
        let Ok(message) = Message::parse(line) else {
            continue;
        };
        accepted = true;
        let written = message.to_json();
        let reparsed = Message::parse(&written).expect("output is parsed");
        assert_eq!(reparsed.to_json(), written);
        if let Message::Snapshot { state, .. } = &message {
            if let Ok(folded) = Game::from_snapshot(state) {
                assert_snapshot_round_trip(&folded, state.at);
                game = Some(folded);
            }
        } else if let (Message::Events { events, .. }, Some(game)) = (&message, &mut game) {
            for event in events {
                if game.apply(event).is_ok() {
                    assert_snapshot_round_trip(game, event.at);
                }
            }
        }
    }
    accepted
}

/// Checks that a game and its snapshot are equivalent.
///
/// Two states have no snapshot, because the server sends their events together: both seats taken before the
/// game starts, and the last move before the end.
pub(crate) fn assert_snapshot_round_trip(game: &Game, at: u64) {
    let about_to_begin =
        game.phase() == Phase::Waiting && Seat::ALL.iter().all(|&seat| game.player(seat).is_some());
    let about_to_end = game.outcome().is_none() && game.position().status() != Status::Ongoing;
    if about_to_begin || about_to_end {
        return;
    }
    let snapshot = game.snapshot(at);
    let reparsed = Game::from_snapshot(&snapshot).expect("a game's snapshot is valid");
    assert_eq!(reparsed.snapshot(at), snapshot);
    assert_eq!(reparsed.position().status(), game.position().status());
    if let Some(record) = game.record() {
        assert_eq!(record.to_string().parse().as_ref(), Ok(&record));
    }
}

/// Checks a line of rules, and the moves in the bytes after it.
pub fn rules(bytes: &[u8]) -> bool {
    let (text, cells) = match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[][..]),
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return false;
    };
    let Ok(rules) = text.parse::<Rules>() else {
        return false;
    };
    assert_eq!(rules.to_string().parse(), Ok(rules));
    if let Some(name) = rules.name() {
        assert_eq!(name.parse(), Ok(rules));
    }
    let mut position = Position::new(rules);
    for &byte in cells {
        let cell = Cell::new(u16::from(byte) * (rules.cells() as u16).div_ceil(256));
        check_move(&mut position, cell);
    }
    true
}

/// Checks that a move is accepted exactly if the stone has a landing cell, that it lands there, that undo
/// restores the position, and that the cell's text round-trips.
fn check_move(position: &mut Position, cell: Cell) {
    let rules = *position.rules();
    let (ply, key, status) = (position.ply(), position.key(), position.status());
    let landing = position.landing_cell(cell);
    let predicted = position.status_after(cell);
    assert_eq!(position.is_legal(cell), landing == Ok(cell));
    match position.play(cell) {
        Ok(after) => {
            let landing = landing.expect("a played stone has a cell");
            assert_eq!((predicted, status), (Ok(after), Status::Ongoing));
            assert_eq!(rules.parse_cell(&rules.cell_text(landing)), Ok(landing));
            assert_eq!(
                position.undo().map(|undone| (undone, position.ply())),
                Some((landing, ply))
            );
            assert_eq!((position.key(), position.status()), (key, status));
            assert_eq!(position.play(landing), Ok(after));
            assert_eq!(position.outcome().is_some(), after != Status::Ongoing);
        }
        Err(error) => {
            assert_eq!((landing, predicted), (Err(error), Err(error)));
            assert_eq!(
                (position.ply(), position.key()),
                (ply, key),
                "a rejected move changes nothing"
            );
        }
    }
}

/// Checks the parser of game records.
pub fn record(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let Ok(record) = text.parse::<Record>() else {
        return false;
    };
    record.replay().expect("a parsed record can be replayed");
    let written = record.to_string();
    // Escaped characters make the written text longer than the input.
    if written.len() <= Record::MAX_TEXT {
        assert_eq!(written.parse().as_ref(), Ok(&record));
    }
    true
}
