//! The stream under a connection. Two write to it: the connection, and whoever has something for its peer, without
//! waking it. So it lies with the queue, under one lock.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite};

/// What a connection goes over.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A stream, and what it has been given and has not taken.
pub(super) struct Line {
    stream: Box<dyn Stream>,
    /// Whole frames, of which the first may be half-way. Takes memory only while it waits.
    rest: Vec<u8>,
    /// The stream has taken something since it was last flushed.
    unflushed: bool,
}

impl Line {
    pub(super) fn new(stream: Box<dyn Stream>) -> Line {
        Line { stream, rest: Vec::new(), unflushed: false }
    }

    /// Whether all that it was given is on its way.
    pub(super) fn is_idle(&self) -> bool {
        self.rest.is_empty() && !self.unflushed
    }

    /// Takes whole frames, to be sent behind what waits.
    pub(super) fn add(&mut self, frames: &[u8]) {
        self.rest.extend_from_slice(frames);
    }

    /// How much waits.
    pub(super) fn waiting(&self) -> usize {
        self.rest.len()
    }

    /// Takes whole frames, to be sent at once or behind what waits.
    pub(super) fn say(&mut self, frames: &[u8]) {
        if self.is_idle() {
            self.give(frames);
        } else {
            self.add(frames);
        }
    }

    /// Takes whole frames and sends what goes at once, on an idle line. The rest is the connection's to send, which
    /// has to be woken for it: nobody else waits for the stream.
    pub(super) fn give(&mut self, frames: &[u8]) {
        debug_assert!(self.is_idle(), "frames would change places");
        let mut context = Context::from_waker(Waker::noop());
        let written = match Pin::new(&mut self.stream).poll_write(&mut context, frames) {
            Poll::Ready(Ok(written)) => written,
            // Also after a failure, which the connection meets again.
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        };
        self.unflushed = true;
        self.add(&frames[written..]);
        self.send();
    }

    /// Sends what goes at once. The rest is the connection's, as above.
    pub(super) fn send(&mut self) {
        let (Poll::Ready(Ok(()) | Err(_)) | Poll::Pending) =
            self.poll_send(&mut Context::from_waker(Waker::noop()));
    }

    /// Sends all that waits.
    pub(super) fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.rest.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.rest))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unflushed = true;
            if written == self.rest.len() {
                self.rest = Vec::new();
            } else {
                self.rest.drain(..written);
            }
        }
        if self.unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(context))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    /// The stream, to read from it or to end it.
    pub(super) fn stream(&mut self) -> Pin<&mut dyn Stream> {
        Pin::new(&mut *self.stream)
    }
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Line").field("waiting", &self.rest.len()).finish_non_exhaustive()
    }
}
