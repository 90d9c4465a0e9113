//! The requests of the operator to a running server, as arguments.

use std::time::Duration;

use clap::{Args, Subcommand};
use noughts_protocol::RoomId;
use noughts_protocol::wire::Announcement;

use crate::operator::bans::BanTarget;
use crate::operator::requests::OperatorRequest;

/// A request to the running server of the data directory.
#[derive(Clone, Debug, Args)]
pub struct CtlArgs {
    /// Prints the lines of the server: rows, then `{"done":N}` or `{"error":…}`.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) verb: CtlVerb,
}

/// What the operator asks for.
#[derive(Clone, Debug, Subcommand)]
pub(crate) enum CtlVerb {
    /// Print what the server does: connections, rooms, games, bans, disk.
    Status,
    /// List the open rooms, at most 1000.
    Rooms {
        /// Text in the id, the rules, a name or an identity.
        filter: Option<String>,
    },
    /// Show a room, its members, and their connections and networks.
    Room { room: RoomId },
    /// Close a room. A running game is aborted, and does not count.
    Close {
        room: RoomId,
        /// Reason for the log.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// End a connection. The client may connect again.
    Kick {
        /// Number of the connection, as `ctl room` prints it.
        connection: u64,
    },
    /// Ban an address, a network or an identity, and end its connections.
    Ban {
        #[arg(value_name = "ADDRESS|NETWORK|IDENTITY")]
        target: BanTarget,
        /// Duration of the ban. Without it, the ban lasts until it is lifted.
        #[arg(long = "for", value_name = "TIME", value_parser = super::parse_duration)]
        duration: Option<Duration>,
    },
    /// List the bans.
    Bans,
    /// Lift a ban.
    Unban {
        #[arg(value_name = "ADDRESS|NETWORK|IDENTITY")]
        target: BanTarget,
    },
    /// Show a text to all connected clients: one line of at most 200 characters.
    Announce { text: Announcement },
    /// Start no new games. Running games continue, and the server stays up.
    Drain {
        /// Start games again.
        #[arg(long)]
        end: bool,
    },
}

impl CtlVerb {
    pub(crate) fn request(&self) -> OperatorRequest {
        match self.clone() {
            CtlVerb::Status => OperatorRequest::Status {},
            CtlVerb::Rooms { filter } => OperatorRequest::Rooms { filter },
            CtlVerb::Room { room } => OperatorRequest::Room { room },
            CtlVerb::Close { room, reason } => OperatorRequest::Close { room, reason },
            CtlVerb::Kick { connection } => OperatorRequest::Kick { connection },
            CtlVerb::Ban { target, duration } => OperatorRequest::Ban {
                target,
                for_ms: duration
                    .map(|duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)),
            },
            CtlVerb::Bans => OperatorRequest::Bans {},
            CtlVerb::Unban { target } => OperatorRequest::Unban { target },
            CtlVerb::Announce { text } => OperatorRequest::Announce { text },
            CtlVerb::Drain { end } => OperatorRequest::Drain { end },
        }
    }
}
