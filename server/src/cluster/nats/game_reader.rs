//! Reading the stream of finished games.

use std::time::Duration;

use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::stream::Stream;
use futures::StreamExt;
use tokio::time::timeout;
use tokio_util::bytes::Bytes;

use super::stream_setup::StreamSetup;
use super::{ACK_TIMEOUT, MAX_GAMES_IN_FLIGHT, NatsOptions, connect_to, new_context};
use crate::cluster::cluster_error::ClusterError;

/// Maximum number of messages that one request asks for.
const READ_BATCH: i64 = 500;

/// A message of the stream.
#[derive(Clone, Debug)]
pub(crate) struct StreamedGame {
    pub(crate) sequence: u64,
    pub(crate) message: Bytes,
    /// This message was the last message of the stream when the stream sent it.
    pub(crate) is_last: bool,
}

/// The stream of the finished games of a cluster.
pub(crate) struct GameReader {
    stream: Stream,
}

/// One pass over the messages of the stream.
pub(crate) struct GamePass(Ordered);

impl GameReader {
    /// Connects to the servers.
    ///
    /// # Errors
    /// If no server is reachable, or the stream does not exist.
    pub(crate) async fn connect(options: &NatsOptions) -> Result<GameReader, ClusterError> {
        let client = connect_to(options, options.addresses()?).await?;
        let context = new_context(&client, ACK_TIMEOUT, MAX_GAMES_IN_FLIGHT);
        let name = StreamSetup::new(&options.name, options.replicas).games_stream();
        let failed = |error| ClusterError::Setup(format!("cannot read stream {name}: {error}"));
        let stream = context.get_stream(&name).await.map_err(failed)?;
        Ok(GameReader { stream })
    }

    /// Returns the identity of the stream. A stream that was deleted and created again has a different identity.
    pub(crate) fn identity(&self) -> String {
        let info = self.stream.cached_info();
        format!(
            "{} {}",
            info.config.name,
            info.created.unix_timestamp_nanos()
        )
    }

    /// Returns whether the stream had games after `sequence` when this reader connected.
    pub(crate) fn has_games_after(&self, sequence: u64) -> bool {
        let state = &self.stream.cached_info().state;
        state.messages > 0 && state.last_sequence > sequence
    }

    /// Begins to read the messages after `sequence`.
    ///
    /// # Errors
    /// If the servers cannot be used at present.
    pub(crate) async fn read_after(&self, sequence: u64) -> Result<GamePass, ClusterError> {
        let config = OrderedConfig {
            deliver_policy: DeliverPolicy::ByStartSequence {
                start_sequence: sequence + 1,
            },
            max_batch: READ_BATCH,
            ..OrderedConfig::default()
        };
        let consumer = self.stream.create_consumer(config).await;
        let consumer = consumer.map_err(|error| ClusterError::Setup(error.to_string()))?;
        let messages = consumer.messages().await;
        messages
            .map(GamePass)
            .map_err(|error| ClusterError::Setup(error.to_string()))
    }
}

impl GamePass {
    /// Waits for the next message. `None` if none arrives in time.
    ///
    /// # Errors
    /// If the servers cannot be used at present. The pass has then ended.
    pub(crate) async fn next(
        &mut self,
        wait: Duration,
    ) -> Result<Option<StreamedGame>, ClusterError> {
        let failed =
            |error: String| ClusterError::Setup(format!("cannot read finished games: {error}"));
        let Ok(next) = timeout(wait, self.0.next()).await else {
            return Ok(None);
        };
        let message = next.ok_or_else(|| failed("the stream has ended".into()))?;
        let message = message.map_err(|error| failed(error.to_string()))?;
        let info = message.info().map_err(|error| failed(error.to_string()))?;
        let (sequence, is_last) = (info.stream_sequence, info.pending == 0);
        Ok(Some(StreamedGame {
            sequence,
            message: message.payload.clone(),
            is_last,
        }))
    }
}
