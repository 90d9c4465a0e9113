//! Searches of the local bots: the built-in engine on a blocking thread, and external engines.

use std::sync::Arc;
use std::time::Duration;

use noughts_protocol::{Position, Seat};
use tokio::task::JoinSet;

use crate::engine::SearchLimits;
use crate::engines::player_engine::child_process::{self, EngineError};
use crate::engines::player_engine::search_pool::SearchPool;
use crate::engines::player_engine::{BestMove, EngineResources, EngineSpec, PlayerEngine};
use crate::model::local_game::SearchId;

/// Maximum time for a move.
const MAX_MOVE_TIME: Duration = Duration::from_secs(1);

/// The running searches, and the engines that are idle.
#[derive(Debug)]
pub(in crate::app) struct EngineTask {
    tasks: JoinSet<EngineResult>,
    resources: EngineResources,
    /// The engine of each seat; an external process keeps running between its moves.
    idle_engines: [Option<(EngineSpec, PlayerEngine)>; 2],
}

/// A finished search, with its engine.
type EngineResult = (
    SearchId,
    Seat,
    EngineSpec,
    PlayerEngine,
    Result<BestMove, EngineError>,
);

impl Default for EngineTask {
    fn default() -> EngineTask {
        let resources = EngineResources {
            searcher: Arc::new(SearchPool::new(1)),
            process_limits: child_process::ProcessLimits::default(),
        };
        EngineTask {
            tasks: JoinSet::new(),
            resources,
            idle_engines: [None, None],
        }
    }
}

impl EngineTask {
    /// Starts a search and stops any earlier one.
    pub(in crate::app) fn start(
        &mut self,
        search_id: SearchId,
        position: Position,
        engine_spec: EngineSpec,
        seed: u64,
    ) {
        self.stop();
        let seat = position.turn();
        let previous = self.idle_engines[seat.index()]
            .take()
            .filter(|(spec, _)| *spec == engine_spec);
        let engine = previous.map_or_else(
            || PlayerEngine::new(&engine_spec, &self.resources),
            |(_, engine)| engine,
        );
        let engine = engine.with_seed(seed);
        let limits = SearchLimits {
            time: Some(MAX_MOVE_TIME),
            ..SearchLimits::default()
        };
        self.tasks.spawn(async move {
            let (engine, result) = engine.choose(position, limits).await;
            (search_id, seat, engine_spec, engine, result)
        });
    }

    /// Stops all searches, and the external processes that search.
    pub(in crate::app) fn stop(&mut self) {
        self.tasks.abort_all();
    }

    /// Waits for the next finished search; without searches, waits forever. Cancel safe.
    pub(in crate::app) async fn next(&mut self) -> (SearchId, Result<BestMove, EngineError>) {
        loop {
            match self.tasks.join_next().await {
                Some(Ok((search_id, seat, engine_spec, engine, result))) => {
                    self.idle_engines[seat.index()] = Some((engine_spec, engine));
                    return (search_id, result);
                }
                Some(Err(error)) if error.is_cancelled() => {}
                // The panic hook has ended the program already.
                Some(Err(error)) => tracing::error!(%error, "engine task panicked"),
                None => std::future::pending().await,
            }
        }
    }

    /// Stops all searches, and returns the engines whose processes the caller has to end.
    pub(in crate::app) fn take_idle_engines(&mut self) -> impl Iterator<Item = PlayerEngine> {
        self.stop();
        std::mem::take(&mut self.idle_engines)
            .into_iter()
            .flatten()
            .map(|(_, engine)| engine)
    }
}
