//! How our own search is asked: on a few threads by the clock, or as a test would have it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::FutureExt;
use futures::future::BoxFuture;
use noughts_protocol::Position;

use super::threads::Threads;
use crate::engine::{Level, Limits, Report};

/// What there is to think about.
#[derive(Debug)]
pub struct Question {
    /// The board; the side to move is the one to think for.
    pub position: Position,
    /// How strong to play.
    pub level: Level,
    /// When to end at the latest.
    pub limits: Limits,
    /// Decides between moves that look the same.
    pub seed: u64,
    /// Set when the answer is wanted no more, or at once.
    pub stop: Arc<AtomicBool>,
}

/// A way to come to a move.
pub trait Think: fmt::Debug + Send + Sync + 'static {
    /// Begins to think, and gives the answer: none when there is no move.
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>>;
}

impl Think for Threads {
    fn think(&self, question: Question) -> BoxFuture<'static, Option<Report>> {
        let mut search = self.begin(question);
        async move { search.report().await }.boxed()
    }
}
