//! What happened, as an object: one variant an event.

mod note;

use noughts_protocol::wire::{Listing, OpenSeek, Presence, Reject};
use noughts_protocol::{
    Cell, Closing, LineName, Name, Offer, Outcome, Player, Position, RoomId, Rules, Seat, TimeControl,
};
use serde::Serialize;

use super::codes::{Loss, Worth};
use crate::study::{Judged, Regret};
use crate::unfinished::Unfinished;

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
