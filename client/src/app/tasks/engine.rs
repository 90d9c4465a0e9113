//! The bots of this terminal: our search on a thread that may block, and programs of others.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::{Position, Seat};
use tokio::task::JoinSet;

use crate::engine::SearchLimits;
use crate::engines::player_engine::child_process::{self, EngineError};
use crate::engines::player_engine::search_pool::SearchPool;
use crate::engines::player_engine::{BestMove, EngineResources, EngineSpec, PlayerEngine};
use crate::local::SearchId;

/// The most time for a move.
const MAX_MOVE_TIME: Duration = Duration::from_secs(1);

/// What is being thought.
#[derive(Debug)]
pub(in crate::app) struct EngineTask {
    tasks: JoinSet<EngineResult>,
    resources: EngineResources,
    /// By seat, who has thought for it: a program runs on between its moves.
    idle_engines: [Option<(EngineSpec, PlayerEngine)>; 2],
}

/// A thought that has come to its end.
type EngineResult = (SearchId, Seat, EngineSpec, PlayerEngine, Result<BestMove, EngineError>);

impl Default for EngineTask {
    fn default() -> EngineTask {
        let resources = EngineResources {
            searcher: Arc::new(SearchPool::new(1)),
            process_limits: child_process::ProcessLimits::default(),
        };
        EngineTask { tasks: JoinSet::new(), resources, idle_engines: [None, None] }
    }
}

impl EngineTask {
    /// Begins a thought. At most one is of any use: those before it are stopped.
    pub(in crate::app) fn start(
        &mut self,
        search_id: SearchId,
        position: Position,
        engine_spec: EngineSpec,
        seed: u64,
    ) {
        self.stop();
        let seat = position.turn();
        let previous = self.idle_engines[seat.index()].take().filter(|(spec, _)| *spec == engine_spec);
        let engine =
            previous.map_or_else(|| PlayerEngine::new(&engine_spec, &self.resources), |(_, engine)| engine);
        let engine = engine.with_seed(seed);
        let limits = SearchLimits { time: Some(MAX_MOVE_TIME), ..SearchLimits::default() };
        self.tasks.spawn(async move {
            let (engine, result) = engine.choose(position, limits).await;
            (search_id, seat, engine_spec, engine, result)
        });
    }

    /// Stops all thoughts, and the programs that think.
    pub(in crate::app) fn stop(&mut self) {
        self.tasks.abort_all();
    }

    /// The next thought that has come to its end; waits for ever when there is none.
    pub(in crate::app) async fn next(&mut self) -> (SearchId, Result<BestMove, EngineError>) {
        loop {
            match self.tasks.join_next().await {
                Some(Ok((search_id, seat, engine_spec, engine, result))) => {
                    self.idle_engines[seat.index()] = Some((engine_spec, engine));
                    return (search_id, result);
                }
                Some(Err(error)) if error.is_cancelled() => {}
                // A panic has ended the program already.
                Some(Err(error)) => tracing::error!(%error, "a thought was lost"),
                None => std::future::pending().await,
            }
        }
    }

    /// Stops everything, and gives those whose programs are to be ended.
    pub(in crate::app) fn take_idle_engines(&mut self) -> impl Iterator<Item = PlayerEngine> {
        self.stop();
        std::mem::take(&mut self.idle_engines).into_iter().flatten().map(|(_, engine)| engine)
    }
}
