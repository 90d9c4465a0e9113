//! The game on the screen, on a server or local: commands, moves of engines, reports and analysis.

pub(super) mod analysis;
pub(super) mod arrival;
pub(super) mod bell;
pub(super) mod event_notes;
pub(super) mod game_commands;
pub(super) mod local_game;
pub(super) mod missed_events;
pub(super) mod queries;
pub(super) mod substitute;
