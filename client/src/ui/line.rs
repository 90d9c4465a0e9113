//! Line mode: each note as one line, or as few as it takes. No escape sequences, nothing repeated.

use noughts_protocol::{Outcome, Rules};

use super::{help, lobby, plain};
use crate::model::{Answer, Entry, Field, Note, Purpose};
use crate::words::Words;

/// The lines of a note.
pub fn lines(words: Words, note: &Note) -> Vec<String> {
    match note {
        Note::Answer(Answer::Board { position, keys }) => plain::board(position, Some(*keys)),
        Note::Answer(Answer::Help(_)) => help::typed_rows(words).iter().map(help_line).collect(),
        Note::Invite { server, room, .. } => {
            let [code, joins] = words.invite_labels();
            let line = words.join_line(server, *room);
            vec![
                words.note(note),
                format!("{code}: {room}"),
                format!("{joins}: {line}"),
                words.bot_hint().to_owned(),
            ]
        }
        Note::Rooms { rooms, seeks, to_choose } => {
            let numbered = rooms.iter().enumerate().map(|(place, listing)| {
                let number = if *to_choose { format!("{:>2}  ", place + 1) } else { String::new() };
                format!("{number}{}", lobby::room(words, listing))
            });
            let mut lines: Vec<String> = numbered.collect();
            if rooms.is_empty() {
                lines.push(words.no_rooms().to_owned());
            }
            if !seeks.is_empty() {
                lines.push(words.seeks_heading().to_owned());
                lines.extend(seeks.iter().map(|seek| lobby::seek(words, seek)));
            }
            if *to_choose {
                lines.push(words.lobby_help().to_owned());
            }
            lines
        }
        Note::Record { players, position, outcome } => record(words, players, position, outcome.as_ref()),
        Note::Asked { purpose, field } => vec![asked(words, *purpose, field)],
        Note::Menu => {
            let entries = Entry::ALL.into_iter().enumerate().map(|(place, entry)| {
                let (name, what) = words.entry(entry);
                format!("{}  {name:<14}{what}", place + 1).trim_end().to_owned()
            });
            let mut lines = vec![words.tagline().to_owned()];
            lines.extend(entries);
            lines.push(words.menu_help().to_owned());
            lines
        }
        other => vec![words.note(other)],
    }
}

/// The first line: what fits where there is room for one.
pub(super) fn first(words: Words, note: &Note) -> String {
    match note {
        Note::Answer(Answer::Board { .. } | Answer::Help(_)) => String::new(),
        other => words.note(other),
    }
}

fn help_line(row: &help::Row) -> String {
    match row {
        help::Row::Heading(text) => (*text).to_owned(),
        help::Row::Entry(typed, what) => format!("{typed:<34}{what}"),
    }
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
    lines.extend(record_players(words, players));
    for (number, pair) in position.moves().chunks(2).enumerate() {
        lines.push(format!("{}. {}", number + 1, words.cells(pair, rules)));
    }
    lines.extend(plain::board(position, None));
    lines.push(record_outcome(words, outcome, rules));
    lines
}

/// The players of a record. Its names come from a file: only what is a name is shown.
pub(super) fn record_players(words: Words, players: &[String; 2]) -> [String; 2] {
    let name = |text: &String| {
        text.parse::<noughts_protocol::Name>().map_or_else(|_| "?".to_owned(), |name| name.to_string())
    };
    let [x, o] = players;
    [
        format!("{}: {}", words.mark(noughts_protocol::Seat::X), name(x)),
        format!("{}: {}", words.mark(noughts_protocol::Seat::O), name(o)),
    ]
}

/// The result of a record.
pub(super) fn record_outcome(words: Words, outcome: Option<&Outcome>, rules: &Rules) -> String {
    match outcome {
        Some(outcome) => {
            let line =
                outcome.line().map(|line| format!(". {}", words.line(line, rules))).unwrap_or_default();
            format!("{outcome}{line}")
        }
        None => words.unfinished().to_owned(),
    }
}
