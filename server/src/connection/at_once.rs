//! The wire under tungstenite for the time of one call: what would have to wait is `WouldBlock`, and the task is woken
//! once it has not. No adapter stays between them, with wakers of its own.

use std::io::{self, Read, Write};
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::outbox::Wire;

/// What is read at once: several requests as they usually are.
const SPACE: usize = 4096;

/// What has come and is not looked at yet, and how much more may.
#[derive(Debug)]
pub(super) struct Intake {
    /// Takes memory only while there is something.
    pub(super) early: Vec<u8>,
    /// What a peer may send before its message is whole. Without it a message of empty fragments never ends.
    pub(super) budget: usize,
}

impl Intake {
    /// The first of `bytes`, as many as there is space for; the rest is for later.
    fn share(&mut self, bytes: &[u8], space: &mut [u8]) -> usize {
        let taken = bytes.len().min(space.len()).min(self.budget);
        space[..taken].copy_from_slice(&bytes[..taken]);
        self.budget -= taken;
        taken
    }
}

/// A wire and who is to be woken by it.
#[derive(Debug)]
pub(super) struct AtOnce<'a, 'c> {
    pub(super) wire: &'a mut Wire,
    pub(super) intake: &'a mut Intake,
    pub(super) context: &'a mut Context<'c>,
}

impl Read for AtOnce<'_, '_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        if self.intake.budget == 0 {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if !self.intake.early.is_empty() {
            let mut early = std::mem::take(&mut self.intake.early);
            let taken = self.intake.share(&early, space);
            if taken < early.len() {
                early.drain(..taken);
                self.intake.early = early;
            }
            return Ok(taken);
        }
        // Here and not in a buffer of the connection: thousands of those would each be cold when its turn comes.
        let mut bytes = [const { MaybeUninit::uninit() }; SPACE];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        at_once(Pin::new(&mut *self.wire).poll_read(self.context, &mut buffer))?;
        let taken = self.intake.share(buffer.filled(), space);
        self.intake.early = buffer.filled()[taken..].to_vec();
        Ok(taken)
    }
}

impl Write for AtOnce<'_, '_> {
    fn write(&mut self, frames: &[u8]) -> io::Result<usize> {
        at_once(Pin::new(&mut *self.wire).poll_write(self.context, frames))
    }

    fn flush(&mut self) -> io::Result<()> {
        at_once(Pin::new(&mut *self.wire).poll_flush(self.context))
    }
}

fn at_once<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}
