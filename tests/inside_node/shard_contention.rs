//! Owners that compete for the same shards. Tests a property that all nodes rely on: the log stores a message only
//! after the message that it names.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::{BoxFuture, join_all, try_join_all};
use futures::stream::BoxStream;
use futures::{FutureExt, TryFutureExt};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::bytes::Bytes;

use super::{NatsOptions, connect_command};
use crate::ServerConfig;
use crate::cli::nats_options;
use crate::cluster::log::message::{MessageBuilder, MessageKind};
use crate::cluster::log::pending_append::{AppendOutcome, append_until_certain};
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::log::take_over::{
    CorruptShard, OwnedShard, ReadViolation, TakeOver, read_chain, read_last, try_take_over,
};
use crate::cluster::shard::{LogPosition, NodeId, Shard, ShardMap};
use crate::runtime::sync::lock;

/// Timeout of the last access of each owner. The check of a chain reads a damaged shard again for 15 seconds, and the
/// timeout exceeds this time.
const END_TIMEOUT: Duration = Duration::from_secs(40);

/// Interval between checks whether two acknowledged messages follow the same message.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Result of a contention test: counts, and the first violation.
#[derive(Clone, Debug, Default)]
pub struct ContentionReport {
    /// Number of claims that an owner followed by a read of the whole shard that found no violation.
    pub claims: u64,
    /// Number of claims and messages that the log refused, because another owner was faster.
    pub refused: u64,
    /// Number of acknowledged messages.
    pub stored: u64,
    /// Number of acknowledged messages that follow the same message as another acknowledged message.
    pub conflicts: u64,
    /// The first violation that the check of a chain has found.
    pub violation: Option<String>,
}

/// State that the owners share.
#[derive(Debug)]
struct ContentionTest {
    until: Instant,
    report: Mutex<ContentionReport>,
    /// The messages that are directly followed by an acknowledged message.
    followed: Mutex<BTreeSet<(Shard, LogPosition)>>,
}

impl ContentionTest {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until || lock(&self.report).violation.is_some()
    }

    /// Waits until two acknowledged messages follow the same message.
    async fn wait_for_conflict(&self) {
        while lock(&self.report).conflicts == 0 {
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Claims a shard repeatedly, as a node does, until the test is over, and then once more.
    async fn claim_shard(&self, log: &dyn ShardLog, shard: Shard, owner: NodeId) {
        let mut is_last = false;
        while !is_last {
            is_last = self.is_over();
            match try_take_over(log, shard, owner, None, || 0).await {
                Ok(TakeOver::Owned(owned)) => {
                    lock(&self.report).claims += 1;
                    self.append_groups(log, *owned).await;
                }
                Ok(TakeOver::Refused(_) | TakeOver::Incomplete) => lock(&self.report).refused += 1,
                Err(corrupt) => {
                    lock(&self.report)
                        .violation
                        .get_or_insert_with(|| corrupt.to_string());
                    return;
                }
            }
        }
    }

    /// Appends messages until another owner has claimed the shard.
    async fn append_groups(&self, log: &dyn ShardLog, mut owned: OwnedShard) {
        while !self.is_over() {
            let header = owned.next_header(MessageKind::Group, LogPosition::START, 0);
            let message = MessageBuilder::default().finish(&header);
            let bytes = message.len() as u64;
            match append_until_certain(log, owned.shard, owned.tail, message).await {
                AppendOutcome::Stored(tail) => owned.on_stored(tail, bytes, &header),
                AppendOutcome::StoredThenReplaced => return,
                AppendOutcome::Replaced | AppendOutcome::ReplacedUnknown => {
                    lock(&self.report).refused += 1;
                    return;
                }
            }
        }
    }
}

/// The log of one owner, with a record of the acknowledged messages.
#[derive(Debug)]
struct RecordedLog {
    log: Arc<dyn ShardLog>,
    test: Arc<ContentionTest>,
}

impl ShardLog for RecordedLog {
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        self.log.last_message(shard)
    }

    fn append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> BoxFuture<'_, Result<LogPosition, ShardLogError>> {
        let record = move |_: &LogPosition| {
            let is_first = lock(&self.test.followed).insert((shard, after));
            let mut report = lock(&self.test.report);
            report.stored += 1;
            report.conflicts += u64::from(!is_first);
        };
        self.log
            .append(shard, after, message)
            .inspect_ok(record)
            .boxed()
    }

    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>> {
        self.log.read_to(shard, last)
    }

    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        self.log.truncate_before(shard, first)
    }
}

/// Reads a shard once. A node would read it again for 15 seconds before it reported a violation.
async fn check_chain(log: &dyn ShardLog, shard: Shard) -> Result<(), CorruptShard> {
    let read = async {
        if let Some((last, _)) = read_last(log, shard).await? {
            read_chain(log, shard, last).await?;
        }
        Ok::<_, ReadViolation>(())
    };
    read.await.map_err(|violation| CorruptShard {
        shard,
        reason: violation.to_string(),
    })
}

/// Lets owners, each with a connection to one of the servers in turn, compete for all shards of a new cluster. Ends
/// after `duration`, or with the first violation or conflict, and then reads the shards.
///
/// # Errors
/// If the servers or streams cannot be used, or an access to the log does not end.
pub async fn compete_for_shards(
    config: &ServerConfig,
    owners: u8,
    duration: Duration,
) -> anyhow::Result<ContentionReport> {
    let options = nats_options(config);
    let mut connections: Vec<(Arc<dyn ShardLog>, ShardMap)> = Vec::new();
    for server in options.servers.iter().cycle().take(usize::from(owners)) {
        let options = NatsOptions {
            servers: vec![server.clone()],
            ..options.clone()
        };
        let connection = connect_command(&options).await?;
        connections.push((connection.log, connection.map));
    }
    let (log, map) = connections[0].clone();
    let until = Instant::now() + duration;
    let test = Arc::new(ContentionTest {
        until,
        report: Mutex::default(),
        followed: Mutex::default(),
    });
    let owners = connections
        .into_iter()
        .zip(1..)
        .map(|((log, map), number)| {
            let (test, owner) = (Arc::clone(&test), NodeId([number; 16]));
            let log = RecordedLog {
                log,
                test: Arc::clone(&test),
            };
            async move {
                join_all(
                    map.shards()
                        .map(|shard| test.claim_shard(&log, shard, owner)),
                )
                .await
            }
        });
    // The end of this block drops the set, which aborts the tasks.
    let owners: JoinSet<_> = owners.collect();
    tokio::select! {
        ended = timeout(duration + END_TIMEOUT, owners.join_all()) => drop(ended?),
        () = test.wait_for_conflict() => {}
    }
    let mut report = lock(&test.report).clone();
    if report.conflicts > 0 {
        let checks = map.shards().map(|shard| check_chain(&*log, shard));
        report.violation = try_join_all(checks)
            .await
            .err()
            .map(|corrupt| corrupt.to_string());
    }
    Ok(report)
}
