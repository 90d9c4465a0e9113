//! Rejections: the typed error response to a request. A rejected request changes nothing, and the connection stays
//! open unless the code says otherwise.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::IllegalMove;
use crate::{MoveError, Seq};

/// Defines each code once: the documentation, the variant and the text on the wire.
macro_rules! reject_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+) => {
        /// Reason of a rejection. The text form is stable; clients translate it for their users.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RejectCode {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $variant,)+
        }

        impl RejectCode {
            /// All codes.
            pub const ALL: &[RejectCode] = &[$(RejectCode::$variant,)+];

            /// The text on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(RejectCode::$variant => $text,)+ }
            }
        }
    };
}

reject_codes! {
    /// The message is not a JSON object, or has a duplicate field.
    BadMessage = "bad_message",
    /// The `type` is unknown.
    UnknownType = "unknown_type",
    /// A field is missing, of the wrong type or out of range; `field` names it.
    BadField = "bad_field",
    /// The first message was not `hello`.
    HelloFirst = "hello_first",
    /// A second `hello` on one connection.
    HelloTwice = "hello_twice",
    /// No common version; `versions` holds the range of the server. The connection closes (4001).
    Version = "version",
    /// Too many messages: above the limits of the welcome, the connection closes (1008). Also too many wrong ids, codes
    /// or tokens from one address, or too many takeovers of one seat.
    RateLimited = "rate_limited",
    /// The queue of the room or the lobby is full. Resend the same request.
    Busy = "busy",
    /// The server could not store the event. Nothing changed; resend the same request.
    Unavailable = "unavailable",
    /// The server is shutting down and starts nothing new.
    Draining = "draining",
    /// The limit of open rooms is reached, in total or for one address.
    ServerFull = "server_full",
    /// The connection is already seeking an opponent.
    AlreadySeeking = "already_seeking",
    /// The connection is not seeking an opponent.
    NotSeeking = "not_seeking",
    /// The connection is already in a room; leave it first.
    AlreadyInRoom = "already_in_room",
    /// The connection is not in a room.
    NotInRoom = "not_in_room",
    /// No room matches the id, code or token. The server does not reveal which part is wrong.
    UnknownRoom = "unknown_room",
    /// Both seats are taken.
    RoomFull = "room_full",
    /// Only players may send this request.
    NotAPlayer = "not_a_player",
    /// No game has started.
    NotStarted = "not_started",
    /// The game is over.
    GameOver = "game_over",
    /// A game is running.
    GameOn = "game_on",
    /// The `seq` of the move is older than the last change of the board, or newer than the last event.
    Stale = "stale",
    /// The other seat is to move.
    NotYourTurn = "not_your_turn",
    /// The cell is not on the board.
    OffBoard = "off_board",
    /// The cell has a stone.
    CellTaken = "cell_taken",
    /// The column has no free cell.
    ColumnFull = "column_full",
    /// The id was used for a different request.
    IdReused = "id_reused",
    /// The same offer is already pending.
    AlreadyOffered = "already_offered",
    /// The opponent has not made this offer.
    NoOffer = "no_offer",
    /// The player has no move on the board.
    NothingToTakeBack = "nothing_to_take_back",
    /// The opponent has left.
    OpponentLeft = "opponent_left",
    /// The absent player still has time to return, or is not to move.
    NotClaimable = "not_claimable",
    /// The opponent has time left, or the game has no clock.
    FlagNotFallen = "flag_not_fallen",
}

impl fmt::Display for RejectCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A rejection: the code and its parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The reason.
    pub code: RejectCode,
    /// The invalid field of the request, if one is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Cow<'static, str>>,
    /// English details for client authors; not stable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Cow<'static, str>>,
    /// The oldest and the newest version that the server supports; only with `version`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<[u16; 2]>,
    /// Milliseconds until the same request may succeed. With `not_claimable` and `rate_limited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The last event of the room at the time of the decision; only for requests to a room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
}

impl Reject {
    /// Maximum length of a detail in characters; longer details are truncated.
    pub const MAX_DETAIL: usize = 120;

    /// A rejection without parameters.
    pub fn new(code: RejectCode) -> Reject {
        Reject {
            code,
            field: None,
            detail: None,
            versions: None,
            wait_ms: None,
            seq: None,
        }
    }

    /// Sets the field to blame.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Reject {
        self.field = Some(Cow::Borrowed(field));
        self
    }

    /// Sets the details, truncated to [`Reject::MAX_DETAIL`] characters.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Reject {
        let mut detail = detail.into();
        // A parser may quote its input, and the sender chooses the length of that.
        if let Some((end, _)) = detail.char_indices().nth(Reject::MAX_DETAIL) {
            detail = Cow::Owned(detail[..end].to_owned());
        }
        self.detail = Some(detail);
        self
    }

    /// Sets the time until the same request may succeed.
    #[must_use]
    pub fn wait_ms(mut self, wait_ms: u64) -> Reject {
        self.wait_ms = Some(wait_ms);
        self
    }

    /// Sets the last event of the room.
    #[must_use]
    pub fn at_seq(mut self, seq: Seq) -> Reject {
        self.seq = Some(seq);
        self
    }
}

impl From<RejectCode> for Reject {
    fn from(code: RejectCode) -> Reject {
        Reject::new(code)
    }
}

impl From<IllegalMove> for Reject {
    fn from(illegal: IllegalMove) -> Reject {
        match illegal {
            IllegalMove::NotStarted => Reject::new(RejectCode::NotStarted),
            IllegalMove::NotYourTurn => Reject::new(RejectCode::NotYourTurn),
            IllegalMove::Move(MoveError::OffBoard) => {
                Reject::new(RejectCode::OffBoard).field("cell")
            }
            IllegalMove::Move(MoveError::Taken) => Reject::new(RejectCode::CellTaken).field("cell"),
            IllegalMove::Move(MoveError::ColumnFull) => {
                Reject::new(RejectCode::ColumnFull).field("cell")
            }
            IllegalMove::Move(MoveError::GameOver) => Reject::new(RejectCode::GameOver),
        }
    }
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)?;
        if let Some(field) = &self.field {
            write!(f, " in {field}")?;
        }
        if let Some(detail) = &self.detail {
            write!(f, ": {detail}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Reject {}
