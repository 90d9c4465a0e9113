//! Admission control: limits per client, per key guess and per message.

pub(crate) mod client_prefix;
pub(crate) mod guess_limiter;
pub(crate) mod quota;
pub(crate) mod rate_limit;
