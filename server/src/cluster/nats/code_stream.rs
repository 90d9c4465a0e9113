//! The stream of imported codes. It exists only in clusters into which rooms with such codes were imported.

use async_nats::jetstream::context::Context;
use async_nats::jetstream::stream::RawMessageErrorKind;
use tokio::time::{Instant, sleep};
use tracing::debug;

use super::stream_setup::{RETRY_DELAY, SETUP_TIMEOUT, StreamSetup, is_missing};
use crate::cluster::cluster_error::ClusterError;
use crate::cluster::nodes::code_table::CodeTable;

/// The imported codes of a cluster.
#[derive(Debug)]
pub(crate) struct CodeStream {
    context: Context,
    setup: StreamSetup,
}

impl CodeStream {
    pub(super) fn new(context: Context, setup: StreamSetup) -> CodeStream {
        CodeStream { context, setup }
    }

    /// Reads all codes. Retries for up to [`SETUP_TIMEOUT`], for example while the servers elect a leader.
    ///
    /// # Errors
    /// If the stream is not available in time, or is damaged.
    pub(crate) async fn read(&self) -> Result<CodeTable, ClusterError> {
        let began = Instant::now();
        loop {
            match self.try_read().await {
                Ok(codes) => return Ok(codes),
                Err(error) if began.elapsed() >= SETUP_TIMEOUT => {
                    return Err(ClusterError::Setup(error));
                }
                Err(error) => {
                    debug!(error, "cannot read imported codes; will retry");
                    sleep(RETRY_DELAY).await;
                }
            }
        }
    }

    async fn try_read(&self) -> Result<CodeTable, String> {
        let name = self.setup.codes_stream();
        let stream = match self.context.get_stream(&name).await {
            Ok(stream) => stream,
            Err(error) if is_missing(&error) => return Ok(CodeTable::default()),
            Err(error) => return Err(format!("cannot read stream {name}: {error}")),
        };
        let (mut codes, state) = (CodeTable::default(), &stream.cached_info().state);
        for sequence in state.first_sequence..=state.last_sequence {
            match stream.get_raw_message(sequence).await {
                Ok(message) => {
                    let text =
                        str::from_utf8(&message.payload).map_err(|error| error.to_string())?;
                    codes
                        .add_message(text)
                        .map_err(|what| format!("stream {name}: {what}"))?;
                }
                Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => {}
                Err(error) => return Err(format!("cannot read stream {name}: {error}")),
            }
        }
        Ok(codes)
    }

    /// Adds codes. Creates the stream if it is missing.
    ///
    /// # Errors
    /// If the stream does not take the codes. Some of them may have been added.
    pub(crate) async fn add(&self, codes: &CodeTable) -> Result<(), ClusterError> {
        self.setup.open_codes_stream(&self.context).await?;
        let failed = |error| ClusterError::Setup(format!("cannot store codes of rooms: {error}"));
        let sent = self
            .context
            .publish(self.setup.codes_subject(), codes.encode().into())
            .await;
        sent.map_err(failed)?.await.map_err(failed)?;
        Ok(())
    }
}
