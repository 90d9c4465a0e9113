//! Nodes behind a load balancer: faults under load, metrics, and the demonstration.

mod controls;
mod demo;
mod fault_run;
mod faults;
mod metrics;
