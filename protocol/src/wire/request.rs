//! Messages from a client: each is one request, with an id. The server sends exactly one response to each.

use serde::{Deserialize, Serialize};

use super::object::Object;
use super::{
    EngineRemark, Feature, FeatureSet, GameId, GamesFilter, MAX_LISTED_GAMES, MAX_REQUEST_BYTES,
    Phrase, Reject, RejectCode, SeekId,
};
use crate::{
    Cell, Identity, IdentitySecret, Name, Offer, Party, PlayerKind, RequestId, ResumeToken, RoomId,
    RoomRef, Rules, Seat, Seq, TimeControl,
};

/// A message from a client.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// A number that the client chooses; the response repeats it. In one room a repeated id marks a retransmission: the
    /// server does not apply the command twice.
    pub id: RequestId,
    /// The kind of the request and its fields.
    #[serde(flatten)]
    pub body: RequestBody,
}

/// The kinds of requests: to the server, or to the room of the connection.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RequestBody {
    /// Introduces the client. Must be the first message of a connection, and must not be sent again.
    Hello(Hello),
    /// A request about rooms and seats.
    Session(SessionRequest),
    /// A command of a player in a room, which leads to an event.
    Command(RoomCommand),
    /// An evaluation by a player's engine, for spectators of the room who want remarks. Response: `done`.
    Remark(EngineRemark),
}

/// Introduction of a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "hello")]
pub struct Hello {
    /// The oldest and the newest version that the client supports. The server chooses the newest common version.
    pub versions: [u16; 2],
    /// The name of the player, which need not be unique.
    pub name: Name,
    /// Whether a person or a program chooses the moves. Other clients see this.
    pub kind: PlayerKind,
    /// The client software, for the server's log: at most 64 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The secret that identifies the client on all its connections. The client is never paired with itself, and the
    /// welcome names the seat of an earlier connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub party: Option<Party>,
    /// The secret that shows the server who the player is, on any device; `None` for a guest. Other clients see only
    /// the identity that the server computes from it.
    #[serde(rename = "identity", skip_serializing_if = "Option::is_none")]
    pub identity_secret: Option<IdentitySecret>,
    /// The features that the client requests, as far as this version knows them.
    #[serde(skip_serializing_if = "FeatureSet::is_empty")]
    pub wants: FeatureSet,
}

/// Requests about rooms and seats.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionRequest {
    /// Seeks an opponent for the same game. Response: `done`; a snapshot follows when the server pairs the client.
    Seek {
        /// Rules of the game.
        rules: Rules,
        /// Time control; `None` for a game without a clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// The wanted seat; `None` for either seat. The client then gets the seat that the opponent does not want, or
        /// else a random seat.
        #[serde(skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
        /// The only kind of opponent that the client plays; `None` for people and bots.
        #[serde(skip_serializing_if = "Option::is_none")]
        opponents: Option<PlayerKind>,
    },
    /// Stops seeking. Response: `done`.
    Cancel,
    /// Opens a room and waits in it for an opponent. Response: a snapshot, with the code of a private room.
    Create {
        /// Rules of the game.
        rules: Rules,
        /// Time control; `None` for a game without a clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// The wanted seat; `None` for a random seat.
        #[serde(skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
        /// Whether any client may find, join and watch the room.
        public: bool,
    },
    /// Takes the free seat of a room. The game begins immediately. Response: a snapshot.
    Join {
        /// The id of a public room, or the code of a private room.
        room: RoomRef,
    },
    /// Enters a room as a spectator, who receives its events and cannot act in it. Response: a snapshot.
    Watch {
        /// The id of a public room, or the code of a private room.
        room: RoomRef,
        /// Whether the spectator also receives evaluations by the players' engines.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        remarks: bool,
    },
    /// Takes a seat again on a new connection. An older connection of the seat is closed. Response: the events after
    /// `seq`, or a snapshot.
    Resume {
        /// The id of the room with the seat. A private room also has an id, in addition to its code.
        room: RoomId,
        /// The token of the seat; `None` for the seat of the player with the identity of the connection.
        #[serde(skip_serializing_if = "Option::is_none")]
        token: Option<ResumeToken>,
        /// The last event that the client has; `None` for a client without events.
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
    },
    /// Requests the events that are missing after a gap. Response: the events after `seq`, or a snapshot.
    Sync {
        /// The last event that the client has.
        seq: Seq,
    },
    /// Leaves the room on purpose. During a game the opponent may claim it sooner than after a lost connection.
    /// Response: `done`.
    Leave,
    /// Lists the public rooms and the open seeks. Response: `rooms`.
    List,
    /// Tests the connection. Response: `done`.
    Ping,
    /// Subscribes to the lobby. Response: `lobby`; `lobby_changed` follows on changes.
    Lobby {
        /// Ends the subscription instead. Response: `done`.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        end: bool,
    },
    /// Plays against the client of an open seek. Response: a snapshot.
    AcceptSeek {
        /// The number of the seek in the lobby.
        seek: SeekId,
    },
    /// Says a phrase to all members of the room. It is not stored. Response: `done`.
    Say {
        /// The meaning. Each client words it in the language of its user.
        phrase: Phrase,
    },
    /// Lets the first bot that joins take the seat of the absent opponent, with its stones and its clock. The consent
    /// ends when the opponent returns, and with the game. Response: `done`.
    Substitute {
        /// Withdraws the consent instead.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        end: bool,
    },
    /// Lists finished games, newest first. Response: `games`.
    Games(GamesFilter),
    /// Requests the record of a finished game. Response: `game`.
    Game {
        /// The game.
        game: GameId,
    },
    /// Requests the profile of a player. Response: `profile`.
    Profile {
        /// The player; `None` for the player who asks.
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<Identity>,
    },
}

/// Commands of a player. Response: the event that names the request, or a rejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RoomCommand {
    /// Places a stone.
    Move {
        /// The cell; with gravity, any cell of the column.
        cell: Cell,
        /// The last event that the player has seen. The move is stale if the board has changed since.
        seq: Seq,
    },
    /// Resigns the game, which the opponent wins.
    Resign,
    /// Makes an offer, which stands until it is answered, until the next move, or until the game ends. If the opponent
    /// has made the same offer, accepts it.
    Offer {
        /// What the player offers.
        offer: Offer,
    },
    /// Accepts an offer of the opponent, which takes effect immediately.
    Accept {
        /// What the opponent offered.
        offer: Offer,
    },
    /// Declines an offer of the opponent, or withdraws the player's own offer.
    Decline {
        /// The offer that ends.
        offer: Offer,
    },
    /// Ends a game when the absent opponent is to move and did not return in time.
    Claim {
        /// The result that the player chooses.
        result: Claim,
    },
    /// Reports that the opponent's flag has fallen. The report is only a hint, because the clock of the server decides.
    Flag,
    /// Ends a game before both players have moved. The game has no winner and does not count.
    Abort,
}

/// The result that a player may choose when the opponent did not return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The player who claims wins.
    Win,
    /// Neither player wins: the generous choice.
    Draw,
}

/// Error of [`Request::parse`]: the parts of the [`Message::Reject`](super::Message::Reject) to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest {
    /// The id of the request, if the message has a valid id.
    pub re: Option<RequestId>,
    /// The code, and the field to blame.
    pub reject: Reject,
}

impl Request {
    /// Creates a hello request.
    pub fn hello(id: RequestId, hello: Hello) -> Request {
        Request {
            id,
            body: RequestBody::Hello(hello),
        }
    }

    /// Creates a request about rooms and seats.
    pub fn lobby(id: RequestId, lobby: SessionRequest) -> Request {
        Request {
            id,
            body: RequestBody::Session(lobby),
        }
    }

    /// Creates a request with a command in a room.
    pub fn command(id: RequestId, command: RoomCommand) -> Request {
        Request {
            id,
            body: RequestBody::Command(command),
        }
    }

    /// Creates a request with a remark for spectators.
    pub fn remark(id: RequestId, remark: EngineRemark) -> Request {
        Request {
            id,
            body: RequestBody::Remark(remark),
        }
    }

    /// Returns the JSON text of the message.
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }

    /// Parses a message from a client. Never panics, whatever the text.
    ///
    /// # Errors
    /// The rejection to send, which names the field to blame.
    pub fn parse(text: &str) -> Result<Request, BadRequest> {
        if text.len() > MAX_REQUEST_BYTES {
            let reject = Reject::new(RejectCode::BadMessage).detail("message too long");
            return Err(BadRequest { re: None, reject });
        }
        let fields = Object::parse(text).map_err(|reject| BadRequest { re: None, reject })?;
        let id = fields
            .number("id", RequestId::MAX)
            .map_err(|reject| BadRequest { re: None, reject })?;
        let id = RequestId::new(id).expect("within its range");
        let body = parse_body(&fields).map_err(|reject| BadRequest {
            re: Some(id),
            reject,
        })?;
        Ok(Request { id, body })
    }
}

fn parse_body(fields: &Object<'_>) -> Result<RequestBody, Reject> {
    let cell = || {
        fields
            .number("cell", u64::from(u16::MAX))
            .map(|cell| Cell::new(cell as u16))
    };
    let seq = |field| fields.number(field, RequestId::MAX).map(Seq::new);
    let offer = || fields.identifier::<Offer>("offer");
    Ok(match fields.text("type")? {
        "hello" => RequestBody::Hello(parse_hello(fields)?),
        "seek" => RequestBody::Session(SessionRequest::Seek {
            rules: fields.parsed("rules")?,
            clock: fields.parsed_or_none("clock")?,
            seat: fields.identifier_or_none("seat")?,
            opponents: fields.identifier_or_none("opponents")?,
        }),
        "cancel" => RequestBody::Session(SessionRequest::Cancel),
        "create" => RequestBody::Session(SessionRequest::Create {
            rules: fields.parsed("rules")?,
            clock: fields.parsed_or_none("clock")?,
            seat: fields.identifier_or_none("seat")?,
            public: fields.flag("public")?,
        }),
        "join" => RequestBody::Session(SessionRequest::Join {
            room: fields.parsed("room")?,
        }),
        "watch" => RequestBody::Session(SessionRequest::Watch {
            room: fields.parsed("room")?,
            remarks: fields.flag("remarks")?,
        }),
        "resume" => RequestBody::Session(SessionRequest::Resume {
            room: fields.parsed("room")?,
            token: fields.parsed_or_none("token")?,
            seq: fields.number_or_none("seq", RequestId::MAX)?.map(Seq::new),
        }),
        "sync" => RequestBody::Session(SessionRequest::Sync { seq: seq("seq")? }),
        "leave" => RequestBody::Session(SessionRequest::Leave),
        "list" => RequestBody::Session(SessionRequest::List),
        "move" => RequestBody::Command(RoomCommand::Move {
            cell: cell()?,
            seq: seq("seq")?,
        }),
        "resign" => RequestBody::Command(RoomCommand::Resign),
        "offer" => RequestBody::Command(RoomCommand::Offer { offer: offer()? }),
        "accept" => RequestBody::Command(RoomCommand::Accept { offer: offer()? }),
        "decline" => RequestBody::Command(RoomCommand::Decline { offer: offer()? }),
        "claim" => RequestBody::Command(RoomCommand::Claim {
            result: fields.identifier("result")?,
        }),
        "flag" => RequestBody::Command(RoomCommand::Flag),
        "abort" => RequestBody::Command(RoomCommand::Abort),
        "ping" => RequestBody::Session(SessionRequest::Ping),
        "lobby" => RequestBody::Session(SessionRequest::Lobby {
            end: fields.flag("end")?,
        }),
        "accept_seek" => RequestBody::Session(SessionRequest::AcceptSeek {
            seek: fields.number("seek", RequestId::MAX).map(SeekId)?,
        }),
        "say" => RequestBody::Session(SessionRequest::Say {
            phrase: fields.identifier("phrase")?,
        }),
        "substitute" => RequestBody::Session(SessionRequest::Substitute {
            end: fields.flag("end")?,
        }),
        "games" => RequestBody::Session(SessionRequest::Games(parse_games(fields)?)),
        "game" => RequestBody::Session(SessionRequest::Game {
            game: fields.number("game", RequestId::MAX).map(GameId)?,
        }),
        "profile" => RequestBody::Session(SessionRequest::Profile {
            of: fields.parsed_or_none("of")?,
        }),
        "remark" => RequestBody::Remark(parse_remark(fields)?),
        _ => return Err(Reject::new(RejectCode::UnknownType).field("type")),
    })
}

fn parse_remark(fields: &Object<'_>) -> Result<EngineRemark, Reject> {
    Ok(EngineRemark {
        seq: fields.number("seq", RequestId::MAX).map(Seq::new)?,
        evaluation: fields.parsed("evaluation")?,
        pv: fields
            .numbers("pv", EngineRemark::MAX_PV_LEN)?
            .into_iter()
            .map(Cell::new)
            .collect(),
    })
}

fn parse_games(fields: &Object<'_>) -> Result<GamesFilter, Reject> {
    let limit = fields.number_or_none("limit", u64::from(MAX_LISTED_GAMES))?;
    if limit == Some(0) {
        return Err(Reject::new(RejectCode::BadField)
            .field("limit")
            .detail("at least 1"));
    }
    Ok(GamesFilter {
        of: fields.parsed_or_none("of")?,
        with: fields.parsed_or_none("with")?,
        rules: fields.parsed_or_none("rules")?,
        before: fields.number_or_none("before", RequestId::MAX)?.map(GameId),
        limit: limit.map(|limit| limit as u8),
    })
}

fn parse_wants(fields: &Object<'_>) -> Result<FeatureSet, Reject> {
    let names = fields.texts("wants")?;
    let is_long = |name: &String| name.len() > FeatureSet::MAX_NAME_BYTES;
    if names.len() > FeatureSet::MAX_NAMES || names.iter().any(is_long) {
        return Err(Reject::new(RejectCode::BadField)
            .field("wants")
            .detail("too long"));
    }
    Ok(names
        .iter()
        .filter_map(|name| Feature::from_name(name))
        .collect())
}

fn parse_hello(fields: &Object<'_>) -> Result<Hello, Reject> {
    let client = fields.text_or_none("client")?.map(str::to_owned);
    if client
        .as_ref()
        .is_some_and(|client| client.chars().count() > 64)
    {
        return Err(Reject::new(RejectCode::BadField)
            .field("client")
            .detail("too long"));
    }
    let versions: [u16; 2] = fields.pair("versions")?;
    if versions[0] > versions[1] {
        return Err(Reject::new(RejectCode::BadField)
            .field("versions")
            .detail("the oldest version comes first"));
    }
    Ok(Hello {
        versions,
        name: fields.parsed("name")?,
        kind: fields.identifier("kind")?,
        client,
        party: fields.parsed_or_none("party")?,
        identity_secret: fields.parsed_or_none("identity")?,
        wants: parse_wants(fields)?,
    })
}
