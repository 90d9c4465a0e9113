//! The harness: real servers on free ports, scripted peers, raw sockets, real
//! terminals, and waits with a limit.

pub mod client;
pub mod faults;
pub mod oracle;
pub mod program;
pub mod rng;
pub mod server;
pub mod terminal;
pub mod wait;
