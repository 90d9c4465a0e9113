//! Interfaces for operators: the log, metrics, deployment.

mod broken_stderr;
mod deployment;
mod logs;
pub(crate) mod monitoring;
mod operator_socket;
mod restart_time;
mod service_manager;
