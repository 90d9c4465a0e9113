//! How our own search is asked: on a few threads by the clock, or as a test would have it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::future::BoxFuture;
use noughts_protocol::Position;

use crate::engine::{Level, SearchLimits, SearchResult};

/// What there is to think about.
#[derive(Debug)]
pub struct SearchRequest {
    /// The board; the side to move is the one to think for.
    pub position: Position,
    /// How strong to play.
    pub level: Level,
    /// When to end at the latest.
    pub limits: SearchLimits,
    /// Decides between moves that look the same.
    pub seed: u64,
    /// Set when the answer is wanted no more, or at once.
    pub stop: Arc<AtomicBool>,
}

/// A way to come to a move.
pub trait Searcher: fmt::Debug + Send + Sync + 'static {
    /// Begins to think, and gives the answer: none when there is no move.
    fn search(&self, request: SearchRequest) -> BoxFuture<'static, Option<SearchResult>>;
}
