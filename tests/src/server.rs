//! Servers under test: in this process, and as a process of its own.

mod in_process;
mod process;
mod service_manager;

pub use in_process::{TestServer, TestServerOptions, get, send_raw};
pub use process::{ServerProcess, kill_during_start};
pub use service_manager::TestServiceManager;
