//! [`ShardLog`] over JetStream: one subject for each shard.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::context::{Context, PublishError, PublishErrorKind};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::LastRawMessageErrorKind;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, Stream, StreamExt, TryStreamExt};
use tokio::time::timeout;
use tokio_util::bytes::Bytes;

use super::stream_setup::StreamSetup;
use crate::cluster::log::shard_log::{PositionedMessage, ShardLog, ShardLogError};
use crate::cluster::shard::{LogPosition, Shard};

/// Maximum time between two messages of a read.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout of the reply to a request for the last message. Short, because a request that is lost with its connection
/// has to be repeated.
const LAST_MESSAGE_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum number of messages that one request of a read asks for.
const READ_BATCH: i64 = 500;

#[derive(Debug)]
pub(super) struct JetStreamLog {
    context: Context,
    setup: StreamSetup,
    /// Set by tests only.
    skips_expectation: bool,
}

impl JetStreamLog {
    pub(super) fn new(
        context: Context,
        setup: StreamSetup,
        skips_expectation: bool,
    ) -> JetStreamLog {
        JetStreamLog {
            context,
            setup,
            skips_expectation,
        }
    }

    async fn publish(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> Result<LogPosition, PublishError> {
        let mut message = PublishMessage::build().payload(message);
        if !self.skips_expectation {
            message = message.expected_last_subject_sequence(after.0);
        }
        let ack = self
            .context
            .send_publish(self.setup.subject(shard), message)
            .await?
            .await?;
        Ok(LogPosition(ack.sequence))
    }

    async fn open_reader(&self, shard: Shard) -> Result<Ordered, ShardLogError> {
        let stream = self
            .context
            .get_stream_no_info(self.setup.stream(shard))
            .await
            .map_err(unavailable)?;
        let config = OrderedConfig {
            filter_subject: self.setup.subject(shard),
            max_batch: READ_BATCH,
            ..OrderedConfig::default()
        };
        let consumer = stream.create_consumer(config).await.map_err(unavailable)?;
        consumer.messages().await.map_err(unavailable)
    }
}

impl ShardLog for JetStreamLog {
    fn last_message(
        &self,
        shard: Shard,
    ) -> BoxFuture<'_, Result<Option<PositionedMessage>, ShardLogError>> {
        async move {
            let stream = self
                .context
                .get_stream_no_info(self.setup.stream(shard))
                .await
                .map_err(unavailable)?;
            let subject = self.setup.subject(shard);
            let last = timeout(
                LAST_MESSAGE_TIMEOUT,
                stream.get_last_raw_message_by_subject(&subject),
            )
            .await;
            match last.map_err(unavailable)? {
                Ok(message) => Ok(Some((LogPosition(message.sequence), message.payload))),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(unavailable(error)),
            }
        }
        .boxed()
    }

    fn append(
        &self,
        shard: Shard,
        after: LogPosition,
        message: Bytes,
    ) -> BoxFuture<'_, Result<LogPosition, ShardLogError>> {
        let publish = self.publish(shard, after, message);
        publish
            .map(|result| result.map_err(|error| append_error(&error)))
            .boxed()
    }

    fn read_to(
        &self,
        shard: Shard,
        last: LogPosition,
    ) -> BoxStream<'_, Result<PositionedMessage, ShardLogError>> {
        stream::once(self.open_reader(shard))
            .map_ok(move |reader| read_messages(reader, last))
            .try_flatten()
            .boxed()
    }

    fn truncate_before(
        &self,
        shard: Shard,
        first: LogPosition,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let stream = self
                .context
                .get_stream_no_info(self.setup.stream(shard))
                .await
                .map_err(unavailable)?;
            let purge = stream
                .purge()
                .sequence(first.0)
                .filter(self.setup.subject(shard));
            purge.await.map_err(unavailable).map(|_| ())
        }
        .boxed()
    }
}

/// Returns the messages up to and including position `last`.
fn read_messages(
    reader: Ordered,
    last: LogPosition,
) -> impl Stream<Item = Result<PositionedMessage, ShardLogError>> {
    stream::try_unfold(Some(reader), move |reader| async move {
        let Some(mut reader) = reader else {
            return Ok(None);
        };
        let next = timeout(READ_TIMEOUT, reader.next())
            .await
            .map_err(|_| ShardLogError::Unknown)?;
        let Some(message) = next else { return Ok(None) };
        let message = message.map_err(unavailable)?;
        let info = message
            .info()
            .map_err(|error| ShardLogError::Unavailable(error.to_string()))?;
        let at = LogPosition(info.stream_sequence);
        if at > last {
            return Ok(None);
        }
        let rest = (at < last).then_some(reader);
        Ok(Some(((at, message.payload.clone()), rest)))
    })
}

pub(super) fn append_error(error: &PublishError) -> ShardLogError {
    match error.kind() {
        PublishErrorKind::WrongLastSequence => ShardLogError::Conflict,
        PublishErrorKind::TimedOut | PublishErrorKind::BrokenPipe => ShardLogError::Unknown,
        // A wrong sequence has two error codes, and the second arrives as `Other`. After each of these errors, a read
        // of the last message shows what was stored.
        PublishErrorKind::StreamNotFound
        | PublishErrorKind::WrongLastMessageId
        | PublishErrorKind::MaxAckPending
        | PublishErrorKind::MaxPayloadExceeded
        | PublishErrorKind::Other => unavailable(error),
    }
}

fn unavailable(error: impl std::error::Error) -> ShardLogError {
    let cause = error
        .source()
        .map_or_else(String::new, |cause| format!(": {cause}"));
    ShardLogError::Unavailable(format!("{error}{cause}"))
}
