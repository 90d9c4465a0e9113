//! Adapts the async stream of a connection to the blocking `Read` and `Write` that tungstenite expects, for one call.
//!
//! - Replaces: `tokio_tungstenite::WebSocketStream` and its `AllowStd`, which registers wakers of its own.
//! - Gain: with the hand-written [`Connection::poll`](super::Connection), 5.0 → 3.1 KB per idle connection (2026-11-22;
//!   commands in `tests/RESULTS.md`, Hand-written mechanisms).
//! - Invariant: `Pending` becomes `WouldBlock`. The stream has registered the task by then, so the caller may return
//!   `Pending` as well.
//! - Guarded by: `connection/socket/tests.rs` and the Autobahn suite.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::room::handle::RoomHandle;
use crate::send_queue::SharedStream;

/// Stream of a connection, shared with its send queue.
pub(super) type ConnStream = SharedStream<RoomHandle>;

/// Size of one read: several typical requests.
const READ_CHUNK_BYTES: usize = 4096;

/// Bytes received but not parsed, and the read budget of the current message.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// Allocated only while it is not empty.
    pub(super) buffered: Vec<u8>,
    /// Bytes that the peer may send until its message is complete. Bounds a message of endless empty fragments.
    pub(super) budget: usize,
}

impl ReadAhead {
    /// Copies a prefix of `bytes` that fits `output` and the budget. Returns its length.
    fn copy_to(&mut self, bytes: &[u8], output: &mut [u8]) -> usize {
        let copied = bytes.len().min(output.len()).min(self.budget);
        output[..copied].copy_from_slice(&bytes[..copied]);
        self.budget -= copied;
        copied
    }
}

/// A stream and the context of the task that polls it.
#[derive(Debug)]
pub(super) struct PollIo<'a, 'c> {
    pub(super) stream: &'a mut ConnStream,
    pub(super) read_ahead: &'a mut ReadAhead,
    pub(super) context: &'a mut Context<'c>,
}

impl Read for PollIo<'_, '_> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        if self.read_ahead.budget == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !self.read_ahead.buffered.is_empty() {
            let mut buffered = std::mem::take(&mut self.read_ahead.buffered);
            let copied = self.read_ahead.copy_to(&buffered, output);
            if copied < buffered.len() {
                buffered.drain(..copied);
                self.read_ahead.buffered = buffered;
            }
            return Ok(copied);
        }
        // On the stack rather than in the connection: with thousands of connections such a buffer is never in the cache.
        let mut bytes = [const { MaybeUninit::uninit() }; READ_CHUNK_BYTES];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        ready_or_would_block(Pin::new(&mut *self.stream).poll_read(self.context, &mut buffer))?;
        let copied = self.read_ahead.copy_to(buffer.filled(), output);
        self.read_ahead.buffered = buffer.filled()[copied..].to_vec();
        Ok(copied)
    }
}

impl Write for PollIo<'_, '_> {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        ready_or_would_block(Pin::new(&mut *self.stream).poll_write(self.context, frames))
    }

    fn flush(&mut self) -> io::Result<()> {
        ready_or_would_block(Pin::new(&mut *self.stream).poll_flush(self.context))
    }
}

fn ready_or_would_block<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}
