//! Strategies that need no search: pairing strategies and the mirror strategy.

pub(crate) mod mirror;
pub(crate) mod pairing;
