//! The stream of a connection and its unsent bytes.
//!
//! Both the connection and the senders write to it, so it lies under the lock of the queue.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite};

use crate::runtime::ignore;

/// Byte stream of a connection: TCP, TLS, or a test double.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// Non-blocking writer: a stream and the bytes that it has not taken.
pub(super) struct BufferedStream {
    stream: Box<dyn ByteStream>,
    /// Unsent frames; the first may be partly sent. Allocated only while it is not empty.
    buffered: Vec<u8>,
    /// The stream has taken bytes since its last flush.
    unflushed: bool,
}

impl BufferedStream {
    pub(super) fn new(stream: Box<dyn ByteStream>) -> BufferedStream {
        BufferedStream {
            stream,
            buffered: Vec::new(),
            unflushed: false,
        }
    }

    /// Returns whether all frames are sent and flushed.
    pub(super) fn is_idle(&self) -> bool {
        self.buffered.is_empty() && !self.unflushed
    }

    /// Appends whole frames to the unsent bytes.
    pub(super) fn buffer(&mut self, frames: &[u8]) {
        self.buffered.extend_from_slice(frames);
    }

    /// Returns the number of unsent bytes.
    pub(super) fn buffered_len(&self) -> usize {
        self.buffered.len()
    }

    /// Writes whole frames if the stream is idle, otherwise appends them to the unsent bytes.
    pub(super) fn write_or_buffer(&mut self, frames: &[u8]) {
        if self.is_idle() {
            self.try_write(frames);
        } else {
            self.buffer(frames);
        }
    }

    /// Writes whole frames to an idle stream, as far as it takes them at once. The caller must wake the connection for
    /// the rest: only the connection waits for the stream.
    pub(super) fn try_write(&mut self, frames: &[u8]) {
        debug_assert!(
            self.is_idle(),
            "the stream must be idle to keep the order of frames"
        );
        let mut context = Context::from_waker(Waker::noop());
        let written = match Pin::new(&mut self.stream).poll_write(&mut context, frames) {
            Poll::Ready(Ok(written)) => written,
            // The connection meets an error again when it flushes.
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        self.unflushed = true;
        self.buffer(&frames[written..]);
        self.try_flush();
    }

    /// Flushes as far as the stream takes the bytes at once. The connection flushes the rest.
    pub(super) fn try_flush(&mut self) {
        let flushed = self.poll_flush_buffer(&mut Context::from_waker(Waker::noop()));
        ignore(
            flushed,
            "the connection flushes the rest and meets an error again",
        );
    }

    /// Writes and flushes all unsent bytes.
    pub(super) fn poll_flush_buffer(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.buffered.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.buffered))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unflushed = true;
            if written == self.buffered.len() {
                self.buffered = Vec::new();
            } else {
                self.buffered.drain(..written);
            }
        }
        if self.unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Returns the stream, for reading and for shutting it down.
    pub(super) fn stream(&mut self) -> Pin<&mut dyn ByteStream> {
        Pin::new(&mut *self.stream)
    }
}

impl std::fmt::Debug for BufferedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BufferedStream")
            .field("buffered", &self.buffered.len())
            .finish_non_exhaustive()
    }
}
