//! The client of Noughts: the terminal program and the bot.
//!
//! The program is one loop around a pure fold. Everything that happens becomes a `Msg`; `update` folds it into the
//! `Model` and returns `Effect`s; the loop runs the effects and draws the model.
//!
//! ```text
//!   signals, keys, lines, clicks     (io, input)
//!   events of the connection         (connection)         Msg     +--------+
//!   searches, analyses, files        (app::tasks)       --------> | update | ----> Model
//!   the deadline of the model        (app)                        +--------+         |
//!          ^                                                          |              | draw
//!          |                                                          v              v
//!          +------------------------- app <------------------------ Effect          ui, i18n
//! ```
//!
//! Only `app` performs I/O around a game. `update`, `model` and `ui` perform none and read no clock, so tests drive
//! them with plain values. A bot (`bot`) is a client like any other: it uses the same `connection` and has no special
//! access.
//!
//! | area | modules |
//! |---|---|
//! | program | `app` the start, the loop and the commands, `cli` flags, `settings` file |
//! | state | `model` state of the screen, `update` the fold, `facts` reports to the player, `input` parsers |
//! | output | `ui` full screen, lines and JSON, `i18n` texts |
//! | server | `connection` task, retry and resume, URLs and invites; `identity` secrets of the player |
//! | finished games | `game_link` links, `puzzle` puzzles of the day |
//! | engines | `bot` games of engines on a server, `engines` searches and protocols |
//! | system | `io` the terminal, files of games, bounded lines and errors |
//!
//! # Start reading here
//!
//! `update::Msg` and `update::Effect` list everything that can happen and everything that the program can do.
//! `update::update` shows the order of the fold, and `app::App::run_loop` the loop itself.
//! `client/examples/minimal_bot.rs` is a complete bot in one file.
//!
//! The modules are private: the public interface is [`run_program`], the search [`engine`], and [`testing`].

mod app;
mod bot;
mod cli;
mod connection;
mod engines;
mod facts;
mod game_link;
mod i18n;
mod identity;
mod input;
mod io;
mod model;
mod puzzle;
mod settings;
mod ui;
mod update;

pub use app::run_program;
pub use noughts_engine as engine;

/// Interfaces for the tests of the workspace. Not a stable API.
pub mod testing {
    pub use crate::app::run as run_app;
    pub use crate::bot::policy::{Clocks, Policy};
    pub use crate::bot::{BotError, BotOptions, run_with as run_bot_with};
    pub use crate::cli::{Cli, parse_args};
    pub use crate::connection::server_url::{Invite, ServerUrl};
    pub use crate::connection::{
        ClientRng, ConnectionEvent, ConnectionHandle, ConnectionOptions, Connector,
        DisconnectReason, RetryPolicy, TerminationReason,
    };
    pub use crate::engines::player_engine::{SearchRequest, Searcher};
    pub use crate::facts::Exit;
    pub use crate::i18n::Texts;
    pub use crate::io::terminal::install_panic_hook;
}
