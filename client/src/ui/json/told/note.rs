//! The event of each note.

use std::time::Duration;

use noughts_protocol::wire::Reject;
use noughts_protocol::{Outcome, Position};

use super::*;
use crate::input::TypedError;
use crate::input::typed::ENTRIES;
use crate::model::{Answer, Ask, Entry, Field, Note, Purpose, ScanName, Who};
use crate::preferences::file::ReadError;
use crate::ui::json::codes::{self, Loss};
use crate::words::is_plain;

/// The most characters of what was typed that are told again.
const MAX_SHOWN: usize = 120;

impl<'a> Told<'a> {
    /// The event of a note; none for what a person alone needs to be told.
    pub(in crate::ui::json) fn of(note: &'a Note) -> Option<Told<'a>> {
        Some(match note {
            Note::Hint | Note::Several(_) | Note::PlayAgain | Note::Bye(_) => return None,
            Note::Connecting(server) => Told::Connecting { server: server.to_string() },
            Note::Connected { server, name } => Told::Connected { server: server.to_string(), name },
            Note::Offline { why, retry_in } => {
                Told::Offline { why: Loss::offline(why), retry_in_ms: ms(*retry_in) }
            }
            Note::Back => Told::Back,
            Note::Ended { ended, server } => {
                Told::Ended { server: server.to_string(), why: Loss::ended(ended) }
            }
            Note::RoomGone => Told::RoomGone,
            Note::Restarting { back_in } => Told::Restarting { back_in_ms: ms(*back_in) },
            Note::Seeking { rules, clock } => Told::Seeking { rules: *rules, clock: *clock },
            Note::Invite { server, room, rules, clock } => Told::Invite {
                server: server.to_string(),
                room: room.to_string(),
                rules: *rules,
                clock: *clock,
            },
            Note::BotInvited(level) => Told::BotInvited { level: level.to_string() },
            Note::BotFailed => Told::BotFailed,
            Note::Joined { rules, clock, players, you, .. } => {
                Told::Joined { rules: *rules, clock: *clock, players, seat: *you }
            }
            Note::Rooms { rooms, seeks, .. } => Told::Rooms { rooms, seeks },
            Note::Seated(Who { seat, name, .. }) => Told::Seated { seat: *seat, name },
            Note::Started { number, rules, players, .. } => {
                Told::Started { game: *number, rules: *rules, players: players.each_ref().map(person) }
            }
            Note::Moved { who, cell, rules, .. } => {
                Told::Moved { seat: who.seat, cell: rules.cell_text(*cell) }
            }
            Note::Offered { who, offer } => Told::Offered { seat: who.seat, offer: *offer },
            Note::Declined { who, offer } => Told::Declined { seat: who.seat, offer: *offer },
            Note::TakenBack { plies, .. } => Told::TakenBack { plies: *plies },
            Note::Over { outcome, rules, .. } => Told::Over { ending: Ending::of(outcome, rules) },
            Note::EngineFailed(fault) => Told::failed("engine", None, Some(fault.to_string())),
            Note::Studying => Told::Studying,
            Note::Values(values) => {
                let rules = values.position.rules();
                let cells = values.cells.iter();
                let cells =
                    cells.map(|&(cell, score)| Valued { cell: rules.cell_text(cell), worth: score.into() });
                Told::Values { cells: cells.collect() }
            }
            Note::Review(review) => {
                let moves = review.moves.iter().map(|judged| Reviewed::of(judged, &review.rules));
                Told::Review { moves: moves.collect() }
            }
            Note::Closed(why) => Told::Closed { why: *why },
            Note::Presence { who, presence, claim_in } => {
                Told::Presence { seat: who.seat, presence: *presence, claim_in_ms: claim_in.map(ms) }
            }
            Note::Claimable(who) => Told::Claimable { seat: who.seat },
            Note::Watching(count) => Told::Watching { count: *count },
            Note::Thinks { who, thinks, rules } => {
                Told::Thinks { seat: who.seat, worth: thinks.score.into(), line: texts(&thinks.line, rules) }
            }
            Note::Refused { ask, reject } => Told::server(*ask, reject),
            Note::Unsent(error) => Told::program(Why::code(codes::unsent(*error))),
            Note::Illegal { reject, .. } => Told::program(Why::Wire(reject)),
            Note::NotNow(why) => Told::program(Why::code(codes::not_now(*why))),
            Note::Unreadable { text, error } => {
                let detail = match error {
                    TypedError::Object(detail) => detail,
                    TypedError::Empty
                    | TypedError::Unknown
                    | TypedError::Cell(_)
                    | TypedError::NoBoard
                    | TypedError::Argument(_) => text,
                };
                Told::program(Why::Own { code: codes::typed(error), detail: Some(shown(detail)) })
            }
            Note::Field(error) => Told::program(Why::code(codes::field_error(*error))),
            Note::Asked { purpose, field } => Told::field(*purpose, field),
            Note::InputEnded => Told::InputEnded,
            Note::Keys(order) => Told::Keys { order: codes::order(*order) },
            Note::Saved(path) | Note::SettingsSaved(path) => Told::Saved { path },
            Note::NotSaved { path, error } => Told::failed("not_saved", Some(path), Some(error.to_string())),
            Note::SettingsNotSaved(error) => {
                let detail = match error {
                    ReadError::NoPlace => None,
                    ReadError::Io(_, detail) => Some(detail.to_string()),
                    ReadError::Mistake(_, mistake) => Some(format!("line {}", mistake.line)),
                };
                Told::failed("not_saved", None, detail)
            }
            Note::BadRecord { path, error } => Told::Failed {
                code: "bad_record",
                path: Some(path),
                detail: Some(error.code().to_owned()),
                line: Some(error.line),
            },
            Note::NotRead { path, error } => Told::failed("not_read", Some(path), Some(error.to_string())),
            Note::Record { players, position, outcome } => Told::record(players, position, outcome.as_ref()),
            Note::Answer(answer) => Told::answer(answer),
            Note::Menu { unfinished } => Told::Menu {
                entries: Entry::all(unfinished.len()).into_iter().map(entry).collect(),
                unfinished: unfinished.iter().map(Kept::of).collect(),
            },
            Note::MayContinue(game) => Told::MayContinue { game: Kept::of(game) },
            Note::NothingToContinue => Told::NothingToContinue,
            Note::NotContinued(error) => {
                Told::failed("not_continued", None, Some(codes::take_error(error).to_owned()))
            }
            Note::NotKept(error) => Told::failed("not_kept", None, Some(codes::take_error(error).to_owned())),
            Note::Speaks => Told::Language,
            Note::Damaged(files) => Told::Damaged { files: *files },
        })
    }

    fn server(ask: Option<Ask>, reject: &'a Reject) -> Told<'a> {
        Told::Refused { by: By::Server, asked: ask.map(codes::asked), why: Why::Wire(reject) }
    }

    fn program(why: Why<'a>) -> Told<'a> {
        Told::Refused { by: By::Program, asked: None, why }
    }

    fn failed(code: &'static str, path: Option<&'a str>, detail: Option<String>) -> Told<'a> {
        Told::Failed { code, path, detail, line: None }
    }

    fn field(form: Purpose, field: &'a Field) -> Told<'a> {
        Told::Asked {
            form: codes::purpose(form),
            field: codes::field(field.id),
            text: field.edit.text(),
            options: &field.options,
            free: field.free,
        }
    }

    /// The names come from a file: what is no name is left out.
    fn record(players: &[String; 2], position: &Position, outcome: Option<&Outcome>) -> Told<'a> {
        let rules = *position.rules();
        Told::Record {
            rules,
            players: players.each_ref().map(|name| name.parse().ok()),
            moves: texts(position.moves(), &rules),
            board: board(position),
            ending: outcome.map(|outcome| Ending::of(outcome, &rules)),
        }
    }

    fn answer(answer: &'a Answer) -> Told<'a> {
        match answer {
            Answer::Board { position, .. } => {
                Told::Board { rules: *position.rules(), board: board(position) }
            }
            Answer::Scan { name, cells, rules } => Told::Scan {
                name: match name {
                    ScanName::Row(row) => Scanned::Row(row + 1),
                    ScanName::Column(column) => Scanned::Column(column + 1),
                },
                cells: cells
                    .iter()
                    .map(|&(cell, mark)| Marked { cell: rules.cell_text(cell), mark })
                    .collect(),
            },
            Answer::Marks { who, cells, rules } => Told::Marks { seat: who.seat, cells: texts(cells, rules) },
            Answer::Last(last) => Told::Last {
                seat: last.as_ref().map(|(who, ..)| who.seat),
                cell: last.as_ref().map(|(_, cell, rules)| rules.cell_text(*cell)),
            },
            Answer::Clocks(clocks) => {
                Told::Clocks { left_ms: clocks.as_ref().map(|[(_, x), (_, o)]| [*x, *o]) }
            }
            Answer::Opponent { who, bot, presence, lag } => Told::Opponent {
                seat: who.seat,
                name: &who.name,
                bot: *bot,
                presence: *presence,
                lag_ms: *lag,
            },
            Answer::Help(_) => Told::Help { words: ENTRIES.iter().map(|entry| entry.names[0]).collect() },
        }
    }
}

fn person(who: &Who) -> Person<'_> {
    Person { seat: who.seat, name: &who.name, you: who.you }
}

fn entry(entry: Entry) -> &'static str {
    match entry {
        Entry::Continue(_) => "continue",
        Entry::Quick => "quick",
        Entry::Private => "private",
        Entry::Join => "join",
        Entry::Watch => "watch",
        Entry::Local => "local",
        Entry::Bot => "bot",
        Entry::Settings => "settings",
        Entry::Quit => "quit",
    }
}

/// What was typed, without what could move the cursor of a terminal that shows these lines.
fn shown(text: &str) -> String {
    text.chars().filter(|&letter| is_plain(letter)).take(MAX_SHOWN).collect()
}

fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
