//! Everything that joins a noughts server: the terminal client and the bot.
//!
//! One model, several views. `update` folds what happened into the model and says what to do about
//! it, without IO; the views are pure functions of the model; `app` is the only loop. The bot is a
//! client like any other and has no private door.

pub mod app;
pub mod arena;
pub mod bot;
pub mod cli;
pub mod connection;
pub mod engine;
pub mod gomocup;
pub mod input;
pub mod lang;
pub mod lines;
pub mod local;
pub mod model;
pub mod serve;
pub mod server_url;
pub mod study;
pub mod system;
pub mod terminal;
pub mod thinker;
pub mod ugi;
pub mod ui;
pub mod unfinished;
pub mod update;
pub mod words;
