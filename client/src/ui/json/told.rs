//! What happened, as an object: one variant an event.

use std::time::Duration;

use noughts_protocol::wire::{Listing, OpenSeek, Presence, Reject};
use noughts_protocol::{
    Cell, Closing, LineName, Name, Offer, Outcome, Player, Position, RoomId, Rules, Seat, TimeControl,
};
use serde::Serialize;

use super::codes::{self, Loss, Worth};
use crate::input::TypedError;
use crate::input::typed::ENTRIES;
use crate::model::{Answer, Ask, Entry, Field, Note, Purpose, ScanName, Who};
use crate::preferences::file::ReadError;
use crate::study::{Judged, Regret};
use crate::unfinished::Unfinished;
use crate::words::is_plain;

/// The most characters of what was typed that are told again.
const MAX_SHOWN: usize = 120;

/// An event.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Told<'a> {
    Connecting {
        server: String,
    },
    Connected {
        server: String,
        name: &'a Name,
    },
    Offline {
        #[serde(flatten)]
        why: Loss<'a>,
        retry_in_ms: u64,
    },
    Back,
    Ended {
        server: String,
        #[serde(flatten)]
        why: Loss<'a>,
    },
    RoomGone,
    Restarting {
        back_in_ms: u64,
    },
    Seeking {
        rules: Rules,
        clock: Option<TimeControl>,
    },
    Invite {
        server: String,
        room: String,
        rules: Rules,
        clock: Option<TimeControl>,
    },
    BotInvited {
        level: String,
    },
    BotFailed,
    Joined {
        rules: Rules,
        clock: Option<TimeControl>,
        players: &'a [Option<Player>; 2],
        seat: Option<Seat>,
    },
    Rooms {
        rooms: &'a [Listing],
        seeks: &'a [OpenSeek],
    },
    Seated {
        seat: Seat,
        name: &'a Name,
    },
    Started {
        game: u32,
        rules: Rules,
        players: [Person<'a>; 2],
    },
    Moved {
        seat: Seat,
        cell: String,
    },
    Offered {
        seat: Seat,
        offer: Offer,
    },
    Declined {
        seat: Seat,
        offer: Offer,
    },
    TakenBack {
        plies: u8,
    },
    Over {
        #[serde(flatten)]
        ending: Ending,
    },
    Studying,
    Values {
        cells: Vec<Valued>,
    },
    Review {
        moves: Vec<Reviewed>,
    },
    Closed {
        why: Closing,
    },
    Presence {
        seat: Seat,
        presence: Presence,
        claim_in_ms: Option<u64>,
    },
    Claimable {
        seat: Seat,
    },
    Watching {
        count: u32,
    },
    Thinks {
        seat: Seat,
        #[serde(flatten)]
        worth: Worth,
        line: Vec<String>,
    },
    /// Every no, whoever says it.
    Refused {
        by: By,
        #[serde(skip_serializing_if = "Option::is_none")]
        asked: Option<&'static str>,
        #[serde(flatten)]
        why: Why<'a>,
    },
    Asked {
        form: &'static str,
        field: &'static str,
        text: &'a str,
        options: &'a [String],
        free: bool,
    },
    InputEnded,
    Keys {
        order: &'static str,
    },
    /// People would read another language from now on; here all stays as it is.
    Language,
    Saved {
        path: &'a str,
    },
    Failed {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<usize>,
    },
    Record {
        rules: Rules,
        players: [Option<Name>; 2],
        moves: Vec<String>,
        board: Vec<String>,
        #[serde(flatten)]
        ending: Option<Ending>,
    },
    Menu {
        entries: Vec<&'static str>,
        unfinished: Vec<Kept<'a>>,
    },
    MayContinue {
        #[serde(flatten)]
        game: Kept<'a>,
    },
    NothingToContinue,
    Damaged {
        files: usize,
    },
    Board {
        rules: Rules,
        board: Vec<String>,
    },
    Scan {
        #[serde(flatten)]
        name: Scanned,
        cells: Vec<Marked>,
    },
    Marks {
        seat: Seat,
        cells: Vec<String>,
    },
    Last {
        seat: Option<Seat>,
        cell: Option<String>,
    },
    Clocks {
        left_ms: Option<[u64; 2]>,
    },
    Opponent {
        seat: Seat,
        name: &'a Name,
        bot: bool,
        presence: Presence,
        lag_ms: Option<u32>,
    },
    Help {
        words: Vec<&'static str>,
    },
}

/// Who refuses.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum By {
    Server,
    Program,
}

/// Why something is refused: by the wire's codes, or by this program's own.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Why<'a> {
    Wire(&'a Reject),
    Own {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
}

impl<'a> Why<'a> {
    fn code(code: &'static str) -> Why<'a> {
        Why::Own { code, detail: None }
    }
}

/// A player.
#[derive(Debug, Serialize)]
pub(super) struct Person<'a> {
    seat: Seat,
    name: &'a Name,
    you: bool,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Ending {
    reason: &'static str,
    winner: Option<Seat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<EndingLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct EndingLine {
    name: LineName,
    cells: Vec<String>,
}

impl Ending {
    pub(super) fn of(outcome: &Outcome, rules: &Rules) -> Ending {
        let reason = match outcome {
            Outcome::Line { .. } => "line",
            Outcome::Full => "full",
            Outcome::Resigned { .. } => "resigned",
            Outcome::Flag { .. } => "flag",
            Outcome::Agreed => "agreed",
            Outcome::Abandoned { .. } => "abandoned",
        };
        let line =
            outcome.line().map(|line| EndingLine { name: line.name, cells: texts(&line.cells, rules) });
        Ending { reason, winner: outcome.winner(), line }
    }
}

/// A cell and what it is worth to the side to move.
#[derive(Debug, Serialize)]
pub(super) struct Valued {
    cell: String,
    #[serde(flatten)]
    worth: Worth,
}

/// A move, judged.
#[derive(Debug, Serialize)]
pub(super) struct Reviewed {
    seat: Seat,
    cell: String,
    before: Worth,
    after: Worth,
    best: String,
    cost: &'static str,
}

impl Reviewed {
    fn of(judged: &Judged, rules: &Rules) -> Reviewed {
        let cost = match judged.regret() {
            Regret::None => "none",
            Regret::Plies(_) => "plies",
            Regret::Points(_) => "points",
            Regret::Win => "win",
            Regret::Game => "game",
        };
        Reviewed {
            seat: judged.seat,
            cell: rules.cell_text(judged.cell),
            before: judged.before.into(),
            after: judged.after.into(),
            best: rules.cell_text(judged.best),
            cost,
        }
    }
}

/// A game to continue. The right to its seat stays where it is.
#[derive(Debug, Serialize)]
pub(super) struct Kept<'a> {
    server: String,
    room: RoomId,
    rules: Rules,
    seat: Seat,
    opponent: Option<&'a Name>,
}

impl<'a> Kept<'a> {
    fn of(game: &'a Unfinished) -> Kept<'a> {
        let Unfinished { server, room, token: _, name: _, seat, rules, opponent } = game;
        Kept {
            server: server.to_string(),
            room: *room,
            rules: *rules,
            seat: *seat,
            opponent: opponent.as_ref(),
        }
    }
}

/// What was read out: counted from 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scanned {
    Row(u8),
    Column(u8),
}

/// A cell and whose mark lies there.
#[derive(Debug, Serialize)]
pub(super) struct Marked {
    cell: String,
    mark: Option<Seat>,
}

impl<'a> Told<'a> {
    /// The event of a note; none for what a person alone needs to be told.
    pub(super) fn of(note: &'a Note) -> Option<Told<'a>> {
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

/// Cells in order.
pub(super) fn texts(cells: &[Cell], rules: &Rules) -> Vec<String> {
    cells.iter().map(|&cell| rules.cell_text(cell)).collect()
}

/// The rows of the board from the top, layer after layer: `X`, `O`, and `.` for a free cell.
pub(super) fn board(position: &Position) -> Vec<String> {
    let width = usize::from(position.rules().width());
    let marks: Vec<char> = (0..position.rules().cells() as u16)
        .map(|index| match position.at(Cell::new(index)) {
            Some(Seat::X) => 'X',
            Some(Seat::O) => 'O',
            None => '.',
        })
        .collect();
    marks.chunks(width).map(|row| row.iter().collect()).collect()
}
