//! Admission control: limits per client, per key guess and per message.

pub(crate) mod client_prefix;
pub(crate) mod meters;
pub(crate) mod refusal_log;
pub(crate) mod slots;
