//! The harness: real servers on free ports, scripted peers, raw sockets, and waits with a limit.

pub mod faulty;
pub mod frame;
pub mod http;
pub mod peer;
pub mod program;
pub mod raw;
pub mod server;
pub mod table;
pub mod wait;
