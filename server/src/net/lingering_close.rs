//! Closes refused connections so that the response arrives: the kernel answers unread input with a reset, which can
//! discard the response.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

use crate::runtime::ignore::ignore;

/// Input that is read and discarded.
const LINGER_BYTES: u64 = 64 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// Maximum number of refused connections that linger at the same time; more are closed at once.
const LINGERING_MAX: usize = 256;

/// Refuses connections without waiting for them.
#[derive(Clone, Debug)]
pub(super) struct LingeringClose {
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl LingeringClose {
    /// Spawns the tasks of lingering connections on `tasks`.
    pub(super) fn new(tasks: TaskTracker) -> LingeringClose {
        LingeringClose {
            permits: Arc::new(Semaphore::new(LINGERING_MAX)),
            tasks,
        }
    }

    /// Sends a response and closes the connection.
    pub(super) fn close<S>(&self, mut stream: S, response: &[u8])
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        // A new socket's send buffer is empty, so the response fits without waiting.
        let sent = stream.write_all(response).now_or_never();
        ignore(sent, "the server does not wait for a refused client");
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            self.tasks.spawn(async move {
                linger(&mut stream).await;
                drop(permit);
            });
        }
    }
}

/// Ends the output of a connection and discards its input for a short time.
pub(super) async fn linger(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
    let discarded = timeout(LINGER, async {
        stream.shutdown().await?;
        tokio::io::copy(&mut stream.take(LINGER_BYTES), &mut tokio::io::sink()).await
    });
    ignore(
        discarded.await,
        "the response is sent; the peer may be gone",
    );
}
