//! The bots of this terminal: our search on a thread that may block, and programs of others.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::{Position, Seat};
use tokio::task::JoinSet;

use crate::engine::Limits;
use crate::local::Ticket;
use crate::thinker::child::{self, Fault};
use crate::thinker::threads::Threads;
use crate::thinker::{Choice, Means, Spec, Thinker};

/// The most time for a move.
const BUDGET: Duration = Duration::from_secs(1);

/// What is being thought.
#[derive(Debug)]
pub(super) struct Thinking {
    thoughts: JoinSet<Thought>,
    means: Means,
    /// By seat, who has thought for it: a program runs on between its moves.
    resting: [Option<(Spec, Thinker)>; 2],
}

/// A thought that has come to its end.
type Thought = (Ticket, Seat, Spec, Thinker, Result<Choice, Fault>);

impl Default for Thinking {
    fn default() -> Thinking {
        let means = Means { own: Arc::new(Threads::new(1)), limits: child::Limits::default() };
        Thinking { thoughts: JoinSet::new(), means, resting: [None, None] }
    }
}

impl Thinking {
    /// Begins a thought. At most one is of any use: those before it are stopped.
    pub(super) fn begin(&mut self, ticket: Ticket, position: Position, thinks: Spec, seed: u64) {
        self.stop();
        let seat = position.turn();
        let before = self.resting[seat.index()].take().filter(|(spec, _)| *spec == thinks);
        let thinker = before.map_or_else(|| Thinker::new(&thinks, &self.means), |(_, thinker)| thinker);
        let thinker = thinker.with_seed(seed);
        let limits = Limits { time: Some(BUDGET), ..Limits::default() };
        self.thoughts.spawn(async move {
            let (thinker, answer) = thinker.choose(position, limits).await;
            (ticket, seat, thinks, thinker, answer)
        });
    }

    /// Stops all thoughts, and the programs that think.
    pub(super) fn stop(&mut self) {
        self.thoughts.abort_all();
    }

    /// The next thought that has come to its end; waits for ever when there is none.
    pub(super) async fn next(&mut self) -> (Ticket, Result<Choice, Fault>) {
        loop {
            match self.thoughts.join_next().await {
                Some(Ok((ticket, seat, thinks, thinker, answer))) => {
                    self.resting[seat.index()] = Some((thinks, thinker));
                    return (ticket, answer);
                }
                Some(Err(error)) if error.is_cancelled() => {}
                // A panic has ended the program already.
                Some(Err(error)) => tracing::error!(%error, "a thought was lost"),
                None => std::future::pending().await,
            }
        }
    }

    /// Stops everything, and gives those whose programs are to be ended.
    pub(super) fn farewell(&mut self) -> impl Iterator<Item = Thinker> {
        self.stop();
        std::mem::take(&mut self.resting).into_iter().flatten().map(|(_, thinker)| thinker)
    }
}
