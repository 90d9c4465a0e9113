//! Names of all kinds, each in a match without a wildcard.

use std::fmt::Debug;

use noughts_protocol::wire::{
    Claim, CloseCode, EngineRemark, Hello, Message, Notice, Phrase, Presence, RejectCode,
    RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Event, LineName, Offer, Outcome, Phase, PlayerKind, RoomCloseReason, Seat};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Lists the kinds of an enum once, as a constant and as an exhaustive match.
macro_rules! kinds {
    ($kind_of:ident, $names:ident, $type:ty, { $($pattern:pat => $name:literal,)+ }) => {
        pub(super) const $names: &[&str] = &[$($name,)+];

        pub(super) fn $kind_of(value: &$type) -> &'static str {
            match value { $($pattern => $name,)+ }
        }
    };
}

kinds!(request_kind, REQUESTS, RequestBody, {
    RequestBody::Hello(Hello { .. }) => "hello",
    RequestBody::Session(SessionRequest::Seek { .. }) => "seek",
    RequestBody::Session(SessionRequest::Cancel) => "cancel",
    RequestBody::Session(SessionRequest::Create { .. }) => "create",
    RequestBody::Session(SessionRequest::Join { .. }) => "join",
    RequestBody::Session(SessionRequest::Watch { .. }) => "watch",
    RequestBody::Session(SessionRequest::Resume { .. }) => "resume",
    RequestBody::Session(SessionRequest::Sync { .. }) => "sync",
    RequestBody::Session(SessionRequest::Leave) => "leave",
    RequestBody::Session(SessionRequest::List) => "list",
    RequestBody::Session(SessionRequest::Ping) => "ping",
    RequestBody::Session(SessionRequest::Lobby { .. }) => "lobby",
    RequestBody::Session(SessionRequest::AcceptSeek { .. }) => "accept_seek",
    RequestBody::Session(SessionRequest::Say { .. }) => "say",
    RequestBody::Session(SessionRequest::Substitute { .. }) => "substitute",
    RequestBody::Session(SessionRequest::Games(_)) => "games",
    RequestBody::Session(SessionRequest::Game { .. }) => "game",
    RequestBody::Session(SessionRequest::Profile { .. }) => "profile",
    RequestBody::Command(RoomCommand::Move { .. }) => "move",
    RequestBody::Command(RoomCommand::Resign) => "resign",
    RequestBody::Command(RoomCommand::Offer { .. }) => "offer",
    RequestBody::Command(RoomCommand::Accept { .. }) => "accept",
    RequestBody::Command(RoomCommand::Decline { .. }) => "decline",
    RequestBody::Command(RoomCommand::Claim { .. }) => "claim",
    RequestBody::Command(RoomCommand::Flag) => "flag",
    RequestBody::Command(RoomCommand::Abort) => "abort",
    RequestBody::Remark(EngineRemark { .. }) => "remark",
});

kinds!(message_kind, MESSAGES, Message, {
    Message::Welcome { .. } => "welcome",
    Message::Done { .. } => "done",
    Message::Reject { .. } => "reject",
    Message::Snapshot { .. } => "snapshot",
    Message::Events { .. } => "events",
    Message::Notice { .. } => "notice",
    Message::Rooms { .. } => "rooms",
    Message::Lobby { .. } => "lobby",
    Message::LobbyChanged { .. } => "lobby_changed",
    Message::Announcement { .. } => "announcement",
    Message::Games { .. } => "games",
    Message::Game { .. } => "game",
    Message::Profile { .. } => "profile",
    Message::Restarting { .. } => "restarting",
});

kinds!(event_kind, EVENTS, Event, {
    Event::Opened { .. } => "opened",
    Event::Seated { .. } => "seated",
    Event::Started { .. } => "started",
    Event::Moved { .. } => "moved",
    Event::Offered { .. } => "offered",
    Event::Declined { .. } => "declined",
    Event::TakenBack { .. } => "taken_back",
    Event::Ended { .. } => "ended",
    Event::Closed { .. } => "closed",
});

kinds!(notice_kind, NOTICES, Notice, {
    Notice::Presence { .. } => "presence",
    Notice::Lag { .. } => "lag",
    Notice::Spectators { .. } => "spectators",
    Notice::Remark { .. } => "remark",
    Notice::Phrase { .. } => "phrase",
});

kinds!(outcome_kind, OUTCOMES, Outcome, {
    Outcome::Line { .. } => "line",
    Outcome::Full => "full",
    Outcome::Resigned { .. } => "resigned",
    Outcome::Flag { .. } => "flag",
    Outcome::Agreed => "agreed",
    Outcome::Abandoned { .. } => "abandoned",
    Outcome::Aborted => "aborted",
});

/// Lists the variants of a unit-only enum, with an exhaustive match.
macro_rules! unit_enum {
    ($name:ident, $type:ident, [$($variant:ident),+]) => {
        pub(super) fn $name() -> Vec<String> {
            fn complete(value: $type) -> $type {
                match value { $($type::$variant => $type::$variant,)+ }
            }
            let all = [$($type::$variant,)+].map(complete);
            all.map(|value| {
                let text = serde_json::to_string(&value).unwrap();
                assert_eq!(serde_json::from_str::<$type>(&text).unwrap(), value);
                text
            })
            .into()
        }
    };
}

unit_enum!(seats, Seat, [X, O]);
unit_enum!(player_kinds, PlayerKind, [Person, Bot]);
unit_enum!(offers, Offer, [Draw, Takeback, Rematch]);
unit_enum!(claims, Claim, [Win, Draw]);
unit_enum!(phases, Phase, [Waiting, Playing, Over, Closed]);
unit_enum!(close_reasons, RoomCloseReason, [Deserted, Idle, Operator]);
unit_enum!(presences, Presence, [Connected, Disconnected, Left]);
unit_enum!(
    line_names,
    LineName,
    [
        Row,
        Column,
        Pillar,
        MainDiagonal,
        OtherDiagonal,
        SpaceDiagonal,
        Direction
    ]
);

fn close_codes(is_of_file: fn(CloseCode) -> bool) -> Vec<String> {
    let codes = CloseCode::ALL.into_iter().filter(|code| is_of_file(*code));
    let lines = codes.map(|code| {
        assert_eq!(CloseCode::from_code(code.code()), Some(code));
        format!(
            "[{},\"{}\",{}]",
            code.code(),
            code.reason(),
            code.can_resume()
        )
    });
    lines.collect()
}

/// Returns whether only browsers get the code.
fn is_refusal(code: CloseCode) -> bool {
    matches!(
        code,
        CloseCode::ForeignOrigin | CloseCode::TooManyConnections | CloseCode::ServerFull
    )
}

/// Returns the JSON of the words of a table.
fn words<T: Copy + PartialEq + Debug + Serialize + DeserializeOwned>(
    all: &[T],
    word: fn(T) -> &'static str,
) -> Vec<String> {
    let lines = all.iter().map(|value| {
        let text = serde_json::to_string(value).unwrap();
        assert_eq!(serde_json::from_str::<T>(&text).unwrap(), *value);
        assert_eq!(text, format!("\"{}\"", word(*value)));
        text
    });
    lines.collect()
}

/// Name of a golden file, and the function that lists its values.
type UnitEnumFile = (&'static str, fn() -> Vec<String>);

pub(super) const UNIT_ENUMS: &[UnitEnumFile] = &[
    ("word-seat", seats),
    ("word-kind", player_kinds),
    ("word-offer", offers),
    ("word-result", claims),
    ("word-phase", phases),
    ("word-close_reason", close_reasons),
    ("word-presence", presences),
    ("word-line", line_names),
    ("word-phrase", || words(&Phrase::ALL, Phrase::as_str)),
    ("code-reject", || {
        words(&RejectCode::ALL, RejectCode::as_str)
    }),
    ("code-close", || close_codes(|code| !is_refusal(code))),
    ("code-refusal", || close_codes(is_refusal)),
];
