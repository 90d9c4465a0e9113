//! Harness of the whole-system tests: servers, clients, terminals, faults, and an oracle of what clients observed.
//!
//! ```text
//!  client::test_client ──► faults::proxy ──► server::TestServer ──► faults: a log that fails
//!        │                  cuts, delays      in this process, or server::ServerProcess
//!        ▼                                                      │
//!  oracle: what the clients received  ◄── compares ──►  what the log has stored
//! ```
//!
//! A test of a game calls in this order:
//!
//! 1. `TestServer::start`, or `start_with_limits` to change a limit.
//! 2. `client::game_setup::pair_players`, which returns X and O.
//! 3. `play_moves`, or requests of a `TestClient`: a request returns its response, or the reject.
//! 4. `TestServer::wait_until_idle` after the clients are gone: nothing may be left behind.
//!
//! Servers listen on free ports and data are in temporary folders, so that all tests can run at the same time. Every
//! wait has a timeout ([`wait`]).

pub mod client;
pub mod cluster;
pub mod faults;
pub mod lock;
pub mod oracle;
pub mod program;
pub mod rng;
pub mod server;
pub mod terminal;
pub mod wait;
