//! Checks of every byte, request, log and counter of a run.

pub(crate) mod invariants;
pub(crate) mod metrics_check;
pub(crate) mod request_ledger;
pub(crate) mod room_log_model;
pub(crate) mod wire_checker;
