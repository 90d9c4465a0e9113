//! [`GameStream`] over JetStream.

use async_nats::jetstream::context::Context;
use async_nats::jetstream::message::PublishMessage;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::bytes::Bytes;

use super::jetstream_log::append_error;
use super::stream_setup::StreamSetup;
use crate::cluster::log::game_stream::GameStream;
use crate::cluster::log::shard_log::ShardLogError;
use crate::cluster::shard::Shard;

#[derive(Debug)]
pub(super) struct JetStreamGames {
    /// The appends have a context of their own, because they must not wait for acknowledgements of games.
    context: Context,
    setup: StreamSetup,
}

impl JetStreamGames {
    pub(super) fn new(context: Context, setup: StreamSetup) -> JetStreamGames {
        JetStreamGames { context, setup }
    }
}

impl GameStream for JetStreamGames {
    fn publish(
        &self,
        shard: Shard,
        message_id: String,
        message: Bytes,
    ) -> BoxFuture<'_, Result<(), ShardLogError>> {
        async move {
            let message = PublishMessage::build()
                .payload(message)
                .message_id(message_id);
            let subject = self.setup.games_subject(shard);
            let sent = self.context.send_publish(subject, message).await;
            let acknowledged = match sent {
                Ok(acknowledgement) => acknowledgement.await,
                Err(error) => Err(error),
            };
            acknowledged
                .map(|_| ())
                .map_err(|error| append_error(&error))
        }
        .boxed()
    }
}
