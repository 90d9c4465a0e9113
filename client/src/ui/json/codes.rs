//! Stable codes for rejections and disconnects.

use noughts_protocol::wire::Reject;
use noughts_protocol::{CellError, Offer};
use serde::Serialize;

use crate::connection::{DisconnectReason, SendError, TerminationReason};
use crate::engine::{Evaluation, SearchScore};
use crate::facts::{FormFieldError, HostError, PendingRequest, Unavailable};
use crate::input::TextCommandError;
use crate::io::saved_games::SavedGameError;

/// Reason for a lost or closed connection.
#[derive(Debug, Serialize)]
pub(super) struct JsonDisconnect<'a> {
    code: &'static str,
    /// Message of the operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    /// WebSocket close code.
    #[serde(skip_serializing_if = "Option::is_none")]
    close: Option<u16>,
    /// HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reject: Option<&'a Reject>,
}

impl<'a> JsonDisconnect<'a> {
    fn from_code(code: &'static str) -> JsonDisconnect<'a> {
        JsonDisconnect {
            code,
            detail: None,
            close: None,
            http: None,
            reject: None,
        }
    }

    pub(super) fn from_disconnect(reason: &'a DisconnectReason) -> JsonDisconnect<'a> {
        match reason {
            DisconnectReason::Io(detail) => JsonDisconnect {
                detail: Some(detail.text()),
                ..JsonDisconnect::from_code("io")
            },
            DisconnectReason::Timeout => JsonDisconnect::from_code("timeout"),
            DisconnectReason::PingTimeout => JsonDisconnect::from_code("silent"),
            DisconnectReason::Restarting => JsonDisconnect::from_code("restarting"),
            DisconnectReason::Closed(close) => JsonDisconnect {
                close: *close,
                ..JsonDisconnect::from_code("closed")
            },
            DisconnectReason::Http(status) => JsonDisconnect {
                http: Some(*status),
                ..JsonDisconnect::from_code("http")
            },
            DisconnectReason::MalformedMessage => JsonDisconnect::from_code("garbled"),
            DisconnectReason::NotReady(reject) => JsonDisconnect {
                reject: Some(reject),
                ..JsonDisconnect::from_code("not_ready")
            },
        }
    }

    /// Describes a connection that was closed for good. `detail`, `close` and `http` hold the last cause.
    pub(super) fn from_close(reason: &'a TerminationReason) -> JsonDisconnect<'a> {
        match reason {
            TerminationReason::Closed => JsonDisconnect::from_code("closed"),
            TerminationReason::CannotConnect(reason) => JsonDisconnect {
                code: "cannot_connect",
                ..JsonDisconnect::from_disconnect(reason)
            },
            TerminationReason::Refused(reject) => JsonDisconnect {
                reject: Some(reject),
                ..JsonDisconnect::from_code("refused")
            },
            TerminationReason::Http(status) => JsonDisconnect {
                http: Some(*status),
                ..JsonDisconnect::from_code("http")
            },
            TerminationReason::NotNoughts => JsonDisconnect::from_code("not_noughts"),
            TerminationReason::Replaced => JsonDisconnect::from_code("replaced"),
            TerminationReason::Final(close) => JsonDisconnect {
                close: Some(close.code()),
                ..JsonDisconnect::from_code("closed")
            },
            TerminationReason::RetriesExhausted(reason) => JsonDisconnect {
                code: "gave_up",
                ..JsonDisconnect::from_disconnect(reason)
            },
        }
    }
}

/// Evaluation of a position or a move.
#[derive(Debug, Serialize)]
#[serde(tag = "worth", rename_all = "snake_case")]
pub(super) enum JsonEvaluation {
    /// Forced win, in plies.
    Win {
        plies: u32,
        #[serde(skip_serializing_if = "is_false")]
        at_most: bool,
    },
    /// Forced loss, in plies.
    Loss {
        plies: u32,
        #[serde(skip_serializing_if = "is_false")]
        at_most: bool,
    },
    /// Proven draw.
    Draw,
    /// Unproven: higher is better, 0 is even.
    Estimate { points: i32 },
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature of skip_serializing_if"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<Evaluation> for JsonEvaluation {
    fn from(evaluation: Evaluation) -> JsonEvaluation {
        // The message of a player's engine does not say whether a distance is exact.
        SearchScore {
            evaluation,
            exact: false,
        }
        .into()
    }
}

impl From<SearchScore> for JsonEvaluation {
    fn from(score: SearchScore) -> JsonEvaluation {
        let at_most = !score.exact;
        match score.evaluation {
            Evaluation::Win(plies) => JsonEvaluation::Win { plies, at_most },
            Evaluation::Loss(plies) => JsonEvaluation::Loss { plies, at_most },
            Evaluation::Draw => JsonEvaluation::Draw,
            Evaluation::Estimate(points) => JsonEvaluation::Estimate { points },
        }
    }
}

pub(super) fn request_code(ask: PendingRequest) -> &'static str {
    match ask {
        PendingRequest::Goal => "goal",
        PendingRequest::Move(_) => "move",
        PendingRequest::Resign => "resign",
        PendingRequest::Abort => "abort",
        PendingRequest::Offer(Offer::Draw) => "draw",
        PendingRequest::Offer(Offer::Takeback) => "undo",
        PendingRequest::Offer(Offer::Rematch) => "rematch",
        PendingRequest::Accept(_) => "accept",
        PendingRequest::Decline(_) => "decline",
        PendingRequest::Claim => "claim",
        PendingRequest::Flag => "flag",
        PendingRequest::Sync => "sync",
        PendingRequest::List => "refresh",
        PendingRequest::Substitute(_) => "bot",
        PendingRequest::Say => "say",
    }
}

pub(super) fn unavailable_code(reason: Unavailable) -> &'static str {
    match reason {
        Unavailable::MovePending => "pending",
        Unavailable::Watching => "watching",
        Unavailable::NoBoard => "no_board",
        Unavailable::NoPendingOffer => "no_offer",
        Unavailable::AmbiguousOffer => "which_offer",
        Unavailable::NoGame => "no_game",
        Unavailable::GameInProgress => "game_on",
        Unavailable::BotToMove => "bot_moves",
        Unavailable::BotDeclinesDraw => "bot_plays_on",
        Unavailable::NotWaiting => "not_waiting",
        Unavailable::Offline => "offline",
        Unavailable::NothingToTakeBack => "nothing_to_take_back",
        Unavailable::LocalOnly => "not_on_a_server",
        Unavailable::NotOnServer => "only_on_a_server",
        Unavailable::NotClaimable => "not_claimable",
        Unavailable::ConfirmationRequired => "yes_or_no",
        Unavailable::NumberRequired => "number",
        Unavailable::UnknownRoom => "no_room",
        Unavailable::LeaveConfirmation { .. } => "leave_question",
        Unavailable::NoOpponent => "no_opponent",
        Unavailable::RequestPending => "request_pending",
        Unavailable::SelectionGone => "selection_gone",
        Unavailable::NothingPrompted => "nothing_asked",
        Unavailable::PositionChanged => "stale",
        Unavailable::SeekGone => "no_offer",
    }
}

pub(super) fn command_error_code(error: &TextCommandError) -> &'static str {
    match error {
        TextCommandError::Empty => "empty",
        TextCommandError::UnknownCommand => "unknown_command",
        TextCommandError::InvalidCell(CellError::Syntax | CellError::Dimensions) => "bad_cell",
        TextCommandError::InvalidCell(CellError::OffBoard) => "off_board",
        TextCommandError::NoBoard => "no_board",
        TextCommandError::InvalidArgument(_) => "bad_argument",
        TextCommandError::InvalidJson(_) => "bad_object",
    }
}

pub(super) fn send_error_code(error: SendError) -> &'static str {
    match error {
        SendError::Full => "busy",
        SendError::Ended => "offline",
    }
}

pub(super) fn field_error_code(error: FormFieldError) -> &'static str {
    match error {
        FormFieldError::Server(_) => "bad_server",
        FormFieldError::Name(_) => "bad_name",
        FormFieldError::Rules(_) => "bad_rules",
        FormFieldError::Clock(_) => "bad_clock",
        FormFieldError::Invite(_) => "bad_invite",
        FormFieldError::Port => "bad_port",
        FormFieldError::Level => "bad_level",
        FormFieldError::Engine => "bad_engine",
        FormFieldError::UnsupportedRules => "unknown_game",
        FormFieldError::UnknownOption => "bad_option",
    }
}

pub(super) fn lock_error_code(error: &SavedGameError) -> &'static str {
    match error {
        SavedGameError::Locked => "held",
        SavedGameError::NotFound => "gone",
        SavedGameError::Io(_) => "io",
    }
}

pub(super) fn host_error(error: &HostError) -> &'static str {
    match error {
        HostError::NotInstalled => "not_installed",
        HostError::PortTaken(_) => "port_taken",
        HostError::TimedOut => "timed_out",
        HostError::Failed(_) => "failed",
    }
}
