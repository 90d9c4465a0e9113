//! Publication of the finished games of one shard, after their commit and concurrently with all other work.
//!
//! A game is published at least once. The log of the shard keeps it until an entry states that it is published, and the
//! next owner of the shard publishes the games that it finds there.

use std::collections::BTreeSet;
use std::fmt;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio::time::Instant;
use tracing::{debug, warn};

use crate::cluster::log::game_message::{GameKey, GameMessage};
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_state::ShardState;
use crate::cluster::shard::Shard;

/// Maximum number of games of a shard that are published concurrently.
const MAX_CONCURRENT_GAMES: usize = 16;

/// Initial and maximum delay before publishing is retried.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(250), Duration::from_secs(30)];

/// Number of failed attempts in a row that causes a warning.
const WARNING_ATTEMPTS: u32 = 8;

/// The games that the stream has acknowledged, and whether an attempt has failed.
type UploadResult = (Vec<GameKey>, bool);

pub(crate) struct GameUpload {
    shard: Shard,
    stream: Arc<dyn GameStream>,
    running: Option<BoxFuture<'static, UploadResult>>,
    /// Games that the stream has acknowledged, but that are not yet recorded as published.
    acknowledged: BTreeSet<GameKey>,
    retry_at: Option<Instant>,
    delay: Duration,
    failed_attempts: u32,
}

impl fmt::Debug for GameUpload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameUpload")
            .field("acknowledged", &self.acknowledged)
            .finish_non_exhaustive()
    }
}

impl GameUpload {
    pub(crate) fn new(shard: Shard, stream: Arc<dyn GameStream>) -> GameUpload {
        GameUpload {
            shard,
            stream,
            running: None,
            acknowledged: BTreeSet::new(),
            retry_at: None,
            delay: RETRY_DELAYS[0],
            failed_attempts: 0,
        }
    }

    /// Begins to publish games of `state`, unless some are being published. All games of `state` must be committed.
    pub(crate) fn start(&mut self, state: &ShardState) {
        if self.running.is_some() || !state.has_waiting_games() {
            return;
        }
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let waiting = state
            .waiting_games()
            .filter(|(key, _)| !self.acknowledged.contains(key));
        let games: Vec<_> = waiting
            .take(MAX_CONCURRENT_GAMES)
            .map(|(key, game)| (key, GameMessage::encode(key.room, game)))
            .collect();
        if games.is_empty() {
            return;
        }
        let (stream, shard) = (Arc::clone(&self.stream), self.shard);
        let upload = async move {
            let publish = |(key, message)| {
                let published = stream.publish(shard, GameKey::message_id(&key), message);
                published.map(move |result| (key, result))
            };
            let (mut acknowledged, mut has_failed) = (Vec::new(), false);
            for (key, result) in join_all(games.into_iter().map(publish)).await {
                match result {
                    Ok(()) => acknowledged.push(key),
                    Err(error) => {
                        debug!(%shard, room = %key.room, %error, "cannot publish finished game");
                        has_failed = true;
                    }
                }
            }
            (acknowledged, has_failed)
        };
        self.running = Some(upload.boxed());
    }

    /// Waits until the running attempts have ended. Never completes if no attempt is running. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let Some(running) = &mut self.running else {
            return pending().await;
        };
        let (acknowledged, has_failed) = running.await;
        self.running = None;
        self.acknowledged.extend(acknowledged);
        if !has_failed {
            (self.retry_at, self.delay, self.failed_attempts) = (None, RETRY_DELAYS[0], 0);
            return;
        }
        self.retry_at = Some(Instant::now() + self.delay);
        self.delay = (2 * self.delay).min(RETRY_DELAYS[1]);
        self.failed_attempts += 1;
        if self.failed_attempts == WARNING_ATTEMPTS {
            warn!(shard = %self.shard, "finished games cannot be published; they stay in the shard log");
        }
    }

    /// Handles attempts that have ended, without waiting.
    pub(crate) fn poll_ended(&mut self) {
        // If no attempt has ended, the next call of `next` waits for it.
        let (Some(()) | None) = self.next().now_or_never();
    }

    /// Returns whether the stream has acknowledged a game that is not yet recorded as published.
    pub(crate) fn has_acknowledged(&self) -> bool {
        !self.acknowledged.is_empty()
    }

    /// Returns an acknowledged game, and removes it from the list. The caller records the game as published.
    pub(crate) fn take_acknowledged(&mut self) -> Option<GameKey> {
        self.acknowledged.pop_first()
    }
}
