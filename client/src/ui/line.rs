//! Line mode: each note as one line, or as few as it takes. No escape sequences, nothing repeated.

use noughts_protocol::{Outcome, Rules, Seat};
use unicode_width::UnicodeWidthStr;

use super::{help, lobby, plain};
use crate::model::{Answer, Entry, Field, Note, Purpose, Who};
use crate::words::{Words, padded};

/// The lines of a note.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others are sentences, each with an arm of its own there"
)]
pub fn lines(words: Words, note: &Note) -> Vec<String> {
    match note {
        Note::Answer(Answer::Board { position, keys }) => plain::board(position, Some(*keys)),
        Note::Answer(Answer::Help(_)) => help_lines(&help::typed_rows(words)),
        Note::Invite { server, room, .. } => {
            let [code, joins] = words.invite_labels();
            let line = words.join_line(server, *room);
            vec![
                words.note(note),
                words.because(code, &room.to_string()),
                words.because(joins, &line),
                words.bot_hint().to_owned(),
            ]
        }
        Note::Rooms { rooms, seeks, to_choose } => {
            let columns = lobby::Columns::of(words, rooms, seeks, false);
            let numbered = rooms.iter().enumerate().map(|(place, listing)| {
                let number = if *to_choose { format!("{:>2}  ", place + 1) } else { String::new() };
                format!("{number}{}", lobby::room(words, listing, columns))
            });
            let mut lines: Vec<String> = numbered.collect();
            if rooms.is_empty() {
                lines.push(words.no_rooms().to_owned());
            }
            if !seeks.is_empty() {
                lines.push(words.seeks_heading().to_owned());
                lines.extend(seeks.iter().map(|seek| lobby::seek(words, seek, columns)));
            }
            if *to_choose {
                lines.push(words.lobby_help().to_owned());
            }
            lines
        }
        Note::Record { players, position, outcome } => record(words, players, position, outcome.as_ref()),
        Note::Values(values) => words.all_cells(values),
        Note::Review(review) => words.review(review),
        Note::Asked { purpose, field } => vec![asked(words, *purpose, field)],
        Note::Menu { unfinished } => {
            let entries = Entry::all(unfinished.len()).into_iter().enumerate().map(|(place, entry)| {
                let (name, what) = words.entry(entry, unfinished);
                format!("{}  {}{what}", place + 1, padded(name, 14)).trim_end().to_owned()
            });
            let mut lines = vec![words.tagline().to_owned()];
            lines.extend(entries);
            lines.push(words.menu_help().to_owned());
            lines
        }
        other => vec![words.note(other)],
    }
}

/// A note where there is room for one line.
pub(super) fn first(words: Words, note: &Note) -> String {
    let picture = matches!(note, Note::Answer(Answer::Board { .. } | Answer::Help(_)));
    if picture { String::new() } else { words.note(note) }
}

/// The rows of the help, what is typed in a column of its own.
fn help_lines(rows: &[help::Row]) -> Vec<String> {
    let width = |row: &help::Row| match row {
        help::Row::Heading(_) => 0,
        help::Row::Entry(typed, _) => typed.width() + 2,
    };
    let column = rows.iter().map(width).max().unwrap_or(0);
    let line = |row: &help::Row| match row {
        help::Row::Heading(text) => (*text).to_owned(),
        help::Row::Entry(typed, what) => format!("{}{what}", padded(typed, column)),
    };
    rows.iter().map(line).collect()
}

/// A question for a field, with the choices and what an empty line means.
fn asked(words: Words, _purpose: Purpose, field: &Field) -> String {
    let default = field.edit.text();
    let default = if default.is_empty() { String::new() } else { format!(" [{default}]") };
    format!("{}{default} ({})?", words.field(field.id), words.field_help(field.id))
}

/// A whole record: who, the moves with their numbers, the last board, the result.
fn record(
    words: Words,
    players: &[String; 2],
    position: &noughts_protocol::Position,
    outcome: Option<&Outcome>,
) -> Vec<String> {
    let rules = position.rules();
    let mut lines = vec![words.rules(rules)];
    lines.extend(record_players(players));
    for (number, pair) in position.moves().chunks(2).enumerate() {
        lines.push(format!("{}. {}", number + 1, words.cells(pair, rules)));
    }
    lines.extend(plain::board(position, None));
    lines.push(record_outcome(words, players, outcome, rules));
    lines
}

/// The players of a record. Its names come from a file: only what is a name is shown.
fn named(players: &[String; 2]) -> Option<[Who; 2]> {
    let who = |seat: Seat| {
        let name = players[seat.index()].parse().or_else(|_| "?".parse()).ok()?;
        Some(Who { seat, name, you: false })
    };
    Some([who(Seat::X)?, who(Seat::O)?])
}

/// Who played.
pub(super) fn record_players(players: &[String; 2]) -> Vec<String> {
    named(players).into_iter().flatten().map(|who| format!("{}: {}", who.seat, who.name)).collect()
}

/// The result of a record.
pub(super) fn record_outcome(
    words: Words,
    players: &[String; 2],
    outcome: Option<&Outcome>,
    rules: &Rules,
) -> String {
    match (outcome, named(players)) {
        (Some(outcome), Some(players)) => words.outcome(outcome, rules, &players),
        (Some(_), None) | (None, _) => words.unfinished().to_owned(),
    }
}
