//! Options of a connection.

use std::time::Duration;

use noughts_protocol::wire::{self, FeatureSet, Hello};
use noughts_protocol::{IdentitySecret, Name, PlayerKind};

use crate::connection::server_url::ServerUrl;

/// Server, identity and retry policy of a connection.
#[derive(Clone, Debug)]
pub struct ConnectionOptions {
    pub url: ServerUrl,
    /// The first request on every connection.
    pub hello: Hello,
    pub retry: RetryPolicy,
}

impl ConnectionOptions {
    /// Creates options for a guest or a player with an identity, with the features that the connection requests. The
    /// player is a person, or a program that plays through this program.
    pub fn for_player(
        url: ServerUrl,
        (name, identity_secret): (Name, Option<IdentitySecret>),
        kind: PlayerKind,
        retry: RetryPolicy,
        wants: FeatureSet,
    ) -> ConnectionOptions {
        let hello = Hello {
            versions: [wire::VERSION; 2],
            name,
            kind,
            client: Some(concat!("noughts ", env!("CARGO_PKG_VERSION")).to_owned()),
            party: None,
            identity_secret,
            wants,
        };
        ConnectionOptions { url, hello, retry }
    }
}

/// How long a client tries to reconnect after a loss. The first connection has a single attempt, so that a wrong
/// address fails immediately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryPolicy {
    /// The loss of the connection ends the session.
    Never,
    /// Reconnects for at most this time after the loss.
    For(Duration),
}

impl Default for RetryPolicy {
    /// Reconnects for 5 minutes. This is longer than the server's grace period, because the opponent may not have
    /// claimed the game.
    fn default() -> RetryPolicy {
        RetryPolicy::For(Duration::from_secs(5 * 60))
    }
}
