//! Background tasks of the loop: engines, analysis, resumable games and a server of the player.

pub(super) mod analysis;
pub(super) mod engine;
pub(super) mod host;
pub(super) mod save;
