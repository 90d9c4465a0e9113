//! Harness of the whole-system tests: servers, clients, terminals, faults, and an oracle of the observations of
//! clients.
//!
//! Servers listen on free ports and data are in temporary folders, so that all tests can run at the same time.
//! Every wait has a timeout.

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
