//! The take-over of a shard: claims the shard, then reads and verifies the messages before the claim.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::sleep;
use tracing::warn;

use crate::cluster::log::chain::{ChainCheck, ChainError};
use crate::cluster::log::message::{
    MessageBuilder, MessageError, MessageHeader, MessageKind, ShardMessage,
};
use crate::cluster::log::pending_append::{AppendOutcome, append_until_certain};
use crate::cluster::log::shard_log::{ShardLog, ShardLogError};
use crate::cluster::log::shard_state::ShardState;
use crate::cluster::shard::{Epoch, LogPosition, NodeId, Shard};

/// Delays before the log is read again after a violation. Their sum exceeds the time that a replaced leader of the log
/// answers reads from stale data.
const READ_RETRIES: [Duration; 6] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(5),
    Duration::from_secs(5),
];

/// Delay before an access is repeated while the log is unavailable, or after a stale read.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// Reason why a shard cannot be served.
#[derive(Debug, thiserror::Error)]
#[error("shard {shard} is corrupt: {reason}")]
pub(crate) struct CorruptShard {
    pub(crate) shard: Shard,
    pub(crate) reason: String,
}

/// A shard that this node owns.
#[derive(Debug)]
pub(crate) struct OwnedShard {
    pub(crate) shard: Shard,
    pub(crate) owner: NodeId,
    pub(crate) epoch: Epoch,
    /// Position of the last message.
    pub(crate) tail: LogPosition,
    /// Number of the last message within its epoch.
    pub(crate) number: u64,
    pub(crate) state: ShardState,
    /// Whether the previous owner released the shard, or the shard had no owner.
    pub(crate) was_released: bool,
}

impl OwnedShard {
    pub(crate) fn next_header(
        &self,
        kind: MessageKind,
        floor: LogPosition,
        at: u64,
    ) -> MessageHeader {
        MessageHeader {
            kind,
            shard: self.shard,
            epoch: self.epoch,
            number: self.number + 1,
            prev: self.tail,
            floor,
            owner: self.owner,
            at,
        }
    }

    /// Records that the next message was stored at `tail`, with this size.
    pub(crate) fn on_stored(&mut self, tail: LogPosition, bytes: u64, header: &MessageHeader) {
        self.tail = tail;
        self.number = header.number;
        self.state.on_stored(tail, bytes, header);
    }
}

/// Violation of the chain that a read of the log has found.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadViolation {
    #[error(transparent)]
    Chain(#[from] ChainError),
    #[error("message {0}: {1}")]
    Message(LogPosition, MessageError),
    #[error("message {0}: {1}")]
    Entry(LogPosition, String),
    #[error("{0}")]
    Incomplete(String),
    #[error("cannot read log: {0}")]
    Unavailable(#[from] ShardLogError),
}

/// Result of an attempt to take over a shard.
#[derive(Debug)]
pub(crate) enum TakeOver {
    Owned(Box<OwnedShard>),
    /// Another node has claimed the shard or appended a message, or the log answered a read from stale data. Contains
    /// the epoch of the last claim in the log.
    Refused(Epoch),
    /// The log ends before the latest claim: it has lost messages, or answers from stale data.
    Incomplete,
}

/// Claims a shard and reads its log up to the claim, if the last claim in the log is `latest_claim`. A later claim
/// comes from a faster node; an earlier claim shows that the log has lost messages or answers from stale data. `None`
/// claims the shard from any owner. Retries while the log is unavailable.
///
/// A read may be stale, but the append of the claim cannot be: the log stores the claim only after the true last
/// message, and a chain that ends with the claim is complete. A log that has lost all messages of a shard is the
/// exception: it would accept the first claim of a new shard, and the node would report that the rooms do not exist.
///
/// # Errors
/// If the chain still has a violation when reads can no longer be stale.
pub(crate) async fn try_take_over(
    log: &dyn ShardLog,
    shard: Shard,
    owner: NodeId,
    latest_claim: Option<Epoch>,
    now: impl Fn() -> u64,
) -> Result<TakeOver, CorruptShard> {
    let corrupt = |reason: String| CorruptShard { shard, reason };
    let mut violations = READ_RETRIES.iter();
    let last = loop {
        match read_last(log, shard).await {
            Ok(last) => break last,
            Err(ReadViolation::Unavailable(_)) => sleep(RETRY_DELAY).await,
            Err(violation) => match violations.next() {
                Some(delay) => sleep(*delay).await,
                None => return Err(corrupt(violation.to_string())),
            },
        }
    };
    let (after, epoch, floor) = last.map_or(
        (LogPosition::START, Epoch(0), LogPosition::START),
        |(at, last)| (at, last.epoch, last.floor),
    );
    if let Some(latest_claim) = latest_claim.filter(|latest| *latest != epoch) {
        let is_incomplete = epoch < latest_claim;
        return Ok(if is_incomplete {
            TakeOver::Incomplete
        } else {
            TakeOver::Refused(epoch)
        });
    }
    let claim = MessageHeader {
        kind: MessageKind::Claim,
        shard,
        epoch: epoch.next(),
        number: 0,
        prev: after,
        floor,
        owner,
        at: now(),
    };
    let message = MessageBuilder::default().finish(&claim);
    let tail = match append_until_certain(log, shard, after, message).await {
        AppendOutcome::Stored(tail) => tail,
        AppendOutcome::StoredThenReplaced
        | AppendOutcome::Replaced
        | AppendOutcome::ReplacedUnknown => {
            return Ok(TakeOver::Refused(epoch));
        }
    };
    loop {
        match read_chain(log, shard, tail).await {
            Ok((state, was_released)) => {
                let epoch = claim.epoch;
                let owned = OwnedShard {
                    shard,
                    owner,
                    epoch,
                    tail,
                    number: 0,
                    state,
                    was_released,
                };
                return Ok(TakeOver::Owned(Box::new(owned)));
            }
            Err(ReadViolation::Unavailable(error)) => {
                warn!(%shard, %error, "cannot read shard log; retrying");
                sleep(RETRY_DELAY).await;
            }
            Err(violation) => {
                let Some(delay) = violations.next() else {
                    return Err(corrupt(violation.to_string()));
                };
                warn!(%shard, error = %violation, "shard log incomplete or damaged; reading again");
                sleep(*delay).await;
            }
        }
    }
}

/// Repeats [`try_take_over`] from any owner until it succeeds.
#[cfg(test)]
pub(crate) async fn take_over(
    log: &dyn ShardLog,
    shard: Shard,
    owner: NodeId,
    now: impl Fn() -> u64,
) -> Result<OwnedShard, CorruptShard> {
    loop {
        if let TakeOver::Owned(owned) = try_take_over(log, shard, owner, None, &now).await? {
            return Ok(*owned);
        }
        sleep(RETRY_DELAY).await;
    }
}

/// Reads the last message.
pub(crate) async fn read_last(
    log: &dyn ShardLog,
    shard: Shard,
) -> Result<Option<(LogPosition, MessageHeader)>, ReadViolation> {
    let Some((at, bytes)) = log.last_message(shard).await? else {
        return Ok(None);
    };
    let message = ShardMessage::parse(bytes).map_err(|error| ReadViolation::Message(at, error))?;
    Ok(Some((at, message.header)))
}

/// Reads and checks all messages up to the claim at `claim`. Returns the rooms, and whether the claim follows a release
/// or is the first message.
pub(crate) async fn read_chain(
    log: &dyn ShardLog,
    shard: Shard,
    claim: LogPosition,
) -> Result<(ShardState, bool), ReadViolation> {
    let mut check = ChainCheck::new(shard);
    let mut state = ShardState::default();
    let (mut last_kind, mut was_released) = (MessageKind::Release, true);
    let mut messages = log.read_to(shard, claim);
    while let Some(message) = messages.next().await {
        let (at, bytes) = message?;
        let message =
            ShardMessage::parse(bytes).map_err(|error| ReadViolation::Message(at, error))?;
        check.accept(at, &message.header)?;
        was_released = last_kind == MessageKind::Release;
        last_kind = message.header.kind;
        state
            .read_message(at, &message)
            .map_err(|what| ReadViolation::Entry(at, what))?;
    }
    check.finish(claim)?;
    state.check_complete().map_err(ReadViolation::Incomplete)?;
    Ok((state, was_released))
}
