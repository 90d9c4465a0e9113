//! A connection between two nodes. It is silent while one of them is cut off, and breaks now and then.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf, duplex};
use tokio::time::{Sleep, sleep};

use super::model_log::ModelLog;
use super::planted_fault::PlantedFault;

/// Maximum number of bytes on their way. It exceeds the longest message, so that each write contains only whole
/// messages.
const BUFFER_BYTES: usize = 1 << 20;

/// Interval between checks whether the nodes of a silent connection reach each other again.
const RECHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Mean number of misbehaving writes for each connection that breaks.
const BREAK_RARITY: u32 = 10;

/// Mean number of writes for each write that is lost under [`PlantedFault::LoseRelayedMessages`].
const LOSS_RARITY: u32 = 20;

/// Number of writes that are never lost: the handshake of the WebSocket, and the request to enter.
const FIRST_WRITES: u32 = 2;

/// One end of a connection.
pub(super) struct ModelStream {
    inner: DuplexStream,
    log: Arc<ModelLog>,
    /// For each of the two nodes, whether it is cut off.
    cuts: [Arc<AtomicBool>; 2],
    recheck: Option<Pin<Box<Sleep>>>,
    write_count: u32,
}

/// Returns both ends of a connection.
pub(super) fn model_streams(log: &Arc<ModelLog>, cuts: &[Arc<AtomicBool>; 2]) -> [ModelStream; 2] {
    let (one, other) = duplex(BUFFER_BYTES);
    [one, other].map(|inner| ModelStream {
        inner,
        log: Arc::clone(log),
        cuts: cuts.clone(),
        recheck: None,
        write_count: 0,
    })
}

impl ModelStream {
    /// Waits until the nodes reach each other.
    fn poll_connected(&mut self, context: &mut Context<'_>) -> Poll<()> {
        while self.cuts.iter().any(|cut| cut.load(Ordering::Relaxed)) {
            let recheck = self
                .recheck
                .get_or_insert_with(|| Box::pin(sleep(RECHECK_INTERVAL)));
            ready!(recheck.as_mut().poll(context));
            self.recheck = None;
        }
        Poll::Ready(())
    }

    fn breaks(&self) -> bool {
        self.log.misbehaves() && self.log.random_below(BREAK_RARITY) == 0
    }

    /// Returns whether the messages of this write are lost without an error at either node.
    fn loses_write(&self) -> bool {
        self.log.planted() == Some(PlantedFault::LoseRelayedMessages)
            && self.write_count > FIRST_WRITES
            && self.log.random_below(LOSS_RARITY) == 0
    }
}

impl AsyncRead for ModelStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.poll_connected(context));
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl AsyncWrite for ModelStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write_count += 1;
        if self.loses_write() {
            return Poll::Ready(Ok(bytes.len()));
        }
        if self.breaks() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl fmt::Debug for ModelStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelStream")
            .field("cuts", &self.cuts)
            .finish_non_exhaustive()
    }
}
