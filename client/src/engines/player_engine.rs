//! An engine that plays one side: the built-in search or an external program. Used by the bot, the arena and
//! local games.

pub(crate) mod child_process;
mod engine;
pub(crate) mod search_pool;
pub(crate) mod search_request;

pub(crate) use engine::{
    BestMove, EngineResources, EngineSpec, ParseEngineSpecError, PlayerEngine,
};
