//! Admission control: limits per client, per key guess and per message.

pub(crate) mod archive_budget;
pub(crate) mod byte_budget;
pub(crate) mod client_prefix;
pub(crate) mod generation_map;
pub(crate) mod handshake_slots;
pub(crate) mod network_rate;
pub(crate) mod quota;
pub(crate) mod rate_limit;
pub(crate) mod refusal_log;
pub(crate) mod reply_budget;
pub(crate) mod turn_queues;
