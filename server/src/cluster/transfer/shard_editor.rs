//! A shard that a command of the operator owns, while no node runs.

use std::time::Duration;

use tokio::time::{sleep, timeout};

use super::transfer_error::TransferError;
use crate::cluster::log::message::{MessageBuilder, MessageKind};
use crate::cluster::log::pending_append::{AppendOutcome, append_until_certain};
use crate::cluster::log::shard_log::ShardLog;
use crate::cluster::log::shard_state::ShardState;
use crate::cluster::log::take_over::{OwnedShard, TakeOver, try_take_over};
use crate::cluster::shard::{NodeId, Shard};
use crate::runtime::clock::ServerClock;

/// Timeout of one access to the log; long enough for the NATS servers to elect a leader.
const ACCESS_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of attempts to claim a shard. All attempts together take longer than a replaced leader of the log
/// answers reads from stale data.
const MAX_CLAIM_ATTEMPTS: usize = 50;

/// Delay before a claim is repeated.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// A shard that the command owns as a node does. If a node starts meanwhile and takes the shard over, the command
/// fails, and no game is lost.
#[derive(Debug)]
pub(super) struct ShardEditor<'l> {
    log: &'l dyn ShardLog,
    owned: OwnedShard,
    clock: &'l ServerClock,
}

impl<'l> ShardEditor<'l> {
    /// Claims a shard, and reads it.
    ///
    /// # Errors
    /// If another node owns it, it is corrupt, or the log does not respond.
    pub(super) async fn claim(
        log: &'l dyn ShardLog,
        shard: Shard,
        owner: NodeId,
        clock: &'l ServerClock,
    ) -> Result<ShardEditor<'l>, TransferError> {
        for _ in 0..MAX_CLAIM_ATTEMPTS {
            let take_over = try_take_over(log, shard, owner, None, || clock.now());
            let taken = timeout(ACCESS_TIMEOUT, take_over).await;
            match taken.map_err(|_| TransferError::NoReply(shard))?? {
                TakeOver::Owned(owned) => {
                    return Ok(ShardEditor {
                        log,
                        owned: *owned,
                        clock,
                    });
                }
                // The log answered from stale data, or a node has started. If a node has started, the command detects
                // it at its end.
                TakeOver::Refused(_) | TakeOver::Incomplete => sleep(RETRY_DELAY).await,
            }
        }
        Err(TransferError::ShardChanged(shard))
    }

    pub(super) fn state(&self) -> &ShardState {
        &self.owned.state
    }

    /// Returns the state. [`ShardEditor::commit`] stores its changes.
    pub(super) fn state_mut(&mut self) -> &mut ShardState {
        &mut self.owned.state
    }

    /// Stores a message with the entries of a builder, unless it is empty.
    ///
    /// # Errors
    /// If another node owns the shard, or the log does not respond; the message may be stored.
    pub(super) async fn commit(&mut self, message: MessageBuilder) -> Result<(), TransferError> {
        if message.is_empty() {
            Ok(())
        } else {
            self.append(MessageKind::Group, message).await
        }
    }

    /// Gives up the shard, so that nodes can claim it immediately.
    ///
    /// # Errors
    /// As [`ShardEditor::commit`].
    pub(super) async fn release(mut self) -> Result<(), TransferError> {
        self.append(MessageKind::Release, MessageBuilder::default())
            .await
    }

    async fn append(
        &mut self,
        kind: MessageKind,
        message: MessageBuilder,
    ) -> Result<(), TransferError> {
        let shard = self.owned.shard;
        let header = self
            .owned
            .next_header(kind, self.owned.state.floor(), self.clock.now());
        let message = message.finish(&header);
        let bytes = message.len() as u64;
        let append = append_until_certain(self.log, shard, self.owned.tail, message);
        match timeout(ACCESS_TIMEOUT, append).await {
            Ok(AppendOutcome::Stored(tail)) => {
                self.owned.on_stored(tail, bytes, &header);
                Ok(())
            }
            Ok(
                AppendOutcome::StoredThenReplaced
                | AppendOutcome::Replaced
                | AppendOutcome::ReplacedUnknown,
            ) => Err(TransferError::ShardChanged(shard)),
            Err(_) => Err(TransferError::NoReply(shard)),
        }
    }
}
