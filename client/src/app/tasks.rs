//! Background tasks of the loop: engines, analysis and resumable games.

pub(super) mod analysis;
pub(super) mod engine;
pub(super) mod save;
