//! Background tasks of the loop: connections, engines, analysis, game files, and the player's own server.

pub(super) mod archive;
pub(super) mod host;
pub(super) mod identity;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant, SystemTime};

use noughts_protocol::wire::{FeatureSet, RequestBody};
use noughts_protocol::{IdentitySecret, Name, PlayerKind, Position, Seat};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::connection::server_url::ServerUrl;
use crate::connection::{
    ConnectionEvent, ConnectionHandle, ConnectionOptions, RetryPolicy, SendError,
};
use crate::engine::SearchLimits;
use crate::engines::analysis::{
    self, AnalysisRequest, AnalysisResult, ReviewProgress, StopAndClock,
};
use crate::engines::player_engine::SearchPool;
use crate::engines::player_engine::child_process::{self, EngineError};
use crate::engines::player_engine::{BestMove, EngineResources, EngineSpec, PlayerEngine};
use crate::facts::PendingRequest;
use crate::io::io_error::LocalizableIoError;
use crate::io::last_choices::{self, LastChoices};
use crate::io::own_games::{FinishedOwnGame, OwnGame, OwnGameList, OwnGameStore};
use crate::io::saved_games::{
    SavedGame, SavedGameError, SavedGameList, SavedGameLock, SavedGameStore,
};
use crate::model::local_game::SearchId;
use crate::update::Msg;

/// Reads the date and time, for the name of a kept game and the puzzle of the day.
#[expect(
    clippy::disallowed_methods,
    reason = "the only reading of the date in the client"
)]
pub(in crate::app) fn wall_clock() -> SystemTime {
    SystemTime::now()
}

/// Connections of the watched games, each at the index of its game.
#[derive(Debug, Default)]
pub(super) struct WatchLinks {
    connections: Vec<Option<ConnectionHandle>>,
    /// Index that is polled first. It rotates, so that a busy connection does not starve the others.
    next_polled: usize,
}

impl WatchLinks {
    /// Sets the connection of a game. The caller has closed the previous connection.
    pub(super) fn insert(&mut self, index: usize, connection: ConnectionHandle) {
        if self.connections.len() <= index {
            self.connections.resize_with(index + 1, || None);
        }
        self.connections[index] = Some(connection);
    }

    pub(super) fn get(&mut self, index: usize) -> Option<&mut ConnectionHandle> {
        self.connections.get_mut(index)?.as_mut()
    }

    /// Removes a connection, so that the caller can close it.
    pub(super) fn take(&mut self, index: usize) -> Option<ConnectionHandle> {
        self.connections.get_mut(index)?.take()
    }

    pub(super) fn take_all(&mut self) -> impl Iterator<Item = ConnectionHandle> {
        std::mem::take(&mut self.connections).into_iter().flatten()
    }

    /// Waits for the next event of any connection, and returns it with the index of the game; without connections,
    /// waits forever. Cancel safe.
    pub(super) async fn next(&mut self) -> (usize, ConnectionEvent) {
        std::future::poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<(usize, ConnectionEvent)> {
        let count = self.connections.len();
        for step in 0..count {
            let index = (self.next_polled + step) % count;
            let Some(connection) = &mut self.connections[index] else {
                continue;
            };
            match connection.poll_next(context) {
                Poll::Ready(Some(event)) => {
                    self.next_polled = (index + 1) % count;
                    return Poll::Ready((index, event));
                }
                // The connection has sent its last event.
                Poll::Ready(None) => self.connections[index] = None,
                Poll::Pending => {}
            }
        }
        Poll::Pending
    }
}

/// Opens a connection of a player, who may have an identity, to a server.
pub(super) fn connect(
    server: ServerUrl,
    player: (Name, Option<IdentitySecret>),
    kind: PlayerKind,
    wants: FeatureSet,
) -> ConnectionHandle {
    ConnectionHandle::open(ConnectionOptions::for_player(
        server,
        player,
        kind,
        RetryPolicy::default(),
        wants,
    ))
}

/// Opens a connection that ends when it is lost.
pub(super) fn connect_once(
    server: ServerUrl,
    player: (Name, Option<IdentitySecret>),
) -> ConnectionHandle {
    ConnectionHandle::open(ConnectionOptions::for_player(
        server,
        player,
        PlayerKind::Person,
        RetryPolicy::Never,
        FeatureSet::default(),
    ))
}

/// Queues a request. If the request has a purpose, returns a message with its id or with the failure.
pub(super) fn send_request(
    connection: Option<&mut ConnectionHandle>,
    body: RequestBody,
    request: Option<PendingRequest>,
) -> Option<Msg> {
    let sent = match connection {
        Some(connection) => connection.send(body),
        None => Err(SendError::Offline),
    };
    match (sent, request) {
        (Ok(id), Some(request)) => Some(Msg::Sent { request, id }),
        (Ok(_), None) => None,
        // Only the leave request has no purpose, and its failure does not matter.
        (Err(_), None) => None,
        (Err(error), request) => Some(Msg::SendFailed { request, error }),
    }
}

/// Waits for the next event of a connection; without a connection, waits forever.
pub(super) async fn next_event(
    connection: &mut Option<ConnectionHandle>,
) -> Option<ConnectionEvent> {
    match connection {
        Some(connection) => connection.next().await,
        None => std::future::pending().await,
    }
}

/// Time limit for evaluating the free cells.
const VALUES_TIME_LIMIT: Duration = Duration::from_secs(2);
/// Time limit for each move of a review.
const REVIEW_TIME_PER_MOVE: Duration = Duration::from_millis(500);

/// The running analysis.
#[derive(Debug, Default)]
pub(in crate::app) struct AnalysisTask {
    running: Option<RunningAnalysis>,
    stop: Arc<AtomicBool>,
}

#[derive(Debug)]
struct RunningAnalysis {
    task: JoinHandle<Option<AnalysisResult>>,
    progress: watch::Receiver<ReviewProgress>,
}

impl AnalysisTask {
    /// Starts an analysis, and stops the running analysis without a result.
    pub(in crate::app) fn start(&mut self, request: AnalysisRequest) {
        self.stop();
        let time = match &request {
            AnalysisRequest::Values(_) => VALUES_TIME_LIMIT,
            AnalysisRequest::Review(record) => {
                REVIEW_TIME_PER_MOVE * u32::try_from(record.moves.len() + 1).unwrap_or(u32::MAX)
            }
        };
        let stop = Arc::clone(&self.stop);
        let (reporter, progress) = watch::channel(ReviewProgress::default());
        let task = tokio::task::spawn_blocking(move || {
            #[expect(
                clippy::disallowed_methods,
                reason = "the only start of the time of an analysis"
            )]
            let started_at = Instant::now();
            analysis::analyse(
                &request,
                time,
                StopAndClock {
                    elapsed: &|| started_at.elapsed(),
                    stop: &stop,
                },
                &|progress| {
                    reporter.send_replace(progress);
                },
            )
        });
        self.running = Some(RunningAnalysis { task, progress });
    }

    pub(in crate::app) fn stop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.stop = Arc::default();
        self.running = None;
    }

    /// Waits for the progress or the result of the analysis; without an analysis, waits forever. Cancel safe.
    pub(in crate::app) async fn next(&mut self) -> AnalysisResult {
        if let Some(RunningAnalysis { task, progress }) = &mut self.running {
            let result = tokio::select! {
                biased;
                Ok(()) = progress.changed() => {
                    return AnalysisResult::Progress(*progress.borrow_and_update());
                }
                result = task => result,
            };
            self.running = None;
            match result {
                Ok(Some(result)) => return result,
                // Only `stop` stops an analysis, and it drops the task as well.
                Ok(None) => tracing::error!("analysis ended without a result"),
                // The panic hook has ended the program already; tasks are never aborted.
                Err(error) => tracing::error!(%error, "analysis task panicked"),
            }
        }
        std::future::pending().await
    }
}

/// Maximum time for a move.
const MAX_MOVE_TIME: Duration = Duration::from_secs(1);

/// The running searches, and the idle engines.
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
    /// Starts a search, and stops any earlier search.
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

    /// Stops all searches, and the external processes that run them.
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

    /// Stops all searches. Returns the engines with processes, which the caller has to end.
    pub(in crate::app) fn take_idle_engines(&mut self) -> impl Iterator<Item = PlayerEngine> {
        self.stop();
        std::mem::take(&mut self.idle_engines)
            .into_iter()
            .flatten()
            .map(|(_, engine)| engine)
    }
}

/// The store of the resumable games, and the lock on the game in progress.
#[derive(Debug)]
pub(in crate::app) struct SaveTask {
    /// Folder of the last choices.
    state: Option<PathBuf>,
    store: Option<SavedGameStore>,
    lock: Option<SavedGameLock>,
}

impl SaveTask {
    /// Creates the task for a state folder. Without a folder, nothing is saved.
    pub(in crate::app) fn new(state: Option<PathBuf>) -> SaveTask {
        let store = state.as_deref().map(SavedGameStore::new);
        SaveTask {
            state,
            store,
            lock: None,
        }
    }

    /// Lists the resumable games; on an error, logs it and returns an empty list.
    pub(in crate::app) async fn list(&self) -> SavedGameList {
        let Some(store) = self.store.clone() else {
            return SavedGameList::default();
        };
        match run_blocking(move || Ok::<_, SavedGameError>(store.list()?)).await {
            Ok(found) => found,
            Err(error) => {
                tracing::warn!(%error, "cannot read resumable games");
                SavedGameList::default()
            }
        }
    }

    /// Changes the player's last choices, which are stored beside the games. A failure is only logged, because no
    /// screen has reported them as saved.
    pub(in crate::app) async fn change_choices(
        &self,
        change: impl FnOnce(&mut LastChoices) + Send + 'static,
    ) {
        let Some(folder) = self.state.clone() else {
            return;
        };
        let saved: io::Result<()> =
            run_blocking(move || last_choices::update(&folder, change)).await;
        if let Err(error) = saved {
            tracing::warn!(%error, "cannot save last choices");
        }
    }

    /// Locks a resumable game for this process, and returns its current state.
    pub(in crate::app) async fn lock_game(
        &mut self,
        game: SavedGame,
    ) -> Result<SavedGame, SavedGameError> {
        let store = self.store.clone().ok_or(SavedGameError::Gone)?;
        self.lock = None;
        let (lock, game) = run_blocking(move || store.lock(&game)).await?;
        self.lock = Some(lock);
        Ok(game)
    }

    /// Saves the game in progress and locks it.
    pub(in crate::app) async fn save(&mut self, game: SavedGame) -> Result<(), SavedGameError> {
        let Some(store) = self.store.clone() else {
            return Ok(());
        };
        let lock = self.lock.take();
        self.lock = Some(run_blocking(move || store.save(lock, &game)).await?);
        Ok(())
    }

    /// Deletes the resumable game. If that fails, the player can still choose it, and its server rejects the request.
    pub(in crate::app) async fn delete(&mut self) {
        let (Some(store), Some(lock)) = (self.store.clone(), self.lock.take()) else {
            return;
        };
        if let Err(error) = run_blocking(move || store.delete(lock)).await {
            tracing::warn!(%error, "cannot delete resumable game");
        }
    }

    /// Releases the lock, so that the game can be resumed.
    pub(in crate::app) fn release(&mut self) {
        self.lock = None;
    }
}

/// The store of the player's own games.
#[derive(Debug)]
pub(in crate::app) struct OwnGamesTask {
    store: Option<OwnGameStore>,
}

impl OwnGamesTask {
    /// Creates the task for a store. Without a store, nothing is kept.
    pub(in crate::app) fn new(store: Option<OwnGameStore>) -> OwnGamesTask {
        OwnGamesTask { store }
    }

    /// Keeps a finished game. Returns `None` without a store.
    pub(in crate::app) async fn keep(
        &self,
        game: FinishedOwnGame,
    ) -> Option<Result<Box<OwnGame>, LocalizableIoError>> {
        let store = self.store.clone()?;
        let now = wall_clock();
        Some(run_blocking(move || Ok(Box::new(store.keep(game, now)?))).await)
    }

    /// Reads the player's own games.
    pub(in crate::app) async fn list(&self) -> Result<OwnGameList, LocalizableIoError> {
        match self.store.clone() {
            Some(store) => run_blocking(move || Ok(store.list()?)).await,
            None => Ok(OwnGameList::default()),
        }
    }

    /// Deletes one of the player's own games, and reads the others.
    pub(in crate::app) async fn delete(
        &self,
        path: PathBuf,
    ) -> Result<OwnGameList, LocalizableIoError> {
        if let Some(store) = self.store.clone() {
            run_blocking(move || Ok::<_, LocalizableIoError>(store.delete(&path)?)).await?;
        }
        self.list().await
    }
}

async fn run_blocking<T: Send + 'static, E: From<io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(io::Error::other(error).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_analysis_that_is_replaced_has_no_result() {
        let record = "[Rules \"15x15:5\"]\n\n1. h8 h9 2. i8 i9\n"
            .parse()
            .unwrap();
        let position = Position::new("3x1:1".parse().unwrap());
        let mut task = AnalysisTask::default();
        task.start(AnalysisRequest::Review(Box::new(record)));
        task.start(AnalysisRequest::Values(position));
        assert!(matches!(task.next().await, AnalysisResult::Values(Some(_))));
        assert!(task.running.is_none(), "the replaced analysis still runs");
    }
}
