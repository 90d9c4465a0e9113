//! The harness: real servers on free ports, scripted peers, raw sockets, and waits with a limit.

pub mod peer;
pub mod program;
pub mod server;
pub mod wait;
