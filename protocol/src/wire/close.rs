//! WebSocket close codes: why the server closes a connection, and how the client should react.

/// Defines each code once. The doc comment is the row in the README: the meaning and, after an empty line, what a
/// client does before it reconnects.
macro_rules! close_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $number:literal, $reason:literal, can_resume: $can_resume:literal;)+) => {
        /// The close codes of the protocol. RFC 6455, section 7.4, and the IANA registry define the codes from 1000 to
        /// 1999. The hundreds of the other codes tell the client how to react: 40xx do not reconnect unchanged, 41xx
        /// reconnect later, 42xx resume immediately.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u16)]
        pub enum CloseCode {
            $($(#[doc = $doc])+ $variant = $number,)+
        }

        impl CloseCode {
            /// All codes.
            pub const ALL: [CloseCode; [$($number),+].len()] = [$(CloseCode::$variant),+];

            /// Returns the reason in the close frame: a word for logs, not for users.
            pub fn reason(self) -> &'static str {
                match self { $(CloseCode::$variant => $reason,)+ }
            }

            /// Returns whether the client may reconnect without the user and resume its seat.
            pub fn can_resume(self) -> bool {
                match self { $(CloseCode::$variant => $can_resume,)+ }
            }

            /// Returns the lines of the doc comment.
            pub fn document(self) -> &'static [&'static str] {
                match self { $(CloseCode::$variant => &[$($doc),+],)+ }
            }
        }
    };
}

close_codes! {
    /// The end of an orderly connection. The server echoes the close code of the client.
    Normal = 1000, "bye", can_resume: false;
    /// A frame that RFC 6455 forbids, for example one without a mask or with a reserved bit.
    ProtocolError = 1002, "protocol_error", can_resume: false;
    /// A binary message, at its end.
    Unsupported = 1003, "text_only", can_resume: false;
    /// Text that is not UTF-8.
    NotUtf8 = 1007, "not_utf8", can_resume: false;
    /// More messages after `burst` consecutive `rate_limited` rejects, or too many wrong ids, codes and tokens in a
    /// row.
    ///
    /// Slow down first.
    Policy = 1008, "too_many_messages", can_resume: false;
    /// A frame or message over `message_bytes`.
    TooBig = 1009, "too_big", can_resume: false;
    /// A bug in the server; the room is rebuilt from its log.
    Internal = 1011, "internal_error", can_resume: true;
    /// The server restarts.
    ///
    /// Wait for `retry_after_ms` first.
    Restarting = 1012, "restarting", can_resume: true;
    /// No hello in time.
    HelloTimeout = 4000, "hello_timeout", can_resume: false;
    /// No common version.
    Version = 4001, "version", can_resume: false;
    /// A newer connection has your seat. Do not take it back: two clients that do would alternate for ever.
    Replaced = 4002, "replaced", can_resume: false;
    /// More than 10 messages in total without a readable `id`.
    Garbage = 4003, "garbage", can_resume: false;
    /// [Browsers](#in-a-browser) only: pages of this origin may not connect.
    ForeignOrigin = 4004, "origin_not_allowed", can_resume: false;
    /// The server has ended, and its rooms with it: a player hosted it for a while. It does not come back.
    ServerClosed = 4005, "server_closed", can_resume: false;
    /// The operator has ended this connection. The visitor may connect again.
    Kicked = 4006, "kicked", can_resume: false;
    /// The operator has banned your address or your identity, for a time or for good.
    Banned = 4007, "banned", can_resume: false;
    /// Browsers only: too many connections from your address.
    ///
    /// Wait 5 seconds first.
    TooManyConnections = 4100, "too_many_connections", can_resume: true;
    /// Browsers only: the server has its maximum number of connections.
    ///
    /// Wait 5 seconds first.
    ServerFull = 4101, "server_full", can_resume: true;
    /// You read too slowly.
    SlowConsumer = 4200, "slow_consumer", can_resume: true;
    /// No pong for about twice `ping_ms`.
    Unresponsive = 4201, "unresponsive", can_resume: true;
}

impl CloseCode {
    /// Returns the number on the wire.
    pub fn code(self) -> u16 {
        self as u16
    }

    /// Returns the close code with this number; `None` for a number outside this protocol.
    pub fn from_code(code: u16) -> Option<CloseCode> {
        CloseCode::ALL
            .into_iter()
            .find(|known| known.code() == code)
    }
}
