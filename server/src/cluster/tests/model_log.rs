//! A [`ShardLog`] in memory that misbehaves as JetStream may, for tests.
//!
//! Appends are exact: a message is stored only after the expected one. Replies get lost, messages arrive late, requests
//! that fit are rejected, reads are stale or have gaps, and the log has no leader for a while.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::time::{Instant, sleep};
use tokio_util::bytes::Bytes;

use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};
use crate::runtime::sync::lock::lock;

/// Time after which a client of the log stops waiting for a reply.
const ACK_TIMEOUT: Duration = Duration::from_millis(400);

/// Maximum age of a stale read, and delay of a late message.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// How often the log misbehaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelFaults {
    /// Share of accesses that misbehave, in percent.
    pub(crate) percent: u32,
    /// Whether appends are stored without a look at the expectation. A control: tests must find it.
    pub(crate) ignores_expectation: bool,
}

impl ModelFaults {
    pub(crate) const NONE: ModelFaults = ModelFaults { percent: 0, ignores_expectation: false };
}

#[derive(Debug)]
pub(crate) struct ModelLog {
    state: Mutex<ModelState>,
}

#[derive(Debug)]
struct ModelState {
    rng: StdRng,
    faults: ModelFaults,
    next_position: u64,
    /// The messages of each shard, with the time at which they were stored.
    logs: BTreeMap<Shard, BTreeMap<LogPosition, (Instant, Bytes)>>,
    /// Messages that arrive later.
    late: Vec<(Instant, Shard, LogPosition, Bytes)>,
    /// The log has no leader until this time.
    leaderless_until: Option<Instant>,
    appends: u64,
}

impl ModelState {
    fn misbehaves(&mut self) -> bool {
        self.rng.random_range(0..100) < self.faults.percent
    }

    fn tail(&self, shard: Shard) -> LogPosition {
        let last = self.logs.get(&shard).and_then(|log| log.last_key_value());
        last.map_or(LogPosition::START, |(at, _)| *at)
    }

    fn store(
        &mut self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> Result<LogPosition, ShardLogError> {
        if self.tail(shard) != after && !self.faults.ignores_expectation {
            return Err(ShardLogError::Conflict);
        }
        // Positions are those of a stream that contains several shards.
        self.next_position += self.rng.random_range(1..4);
        let position = LogPosition(self.next_position);
        self.logs.entry(shard).or_default().insert(position, (Instant::now(), message));
        Ok(position)
    }

    /// Stores the late messages that have arrived. The log has rejected those that do not fit any more.
    fn deliver(&mut self) {
        let now = Instant::now();
        let mut arrived: Vec<_> = self.late.extract_if(.., |(at, ..)| *at <= now).collect();
        arrived.sort_by_key(|(at, ..)| *at);
        for (_, shard, after, message) in arrived {
            let (Ok(_) | Err(_)) = self.store(shard, after, message);
        }
    }

    fn lacks_leader(&mut self) -> bool {
        let now = Instant::now();
        if self.leaderless_until.is_some_and(|until| until <= now) {
            self.leaderless_until = None;
        }
        // One election in ten faults.
        if self.leaderless_until.is_none() && self.misbehaves() && self.rng.random_range(0..10) == 0 {
            let seconds = self.rng.random_range(4..9);
            self.leaderless_until = Some(now + Duration::from_secs(seconds));
        }
        self.leaderless_until.is_some()
    }

    fn append(
        &mut self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> (Duration, Result<LogPosition, ShardLogError>) {
        self.deliver();
        self.appends += 1;
        let latency = Duration::from_millis(self.rng.random_range(1..5));
        if self.lacks_leader() {
            return (latency, Err(ShardLogError::Unavailable("no leader".into())));
        }
        if !self.misbehaves() {
            return (latency, self.store(shard, after, message));
        }
        match self.rng.random_range(0..4) {
            // The reply is lost.
            0 => {
                let (Ok(_) | Err(_)) = self.store(shard, after, message);
                (ACK_TIMEOUT, Err(ShardLogError::Unknown))
            }
            // The message arrives after its sender stopped waiting.
            1 => {
                let delay = MAX_DELAY.mul_f64(self.rng.random());
                self.late.push((Instant::now() + delay, shard, after, message));
                (ACK_TIMEOUT, Err(ShardLogError::Unknown))
            }
            // The message is lost.
            2 => (ACK_TIMEOUT, Err(ShardLogError::Unknown)),
            // Rejected although it would fit.
            _ => (latency, Err(ShardLogError::Conflict)),
        }
    }

    /// Messages of the shard, possibly as of an earlier time.
    fn view(&mut self, shard: Shard) -> Vec<PositionedMessage> {
        self.deliver();
        let mut until = Instant::now();
        if self.misbehaves() {
            until -= MAX_DELAY.mul_f64(self.rng.random());
        }
        let log = self.logs.get(&shard);
        let messages = log.into_iter().flatten().filter(|(_, (at, _))| *at <= until);
        messages.map(|(at, (_, bytes))| (*at, bytes.clone())).collect()
    }
}

impl ModelLog {
    pub(crate) fn new(seed: u64, faults: ModelFaults) -> ModelLog {
        ModelLog {
            state: Mutex::new(ModelState {
                rng: StdRng::seed_from_u64(seed),
                faults,
                next_position: 0,
                logs: BTreeMap::new(),
                late: Vec::new(),
                leaderless_until: None,
                appends: 0,
            }),
        }
    }

    /// Number of attempts to append.
    pub(crate) fn appends(&self) -> u64 {
        lock(&self.state).appends
    }

    /// Removes the leader for `time`.
    pub(crate) fn interrupt(&self, time: Duration) {
        lock(&self.state).leaderless_until = Some(Instant::now() + time);
    }

    /// The stored messages of a shard.
    pub(crate) fn stored(&self, shard: Shard) -> Vec<PositionedMessage> {
        let state = lock(&self.state);
        let log = state.logs.get(&shard);
        log.into_iter().flatten().map(|(at, (_, bytes))| (*at, bytes.clone())).collect()
    }

    /// Changes the stored messages of a shard, as a damaged disk would.
    pub(crate) fn damage(
        &self,
        shard: Shard,
        change: impl FnOnce(&mut BTreeMap<LogPosition, (Instant, Bytes)>),
    ) {
        change(lock(&self.state).logs.entry(shard).or_default());
    }
}

impl ShardLog for ModelLog {
    fn last_message(&self, shard: Shard) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        async move {
            sleep(Duration::from_millis(1)).await;
            let mut state = lock(&self.state);
            if state.lacks_leader() {
                return Err(ShardLogError::Unavailable("no leader".into()));
            }
            Ok(state.view(shard).pop())
        }
        .boxed()
    }

    fn append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> BoxFuture<'_, Result<LogPosition, ShardLogError>> {
        async move {
            let (delay, result) = lock(&self.state).append(shard, after, message);
            sleep(delay).await;
            result
        }
        .boxed()
    }

    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>> {
        let messages = {
            let mut state = lock(&self.state);
            let mut messages = state.view(shard);
            messages.retain(|(at, _)| *at <= last);
            // Rarer than stale reads, which end after some seconds.
            if state.misbehaves() && state.rng.random_range(0..10) == 0 && !messages.is_empty() {
                let gap = state.rng.random_range(0..messages.len());
                messages.remove(gap);
            }
            messages
        };
        futures::stream::iter(messages.into_iter().map(Ok)).boxed()
    }

    fn truncate_before(&self, shard: Shard, first: LogPosition) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let mut state = lock(&self.state);
            if state.lacks_leader() {
                return Err(ShardLogError::Unavailable("no leader".into()));
            }
            if let Some(log) = state.logs.get_mut(&shard) {
                log.retain(|at, _| *at >= first);
            }
            Ok(())
        }
        .boxed()
    }
}
