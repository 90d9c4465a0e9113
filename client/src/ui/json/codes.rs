//! Refusals and losses as codes. They are an interface: a code that is here stays.

use noughts_protocol::wire::Reject;
use noughts_protocol::{CellError, Offer};
use serde::Serialize;

use crate::connection::{Ended, Offline, SendError};
use crate::engine::Score;
use crate::input::{DigitOrder, TypedError};
use crate::model::{Ask, FieldError, FieldId, NotNow, Purpose};
use crate::unfinished::TakeError;

/// Why a line to a server is lost or gone.
#[derive(Debug, Serialize)]
pub(super) struct Loss<'a> {
    code: &'static str,
    /// What the system said, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    /// The WebSocket's close code.
    #[serde(skip_serializing_if = "Option::is_none")]
    close: Option<u16>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reject: Option<&'a Reject>,
}

impl<'a> Loss<'a> {
    fn plain(code: &'static str) -> Loss<'a> {
        Loss { code, detail: None, close: None, http: None, reject: None }
    }

    pub(super) fn offline(why: &'a Offline) -> Loss<'a> {
        match why {
            Offline::Io(detail) => Loss { detail: Some(detail.text()), ..Loss::plain("io") },
            Offline::Timeout => Loss::plain("timeout"),
            Offline::Silent => Loss::plain("silent"),
            Offline::Restarting => Loss::plain("restarting"),
            Offline::Closed(close) => Loss { close: *close, ..Loss::plain("closed") },
            Offline::Http(status) => Loss { http: Some(*status), ..Loss::plain("http") },
            Offline::Garbled => Loss::plain("garbled"),
            Offline::NotReady(reject) => Loss { reject: Some(reject), ..Loss::plain("not_ready") },
        }
    }

    /// For good. Where it was lost before, `detail` and the like tell how.
    pub(super) fn ended(ended: &'a Ended) -> Loss<'a> {
        match ended {
            Ended::Closed => Loss::plain("closed"),
            Ended::CannotConnect(why) => Loss { code: "cannot_connect", ..Loss::offline(why) },
            Ended::Refused(reject) => Loss { reject: Some(reject), ..Loss::plain("refused") },
            Ended::Http(status) => Loss { http: Some(*status), ..Loss::plain("http") },
            Ended::NotNoughts => Loss::plain("not_noughts"),
            Ended::Replaced => Loss::plain("replaced"),
            Ended::Final(close) => Loss { close: Some(close.code()), ..Loss::plain("closed") },
            Ended::GaveUp(why) => Loss { code: "gave_up", ..Loss::offline(why) },
        }
    }
}

/// What an engine thinks of a position or a move.
#[derive(Debug, Serialize)]
#[serde(tag = "worth", rename_all = "snake_case")]
pub(super) enum Worth {
    /// Wins by force, in so many moves of both sides.
    Win { plies: u32 },
    /// Loses by force.
    Loss { plies: u32 },
    /// Neither side can force a win.
    Draw,
    /// Not settled: more is better, 0 is even.
    Estimate { points: i32 },
}

impl From<Score> for Worth {
    fn from(score: Score) -> Worth {
        match score {
            Score::Win(plies) => Worth::Win { plies },
            Score::Loss(plies) => Worth::Loss { plies },
            Score::Draw => Worth::Draw,
            Score::Estimate(points) => Worth::Estimate { points },
        }
    }
}

pub(super) fn asked(ask: Ask) -> &'static str {
    match ask {
        Ask::Goal => "goal",
        Ask::Move(_) => "move",
        Ask::Resign => "resign",
        Ask::Offer(Offer::Draw) => "draw",
        Ask::Offer(Offer::Takeback) => "undo",
        Ask::Offer(Offer::Rematch) => "rematch",
        Ask::Accept(_) => "accept",
        Ask::Decline(_) => "decline",
        Ask::Claim => "claim",
        Ask::Flag => "flag",
        Ask::Sync => "sync",
        Ask::List => "refresh",
    }
}

pub(super) fn not_now(why: NotNow) -> &'static str {
    match why {
        NotNow::Pending => "pending",
        NotNow::Watching => "watching",
        NotNow::NoBoard => "no_board",
        NotNow::NoOffer => "no_offer",
        NotNow::WhichOffer => "which_offer",
        NotNow::NoGame => "no_game",
        NotNow::GameOn => "game_on",
        NotNow::BotMoves => "bot_moves",
        NotNow::BotPlaysOn => "bot_plays_on",
        NotNow::NotWaiting => "not_waiting",
        NotNow::Offline => "offline",
        NotNow::NothingToTakeBack => "nothing_to_take_back",
        NotNow::LocalOnly => "not_on_a_server",
        NotNow::NotClaimable => "not_claimable",
        NotNow::YesOrNo => "yes_or_no",
        NotNow::Number => "number",
        NotNow::NoRoom => "no_room",
        NotNow::LeaveQuestion => "leave_question",
        NotNow::NoOpponent => "no_opponent",
        NotNow::NothingAsked => "nothing_asked",
        NotNow::Moved => "stale",
    }
}

pub(super) fn typed(error: &TypedError) -> &'static str {
    match error {
        TypedError::Empty => "empty",
        TypedError::Unknown => "unknown_command",
        TypedError::Cell(CellError::Syntax | CellError::Dimensions) => "bad_cell",
        TypedError::Cell(CellError::OffBoard) => "off_board",
        TypedError::NoBoard => "no_board",
        TypedError::Argument(_) => "bad_argument",
        TypedError::Object(_) => "bad_object",
    }
}

pub(super) fn unsent(error: SendError) -> &'static str {
    match error {
        SendError::Full => "busy",
        SendError::Ended => "offline",
    }
}

pub(super) fn field_error(error: FieldError) -> &'static str {
    match error {
        FieldError::Server(_) => "bad_server",
        FieldError::Name(_) => "bad_name",
        FieldError::Rules(_) => "bad_rules",
        FieldError::Clock(_) => "bad_clock",
        FieldError::Invite(_) => "bad_invite",
        FieldError::Level => "bad_level",
        FieldError::Engine => "bad_engine",
        FieldError::Unknown => "unknown_game",
        FieldError::Option => "bad_option",
    }
}

pub(super) fn take_error(error: &TakeError) -> &'static str {
    match error {
        TakeError::Held => "held",
        TakeError::Gone => "gone",
        TakeError::Io(_) => "io",
    }
}

pub(super) fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Quick => "quick",
        Purpose::Private => "private",
        Purpose::Join => "join",
        Purpose::Local => "local",
        Purpose::Bot => "bot",
        Purpose::Settings => "settings",
    }
}

pub(super) fn field(field: FieldId) -> &'static str {
    match field {
        FieldId::Server => "server",
        FieldId::Name => "name",
        FieldId::Rules => "rules",
        FieldId::Clock => "clock",
        FieldId::Seat => "seat",
        FieldId::Invite => "invite",
        FieldId::First => "first",
        FieldId::Second => "second",
        FieldId::Lot => "lot",
        FieldId::Keys => "keys",
        FieldId::Lang => "lang",
        FieldId::Theme => "theme",
        FieldId::Glyphs => "glyphs",
        FieldId::Bell => "bell",
    }
}

pub(super) fn order(order: DigitOrder) -> &'static str {
    order.as_str()
}
