//! Why a server closes a connection, and what the client should do about it.

/// The close codes of the interface. Those from 1000 on are the protocol's own (RFC 6455, section
/// 7.4 and the IANA registry); ours say in their hundreds what to do: 40xx do not come back as you
/// were, 41xx come back later, 42xx resume at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// The end of an orderly connection. A server echoes whatever code the client closes with.
    Normal = 1000,
    /// A frame against RFC 6455.
    ProtocolError = 1002,
    /// A binary message: this wire is text.
    Unsupported = 1003,
    /// Text that is not UTF-8.
    NotUtf8 = 1007,
    /// Too many messages, after a warning.
    Policy = 1008,
    /// A message over the limit that the welcome states.
    TooBig = 1009,
    /// A bug in the server.
    Internal = 1011,
    /// The server restarts: come back in as many milliseconds as the `restarting` message said.
    Restarting = 1012,
    /// No hello within its time.
    HelloTimeout = 4000,
    /// No version in common.
    Version = 4001,
    /// A newer connection has taken this seat.
    Replaced = 4002,
    /// Too many messages that were not even messages.
    Garbage = 4003,
    /// The outbox was full: the client read too slowly. Resume.
    SlowConsumer = 4200,
    /// No pong came. Resume.
    Unresponsive = 4201,
}

impl CloseCode {
    /// All of them.
    pub const ALL: [CloseCode; 14] = [
        CloseCode::Normal,
        CloseCode::ProtocolError,
        CloseCode::Unsupported,
        CloseCode::NotUtf8,
        CloseCode::Policy,
        CloseCode::TooBig,
        CloseCode::Internal,
        CloseCode::Restarting,
        CloseCode::HelloTimeout,
        CloseCode::Version,
        CloseCode::Replaced,
        CloseCode::Garbage,
        CloseCode::SlowConsumer,
        CloseCode::Unresponsive,
    ];

    /// The number on the wire.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The code with this number, if it is one of ours.
    pub fn from_code(code: u16) -> Option<CloseCode> {
        CloseCode::ALL.into_iter().find(|known| known.code() == code)
    }

    /// The reason sent along: a word for logs, not for screens.
    pub fn reason(self) -> &'static str {
        match self {
            CloseCode::Normal => "bye",
            CloseCode::ProtocolError => "protocol_error",
            CloseCode::Unsupported => "text_only",
            CloseCode::NotUtf8 => "not_utf8",
            CloseCode::Policy => "too_many_messages",
            CloseCode::TooBig => "too_big",
            CloseCode::Internal => "internal_error",
            CloseCode::Restarting => "restarting",
            CloseCode::HelloTimeout => "hello_timeout",
            CloseCode::Version => "version",
            CloseCode::Replaced => "replaced",
            CloseCode::Garbage => "garbage",
            CloseCode::SlowConsumer => "slow_consumer",
            CloseCode::Unresponsive => "unresponsive",
        }
    }

    /// Whether a client that is told this may connect again by itself and go on where it was.
    pub fn can_resume(self) -> bool {
        match self {
            CloseCode::Internal
            | CloseCode::Restarting
            | CloseCode::SlowConsumer
            | CloseCode::Unresponsive => true,
            CloseCode::Normal
            | CloseCode::ProtocolError
            | CloseCode::Unsupported
            | CloseCode::NotUtf8
            | CloseCode::Policy
            | CloseCode::TooBig
            | CloseCode::HelloTimeout
            | CloseCode::Version
            | CloseCode::Replaced
            | CloseCode::Garbage => false,
        }
    }
}
