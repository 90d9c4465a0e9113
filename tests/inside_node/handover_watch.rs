//! Durations of the planned moves of shards from node to node, for tests: read from the logs of the shards while they
//! grow.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use futures::StreamExt;
use noughts_protocol::{RoomId, Seq};
use tokio::task::JoinSet;
use tracing::debug;

use super::stream_setup::{STREAMS, StreamSetup};
use super::{ACK_TIMEOUT, MAX_APPENDS_IN_FLIGHT, connect_to, new_context};
use crate::ServerConfig;
use crate::cli::nats_options;
use crate::cluster::log::message::{EntryKind, MessageKind, ShardMessage};
use crate::cluster::shard::{Shard, ShardMap};
use crate::runtime::sync::lock;

/// A shard that its owner has released and another node has claimed, with the times when NATS stored the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardHandover {
    /// Number of the shard.
    pub shard: u16,
    /// From the last event under the previous owner to the release.
    pub until_release: Duration,
    /// From the release to the claim.
    pub until_claim: Duration,
    /// From the claim to the first event under the new owner.
    pub until_event: Duration,
}

impl ShardHandover {
    /// From the last event under the previous owner to the first event under the new owner.
    pub fn total(&self) -> Duration {
        self.until_release + self.until_claim + self.until_event
    }
}

/// Timestamp of a message, in nanoseconds.
type StoredAt = i128;

/// Progress of a handover.
#[derive(Clone, Copy, Debug, Default)]
struct PendingHandover {
    /// Time of the last event before the release. `None` if no event was read since the release before it.
    last_event: Option<StoredAt>,
    released: StoredAt,
    claimed: Option<StoredAt>,
}

/// Progress of the reader in the log of one shard.
#[derive(Debug, Default)]
struct ShardTimeline {
    last_event: Option<StoredAt>,
    /// The last event of each room. It is needed to ignore events that compaction writes again.
    last_seqs: BTreeMap<RoomId, Seq>,
    pending: Option<PendingHandover>,
}

impl ShardTimeline {
    /// Adds the next message. Returns the handover that it completes.
    fn add(&mut self, at: StoredAt, message: &ShardMessage) -> Option<ShardHandover> {
        match message.header.kind {
            MessageKind::Release => {
                // If the shard has had no event since the last release, it has moved twice, and this handover is not
                // reported.
                let last_event = self.last_event.take();
                self.pending = Some(PendingHandover {
                    last_event,
                    released: at,
                    claimed: None,
                });
                None
            }
            MessageKind::Claim => {
                match &mut self.pending {
                    Some(pending) if pending.claimed.is_none() => pending.claimed = Some(at),
                    // The previous owner has failed without a release.
                    _ => self.pending = None,
                }
                None
            }
            MessageKind::Group if self.record_events(message) => {
                self.last_event = Some(at);
                let pending = self.pending.take()?;
                let (last_event, claimed) = (pending.last_event?, pending.claimed?);
                let span =
                    |from, to| Duration::from_nanos(u64::try_from(to - from).unwrap_or_default());
                Some(ShardHandover {
                    shard: message.header.shard.0,
                    until_release: span(last_event, pending.released),
                    until_claim: span(pending.released, claimed),
                    until_event: span(claimed, at),
                })
            }
            MessageKind::Group => None,
        }
    }

    /// Records the events of a message. Returns whether any of them is new.
    fn record_events(&mut self, message: &ShardMessage) -> bool {
        let mut has_new = false;
        for entry in message
            .entries()
            .filter(|entry| entry.kind == EntryKind::Events)
        {
            let last = self.last_seqs.entry(entry.room).or_default();
            has_new |= entry.first > *last;
            *last = entry.first.max(*last);
        }
        has_new
    }
}

/// Reads the logs of all shards until it is dropped.
#[derive(Debug)]
pub struct HandoverWatch {
    handovers: Arc<Mutex<Vec<ShardHandover>>>,
    _readers: JoinSet<()>,
}

impl HandoverWatch {
    /// Begins to read at the end of the logs.
    ///
    /// # Errors
    /// If the NATS servers or their streams cannot be used.
    pub async fn start(config: &ServerConfig) -> anyhow::Result<HandoverWatch> {
        let options = &nats_options(config);
        let client = connect_to(options, options.addresses()?).await?;
        let context = new_context(&client, ACK_TIMEOUT, MAX_APPENDS_IN_FLIGHT);
        let setup = StreamSetup::new(&options.name, options.replicas);
        let (handovers, mut readers) = (Arc::<Mutex<_>>::default(), JoinSet::new());
        for name in setup.log_streams() {
            let stream = context.get_stream(&name).await?;
            let config = OrderedConfig {
                deliver_policy: DeliverPolicy::New,
                ..OrderedConfig::default()
            };
            let messages = stream.create_consumer(config).await?.messages().await?;
            readers.spawn(read(messages, Arc::clone(&handovers)));
        }
        Ok(HandoverWatch {
            handovers,
            _readers: readers,
        })
    }

    /// Takes the handovers that were completed since the last call.
    pub fn take(&self) -> Vec<ShardHandover> {
        std::mem::take(&mut *lock(&self.handovers))
    }
}

async fn read(mut messages: Ordered, handovers: Arc<Mutex<Vec<ShardHandover>>>) {
    let mut timelines: BTreeMap<Shard, ShardTimeline> = BTreeMap::new();
    while let Some(message) = messages.next().await {
        // If the NATS server of the reader fails, the reader continues at the same place with another server.
        let message = match message {
            Ok(message) => message,
            Err(error) => {
                debug!(%error, "shard log cannot be read");
                continue;
            }
        };
        let Ok(info) = message.info() else { continue };
        let at = info.published.unix_timestamp_nanos();
        let Ok(message) = ShardMessage::parse(message.payload.clone()) else {
            continue;
        };
        let timeline = timelines.entry(message.header.shard).or_default();
        lock(&handovers).extend(timeline.add(at, &message));
    }
}

/// Returns the number of the stream that contains a room, in a cluster with `shards` shards.
///
/// # Panics
/// If the number of shards is not a power of two.
pub fn stream_of_room(room: RoomId, shards: u16) -> u16 {
    ShardMap::new(shards)
        .expect("a power of two")
        .of_room(room)
        .0
        % STREAMS
}
