//! Limits and timeouts of the server, and the defaults that follow from other limits.

use std::net::IpAddr;
use std::time::Duration;

use clap::{Args, Parser};
use ipnet::IpNet;
use noughts_protocol::wire;

use super::{PublicUrl, ServerConfig, parse_duration};
use crate::runtime::fault_injection::InjectedFaults;
use crate::runtime::time::server_clock::millis;

/// Limits of the server. server/README.md lists the effect of exceeding each of them.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits and timeouts")]
pub struct ServerLimits {
    /// Origin of a web page that may connect, as a browser sends it (`https://play.example.org`); may be repeated.
    /// Same-origin and local pages are always allowed.
    #[arg(long, value_name = "ORIGIN", help_heading = "Network")]
    pub allow_origin: Vec<String>,
    /// Accepted Host name; may be repeated. Always accepted: addresses, `localhost` and, beyond loopback, local names.
    /// With TLS the default is any name.
    #[arg(long, value_name = "NAME", help_heading = "Network")]
    pub allow_host: Vec<String>,
    /// Network of proxies that name their clients in a PROXY header, `Forwarded` or `X-Forwarded-For`; may be repeated.
    #[arg(long, value_name = "CIDR", value_parser = parse_network, help_heading = "Network")]
    pub trusted_proxy: Vec<IpNet>,
    /// WebSocket address at which other machines reach the server (`wss://games.example.org/ws`), for invitations. Default:
    /// the address that the server prints, unless it listens on loopback only.
    #[arg(
        long,
        value_name = "URL",
        env = "NOUGHTS_PUBLIC_URL",
        help_heading = "Network"
    )]
    pub public_url: Option<PublicUrl>,
    /// Stops the server when its standard input ends, for a program that starts a server of its own. Clients of a server that
    /// stores nothing learn that the server does not return.
    #[arg(long, help_heading = None::<&str>)]
    pub stop_with_stdin: bool,
    /// Maximum number of WebSocket connections.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub max_connections: usize,
    /// Maximum number of WebSocket connections per address (IPv6: per /64).
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub max_per_address: usize,
    /// Maximum number of connections with an unfinished HTTP request.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub max_handshakes: usize,
    /// Maximum number of unfinished handshakes, and of connections that load the page, per address. Default: four times
    /// --max-per-address.
    #[arg(long, value_name = "N")]
    pub max_handshakes_per_address: Option<usize>,
    /// Number of new connections per address, per second. Default: a quarter of --max-per-address.
    #[arg(long, value_name = "N")]
    pub max_new_per_second: Option<u32>,
    /// Maximum number of rooms.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub max_rooms: usize,
    /// Maximum number of rooms and open seeks per address. Default: twice --max-per-address.
    #[arg(long, value_name = "N")]
    pub max_rooms_per_address: Option<usize>,
    /// Maximum number of finished games per address and hour that are kept.
    #[arg(long, value_name = "N", default_value_t = 240)]
    pub max_kept_games_per_hour: u32,
    /// Maximum number of spectators per room.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub max_spectators: usize,
    /// Maximum number of queued requests per room.
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub room_inbox: u32,
    /// Maximum number of queued requests of the lobby.
    #[arg(long, value_name = "N", default_value_t = 1_024)]
    pub lobby_inbox: usize,
    /// Maximum number of queued messages per connection.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub send_queue: usize,
    /// Number of events that a room keeps for resuming clients; beyond it they get a snapshot.
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub resume_buffer: usize,
    /// Number of messages that a connection may send at once.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub rate_burst: u32,
    /// Sustained number of messages per connection, per second.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub rate_per_second: u32,
    /// Sustained number of bytes per second that a connection may request with list, sync, resume, join and watch. At once
    /// it may request the bytes of 20 seconds, at least 64 KiB; 8 KiB while the connections of its address exceed their rate.
    #[arg(long, value_name = "N", default_value_t = 3_072)]
    pub reply_bytes_per_second: u32,
    /// Sustained number of bytes per second that rooms send to the spectators of one address without a request; at once, the
    /// bytes of four minutes. Subscribers of the lobby: twice as many. Default: 48 times --max-per-address.
    #[arg(long, value_name = "N")]
    pub spectator_bytes_per_second: Option<u32>,
    /// Number of offers that a player may make at once in a game; sustained once per 5 seconds.
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub offer_burst: u32,
    /// Maximum number of unknown room ids, codes and tokens per address and minute. Known ones are always accepted.
    #[arg(long, value_name = "N", default_value_t = 240)]
    pub max_bad_keys_per_minute: u32,
    /// Maximum number of unknown room ids, codes and tokens in a row on one connection; one more closes it.
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub max_bad_keys_per_connection: u32,
    /// Takeover burst per seat: resumes that replace a live connection; refills at one per second.
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub takeovers: u32,
    /// Time limit of a handshake: TLS, HTTP request and response together. A connection that waits for --max-new-per-second
    /// waits at most this time in addition.
    #[arg(long, value_name = "TIME", default_value = "4s", value_parser = parse_duration)]
    pub handshake_timeout: Duration,
    /// Time limit for the first line of an HTTP request, or the first TLS record.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = parse_duration)]
    pub first_line_timeout: Duration,
    /// Time limit of the response to a request for the page.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = parse_duration)]
    pub page_timeout: Duration,
    /// Time limit for the hello message.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub hello_timeout: Duration,
    /// Time limit of one write to a socket.
    #[arg(long, value_name = "TIME", default_value = "3s", value_parser = parse_duration)]
    pub write_timeout: Duration,
    /// Interval between pings; two unanswered pings close the connection.
    #[arg(long, value_name = "TIME", default_value = "15s", value_parser = parse_duration)]
    pub ping_interval: Duration,
    /// Time before the opponent of a disconnected player may claim the game.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_duration)]
    pub reconnect_grace: Duration,
    /// Time before the opponent of a player who left may claim the game.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub leave_grace: Duration,
    /// Time before an absent player forfeits.
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    pub abandon_after: Duration,
    /// Time that a room may wait for an opponent or a rematch.
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = parse_duration)]
    pub room_idle_timeout: Duration,
    /// Time that a game may go without a move.
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = parse_duration)]
    pub game_idle_timeout: Duration,
    /// Time limit for storing an event.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub append_timeout: Duration,
    /// Time limit of each of the two phases of a graceful shutdown: connections, then rooms.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub drain_timeout: Duration,
    /// Injected faults. Set by tests, not by a flag.
    #[arg(skip)]
    pub faults: InjectedFaults,
}

/// Parses a network, or an address as the network that contains only it.
fn parse_network(text: &str) -> Result<IpNet, ipnet::AddrParseError> {
    text.parse().or_else(|error| {
        text.parse()
            .map(|address: IpAddr| address.into())
            .map_err(|_| error)
    })
}

impl Default for ServerLimits {
    /// Returns the default values of the flags.
    fn default() -> ServerLimits {
        ServerConfig::parse_from(["noughts-server"]).limits
    }
}

impl ServerLimits {
    /// Returns the maximum number of rooms and seeks per address.
    pub fn rooms_per_address(&self) -> usize {
        self.max_rooms_per_address
            .unwrap_or(self.max_per_address.saturating_mul(2))
    }

    /// Returns the maximum number of unfinished handshakes per address, which is also that of page connections. A class
    /// behind one address opens the page at once, each browser with six connections.
    pub fn handshakes_per_address(&self) -> usize {
        self.max_handshakes_per_address
            .unwrap_or(self.max_per_address.saturating_mul(4))
    }

    /// Returns the number of new connections per second and address.
    pub fn new_connections_per_second(&self) -> u32 {
        let default = u32::try_from(self.max_per_address.div_ceil(4)).unwrap_or(u32::MAX);
        self.max_new_per_second.unwrap_or(default)
    }

    /// Returns the number of bytes per second that the spectators of one address are sent without a request.
    pub fn spectator_byte_rate(&self) -> u32 {
        let default = u32::try_from(self.max_per_address.saturating_mul(48)).unwrap_or(u32::MAX);
        self.spectator_bytes_per_second.unwrap_or(default)
    }

    /// Returns the number of bytes of changes of the lobby per second that the subscribers of one address are sent. A seek
    /// reaches more subscribers than a move reaches spectators, but takes a smaller request.
    pub fn lobby_byte_rate(&self) -> u32 {
        self.spectator_byte_rate().saturating_mul(2)
    }

    /// Returns the number of bytes per second that all connections of one address may request.
    pub fn reply_byte_rate(&self) -> u64 {
        u64::from(self.reply_bytes_per_second).saturating_mul(self.max_per_address as u64)
    }

    /// Returns the limits that the welcome message announces.
    pub fn wire_limits(&self) -> wire::AnnouncedLimits {
        wire::AnnouncedLimits {
            message_bytes: wire::MAX_REQUEST_BYTES as u32,
            burst: self.rate_burst,
            per_second: self.rate_per_second,
            ping_ms: millis(self.ping_interval),
            grace_ms: millis(self.reconnect_grace),
            left_grace_ms: millis(self.leave_grace),
            resume_events: u32::try_from(self.resume_buffer).unwrap_or(u32::MAX),
            send_queue: u32::try_from(self.send_queue).unwrap_or(u32::MAX),
        }
    }
}
