//! Nodes of a cluster as processes, the load balancer in front of them, and networks that can be cut.

mod load_balancer;
mod machine_network;
mod node_processes;

pub use load_balancer::{BackendReport, LoadBalancer};
pub use machine_network::{MachineNetwork, run_command};
pub use node_processes::{NodeProcesses, ProcessState};
