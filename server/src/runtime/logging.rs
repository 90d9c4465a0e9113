//! The log of the program: lines on stderr, in text or JSON.
//!
//! No task waits for stderr, and no failed write reaches the server. Lines pass a bounded queue to a thread, which
//! writes them. A line that finds the queue full or cannot be written is dropped and counted.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::panic::PanicHookInfo;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::Duration;

use tracing::{error, field};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;

use crate::runtime::ignore;

/// Maximum number of lines that wait for stderr. A line is rarely longer than 300 bytes.
const QUEUED_LINES_MAX: usize = 4096;

/// Maximum time that the program waits at its end until stderr has taken the last lines.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(1500);

/// Lines that did not fit into the queue of the installed log.
static QUEUE_DROPS: OnceLock<ErrorCounter> = OnceLock::new();

/// Lines that stderr did not take.
static FAILED_WRITES: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Time, level, module, message and fields; coloured on a terminal.
    Text,
    /// One JSON object per line.
    Json,
}

/// Returns the number of log lines of this process that were dropped.
pub(crate) fn dropped_line_count() -> u64 {
    let queue_drops = QUEUE_DROPS.get().map_or(0, ErrorCounter::dropped_lines);
    u64::try_from(queue_drops)
        .unwrap_or(u64::MAX)
        .saturating_add(FAILED_WRITES.load(Ordering::Relaxed))
}

/// The installed log. Dropping it writes the queued lines, for at most [`FLUSH_TIMEOUT`].
#[derive(Debug)]
pub(crate) struct LogOutput {
    format: LogFormat,
    queue: NonBlocking,
    /// `None` only during drop.
    worker: Option<WorkerGuard>,
}

impl LogOutput {
    /// Installs the log of the process, and reports panics in it. `RUST_LOG` sets the level.
    ///
    /// # Errors
    /// If stderr cannot be duplicated.
    pub(crate) fn install(format: LogFormat) -> io::Result<LogOutput> {
        let stderr = io::stderr();
        let is_terminal = stderr.is_terminal();
        // The writer has a descriptor of its own, because otherwise it would hold the lock of the standard library
        // while stderr blocks.
        let writer = LineWriter::new(File::from(stderr.as_fd().try_clone_to_owned()?));
        let (queue, worker) = NonBlockingBuilder::default()
            .lossy(true)
            .buffered_lines_limit(QUEUED_LINES_MAX)
            .thread_name("stderr")
            .finish(writer);
        QUEUE_DROPS.get_or_init(|| queue.error_counter());
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
        let subscriber = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(queue.clone())
            // This option is off, because tracing would print internal errors to stderr, and printing panics when
            // stderr cannot be written.
            .log_internal_errors(false);
        match format {
            LogFormat::Text => subscriber.with_ansi(is_terminal).init(),
            LogFormat::Json => subscriber.json().flatten_event(true).init(),
        }
        std::panic::set_hook(Box::new(report_panic));
        Ok(LogOutput {
            format,
            queue,
            worker: Some(worker),
        })
    }

    /// Reports the error that ends the program.
    pub(crate) fn report_error(&self, error: &anyhow::Error) {
        match self.format {
            LogFormat::Text => {
                let written = self
                    .queue
                    .clone()
                    .write_all(format!("Error: {error:?}\n").as_bytes());
                ignore(written, "the queue counts a line that it drops");
            }
            LogFormat::Json => error!(error = format!("{error:#}"), "server failed"),
        }
    }
}

impl Drop for LogOutput {
    fn drop(&mut self) {
        // The guard is dropped in a thread that may outlive this call, because it prints to stdout when stderr blocks,
        // and stdout may block as well.
        let (sender, flushed) = sync_channel::<()>(0);
        let worker = self.worker.take();
        let flush = thread::Builder::new()
            .name("log-flush".into())
            .spawn(move || {
                drop(worker);
                drop(sender);
            });
        if flush.is_ok() {
            ignore(
                flushed.recv_timeout(FLUSH_TIMEOUT),
                "the sender sends nothing, it is dropped",
            );
        }
    }
}

/// Logs a panic. Replaces the hook of the standard library, which writes to stderr and waits for it.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown payload");
    let thread = thread::current();
    let location = panic.location().map(field::display);
    // Captured only if RUST_BACKTRACE is set.
    let backtrace = Backtrace::capture();
    let backtrace =
        (backtrace.status() == BacktraceStatus::Captured).then(|| field::display(backtrace));
    error!(
        thread = thread.name(),
        location,
        panic = message,
        backtrace,
        "thread panicked"
    );
}

/// Writes lines and never fails: a line that cannot be written is dropped and counted.
#[derive(Debug)]
struct LineWriter<W> {
    inner: W,
    /// A failed write has left an incomplete line.
    has_torn_line: bool,
}

impl<W: Write> LineWriter<W> {
    fn new(inner: W) -> LineWriter<W> {
        LineWriter {
            inner,
            has_torn_line: false,
        }
    }

    fn try_write_line(&mut self, mut line: &[u8]) -> io::Result<()> {
        if self.has_torn_line {
            self.inner.write_all(b"\n")?;
            self.has_torn_line = false;
        }
        while !line.is_empty() {
            match self.inner.write(line) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => {
                    line = &line[written..];
                    self.has_torn_line = !line.is_empty();
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<W: Write> Write for LineWriter<W> {
    /// Writes a whole line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.try_write_line(line).is_err() {
            FAILED_WRITES.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that takes a number of bytes, and then fails until it is emptied.
    #[derive(Default)]
    struct FullDisk {
        taken: Vec<u8>,
        free: usize,
    }

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let written = bytes.len().min(self.free);
            if written == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.free -= written;
            self.taken.extend_from_slice(&bytes[..written]);
            Ok(written)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_failed_write_is_counted_and_does_not_spoil_the_next_line() {
        let before = FAILED_WRITES.load(Ordering::Relaxed);
        let mut writer = LineWriter::new(FullDisk {
            free: 10,
            ..FullDisk::default()
        });
        for line in ["first\n", "second\n", "third\n"] {
            writer.write_all(line.as_bytes()).expect("never fails");
        }
        writer.inner.free = 100;
        writer.write_all(b"fourth\n").expect("never fails");
        writer.write_all(b"fifth\n").expect("never fails");
        assert_eq!(
            String::from_utf8_lossy(&writer.inner.taken),
            "first\nseco\nfourth\nfifth\n"
        );
        assert_eq!(FAILED_WRITES.load(Ordering::Relaxed) - before, 2);
    }
}
