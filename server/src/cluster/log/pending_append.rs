//! One append to a shard log, from the first attempt until its result is certain. Contains a pure state machine, and
//! the function that drives it.
//!
//! An append without a reply may be stored, now or later. Until its result is certain, only the same bytes are sent
//! again, with the same expectation: the log stores the attempt that arrives first and rejects all others.

use std::time::Duration;

use futures::StreamExt;
use tokio::time::sleep;
use tokio_util::bytes::Bytes;

use crate::cluster::log::message::ShardMessage;
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};

/// Initial and maximum delay before an access to the log is retried.
const RETRY_DELAYS: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(250)];

/// The certain result of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppendOutcome {
    /// The message is the last message of the shard.
    Stored(LogPosition),
    /// The message is stored, but another node has owned the shard since then.
    StoredThenReplaced,
    /// Another node owns the shard. The message is not stored, and never will be.
    Replaced,
    /// Another node owns the shard, and has truncated the messages that would show whether this one was stored.
    ReplacedUnknown,
}

/// The next access to the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AppendStep {
    /// Append the message.
    Append,
    /// Read the last message of the shard.
    ReadLast,
    /// Read the first message after the expected message, up to this position.
    ReadSuccessor(LogPosition),
    /// The result is certain.
    Done(AppendOutcome),
}

/// An append with an uncertain result.
#[derive(Clone, Debug)]
pub(crate) struct PendingAppend {
    after: LogPosition,
    message: Bytes,
}

impl PendingAppend {
    /// Creates an append after the message at `after`. The first step is [`AppendStep::Append`].
    pub(crate) fn new(after: LogPosition, message: Bytes) -> PendingAppend {
        PendingAppend { after, message }
    }

    /// Returns the next step after an append. Every error may hide a stored message.
    pub(crate) fn on_append(&self, result: &Result<LogPosition, ShardLogError>) -> AppendStep {
        match result {
            Ok(stored) if *stored > self.after => AppendStep::Done(AppendOutcome::Stored(*stored)),
            Ok(_) | Err(_) => AppendStep::ReadLast,
        }
    }

    /// Returns the next step after a read of the last message.
    pub(crate) fn on_last_message(
        &self,
        result: &Result<Option<PositionedMessage>, ShardLogError>,
    ) -> AppendStep {
        match result {
            Ok(Some((at, last))) if *at > self.after => {
                if *last == self.message {
                    AppendStep::Done(AppendOutcome::Stored(*at))
                } else {
                    AppendStep::ReadSuccessor(*at)
                }
            }
            // No message has followed, or the read was stale. If the read was stale, the log rejects the repeated
            // append.
            Ok(Some((at, _))) if *at == self.after => AppendStep::Append,
            Ok(None) if self.after == LogPosition::START => AppendStep::Append,
            Ok(Some(_) | None) | Err(_) => AppendStep::ReadLast,
        }
    }

    /// Returns the next step after a read of the message that follows the expected message, while the last message is
    /// from another node.
    pub(crate) fn on_successor(
        &self,
        result: &Result<Option<PositionedMessage>, ShardLogError>,
    ) -> AppendStep {
        let Ok(Some((_, successor))) = result else {
            return AppendStep::ReadLast;
        };
        if *successor == self.message {
            return AppendStep::Done(AppendOutcome::StoredThenReplaced);
        }
        match ShardMessage::parse(successor.clone()) {
            Ok(parsed) if parsed.header.prev == self.after => {
                AppendStep::Done(AppendOutcome::Replaced)
            }
            Ok(_) | Err(_) => AppendStep::Done(AppendOutcome::ReplacedUnknown),
        }
    }
}

/// Appends a message, and waits until the result is certain. Retries as long as the log is unavailable.
pub(crate) async fn append_until_certain(
    log: &dyn ShardLog,
    shard: Shard,
    after: LogPosition,
    message: Bytes,
) -> AppendOutcome {
    let pending = PendingAppend::new(after, message.clone());
    let mut step = AppendStep::Append;
    let mut delay = Duration::ZERO;
    loop {
        let (next, is_certain) = match step {
            AppendStep::Append => {
                let result = log.append(shard, after, message.clone()).await;
                (pending.on_append(&result), result.is_ok())
            }
            AppendStep::ReadLast => {
                let result = log.last_message(shard).await;
                (pending.on_last_message(&result), false)
            }
            AppendStep::ReadSuccessor(last) => {
                let result = read_successor(log, shard, after, last).await;
                (pending.on_successor(&result), false)
            }
            AppendStep::Done(outcome) => return outcome,
        };
        if !is_certain {
            // The first read follows without a delay, because a lost reply is the usual case.
            sleep(delay).await;
            delay = (2 * delay).clamp(RETRY_DELAYS[0], RETRY_DELAYS[1]);
        }
        step = next;
    }
}

/// Reads the first message after `after`.
async fn read_successor(
    log: &dyn ShardLog,
    shard: Shard,
    after: LogPosition,
    last: LogPosition,
) -> Result<Option<PositionedMessage>, ShardLogError> {
    let mut messages = log.read_to(shard, last);
    while let Some(message) = messages.next().await {
        let (at, bytes) = message?;
        if at > after {
            return Ok(Some((at, bytes)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::log::message::{MessageBuilder, MessageHeader, MessageKind};
    use crate::cluster::shard::{Epoch, NodeId};

    fn message(owner: u8, prev: u64) -> Bytes {
        MessageBuilder::default().finish(&MessageHeader {
            kind: MessageKind::Group,
            shard: Shard(0),
            epoch: Epoch(1),
            number: 1,
            prev: LogPosition(prev),
            floor: LogPosition::START,
            owner: NodeId([owner; 16]),
            at: 0,
        })
    }

    fn pending() -> PendingAppend {
        PendingAppend::new(LogPosition(7), message(1, 7))
    }

    fn found(at: u64, message: Bytes) -> Result<Option<PositionedMessage>, ShardLogError> {
        Ok(Some((LogPosition(at), message)))
    }

    #[test]
    fn only_an_acknowledgement_is_certain() {
        let stored = AppendStep::Done(AppendOutcome::Stored(LogPosition(8)));
        assert_eq!(pending().on_append(&Ok(LogPosition(8))), stored);
        for error in [
            ShardLogError::Conflict,
            ShardLogError::Unknown,
            ShardLogError::Unavailable("full".into()),
        ] {
            assert_eq!(pending().on_append(&Err(error)), AppendStep::ReadLast);
        }
        // A position that is not after the expected message does not acknowledge the append.
        assert_eq!(
            pending().on_append(&Ok(LogPosition(7))),
            AppendStep::ReadLast
        );
    }

    #[test]
    fn the_last_message_decides_what_follows() {
        let stored = AppendStep::Done(AppendOutcome::Stored(LogPosition(9)));
        assert_eq!(pending().on_last_message(&found(9, message(1, 7))), stored);
        assert_eq!(
            pending().on_last_message(&found(7, message(1, 6))),
            AppendStep::Append
        );
        let foreign = AppendStep::ReadSuccessor(LogPosition(9));
        assert_eq!(pending().on_last_message(&found(9, message(2, 8))), foreign);
        // A stale read does not prove that the message was lost.
        assert_eq!(
            pending().on_last_message(&found(6, message(1, 5))),
            AppendStep::ReadLast
        );
        assert_eq!(pending().on_last_message(&Ok(None)), AppendStep::ReadLast);
        assert_eq!(
            pending().on_last_message(&Err(ShardLogError::Unknown)),
            AppendStep::ReadLast
        );
        let first = PendingAppend::new(LogPosition::START, message(1, 0));
        assert_eq!(first.on_last_message(&Ok(None)), AppendStep::Append);
    }

    #[test]
    fn the_successor_tells_whether_a_replaced_owner_stored_its_message() {
        let done = |outcome| AppendStep::Done(outcome);
        assert_eq!(
            pending().on_successor(&found(8, message(1, 7))),
            done(AppendOutcome::StoredThenReplaced)
        );
        assert_eq!(
            pending().on_successor(&found(8, message(2, 7))),
            done(AppendOutcome::Replaced)
        );
        // The new owner has truncated the messages in between.
        assert_eq!(
            pending().on_successor(&found(12, message(2, 11))),
            done(AppendOutcome::ReplacedUnknown)
        );
        assert_eq!(
            pending().on_successor(&found(12, Bytes::new())),
            done(AppendOutcome::ReplacedUnknown)
        );
        assert_eq!(pending().on_successor(&Ok(None)), AppendStep::ReadLast);
        assert_eq!(
            pending().on_successor(&Err(ShardLogError::Unknown)),
            AppendStep::ReadLast
        );
    }
}
