//! Everything that joins a noughts server: the terminal client and the bot.
//!
//! One model, several views. `update` folds what happened into the model and says what to do about
//! it, without IO; the views are pure functions of the model; `app` is the only loop. The bot is a
//! client like any other and has no private door.

pub mod app;
pub mod bot;
pub mod cli;
pub mod connection;
pub mod doctor;
pub mod engines;
pub mod facts;
pub mod i18n;
pub mod input;
pub mod io;
mod layout;
pub mod local;
pub mod model;
pub mod saved_games;
pub mod server_url;
pub mod settings;
pub mod terminal;
pub mod ui;
pub mod update;

pub use noughts_engine as engine;
