//! The log as one node reaches it: the node may be cut off from it, and may have a planted fault.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};
use tokio::time::sleep;
use tokio_util::bytes::Bytes;

use super::model_log::{ACK_TIMEOUT, ModelLog};
use super::planted_fault::PlantedFault;
use crate::cluster::log::message::{MessageKind, ShardMessage};
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};
use crate::runtime::sync::lock;

/// A claim that was not stored: its pretended position, the position of the message before it, and its bytes.
type UnstoredClaim = (LogPosition, LogPosition, Bytes);

/// The access of one process to the log.
#[derive(Debug)]
pub(super) struct ModelNode {
    log: Arc<ModelLog>,
    is_cut: Arc<AtomicBool>,
    unstored_claims: Mutex<BTreeMap<Shard, UnstoredClaim>>,
}

impl ModelNode {
    pub(super) fn new(log: Arc<ModelLog>, is_cut: Arc<AtomicBool>) -> ModelNode {
        ModelNode {
            log,
            is_cut,
            unstored_claims: Mutex::default(),
        }
    }

    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// Pretends to store a claim under [`PlantedFault::TakeOverWithoutClaim`]. Returns its position; `None` if the
    /// claim must be stored.
    fn skip_claim(&self, shard: Shard, after: LogPosition, message: &Bytes) -> Option<LogPosition> {
        let is_faulty = self.log.planted() == Some(PlantedFault::TakeOverWithoutClaim);
        // The first claim of a shard is stored, because no owner precedes it.
        if !is_faulty || after == LogPosition::START {
            return None;
        }
        let parsed = ShardMessage::parse(message.clone()).ok()?;
        (parsed.header.kind == MessageKind::Claim).then(|| {
            let position = self.log.take_position();
            lock(&self.unstored_claims).insert(shard, (position, after, message.clone()));
            position
        })
    }

    /// Returns `after`, or the position before it in the log if `after` is a claim that was not stored.
    fn stored_before(&self, shard: Shard, after: LogPosition) -> LogPosition {
        match lock(&self.unstored_claims).get(&shard) {
            Some((position, stored, _)) if *position == after => *stored,
            Some(_) | None => after,
        }
    }
}

fn cut_off() -> ShardLogError {
    ShardLogError::Unavailable("the node is cut off".into())
}

impl ShardLog for ModelNode {
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        async move {
            if self.is_cut() {
                sleep(ACK_TIMEOUT).await;
                return Err(cut_off());
            }
            self.log.last_message(shard).await
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
            if self.is_cut() {
                // In one of four attempts, the message was already on its way.
                if self.log.random_below(4) == 0 {
                    self.log
                        .delay(shard, self.stored_before(shard, after), message);
                }
                sleep(ACK_TIMEOUT).await;
                return Err(ShardLogError::Unknown);
            }
            if let Some(position) = self.skip_claim(shard, after, &message) {
                return Ok(position);
            }
            self.log
                .append(shard, self.stored_before(shard, after), message)
                .await
        }
        .boxed()
    }

    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>> {
        if self.is_cut() {
            return stream::once(async { Err(cut_off()) }).boxed();
        }
        let unstored = lock(&self.unstored_claims)
            .get(&shard)
            .filter(|claim| claim.0 == last)
            .cloned();
        match unstored {
            Some((position, after, claim)) => self
                .log
                .read_to(shard, after)
                .chain(stream::iter([Ok((position, claim))]))
                .boxed(),
            None => self.log.read_to(shard, last),
        }
    }

    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        if self.is_cut() {
            return async { Err(cut_off()) }.boxed();
        }
        self.log.truncate_before(shard, first)
    }
}
