//! A [`ShardLog`] in memory that misbehaves as JetStream may, for tests.
//!
//! Appends are exact: a message is stored only after the expected message. Replies get lost, messages arrive late,
//! requests that fit are rejected, reads are stale or have gaps, and the log has no leader for a while.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
#[cfg(test)]
use tokio::time::Instant;
use tokio::time::sleep;
use tokio_util::bytes::Bytes;

use super::planted_fault::PlantedFault;
use crate::cluster::log::chain::ChainCheck;
use crate::cluster::log::message::ShardMessage;
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};
use crate::runtime::sync::lock;

/// Maximum time that a client of the log waits for a reply.
pub(super) const ACK_TIMEOUT: Duration = Duration::from_millis(400);

/// Maximum age of a stale read, and delay of a late message.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Number of messages that a shard keeps under [`PlantedFault::TruncateLiveEntries`].
const KEPT_MESSAGES: usize = 3;

/// The faults of the log: how often it misbehaves, and a planted fault.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelFaults {
    /// Share of accesses that misbehave, in percent.
    pub(crate) percent: u32,
    /// A violation of a property that the nodes rely on. It is a control of the tests, which must find it.
    pub(crate) planted: Option<PlantedFault>,
}

impl ModelFaults {
    #[cfg(test)]
    pub(crate) const NONE: ModelFaults = ModelFaults {
        percent: 0,
        planted: None,
    };
}

/// The messages of a shard by position, with the times when they were stored.
type ModelShard = BTreeMap<LogPosition, (Duration, Bytes)>;

pub(crate) struct ModelLog {
    state: Mutex<ModelState>,
    /// Time since the start of the test.
    now: Box<dyn Fn() -> Duration + Send + Sync>,
    /// Function that is called with each stored message, in the order of the positions.
    on_stored: Box<dyn Fn(&ShardMessage) + Send + Sync>,
}

#[derive(Debug)]
struct ModelState {
    rng: StdRng,
    faults: ModelFaults,
    next_position: u64,
    logs: BTreeMap<Shard, ModelShard>,
    /// Messages that arrive later.
    late: Vec<(Duration, Shard, LogPosition, Bytes)>,
    /// The log has no leader until this time.
    leaderless_until: Option<Duration>,
    /// Time that a deletion of messages takes.
    truncation_time: Duration,
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

    /// Returns the next position. Positions have gaps, as in a stream that contains several shards.
    fn take_position(&mut self) -> LogPosition {
        self.next_position += self.rng.random_range(1..4);
        LogPosition(self.next_position)
    }

    fn lacks_leader(&mut self, now: Duration) -> bool {
        if self.leaderless_until.is_some_and(|until| until <= now) {
            self.leaderless_until = None;
        }
        // One fault in ten is an election.
        if self.leaderless_until.is_none() && self.misbehaves() && self.rng.random_range(0..10) == 0
        {
            let seconds = self.rng.random_range(4..9);
            self.leaderless_until = Some(now + Duration::from_secs(seconds));
        }
        self.leaderless_until.is_some()
    }

    /// Returns the messages of the shard, possibly as of an earlier time.
    fn view(&mut self, shard: Shard, now: Duration) -> Vec<PositionedMessage> {
        let mut until = now;
        if self.misbehaves() {
            until = until.saturating_sub(MAX_DELAY.mul_f64(self.rng.random()));
        }
        let log = self.logs.get(&shard);
        let messages = log
            .into_iter()
            .flatten()
            .filter(|(_, (at, _))| *at <= until);
        messages
            .map(|(at, (_, bytes))| (*at, bytes.clone()))
            .collect()
    }
}

impl ModelLog {
    /// Creates a log that uses the time of the current runtime.
    #[cfg(test)]
    pub(crate) fn new(seed: u64, faults: ModelFaults) -> ModelLog {
        let began = Instant::now();
        ModelLog::observed(seed, faults, move || began.elapsed(), |_| {})
    }

    /// Creates a log with a clock, and a function that is called with each stored message.
    pub(crate) fn observed(
        seed: u64,
        faults: ModelFaults,
        now: impl Fn() -> Duration + Send + Sync + 'static,
        on_stored: impl Fn(&ShardMessage) + Send + Sync + 'static,
    ) -> ModelLog {
        let state = ModelState {
            rng: StdRng::seed_from_u64(seed),
            faults,
            next_position: 0,
            logs: BTreeMap::new(),
            late: Vec::new(),
            leaderless_until: None,
            truncation_time: Duration::ZERO,
            appends: 0,
        };
        ModelLog {
            state: Mutex::new(state),
            now: Box::new(now),
            on_stored: Box::new(on_stored),
        }
    }

    /// Returns the number of attempts to append.
    #[cfg(test)]
    pub(crate) fn appends(&self) -> u64 {
        lock(&self.state).appends
    }

    pub(super) fn now(&self) -> Duration {
        (self.now)()
    }

    pub(super) fn planted(&self) -> Option<PlantedFault> {
        lock(&self.state).faults.planted
    }

    /// Changes the share of accesses that misbehave.
    pub(super) fn set_percent(&self, percent: u32) {
        lock(&self.state).faults.percent = percent;
    }

    /// Removes the leader for `time`.
    pub(crate) fn interrupt(&self, time: Duration) {
        lock(&self.state).leaderless_until = Some(self.now() + time);
    }

    /// Makes each deletion of messages take `time`.
    #[cfg(test)]
    pub(crate) fn slow_truncation(&self, time: Duration) {
        lock(&self.state).truncation_time = time;
    }

    /// Returns the stored messages of a shard.
    pub(crate) fn stored(&self, shard: Shard) -> Vec<PositionedMessage> {
        let state = lock(&self.state);
        let log = state.logs.get(&shard);
        log.into_iter()
            .flatten()
            .map(|(at, (_, bytes))| (*at, bytes.clone()))
            .collect()
    }

    /// Reads a shard like an auditor, without the code of the writers.
    ///
    /// # Errors
    /// The first violation.
    pub(crate) fn audit(&self, shard: Shard) -> Result<(), String> {
        let messages = self.stored(shard);
        let Some((end, _)) = messages.last() else {
            return Ok(());
        };
        let mut check = ChainCheck::new(shard);
        for (at, bytes) in &messages {
            let message = ShardMessage::parse(bytes.clone())
                .map_err(|error| format!("message {at}: {error}"))?;
            check
                .accept(*at, &message.header)
                .map_err(|error| error.to_string())?;
        }
        check
            .finish(*end)
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    /// Changes the stored messages of a shard, as a damaged disk would.
    #[cfg(test)]
    pub(crate) fn damage(&self, shard: Shard, change: impl FnOnce(&mut ModelShard)) {
        change(lock(&self.state).logs.entry(shard).or_default());
    }

    /// Lets a message arrive after its sender has stopped waiting.
    pub(super) fn delay(&self, shard: Shard, after: LogPosition, message: Bytes) {
        let (mut state, now) = (lock(&self.state), self.now());
        let delay = MAX_DELAY.mul_f64(state.rng.random());
        state.late.push((now + delay, shard, after, message));
    }

    /// Draws a number below `limit`.
    pub(super) fn random_below(&self, limit: u32) -> u32 {
        lock(&self.state).rng.random_range(0..limit)
    }

    /// Decides at random whether the next access misbehaves.
    pub(super) fn misbehaves(&self) -> bool {
        lock(&self.state).misbehaves()
    }

    /// Returns a position that no message has.
    pub(super) fn take_position(&self) -> LogPosition {
        lock(&self.state).take_position()
    }

    fn store(
        &self,
        state: &mut ModelState,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> Result<LogPosition, ShardLogError> {
        let planted = state.faults.planted;
        if state.tail(shard) != after && planted != Some(PlantedFault::NoExpectation) {
            return Err(ShardLogError::Conflict);
        }
        let position = state.take_position();
        if planted == Some(PlantedFault::AckWithoutStore) && state.rng.random_range(0..20) == 0 {
            return Ok(position);
        }
        let log = state.logs.entry(shard).or_default();
        log.insert(position, (self.now(), message.clone()));
        if planted == Some(PlantedFault::TruncateLiveEntries) {
            while log.len() > KEPT_MESSAGES {
                log.pop_first();
            }
        }
        match ShardMessage::parse(message) {
            Ok(message) => (self.on_stored)(&message),
            Err(error) => panic!("a node appends an invalid message: {error}"),
        }
        Ok(position)
    }

    /// Delivers the late messages that are due. The log rejects messages that do not fit any more.
    fn deliver(&self, state: &mut ModelState) {
        let now = self.now();
        let mut arrived: Vec<_> = state.late.extract_if(.., |(at, ..)| *at <= now).collect();
        arrived.sort_by_key(|(at, ..)| *at);
        for (_, shard, after, message) in arrived {
            let (Ok(_) | Err(_)) = self.store(state, shard, after, message);
        }
    }

    fn try_append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> (Duration, Result<LogPosition, ShardLogError>) {
        let mut state = lock(&self.state);
        let state = &mut *state;
        self.deliver(state);
        state.appends += 1;
        let latency = Duration::from_millis(state.rng.random_range(1..5));
        if state.lacks_leader(self.now()) {
            return (latency, Err(ShardLogError::Unavailable("no leader".into())));
        }
        if !state.misbehaves() {
            return (latency, self.store(state, shard, after, message));
        }
        match state.rng.random_range(0..4) {
            // The message is stored, but the reply is lost.
            0 => {
                let (Ok(_) | Err(_)) = self.store(state, shard, after, message);
                (ACK_TIMEOUT, Err(ShardLogError::Unknown))
            }
            // The message arrives after its sender stopped waiting.
            1 => {
                let delay = MAX_DELAY.mul_f64(state.rng.random());
                state.late.push((self.now() + delay, shard, after, message));
                (ACK_TIMEOUT, Err(ShardLogError::Unknown))
            }
            // The message is lost.
            2 => (ACK_TIMEOUT, Err(ShardLogError::Unknown)),
            // The message is rejected although it would fit. NATS does this with error 10164.
            _ => (latency, Err(ShardLogError::Conflict)),
        }
    }
}

impl fmt::Debug for ModelLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelLog")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl ShardLog for ModelLog {
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        async move {
            sleep(Duration::from_millis(1)).await;
            let mut state = lock(&self.state);
            if state.lacks_leader(self.now()) {
                return Err(ShardLogError::Unavailable("no leader".into()));
            }
            self.deliver(&mut state);
            Ok(state.view(shard, self.now()).pop())
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
            let (delay, result) = self.try_append(shard, after, message);
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
            self.deliver(&mut state);
            let mut messages = state.view(shard, self.now());
            messages.retain(|(at, _)| *at <= last);
            // Gaps are rarer than stale reads, because stale reads become current after some seconds.
            if state.misbehaves() && state.rng.random_range(0..10) == 0 && !messages.is_empty() {
                let gap = state.rng.random_range(0..messages.len());
                messages.remove(gap);
            }
            messages
        };
        futures::stream::iter(messages.into_iter().map(Ok)).boxed()
    }

    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let truncation_time = lock(&self.state).truncation_time;
            if truncation_time > Duration::ZERO {
                sleep(truncation_time).await;
            }
            let mut state = lock(&self.state);
            if state.lacks_leader(self.now()) {
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
