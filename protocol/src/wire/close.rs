//! WebSocket close codes: why the server closes a connection, and how the client should react.

/// The close codes of the protocol. Codes from 1000 to 1999 are those of RFC 6455, section 7.4, and the IANA registry.
/// The hundreds of the others tell the client how to react: 40xx do not reconnect unchanged, 41xx reconnect later, 42xx
/// resume at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// Orderly end. The server echoes the code with which the client closes.
    Normal = 1000,
    /// A frame violates RFC 6455.
    ProtocolError = 1002,
    /// Binary message; the protocol is text only.
    Unsupported = 1003,
    /// Invalid UTF-8 in a text message.
    NotUtf8 = 1007,
    /// Too many messages, after a `rate_limited` rejection.
    Policy = 1008,
    /// A message longer than the limit of the welcome.
    TooBig = 1009,
    /// Internal error of the server.
    Internal = 1011,
    /// The server restarts; reconnect after the delay of the `restarting` message.
    Restarting = 1012,
    /// No hello before the timeout.
    HelloTimeout = 4000,
    /// No common version.
    Version = 4001,
    /// A newer connection took the seat.
    Replaced = 4002,
    /// Too many malformed messages.
    Garbage = 4003,
    /// The web page is not allowed to connect. Only a browser gets this code; others get an HTTP status.
    ForeignOrigin = 4004,
    /// The server has ended and does not return; its rooms are gone.
    ServerClosed = 4005,
    /// Too many connections from this address. Only a browser gets this code; others get an HTTP status.
    TooManyConnections = 4100,
    /// The server has its maximum number of connections. Only a browser gets this code; others get an HTTP status.
    ServerFull = 4101,
    /// The send queue was full because the client read too slowly. Resume.
    SlowConsumer = 4200,
    /// No pong arrived. Resume.
    Unresponsive = 4201,
}

impl CloseCode {
    /// All codes.
    pub const ALL: [CloseCode; 18] = [
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
        CloseCode::ForeignOrigin,
        CloseCode::ServerClosed,
        CloseCode::TooManyConnections,
        CloseCode::ServerFull,
        CloseCode::SlowConsumer,
        CloseCode::Unresponsive,
    ];

    /// The number on the wire.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// The close code with this number; `None` for a number outside this protocol.
    pub fn from_code(code: u16) -> Option<CloseCode> {
        CloseCode::ALL
            .into_iter()
            .find(|known| known.code() == code)
    }

    /// The reason in the close frame: a word for logs, not for users.
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
            CloseCode::ForeignOrigin => "origin_not_allowed",
            CloseCode::ServerClosed => "server_closed",
            CloseCode::TooManyConnections => "too_many_connections",
            CloseCode::ServerFull => "server_full",
            CloseCode::SlowConsumer => "slow_consumer",
            CloseCode::Unresponsive => "unresponsive",
        }
    }

    /// Whether the client may reconnect without the user and resume its seat.
    pub fn can_resume(self) -> bool {
        match self {
            CloseCode::Internal
            | CloseCode::Restarting
            | CloseCode::TooManyConnections
            | CloseCode::ServerFull
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
            | CloseCode::Garbage
            | CloseCode::ForeignOrigin
            | CloseCode::ServerClosed => false,
        }
    }
}
