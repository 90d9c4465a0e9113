//! The client of Noughts: the terminal program and the bot.
//!
//! # The loop
//!
//! The program is one loop around a pure fold. Everything that happens becomes a [`Msg`](update::Msg);
//! [`update`](update::update) folds it into the [`Model`](model::Model) and returns [`Effect`](update::Effect)s; the
//! loop runs the effects and draws the model.
//!
//! ```text
//!   signals, keys, lines, clicks     (terminal, input)
//!   events of the connection         (connection)         Msg     +--------+
//!   searches, analyses, files        (app::tasks)       --------> | update | ----> Model
//!   the deadline of the model        (app)                        +--------+         |
//!          ^                                                          |              | draw
//!          |                                                          v              v
//!          +------------------------- app <------------------------ Effect      ui, layout, i18n
//! ```
//!
//! Only [`app`] performs I/O around a game. [`update`], [`model`], `layout` and [`ui`] perform none and read no clock,
//! so tests drive them with plain values. A bot ([`bot`]) is a client like any other: it uses the same
//! [`connection`] and has no special access.
//!
//! # Modules
//!
//! | area | modules |
//! |---|---|
//! | program | [`app`] the loop and the commands, [`cli`] flags, [`settings`] file, [`doctor`] self-check |
//! | state | [`model`] what is on the screen, [`update`] the fold, [`facts`] what is reported, [`input`] parsers |
//! | output | [`ui`] full screen, lines and JSON, `layout` geometry, [`i18n`] texts, [`terminal`] the device |
//! | server | [`connection`] task, retry and resume, [`server_url`] URLs and invites |
//! | engines | [`bot`] plays on a server, [`local`] games on this terminal, [`engines`] searches and protocols |
//! | storage | [`saved_games`] resuming after a crash, [`io`] bounded lines and errors |
//!
//! # Start reading here
//!
//! [`update::Msg`] and [`update::Effect`] list everything that can happen and everything that the program can do.
//! `update::update` shows the order of the fold, and `app::App::run_loop` the loop itself.
//!
//! # Example
//!
//! Text commands are parsed with the rules of the board on the screen:
//!
//! ```
//! use noughts::input::{DigitOrder, TextCommand, text_command};
//!
//! let rules: noughts_protocol::Rules = "3x3:3".parse().unwrap();
//! let center = rules.parse_cell("b2").unwrap();
//! let command = text_command::parse("5", Some(&rules), DigitOrder::Reading);
//! assert_eq!(command, Ok(TextCommand::Move(center)));
//! ```

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
