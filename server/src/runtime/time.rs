//! Time of the server: its clock, and the expected time of a restart.

pub(crate) mod restart_time;
pub(crate) mod server_clock;
