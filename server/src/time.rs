//! Time of the server: its clock, and the record of its uptime across restarts.

pub mod heartbeat;
pub mod server_clock;
pub mod uptime;
