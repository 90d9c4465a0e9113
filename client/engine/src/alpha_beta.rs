//! Alpha-beta search with its transposition table and its budget.

pub(crate) mod budget;
pub(crate) mod search;
pub(crate) mod transposition;
