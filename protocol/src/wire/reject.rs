//! The typed no: a request's failure as a value. The connection stays open and nothing has changed.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::IllegalMove;
use crate::{MoveError, Seq};

/// Defines the codes once: the variant, its text on the wire and its sentence for logs and docs.
macro_rules! reject_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+) => {
        /// Why a request was refused. The text form is stable; clients word it for people.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RejectCode {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $variant,)+
        }

        impl RejectCode {
            /// All of them.
            pub const ALL: &[RejectCode] = &[$(RejectCode::$variant,)+];

            /// The text on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(RejectCode::$variant => $text,)+ }
            }
        }
    };
}

reject_codes! {
    /// Not a JSON object, or one with a field given twice.
    BadMessage = "bad_message",
    /// No request has this `type`.
    UnknownType = "unknown_type",
    /// A field is missing, of the wrong kind or out of range: `field` names it.
    BadField = "bad_field",
    /// The first message must be `hello`.
    HelloFirst = "hello_first",
    /// There was a hello already.
    HelloTwice = "hello_twice",
    /// No common version: `versions` has those that the server speaks. The connection closes (4001).
    Version = "version",
    /// Too many messages: send no more than the welcome's limits allow, or the connection closes (1008). Also too
    /// many wrong keys from one address, or too many takeovers of one seat.
    RateLimited = "rate_limited",
    /// The room or the lobby has more to do than it may queue. Send the same request again.
    Busy = "busy",
    /// The fact could not be made durable. Nothing has changed; send the same request again.
    Unavailable = "unavailable",
    /// The server is about to stop and begins nothing new.
    Draining = "draining",
    /// As many rooms are open as the server may hold, or as one address may open.
    ServerFull = "server_full",
    /// This connection waits for an opponent already.
    AlreadySeeking = "already_seeking",
    /// This connection does not wait for an opponent.
    NotSeeking = "not_seeking",
    /// This connection is in a room already: leave it first.
    AlreadyInRoom = "already_in_room",
    /// This connection is in no room.
    NotInRoom = "not_in_room",
    /// No such room, or not for you: a wrong id, code or token is never told apart.
    UnknownRoom = "unknown_room",
    /// Both seats are taken.
    RoomFull = "room_full",
    /// A spectator cannot do this.
    NotAPlayer = "not_a_player",
    /// No game has begun.
    NotStarted = "not_started",
    /// The game is over.
    GameOver = "game_over",
    /// A game is still on.
    GameOn = "game_on",
    /// The move was made against a board that has changed since, or has not been yet.
    Stale = "stale",
    /// It is the other side's turn.
    NotYourTurn = "not_your_turn",
    /// The cell is not on the board.
    OffBoard = "off_board",
    /// The cell has a mark.
    CellTaken = "cell_taken",
    /// The column has no free cell.
    ColumnFull = "column_full",
    /// This id was used for a different request.
    IdReused = "id_reused",
    /// The same offer is on the table already.
    AlreadyOffered = "already_offered",
    /// There is no such offer by the other side.
    NoOffer = "no_offer",
    /// There is no move of yours to take back.
    NothingToTakeBack = "nothing_to_take_back",
    /// The other player has left, and will answer no offer.
    OpponentLeft = "opponent_left",
    /// The absent player still has time to return, or is not the one to move.
    NotClaimable = "not_claimable",
    /// The other side's time has not run out, or there is no clock.
    FlagNotFallen = "flag_not_fallen",
}

impl fmt::Display for RejectCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refusal: the code, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// Why.
    pub code: RejectCode,
    /// The field of the request that is to blame, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<Cow<'static, str>>,
    /// More, for whoever writes a client: a stable word where the code has kinds (`too_long`), else English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Cow<'static, str>>,
    /// The oldest and the newest version that the server speaks; with `version` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub versions: Option<[u16; 2]>,
    /// When the same request may succeed: in this many milliseconds. With `not_claimable` and `rate_limited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait_ms: Option<u64>,
    /// The room's last event when it was decided; for what was asked of a room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
}

impl Reject {
    /// The most characters of a detail: what is longer is cut.
    pub const MAX_DETAIL: usize = 120;

    /// A refusal with nothing to add to its code.
    pub fn new(code: RejectCode) -> Reject {
        Reject { code, field: None, detail: None, versions: None, wait_ms: None, seq: None }
    }

    /// Names the field to blame.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Reject {
        self.field = Some(Cow::Borrowed(field));
        self
    }

    /// Adds what a client's author would like to know, up to [`Reject::MAX_DETAIL`].
    #[must_use]
    pub fn detail(mut self, detail: impl Into<Cow<'static, str>>) -> Reject {
        let mut detail = detail.into();
        // A parser may quote what it did not understand, and that is the sender's to choose.
        if let Some((end, _)) = detail.char_indices().nth(Reject::MAX_DETAIL) {
            detail = Cow::Owned(detail[..end].to_owned());
        }
        self.detail = Some(detail);
        self
    }

    /// Says when the same request may succeed.
    #[must_use]
    pub fn wait_ms(mut self, wait_ms: u64) -> Reject {
        self.wait_ms = Some(wait_ms);
        self
    }

    /// Says where the room was.
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
            IllegalMove::Move(MoveError::OffBoard) => Reject::new(RejectCode::OffBoard).field("cell"),
            IllegalMove::Move(MoveError::Taken) => Reject::new(RejectCode::CellTaken).field("cell"),
            IllegalMove::Move(MoveError::ColumnFull) => Reject::new(RejectCode::ColumnFull).field("cell"),
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
