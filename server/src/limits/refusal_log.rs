//! Chooses which refused clients are logged: each address once per minute. Pure: the time is an argument.
//!
//! Memory and log are bounded: beyond [`ADDRESSES_MAX`] addresses in one minute, only the metrics of the server count
//! further refusals.

use std::collections::HashSet;

use noughts_protocol::wire::CloseCode;

use crate::limits::client_prefix::ClientPrefix;

/// Maximum number of addresses logged per minute.
const ADDRESSES_MAX: usize = 1024;

const WINDOW_MS: u64 = 60_000;

/// Reason to refuse a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// HTTP 429: too many connections of the address.
    TooManyConnections,
    /// Too many unknown room ids, codes and tokens.
    BadKeys,
    /// A connection that violated the protocol or a limit was closed.
    Closed(CloseCode),
}

impl Refusal {
    /// Returns the reason to log when the server closes a connection. Returns `None` if the client is not at fault.
    pub(crate) fn from_close(code: CloseCode) -> Option<Refusal> {
        match code {
            CloseCode::ProtocolError
            | CloseCode::Unsupported
            | CloseCode::NotUtf8
            | CloseCode::Policy
            | CloseCode::TooBig
            | CloseCode::HelloTimeout
            | CloseCode::Garbage => Some(Refusal::Closed(code)),
            // A connection that is refused with one of these codes is logged where it is counted.
            CloseCode::TooManyConnections
            | CloseCode::ForeignOrigin
            | CloseCode::ServerFull
            | CloseCode::Normal
            | CloseCode::Kicked
            | CloseCode::Banned
            | CloseCode::Internal
            | CloseCode::Restarting
            | CloseCode::ServerClosed
            | CloseCode::Version
            | CloseCode::Replaced
            | CloseCode::SlowConsumer
            | CloseCode::Unresponsive => None,
        }
    }

    /// Returns the word for the log.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Refusal::TooManyConnections => "too_many_connections",
            Refusal::BadKeys => "bad_keys",
            Refusal::Closed(code) => code.reason(),
        }
    }
}

/// The addresses logged in the current minute.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {
    logged: HashSet<ClientPrefix>,
    window_end: u64,
}

impl RefusalLog {
    /// Records a refusal at `now`, in milliseconds. Returns whether to log it.
    pub(crate) fn record(&mut self, client_prefix: ClientPrefix, now: u64) -> bool {
        if now >= self.window_end {
            self.logged.clear();
            self.window_end = now.saturating_add(WINDOW_MS);
        }
        self.logged.len() < ADDRESSES_MAX && self.logged.insert(client_prefix)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client_prefix(number: u32) -> ClientPrefix {
        ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn an_address_is_logged_once_per_minute() {
        let mut log = RefusalLog::default();
        let [eve, ann] = [1, 2].map(client_prefix);
        assert!(log.record(eve, 5));
        assert!(!log.record(eve, 60_004));
        assert!(log.record(ann, 60_004), "another address");
        assert!(log.record(eve, 60_005));
    }

    #[test]
    fn many_addresses_are_not_all_logged() {
        let mut log = RefusalLog::default();
        let logged =
            (0..3 * ADDRESSES_MAX as u32).filter(|number| log.record(client_prefix(*number), 0));
        assert_eq!(logged.count(), ADDRESSES_MAX);
        assert!(log.record(client_prefix(7), WINDOW_MS));
    }
}
