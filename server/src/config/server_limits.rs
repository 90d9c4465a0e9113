//! Limits and timeouts of the server: their table, the setting `NAME=VALUE`, and the defaults that depend on other
//! limits.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::LazyLock;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use noughts_protocol::wire;

use crate::config::NetworkConfig;
use crate::runtime::clock::millis;
use crate::runtime::fault_injection::InjectedFaults;

/// Declares [`ServerLimits`] and [`LIMITS`]. A row has a default and a range; `derived` describes a default that
/// depends on another limit. `flag` gives the limit a flag of its own, and names the value of the flag in `--help`.
macro_rules! server_limits {
    ($(
        $(#[doc = $document:literal])+
        $name:ident: $type:ty = $default:expr, $range:expr
            $(, derived $derived:literal)? $(, flag $flag:literal)?;
    )+) => {
        /// Limits of the server.
        #[derive(Clone, Debug)]
        pub struct ServerLimits {
            $($(#[doc = $document])+ pub $name: $type,)+
            /// Permitted origins, host names and proxies, and the public address.
            pub network: NetworkConfig,
            /// Injected faults. Set by tests only.
            pub faults: InjectedFaults,
        }

        impl Default for ServerLimits {
            fn default() -> ServerLimits {
                ServerLimits {
                    $($name: $default,)+
                    network: NetworkConfig::default(),
                    faults: InjectedFaults::NONE,
                }
            }
        }

        /// All limits, in the order of the pages.
        pub(crate) static LIMITS: LazyLock<Vec<LimitField<ServerLimits>>> = LazyLock::new(|| vec![$(
            LimitField {
                name: stringify!($name).replace('_', "-"),
                document: &[$($document),+],
                derived: first(&[$($derived)?]),
                flag: first(&[$($flag)?]),
                unit: unit(&$range),
                range: range_text(&$range),
                default: default_text(&$range, ServerLimits::default().$name.into()),
                set: |limits, text| {
                    limits.$name = parse_limit(text, $range)?;
                    Some(())
                },
            },
        )+]);
    };
}

fn first(values: &[&'static str]) -> Option<&'static str> {
    values.first().copied()
}

const MAX_COUNT: usize = 1_000_000;
const MAX_NUMBER: u32 = 1_000_000;
const MAX_BYTES: u32 = 1_000_000_000;
const MILLISECOND: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// One year, as humantime reads it.
const YEAR: Duration = Duration::from_secs(31_557_600);

server_limits! {
    /// Maximum number of WebSocket connections. Further connections get HTTP 503 with `Retry-After`.
    max_connections: usize = 20_000, 1..=MAX_COUNT, flag "N";
    /// Maximum number of WebSocket connections per address (IPv6: per /64), and of loads of the whole page in four
    /// seconds. Further connections get HTTP 429 with `Retry-After`; further files wait.
    max_per_address: usize = 64, 1..=MAX_COUNT, flag "N";
    /// Maximum number of rooms. Then a room without members closes for a new room: with fewer than 4 moves after one
    /// second, otherwise after ten. Without such a room: reject `server_full`.
    max_rooms: usize = 10_000, 0..=MAX_COUNT, flag "N";
    /// Maximum number of rooms and open seeks per address. Further requests are rejected with `server_full`.
    max_rooms_per_address: Option<usize> = None, 0..=MAX_COUNT, derived "twice `max-per-address`";
    /// Number of new connections per address and second. A further connection waits for its turn, at most for
    /// `handshake-timeout`; then it gets HTTP 429 with `Retry-After`, with TLS it is closed.
    max_new_per_second: Option<u32> = None, 1..=MAX_NUMBER,
        derived "`max-handshakes-per-address` within three quarters of `handshake-timeout`: 86";
    /// Maximum number of unfinished handshakes per address, and of its connections that load the page. Further
    /// connections get HTTP 429 with `Retry-After`.
    max_handshakes_per_address: Option<usize> = None, 1..=MAX_COUNT, derived "four times `max-per-address`";
    /// Maximum number of unfinished handshakes. Then the oldest handshake of the network with the most handshakes is
    /// closed.
    max_handshakes: usize = 1_024, 1..=MAX_COUNT;
    /// Maximum number of finished games that are kept per address and hour. Further games are played, but not kept. A
    /// game counts for the address that opened the room, or for one of the paired addresses.
    max_kept_games_per_hour: u32 = 240, 0..=MAX_NUMBER;
    /// Age below which no finished game is deleted to make room for others. While all kept games are younger, new games
    /// are not kept and a warning is logged.
    protect_games: Duration = Duration::from_secs(7 * 24 * 60 * 60), Duration::ZERO..=100 * YEAR;
    /// Maximum number of spectators per room. Further spectators are rejected with `room_full`.
    max_spectators: usize = 1_000, 0..=MAX_COUNT;
    /// Maximum number of queued requests per room; spectators and joining clients may fill half. Further requests are
    /// rejected with `busy`.
    room_inbox: u32 = 32, 2..=MAX_NUMBER;
    /// Maximum number of queued requests of the lobby. Further requests are rejected with `busy`.
    lobby_inbox: usize = 1_024, 1..=MAX_COUNT;
    /// Maximum number of queued messages per connection. When the queue is full, a player is closed with 4200 and
    /// resumes; a spectator gets a snapshot instead of the missed events.
    send_queue: usize = 64, 2..=MAX_COUNT;
    /// Number of events that a room keeps for resuming clients. A client that resumes from an earlier event gets a
    /// snapshot.
    resume_buffer: usize = 64, 0..=MAX_COUNT;
    /// Number of messages that a connection may send at once. Further messages are rejected with `rate_limited`; after
    /// as many rejects in a row the connection is closed with 1008.
    rate_burst: u32 = 20, 1..=MAX_NUMBER;
    /// Number of messages that a connection may send per second, sustained.
    rate_per_second: u32 = 10, 1..=MAX_NUMBER;
    /// Number of bytes of lists, snapshots and missed events that a connection may request per second. Further requests
    /// for them are rejected with `rate_limited`; moves and other commands are not affected.
    reply_bytes_per_second: u32 = 3_072, 1..=MAX_BYTES;
    /// Number of bytes per second for the spectators of one address; its subscribers of the lobby have twice as many.
    /// With an exhausted budget they get the whole state at intervals instead of each change.
    spectator_bytes_per_second: Option<u32> = None, 1..=MAX_BYTES, derived "48 times `max-per-address`";
    /// Number of offers that a player may make at once in a game; sustained, one in 5 seconds. Further offers are
    /// rejected with `rate_limited`.
    offer_burst: u32 = 5, 1..=MAX_NUMBER;
    /// Maximum number of unknown room ids, codes and tokens per address and minute. Further unknown keys are rejected
    /// with `rate_limited` instead of `unknown_room`; known keys are always accepted.
    max_bad_keys_per_minute: u32 = 240, 1..=MAX_NUMBER;
    /// Maximum number of unknown room ids, codes and tokens in a row on one connection. One more closes it with 1008.
    max_bad_keys_per_connection: u32 = 30, 0..=MAX_NUMBER;
    /// Number of times that a seat may be taken from a live connection at once; sustained, once per second. Further
    /// takeovers are rejected with `rate_limited`; the seat stays with its connection.
    takeovers: u32 = 10, 1..=MAX_NUMBER;
    /// Time limit of a handshake: TLS, HTTP request, response and upgrade together. The wait for `max-new-per-second`
    /// may take as long in addition. On expiry the connection is closed.
    handshake_timeout: Duration = 4 * SECOND, MILLISECOND..=HOUR;
    /// Time limit for the first line of an HTTP request, or the first TLS record. On expiry the connection is closed.
    first_line_timeout: Duration = SECOND, MILLISECOND..=HOUR;
    /// Time limit of each response with a file of the page; between two requests, `handshake-timeout`. On expiry the
    /// connection is closed.
    page_timeout: Duration = 30 * SECOND, MILLISECOND..=HOUR;
    /// Time limit for the hello message. On expiry close 4000.
    hello_timeout: Duration = 5 * SECOND, MILLISECOND..=HOUR;
    /// Time limit of one write to a socket. On expiry the connection is closed; the seat is kept.
    write_timeout: Duration = 3 * SECOND, MILLISECOND..=HOUR;
    /// Interval between pings, ± 10 %. After two unanswered pings close 4201; the seat is kept.
    ping_interval: Duration = 15 * SECOND, 100 * MILLISECOND..=DAY;
    /// Time before the opponent of a disconnected player may claim the game.
    reconnect_grace: Duration = 60 * SECOND, Duration::ZERO..=YEAR;
    /// Time before the opponent of a player who left may claim the game.
    leave_grace: Duration = 10 * SECOND, Duration::ZERO..=YEAR;
    /// Time before an absent player forfeits.
    abandon_after: Duration = 300 * SECOND, Duration::ZERO..=YEAR;
    /// Time that a room may wait for an opponent or a rematch. On expiry it closes.
    room_idle_timeout: Duration = HOUR, MILLISECOND..=YEAR;
    /// Time that a game may go without a move. On expiry the game ends, and its room closes.
    game_idle_timeout: Duration = DAY, MILLISECOND..=YEAR;
    /// Time limit for storing an event. On expiry: reject `unavailable`.
    append_timeout: Duration = 5 * SECOND, MILLISECOND..=HOUR;
    /// Time limit of each of the two phases of a graceful shutdown: connections, then rooms. On expiry the remaining
    /// connections or rooms are aborted.
    drain_timeout: Duration = 5 * SECOND, MILLISECOND..=HOUR;
}

/// Id and name of the flag that sets the limits without a flag of their own.
const SET: &str = "set";

fn set_flag(
    limits: &mut ServerLimits,
    field: &LimitField<ServerLimits>,
    text: &str,
) -> Result<(), LimitError> {
    (field.set)(limits, text).ok_or_else(|| LimitError::Value {
        name: field.name.clone(),
        unit: field.unit,
        range: field.range.clone(),
    })
}

impl ServerLimits {
    /// Applies `NAME=VALUE`.
    ///
    /// # Errors
    /// If no limit without a flag has this name, or if the value is not in its range.
    pub(crate) fn set(&mut self, setting: &str) -> Result<(), LimitError> {
        let (name, value) = setting.split_once('=').ok_or(LimitError::Syntax)?;
        let (name, value) = (name.trim(), value.trim());
        if name.is_empty() {
            return Err(LimitError::Syntax);
        }
        match LIMITS.iter().find(|field| field.name == name) {
            Some(field) if field.flag.is_none() => set_flag(self, field, value),
            Some(_) => Err(LimitError::HasFlag { name: name.into() }),
            None => {
                let settable = LIMITS.iter().filter(|field| field.flag.is_none());
                let known = settable
                    .map(|field| format!("{} ({}, {})", field.name, field.unit, field.range));
                let known = known.collect::<Vec<_>>().join("\n  ");
                Err(LimitError::Unknown {
                    name: name.into(),
                    known,
                })
            }
        }
    }
}

impl Args for ServerLimits {
    fn augment_args(command: Command) -> Command {
        let mut command = NetworkConfig::augment_args(command).next_help_heading("Limits");
        for field in LIMITS.iter() {
            let Some(value_name) = field.flag else {
                continue;
            };
            let parse = |text: &str| {
                set_flag(&mut ServerLimits::default(), field, text).map(|()| text.to_owned())
            };
            let flag = Arg::new(&field.name)
                .long(&field.name)
                .value_name(value_name);
            command = command.arg(
                flag.default_value(&field.default)
                    .value_parser(parse)
                    .help(field.document().trim_end_matches('.').to_owned()),
            );
        }
        let parse = |text: &str| ServerLimits::default().set(text).map(|()| text.to_owned());
        command.arg(
            Arg::new(SET)
                .long(SET)
                .value_name("NAME=VALUE")
                .env("NOUGHTS_SET")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(parse)
                .help(
                    "Another limit, or several separated by commas; may be repeated, and the last one counts. \
                     `noughts-server man` lists their names, units, ranges and defaults",
                ),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        ServerLimits::augment_args(command)
    }
}

impl FromArgMatches for ServerLimits {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ServerLimits, clap::Error> {
        let mut limits = ServerLimits::default();
        limits.update_from_arg_matches(matches)?;
        Ok(limits)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let refused = |error| clap::Error::raw(clap::error::ErrorKind::ValueValidation, error);
        self.network = NetworkConfig::from_arg_matches(matches)?;
        for field in LIMITS.iter().filter(|field| field.flag.is_some()) {
            if let Some(text) = matches.get_one::<String>(&field.name) {
                set_flag(self, field, text).map_err(refused)?;
            }
        }
        for setting in matches.get_many::<String>(SET).into_iter().flatten() {
            self.set(setting).map_err(refused)?;
        }
        Ok(())
    }
}

impl ServerLimits {
    /// Returns the maximum number of rooms and seeks per address.
    pub fn rooms_per_address(&self) -> usize {
        self.max_rooms_per_address
            .unwrap_or(self.max_per_address.saturating_mul(2))
    }

    /// Returns the maximum number of unfinished handshakes per address. The same limit applies to page connections, so
    /// that all browsers of a class behind one address can open the page together, each with six connections.
    pub fn handshakes_per_address(&self) -> usize {
        self.max_handshakes_per_address
            .unwrap_or(self.max_per_address.saturating_mul(4))
    }

    /// Returns the number of new connections per second and address. By default, the connections in all handshake slots
    /// have their turns within three quarters of `handshake_timeout`. The last quarter is a reserve: each turn comes a
    /// little late, because timers count whole milliseconds.
    pub fn new_connections_per_second(&self) -> u32 {
        let seconds = self.handshake_timeout.as_secs_f64().max(1.0) * 0.75;
        let default = (self.handshakes_per_address() as f64 / seconds).ceil() as u32;
        self.max_new_per_second.unwrap_or(default)
    }

    /// Returns the number of bytes per second that the spectators of one address receive without a request.
    pub fn spectator_byte_rate(&self) -> u32 {
        let default = u32::try_from(self.max_per_address.saturating_mul(48)).unwrap_or(u32::MAX);
        self.spectator_bytes_per_second.unwrap_or(default)
    }

    /// Returns the number of bytes per second that the subscribers of one address receive as changes of the lobby. A
    /// seek reaches more subscribers than a move reaches spectators, but takes a smaller request.
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

/// A row of the table of the limits in `L`.
pub(crate) struct LimitField<L> {
    /// Name as in `--set NAME=VALUE`, with hyphens.
    pub name: String,
    /// Lines of the doc comment.
    pub document: &'static [&'static str],
    /// Description of a default that depends on another limit.
    pub derived: Option<&'static str>,
    /// Name of the value in `--help`, if the limit has a flag of its own.
    pub flag: Option<&'static str>,
    /// "a number" or "a time".
    pub unit: &'static str,
    /// First and last value: "1 to 64".
    pub range: String,
    /// Default as a user writes it. Empty if it is derived.
    pub default: String,
    pub set: fn(&mut L, &str) -> Option<()>,
}

impl<L> LimitField<L> {
    /// Returns the documentation in one line.
    pub(crate) fn document(&self) -> String {
        let lines: Vec<&str> = self.document.iter().map(|line| line.trim()).collect();
        lines.join(" ")
    }

    /// Returns the default as the pages show it.
    pub(crate) fn shown_default(&self) -> &str {
        self.derived.unwrap_or(&self.default)
    }
}

impl<L> fmt::Debug for LimitField<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LimitField")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Error of a setting `NAME=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitError {
    #[error("expected NAME=VALUE, for example send-queue=128")]
    Syntax,
    #[error("{name} is not a limit; the limits are\n  {known}")]
    Unknown { name: String, known: String },
    #[error("{name} has a flag of its own: --{name}")]
    HasFlag { name: String },
    #[error("{name} takes {unit}, {range}")]
    Value {
        name: String,
        unit: &'static str,
        range: String,
    },
}

/// A type of values that a user can write.
pub(super) trait LimitValue: PartialOrd + Sized {
    const UNIT: &str;

    fn parse(text: &str) -> Option<Self>;

    fn text(&self) -> String;
}

macro_rules! number_limits {
    ($($number:ty)+) => {$(
        impl LimitValue for $number {
            const UNIT: &str = "a number";

            fn parse(text: &str) -> Option<$number> {
                text.parse().ok()
            }

            fn text(&self) -> String {
                self.to_string()
            }
        }
    )+};
}

number_limits!(u32 usize);

impl LimitValue for Duration {
    const UNIT: &str = "a time";

    fn parse(text: &str) -> Option<Duration> {
        humantime::parse_duration(text).ok()
    }

    fn text(&self) -> String {
        humantime::format_duration(*self).to_string()
    }
}

/// Parses a value that is in its range. The field may be optional.
fn parse_limit<V: LimitValue, F: From<V>>(text: &str, range: RangeInclusive<V>) -> Option<F> {
    V::parse(text)
        .filter(|value| range.contains(value))
        .map(F::from)
}

/// Returns the unit of a limit with this range.
fn unit<V: LimitValue>(_: &RangeInclusive<V>) -> &'static str {
    V::UNIT
}

/// Returns the range of a limit in words.
fn range_text<V: LimitValue>(range: &RangeInclusive<V>) -> String {
    format!("{} to {}", range.start().text(), range.end().text())
}

/// Returns a default in the form that a user writes, or nothing if it is derived.
fn default_text<V: LimitValue>(_: &RangeInclusive<V>, default: Option<V>) -> String {
    default.map(|value| value.text()).unwrap_or_default()
}
