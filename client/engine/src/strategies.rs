//! Strategies that need no search: the pairing strategy and the mirror strategy.

pub(crate) mod misere_mirror;
pub(crate) mod no_line_proof;
