//! Interprets the player's input: keys and clicks, input lines, and commands typed as text or sent as JSON.

mod actions;
pub(super) mod after_game_menu;
pub(super) mod board_input;
mod json_commands;
pub(super) mod keys;
pub(super) mod line_mode;
mod mouse;
mod text_commands;
