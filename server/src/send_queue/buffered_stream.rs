//! The stream under a connection. Two write to it: the connection, and whoever has something for its peer, without
//! waking it. So it lies with the queue, under one lock.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite};

/// What a connection goes over.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// A stream, and what it has been given and has not taken.
pub(super) struct BufferedStream {
    stream: Box<dyn ByteStream>,
    /// Whole frames, of which the first may be half-way. Takes memory only while it waits.
    buffered: Vec<u8>,
    /// The stream has taken something since it was last flushed.
    unflushed: bool,
}

impl BufferedStream {
    pub(super) fn new(stream: Box<dyn ByteStream>) -> BufferedStream {
        BufferedStream { stream, buffered: Vec::new(), unflushed: false }
    }

    /// Whether all that it was given is on its way.
    pub(super) fn is_idle(&self) -> bool {
        self.buffered.is_empty() && !self.unflushed
    }

    /// Takes whole frames, to be sent behind what waits.
    pub(super) fn buffer(&mut self, frames: &[u8]) {
        self.buffered.extend_from_slice(frames);
    }

    /// How much waits.
    pub(super) fn buffered_len(&self) -> usize {
        self.buffered.len()
    }

    /// Takes whole frames, to be sent at once or behind what waits.
    pub(super) fn write_or_buffer(&mut self, frames: &[u8]) {
        if self.is_idle() {
            self.try_write(frames);
        } else {
            self.buffer(frames);
        }
    }

    /// Takes whole frames and sends what goes at once, on an idle line. The rest is the connection's to send, which
    /// has to be woken for it: nobody else waits for the stream.
    pub(super) fn try_write(&mut self, frames: &[u8]) {
        debug_assert!(self.is_idle(), "frames would change places");
        let mut context = Context::from_waker(Waker::noop());
        let written = match Pin::new(&mut self.stream).poll_write(&mut context, frames) {
            Poll::Ready(Ok(written)) => written,
            // Also after a failure, which the connection meets again.
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        self.unflushed = true;
        self.buffer(&frames[written..]);
        self.try_flush();
    }

    /// Sends what goes at once. The rest is the connection's, as above.
    pub(super) fn try_flush(&mut self) {
        let (Poll::Ready(Ok(()) | Err(_)) | Poll::Pending) =
            self.poll_flush_buffer(&mut Context::from_waker(Waker::noop()));
    }

    /// Sends all that waits.
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

    /// The stream, to read from it or to end it.
    pub(super) fn stream(&mut self) -> Pin<&mut dyn ByteStream> {
        Pin::new(&mut *self.stream)
    }
}

impl std::fmt::Debug for BufferedStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line").field("waiting", &self.buffered.len()).finish_non_exhaustive()
    }
}
