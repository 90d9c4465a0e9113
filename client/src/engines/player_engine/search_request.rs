//! Interface of the built-in search. Implementations run it on a thread pool or, in tests, deterministically.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::future::BoxFuture;
use noughts_protocol::Position;

use crate::engine::{Level, SearchLimits, SearchResult};

/// Position to search, with limits.
#[derive(Debug)]
pub struct SearchRequest {
    pub position: Position,
    pub level: Level,
    /// Limits that end the search.
    pub limits: SearchLimits,
    /// Seed for the choice between equally good moves.
    pub seed: u64,
    /// Ends the search with its best move so far when set.
    pub stop: Arc<AtomicBool>,
}

/// Runs searches.
pub trait Searcher: fmt::Debug + Send + Sync + 'static {
    /// Starts a search and returns its result; `None` if the position has no legal move.
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>>;
}
