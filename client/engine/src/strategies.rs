//! Strategies that need no search: the pairing strategy and the mirror strategy.

pub(crate) mod mirror;
pub(crate) mod pairing;
