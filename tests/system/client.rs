//! The client without a full screen: pipes, JSON, settings and saved games.

mod doctor;
mod identity;
mod json_mode;
mod languages;
mod line_mode;
mod mcp;
mod multi_watch;
mod own_games;
mod reconnect;
mod saved_games;
mod settings;
