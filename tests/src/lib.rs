//! The harness: real servers on free ports, scripted peers, raw sockets, real
//! terminals, and waits with a limit.

pub mod chance;
pub mod faulty;
pub mod frame;
pub mod http;
pub mod journal;
pub mod peer;
pub mod pipe;
pub mod preload;
pub mod program;
pub mod proxy;
pub mod pty;
pub mod raw;
pub mod server;
pub mod table;
pub mod wait;
pub mod whim;
