//! The wire under tungstenite for the time of one call: what would have to wait is `WouldBlock`, and the task is woken
//! once it has not. No adapter stays between them, with wakers of its own.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::room::handle::RoomHandle;
use crate::send_queue::SharedStream;

/// Stream of a connection, shared with its send queue.
pub(super) type ConnStream = SharedStream<RoomHandle>;

/// What is read at once: several requests as they usually are.
const READ_CHUNK_BYTES: usize = 4096;

/// What has come and is not looked at yet, and how much more may.
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// Takes memory only while there is something.
    pub(super) buffered: Vec<u8>,
    /// What a peer may send before its message is whole. Without it a message of empty fragments never ends.
    pub(super) budget: usize,
}

impl ReadAhead {
    /// The first of `bytes`, as many as there is space for; the rest is for later.
    fn copy_to(&mut self, bytes: &[u8], output: &mut [u8]) -> usize {
        let copied = bytes.len().min(output.len()).min(self.budget);
        output[..copied].copy_from_slice(&bytes[..copied]);
        self.budget -= copied;
        copied
    }
}

/// A wire and who is to be woken by it.
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
        // Here and not in a buffer of the connection: thousands of those would each be cold when its turn comes.
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
