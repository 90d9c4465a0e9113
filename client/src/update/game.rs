//! The displayed game, on a server or local: commands, moves of engines, reports and analysis.

pub(super) mod event_effects;
pub(super) mod game_commands;
pub(super) mod queries;
