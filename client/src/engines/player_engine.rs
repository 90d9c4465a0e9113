//! An engine that plays one side: the built-in search or an external program. Used by the bot, the arena and
//! local games.

pub mod child_process;
mod engine;
pub mod search_pool;
pub mod search_request;

pub use engine::{BestMove, EngineResources, EngineSpec, ParseEngineSpecError, PlayerEngine};
