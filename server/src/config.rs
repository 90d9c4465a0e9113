//! What an operator may set: the address, and every limit of the server with its default.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, Parser};
use noughts_protocol::wire;

/// Hosts rooms for k-in-a-row games over WebSockets.
///
/// The first line on stdout is the WebSocket address served, the second what a friend types to join.
/// Logs go to stderr; RUST_LOG sets how much (default: info).
#[derive(Clone, Debug, Parser)]
#[command(name = "noughts-server", version)]
pub struct Config {
    /// Address and port to serve; port 0 takes a free one. Beyond loopback only if told so.
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:7878", env = "NOUGHTS_LISTEN")]
    pub listen: SocketAddr,

    /// The limits.
    #[command(flatten)]
    pub limits: Limits,
}

/// Every limit of the server. What happens beyond each stands in server/README.md.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// WebSocket connections in all.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_connections: usize,
    /// WebSocket connections from one address.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_per_address: usize,
    /// Connections that have not finished their HTTP request.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub max_handshakes: usize,
    /// Rooms.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_rooms: usize,
    /// Spectators in one room.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub max_watching: usize,
    /// Requests that may wait for one room.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub room_inbox: usize,
    /// Requests that may wait for the lobby.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub lobby_inbox: usize,
    /// Messages that may wait for one connection.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub outbox: usize,
    /// Events that a room keeps for those who resume; beyond them they get a snapshot.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub tail: usize,
    /// Messages that a connection may send at once.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub burst: u32,
    /// Messages a second that a connection may send in the long run.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub per_second: u32,
    /// Time for an HTTP request to arrive.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub handshake: Duration,
    /// Time for the hello to arrive.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub hello: Duration,
    /// Time for one write to a socket.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = time)]
    pub write: Duration,
    /// Time between two pings; a connection that leaves two unanswered is dead.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = time)]
    pub ping: Duration,
    /// Time for a lost player to return before the other may claim the game.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    pub grace: Duration,
    /// The same for a player who left on purpose.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = time)]
    pub left_grace: Duration,
    /// Time after which the game of an absent player is over by itself.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    pub abandon: Duration,
    /// Time that a room may wait for an opponent or for a rematch.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = time)]
    pub idle_room: Duration,
    /// Time that a game may go without a move.
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = time)]
    pub idle_game: Duration,
    /// Time for an event to become durable.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub append: Duration,
    /// Time to drain at a shutdown, and what clients are told to wait before they come back.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = time)]
    pub drain: Duration,
}

fn time(text: &str) -> Result<Duration, humantime::DurationError> {
    humantime::parse_duration(text)
}

impl Default for Limits {
    /// The defaults stand once, in the flags.
    fn default() -> Limits {
        Config::parse_from(["noughts-server"]).limits
    }
}

impl Limits {
    /// What the welcome tells a client.
    pub fn announced(&self) -> wire::Limits {
        wire::Limits {
            message_bytes: wire::MAX_REQUEST_BYTES as u32,
            burst: self.burst,
            per_second: self.per_second,
            ping_ms: millis(self.ping),
            grace_ms: millis(self.grace),
            left_grace_ms: millis(self.left_grace),
            tail: u32::try_from(self.tail).unwrap_or(u32::MAX),
            outbox: u32::try_from(self.outbox).unwrap_or(u32::MAX),
        }
    }
}

/// A limit of time in the unit that rooms and wire count in.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_well_formed() {
        Config::command().debug_assert();
    }

    #[test]
    fn a_limit_that_is_no_time_is_refused() {
        assert!(Config::try_parse_from(["noughts-server", "--grace", "soon"]).is_err());
        let config = Config::try_parse_from(["noughts-server", "--grace", "1500ms"]).unwrap();
        assert_eq!(millis(config.limits.grace), 1500);
    }
}
