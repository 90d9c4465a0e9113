//! Proofs and moves that need no search: a seat that completes no line, and the mirror strategy of misère.

pub(crate) mod misere_mirror;
pub(crate) mod no_line_proof;
pub(crate) mod take_even;
pub(crate) mod traps;
