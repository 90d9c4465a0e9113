//! Nodes behind a load balancer: faults under load, metrics, and the demonstration.

mod demo;
mod faults;
mod metrics;
