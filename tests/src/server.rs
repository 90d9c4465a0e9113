//! Servers under test: in this process, and as a process of its own.

mod in_process;
mod process;

pub use in_process::{TestServer, TestServerOptions, get, send_raw};
pub use process::{ServerProcess, kill_during_start};
