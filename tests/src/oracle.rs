//! The observations of all clients, and their comparison with the stored log.

pub mod observations;
