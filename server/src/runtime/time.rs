//! Time of the server: its clock, and the record of its uptime across restarts.

pub(crate) mod heartbeat;
pub(crate) mod restart_time;
pub(crate) mod server_clock;
pub(crate) mod uptime;
