//! What a client sends: one request a message, each with an id and each answered once.

use serde::{Deserialize, Serialize};

use super::object::Object;
use super::{EngineRemark, MAX_REQUEST_BYTES, Reject, RejectCode};
use crate::{
    Cell, Name, Offer, PartyKey, PlayerKind, RequestId, ResumeToken, RoomId, RoomRef, Rules, Seat, Seq,
    TimeControl,
};

/// A message from a client.
#[derive(Clone, Debug, Serialize)]
pub struct Request {
    /// The client's number for it, which the answer names.
    pub id: RequestId,
    /// What is asked.
    #[serde(flatten)]
    pub body: RequestBody,
}

/// What is asked: of the server at large, or of the room that the connection is in.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RequestBody {
    /// Who connects. Always the first message, and only the first.
    Hello(Hello),
    /// About rooms.
    Lobby(LobbyRequest),
    /// In a room.
    Command(RoomCommand),
    /// In a room, to those who watch it and have asked for that. Answered `done`.
    Remark(EngineRemark),
}

/// Who connects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename = "hello")]
pub struct Hello {
    /// The oldest and the newest version of the wire that the client speaks.
    pub versions: [u16; 2],
    /// What it calls itself.
    pub name: Name,
    /// A person or a program.
    pub kind: PlayerKind,
    /// The software, for the operator's log: at most 64 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The party that it is on all its connections.
    #[serde(rename = "party", skip_serializing_if = "Option::is_none")]
    pub party_key: Option<PartyKey>,
}

/// What may be asked outside of a room, or about being in one.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LobbyRequest {
    /// To be paired with whoever wants the same game. Answered `done`; a snapshot follows in time.
    Seek {
        /// What to play.
        rules: Rules,
        /// The time for each side; none: without a clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// The seat to have; none: drawn by lot.
        #[serde(skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
    },
    /// Not to be paired any more.
    Cancel,
    /// To open a room and wait in it for somebody. Answered by a snapshot, with the code if private.
    Create {
        /// What to play.
        rules: Rules,
        /// The time for each side; none: without a clock.
        #[serde(skip_serializing_if = "Option::is_none")]
        clock: Option<TimeControl>,
        /// The seat to have; none: drawn by lot.
        #[serde(skip_serializing_if = "Option::is_none")]
        seat: Option<Seat>,
        /// Whether anyone may find, join and watch it.
        public: bool,
    },
    /// To take the free seat of a room. Answered by a snapshot.
    Join {
        /// Which.
        room: RoomRef,
    },
    /// To watch a room. Answered by a snapshot.
    Watch {
        /// Which.
        room: RoomRef,
        /// To be told what the players' programs think, too.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        remarks: bool,
    },
    /// To have one's seat again. Answered by the events after `seq`, or by a snapshot.
    Resume {
        /// Which room.
        room: RoomId,
        /// The right to the seat.
        token: ResumeToken,
        /// The last event that the client has; none: it has nothing.
        #[serde(skip_serializing_if = "Option::is_none")]
        seq: Option<Seq>,
    },
    /// To be sent what is missing after `seq`: answered by the events, or by a snapshot.
    Sync {
        /// The last event that the client has.
        seq: Seq,
    },
    /// To go: from a game too, on purpose.
    Leave,
    /// To know the public rooms and who waits for what.
    List,
}

/// What a player may ask of its room. Answered by the event that names the request, or a reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RoomCommand {
    /// To mark a cell; with gravity, any cell of the column.
    Move {
        /// Where.
        cell: Cell,
        /// The last event that the mover had seen.
        seq: Seq,
    },
    /// To give the game up.
    Resign,
    /// To propose something; if the other has proposed the same, to accept it.
    Offer {
        /// What.
        offer: Offer,
    },
    /// To say yes to the other's proposal.
    Accept {
        /// Which.
        offer: Offer,
    },
    /// To say no to the other's proposal, or to take back one's own.
    Decline {
        /// Which.
        offer: Offer,
    },
    /// To end a game whose absent player did not return in time and is to move.
    Claim {
        /// As what.
        result: Claim,
    },
    /// To point out that the other's time is over. A hint: the server's clock decides.
    Flag,
}

/// What a game left by its other player is claimed as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Won.
    Win,
    /// Drawn.
    Draw,
}

/// A message that is no request: what to refuse, and whose it was as far as could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRequest {
    /// The id, if the message had a good one.
    pub re: Option<RequestId>,
    /// Why it is refused.
    pub reject: Reject,
}

impl Request {
    /// The request for who connects.
    pub fn hello(id: RequestId, hello: Hello) -> Request {
        Request { id, body: RequestBody::Hello(hello) }
    }

    /// A request about rooms.
    pub fn lobby(id: RequestId, lobby: LobbyRequest) -> Request {
        Request { id, body: RequestBody::Lobby(lobby) }
    }

    /// A request in a room.
    pub fn command(id: RequestId, command: RoomCommand) -> Request {
        Request { id, body: RequestBody::Command(command) }
    }

    /// A remark to those who watch.
    pub fn remark(id: RequestId, remark: EngineRemark) -> Request {
        Request { id, body: RequestBody::Remark(remark) }
    }

    /// The message text.
    pub fn to_json(&self) -> String {
        super::to_json(self)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// What to refuse, naming the field to blame; never a panic, whatever the text.
    pub fn parse(text: &str) -> Result<Request, BadRequest> {
        if text.len() > MAX_REQUEST_BYTES {
            let reject = Reject::new(RejectCode::BadMessage).detail("longer than a request may be");
            return Err(BadRequest { re: None, reject });
        }
        let fields = Object::parse(text).map_err(|reject| BadRequest { re: None, reject })?;
        let id = fields.number("id", RequestId::MAX).map_err(|reject| BadRequest { re: None, reject })?;
        let id = RequestId::new(id).expect("within its range");
        let body = parse_body(&fields).map_err(|reject| BadRequest { re: Some(id), reject })?;
        Ok(Request { id, body })
    }
}

fn parse_body(fields: &Object<'_>) -> Result<RequestBody, Reject> {
    let cell = || fields.number("cell", u64::from(u16::MAX)).map(|cell| Cell::new(cell as u16));
    let seq = |field| fields.number(field, RequestId::MAX).map(Seq::new);
    let offer = || fields.identifier::<Offer>("offer");
    Ok(match fields.text("type")? {
        "hello" => RequestBody::Hello(parse_hello(fields)?),
        "seek" => RequestBody::Lobby(LobbyRequest::Seek {
            rules: fields.parsed("rules")?,
            clock: fields.parsed_or_none("clock")?,
            seat: fields.identifier_or_none("seat")?,
        }),
        "cancel" => RequestBody::Lobby(LobbyRequest::Cancel),
        "create" => RequestBody::Lobby(LobbyRequest::Create {
            rules: fields.parsed("rules")?,
            clock: fields.parsed_or_none("clock")?,
            seat: fields.identifier_or_none("seat")?,
            public: fields.flag("public")?,
        }),
        "join" => RequestBody::Lobby(LobbyRequest::Join { room: fields.parsed("room")? }),
        "watch" => RequestBody::Lobby(LobbyRequest::Watch {
            room: fields.parsed("room")?,
            remarks: fields.flag("remarks")?,
        }),
        "resume" => RequestBody::Lobby(LobbyRequest::Resume {
            room: fields.parsed("room")?,
            token: fields.parsed("token")?,
            seq: fields.number_or_none("seq", RequestId::MAX)?.map(Seq::new),
        }),
        "sync" => RequestBody::Lobby(LobbyRequest::Sync { seq: seq("seq")? }),
        "leave" => RequestBody::Lobby(LobbyRequest::Leave),
        "list" => RequestBody::Lobby(LobbyRequest::List),
        "move" => RequestBody::Command(RoomCommand::Move { cell: cell()?, seq: seq("seq")? }),
        "resign" => RequestBody::Command(RoomCommand::Resign),
        "offer" => RequestBody::Command(RoomCommand::Offer { offer: offer()? }),
        "accept" => RequestBody::Command(RoomCommand::Accept { offer: offer()? }),
        "decline" => RequestBody::Command(RoomCommand::Decline { offer: offer()? }),
        "claim" => RequestBody::Command(RoomCommand::Claim { result: fields.identifier("result")? }),
        "flag" => RequestBody::Command(RoomCommand::Flag),
        "remark" => RequestBody::Remark(parse_remark(fields)?),
        _ => return Err(Reject::new(RejectCode::UnknownType).field("type")),
    })
}

fn parse_remark(fields: &Object<'_>) -> Result<EngineRemark, Reject> {
    Ok(EngineRemark {
        seq: fields.number("seq", RequestId::MAX).map(Seq::new)?,
        evaluation: fields.parsed("score")?,
        pv: fields.numbers("line", EngineRemark::MAX_PV_LEN)?.into_iter().map(Cell::new).collect(),
    })
}

fn parse_hello(fields: &Object<'_>) -> Result<Hello, Reject> {
    let client = fields.text_or_none("client")?.map(str::to_owned);
    if client.as_ref().is_some_and(|client| client.chars().count() > 64) {
        return Err(Reject::new(RejectCode::BadField).field("client").detail("too long"));
    }
    Ok(Hello {
        versions: fields.pair("versions")?,
        name: fields.parsed("name")?,
        kind: fields.identifier("kind")?,
        client,
        party_key: fields.parsed_or_none("party")?,
    })
}
