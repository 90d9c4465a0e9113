//! Events of JSON mode.

mod notifications;

use noughts_protocol::wire::{OpenSeek, Phrase, Presence, Reject, RoomListing};
use noughts_protocol::{
    Cell, LineName, Name, Offer, Outcome, Player, Position, RoomCloseReason, RoomId, Rules, Seat,
    TimeControl,
};
use serde::Serialize;

use super::codes::{JsonDisconnect, JsonEvaluation};
use crate::engines::analysis::{MoveLoss, ReviewedMove};
use crate::io::saved_games::SavedGame;

#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum JsonEvent<'a> {
    Connecting {
        server: String,
    },
    Connected {
        server: String,
        name: &'a Name,
    },
    Offline {
        #[serde(flatten)]
        disconnect: JsonDisconnect<'a>,
        retry_in_ms: u64,
    },
    #[serde(rename = "back")]
    Reconnected,
    Ended {
        server: String,
        #[serde(flatten)]
        disconnect: JsonDisconnect<'a>,
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
    SubstituteCalled,
    BotFailed,
    Joined {
        rules: Rules,
        clock: Option<TimeControl>,
        players: &'a [Option<Player>; 2],
        seat: Option<Seat>,
    },
    Rooms {
        rooms: &'a [RoomListing],
        seeks: &'a [OpenSeek],
    },
    Seated {
        seat: Seat,
        name: &'a Name,
    },
    Started {
        game: u32,
        rules: Rules,
        players: [JsonPlayer<'a>; 2],
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
        ending: JsonOutcome,
    },
    #[serde(rename = "studying")]
    AnalysisStarted,
    #[serde(rename = "values")]
    Evaluations {
        cells: Vec<JsonCellEvaluation>,
    },
    Review {
        moves: Vec<JsonReviewedMove>,
    },
    Closed {
        #[serde(rename = "why")]
        reason: RoomCloseReason,
    },
    Phrase {
        seat: Seat,
        phrase: Phrase,
    },
    HostFailed {
        reason: &'static str,
    },
    Copied,
    Muted {
        on: bool,
    },
    Presence {
        seat: Seat,
        presence: Presence,
        claim_in_ms: Option<u64>,
    },
    Claimable {
        seat: Seat,
    },
    #[serde(rename = "watching")]
    Spectators {
        count: u32,
    },
    #[serde(rename = "thinks")]
    Evaluation {
        seat: Seat,
        #[serde(flatten)]
        evaluation: JsonEvaluation,
        #[serde(rename = "line")]
        pv: Vec<String>,
    },
    /// Any rejection, by the server or by this program.
    #[serde(rename = "refused")]
    Rejected {
        by: RejectedBy,
        #[serde(skip_serializing_if = "Option::is_none")]
        #[serde(rename = "asked")]
        request: Option<&'static str>,
        #[serde(flatten)]
        reason: RejectReason<'a>,
    },
    #[serde(rename = "asked")]
    FieldQuery {
        form: &'static str,
        field: &'static str,
        text: &'a str,
        options: &'a [String],
        free: bool,
    },
    InputEnded,
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
        ending: Option<JsonOutcome>,
    },
    Menu {
        entries: Vec<&'static str>,
        #[serde(rename = "unfinished")]
        saved_games: Vec<JsonSavedGame<'a>>,
    },
    #[serde(rename = "may_continue")]
    ContinueOffer {
        #[serde(flatten)]
        game: JsonSavedGame<'a>,
    },
    NothingToContinue,
    #[serde(rename = "damaged")]
    CorruptFiles {
        files: usize,
    },
    Board {
        rules: Rules,
        board: Vec<String>,
    },
    Scan {
        #[serde(flatten)]
        name: JsonScanTarget,
        cells: Vec<JsonMark>,
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
        #[serde(rename = "left_ms")]
        remaining_ms: Option<[u64; 2]>,
    },
    Opponent {
        seat: Seat,
        name: &'a Name,
        bot: bool,
        presence: Presence,
        lag_ms: Option<u32>,
    },
    Help {
        #[serde(rename = "words")]
        commands: Vec<&'static str>,
    },
}

/// Origin of a rejection.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RejectedBy {
    Server,
    Program,
}

/// Reason of a rejection: a code of the protocol or of this program.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum RejectReason<'a> {
    Wire(&'a Reject),
    Client {
        code: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
}

impl<'a> RejectReason<'a> {
    fn from_code(code: &'static str) -> RejectReason<'a> {
        RejectReason::Client { code, detail: None }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct JsonPlayer<'a> {
    seat: Seat,
    name: &'a Name,
    you: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct JsonOutcome {
    reason: &'static str,
    winner: Option<Seat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<JsonWinningLine>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct JsonWinningLine {
    name: LineName,
    cells: Vec<String>,
}

impl JsonOutcome {
    pub(super) fn from_outcome(outcome: &Outcome, rules: &Rules) -> JsonOutcome {
        let reason = match outcome {
            Outcome::Line { .. } => "line",
            Outcome::Full => "full",
            Outcome::Resigned { .. } => "resigned",
            Outcome::Flag { .. } => "flag",
            Outcome::Agreed => "agreed",
            Outcome::Abandoned { .. } => "abandoned",
            Outcome::Aborted => "aborted",
        };
        let line = outcome.line().map(|line| JsonWinningLine {
            name: line.name,
            cells: cell_texts(&line.cells, rules),
        });
        JsonOutcome {
            reason,
            winner: outcome.winner(),
            line,
        }
    }
}

/// Cell with its evaluation for the side to move.
#[derive(Debug, Serialize)]
pub(super) struct JsonCellEvaluation {
    cell: String,
    #[serde(flatten)]
    evaluation: JsonEvaluation,
}

/// Analysed move.
#[derive(Debug, Serialize)]
pub(super) struct JsonReviewedMove {
    seat: Seat,
    cell: String,
    before: JsonEvaluation,
    after: JsonEvaluation,
    best: String,
    #[serde(rename = "cost")]
    loss: &'static str,
}

impl JsonReviewedMove {
    fn from_review(reviewed: &ReviewedMove, rules: &Rules) -> JsonReviewedMove {
        let loss = match reviewed.loss() {
            MoveLoss::None => "none",
            MoveLoss::Plies(_) => "plies",
            MoveLoss::Points(_) => "points",
            MoveLoss::Win => "win",
            MoveLoss::Game => "game",
        };
        JsonReviewedMove {
            seat: reviewed.seat,
            cell: rules.cell_text(reviewed.cell),
            before: reviewed.score_before.into(),
            after: reviewed.score_after.into(),
            best: rules.cell_text(reviewed.best_cell),
            loss,
        }
    }
}

/// Saved game without its resume token.
#[derive(Debug, Serialize)]
pub(super) struct JsonSavedGame<'a> {
    server: String,
    room: RoomId,
    rules: Rules,
    seat: Seat,
    opponent: Option<&'a Name>,
}

impl<'a> JsonSavedGame<'a> {
    fn from_saved(game: &'a SavedGame) -> JsonSavedGame<'a> {
        let SavedGame {
            server,
            room,
            token: _,
            name: _,
            seat,
            rules,
            number: _,
            opponent,
        } = game;
        JsonSavedGame {
            server: server.to_string(),
            room: *room,
            rules: *rules,
            seat: *seat,
            opponent: opponent.as_ref(),
        }
    }
}

/// Scanned row or column, from 1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JsonScanTarget {
    Row(u8),
    Column(u8),
}

#[derive(Debug, Serialize)]
pub(super) struct JsonMark {
    cell: String,
    mark: Option<Seat>,
}

pub(super) fn cell_texts(cells: &[Cell], rules: &Rules) -> Vec<String> {
    cells.iter().map(|&cell| rules.cell_text(cell)).collect()
}

/// Returns the rows of the board from the top, layer by layer: `X`, `O`, and `.` for a free cell.
pub(super) fn board_rows(position: &Position) -> Vec<String> {
    let width = usize::from(position.rules().width());
    let marks: Vec<char> = (0..position.rules().cells() as u16)
        .map(|index| match position.stone_at(Cell::new(index)) {
            Some(Seat::X) => 'X',
            Some(Seat::O) => 'O',
            None => '.',
        })
        .collect();
    marks
        .chunks(width)
        .map(|row| row.iter().collect())
        .collect()
}
