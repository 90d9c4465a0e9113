//! Servers under test: in this process, and as a process of its own.

mod in_process;
mod nats_program;
mod nats_servers;
mod process;
mod service_manager;

pub use in_process::{TestServer, TestServerOptions, get, send_raw};
pub use nats_program::{nats_server_path, old_nats_server_path, skips_nats};
pub use nats_servers::NatsServers;
pub use process::{LOAD_FLAGS, ServerProcess, kill_during_start};
pub use service_manager::TestServiceManager;
