//! The operator of a running server: its socket, and what it can do to clients and rooms.
//!
//! [`socket`] serves a Unix socket in the data directory. The permission of the file is the role: who can open it is the
//! operator. A request is a line of JSON ([`requests`]), and the response is rows and an end, each a line of JSON.
//! [`execution`] carries a request out, and logs each change. [`bans`] keeps the bans in a file; [`clients`] knows the
//! connected clients.

pub(crate) mod bans;
pub(crate) mod clients;
mod execution;
pub(crate) mod requests;
pub(crate) mod socket;

/// What a data directory has for the operator. Empty for a server without a directory, and for a node of a cluster.
#[derive(Debug, Default)]
pub(crate) struct OperatorParts {
    pub bans: Option<bans::BanFile>,
    pub socket: Option<socket::OperatorSocket>,
}
