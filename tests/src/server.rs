//! Servers under test: in this process, and as a process of its own.

mod certificates;
mod in_process;
mod metric_names;
mod nats_program;
mod nats_servers;
mod process;
mod service_manager;

pub use certificates::write_certificates;
pub use in_process::{TestServer, TestServerOptions, get, metric, send_raw};
pub use metric_names::{named_metrics, sample_names};
pub use nats_program::{nats_server_path, old_nats_server_path, skips_nats};
pub use nats_servers::{NatsServers, reserve_nats_servers};
pub use process::{CONNECT_TIMEOUTS, LOAD_FLAGS, ServerProcess, kill_during_start};
pub use service_manager::TestServiceManager;
