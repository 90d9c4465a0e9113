//! Admission control: limits per client, per key guess and per message.

pub mod client_prefix;
pub mod guess_limiter;
pub mod quota;
pub mod rate_limit;
