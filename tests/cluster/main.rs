//! Tests of nodes and NATS servers as processes. They are a program of their own, so that their many processes compete
//! with no other test for the processors.

mod access;
mod archive;
mod controls;
mod demo;
mod fault_run;
mod faults;
mod import_export;
mod lobby;
mod metrics;
mod node;
mod operator_view;
mod several_nodes;
