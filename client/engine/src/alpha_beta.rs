//! Alpha-beta search, its transposition table, and the budget that all searches share.

pub(crate) mod budget;
pub(crate) mod search;
pub(crate) mod transposition;
