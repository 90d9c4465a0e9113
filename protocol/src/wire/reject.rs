//! Rejections: the typed error response to a request. A rejected request changes nothing, and the connection stays
//! open unless the code says otherwise.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::vocabulary::vocabulary;
use crate::game::IllegalMove;
use crate::{MoveError, Seq};

vocabulary! {
    /// Reason of a rejection. The word is stable; clients translate it for their users.
    RejectCode:
    /// Not a JSON object, invalid JSON, a duplicate field, or more than 32 fields. The reject has no `re`.
    ///
    /// Correct the client.
    BadMessage = "bad_message",
    /// No request has this `type`.
    ///
    /// Correct the client.
    UnknownType = "unknown_type",
    /// A field is missing, of the wrong kind or out of range; `field` names it. The reject has no `re` if the field is
    /// `id`.
    ///
    /// Correct the request.
    BadField = "bad_field",
    /// The first message was not `hello`.
    ///
    /// Send `hello`.
    HelloFirst = "hello_first",
    /// A second hello on one connection.
    ///
    /// Continue.
    HelloTwice = "hello_twice",
    /// No common version; `versions` has the versions of the server. The connection closes with 4001.
    ///
    /// Update the client.
    Version = "version",
    /// Too many messages; or too many wrong ids, codes and tokens from your address (`join`, `watch`, `resume`);
    /// or the seat was taken from a live connection too often. The request was not evaluated.
    ///
    /// Send it again after `wait_ms`, and send less.
    RateLimited = "rate_limited",
    /// The queue of the room, the lobby or the finished games is full, or another request for finished games from your
    /// network has no response.
    ///
    /// Send the same request again, with the same `id`, after a moment.
    Busy = "busy",
    /// The server could not store the events, or cannot read the room's state or finished games. Nothing changed.
    ///
    /// Send the same request again, after a second.
    Unavailable = "unavailable",
    /// The server starts nothing new: it is about to stop, or its operator drains it. Running games continue.
    ///
    /// Send it again later; after `restarting`, on a new connection.
    Draining = "draining",
    /// The maximum number of rooms is open: in total, or (with a `detail`) from your address; for `lobby`: of
    /// subscriptions.
    ///
    /// Wait, or join a room.
    ServerFull = "server_full",
    /// You have an open seek.
    ///
    /// `cancel` first.
    AlreadySeeking = "already_seeking",
    /// You have no open seek, or have just been paired.
    ///
    /// Expect a snapshot.
    NotSeeking = "not_seeking",
    /// You are in a room, or entering one.
    ///
    /// `leave` first, or open another connection.
    AlreadyInRoom = "already_in_room",
    /// You are in no room, or it has just closed.
    ///
    /// Enter one.
    NotInRoom = "not_in_room",
    /// No such room, or no access. A wrong id, a wrong code and a wrong token are indistinguishable.
    ///
    /// Delete the room and its token.
    UnknownRoom = "unknown_room",
    /// The server keeps no finished games: it stores nothing, or is a node of a cluster.
    ///
    /// Do not ask again.
    NotKept = "not_kept",
    /// No such finished game, or no access. Games of private rooms are visible only to their players.
    ///
    /// Choose another game.
    UnknownGame = "unknown_game",
    /// No finished game that you may see has a player with this identity.
    ///
    /// Choose another player.
    UnknownPlayer = "unknown_player",
    /// Both seats are taken; for `watch`: the maximum number of spectators.
    ///
    /// `watch`, or choose another room.
    RoomFull = "room_full",
    /// A spectator cannot do this.
    NotAPlayer = "not_a_player",
    /// No game has begun.
    ///
    /// Wait for `started`.
    NotStarted = "not_started",
    /// The game is over.
    ///
    /// Process the events.
    GameOver = "game_over",
    /// A game is running: no rematch yet; for `abort`: both players have moved.
    ///
    /// Wait for `ended`.
    GameOn = "game_on",
    /// The board has changed since the `seq` of your move, or the room has not reached that `seq` yet.
    ///
    /// Process the events, choose again, send a new move.
    Stale = "stale",
    /// Your opponent is to move.
    ///
    /// Wait for `moved`.
    NotYourTurn = "not_your_turn",
    /// The board has no such cell.
    ///
    /// Choose another cell.
    OffBoard = "off_board",
    /// The cell has a stone.
    ///
    /// Choose another cell.
    CellTaken = "cell_taken",
    /// The column has no free cell.
    ///
    /// Choose another column.
    ColumnFull = "column_full",
    /// A different request with this `id` was applied in this room, see [retransmission](#order-and-guarantees).
    ///
    /// Use a new `id`.
    IdReused = "id_reused",
    /// Your offer is open.
    ///
    /// Wait.
    AlreadyOffered = "already_offered",
    /// Your opponent has made no such offer (`decline`: there is none); for `accept_seek`: the seek is not open.
    ///
    /// Process the events.
    NoOffer = "no_offer",
    /// You have no move to take back.
    NothingToTakeBack = "nothing_to_take_back",
    /// Your opponent has left on purpose.
    ///
    /// `leave`, or `claim`.
    OpponentLeft = "opponent_left",
    /// Your opponent is connected, still has time to return (`wait_ms`), or is not to move.
    ///
    /// Wait, or move.
    NotClaimable = "not_claimable",
    /// The side to move has time left, or the game has no clock.
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
    /// The reason. It decides how the client reacts.
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

    /// Creates a rejection without parameters.
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
        // A parser may quote its input, and the sender chooses the length of the input.
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
