//! How wide the terminal draws a line character. Where it takes two columns, in terminals set up for Chinese,
//! every board would break: so it is asked, once. The answer comes between the keys.

use std::io;
use std::time::Duration;

use crossterm::{cursor, execute, style};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionread};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep_until};

/// How long the first picture waits for the answer.
const SOON: Duration = Duration::from_millis(100);
/// How long the answer may take in all. Until then nobody hears that the window has another size.
const LONGEST: Duration = Duration::from_secs(2);
/// The bytes of the shortest answer, `CSI 1 ; 1 R`. A key that is pressed has fewer, but for some rare ones.
const ANSWER: u64 = 6;

/// A terminal that was asked. As long as this is there, nobody else may listen for keys.
#[derive(Debug)]
pub struct Width(());

impl Width {
    /// Asks the terminal, which must have been taken.
    ///
    /// # Errors
    /// What the system says.
    pub fn ask() -> io::Result<Width> {
        execute!(io::stdout(), cursor::MoveTo(0, 0), style::Print('\u{2500}'), style::Print("\u{1b}[6n"))?;
        Ok(Width(()))
    }

    /// Whether a line takes one column, if the terminal answers at once, as most do.
    pub async fn soon(&self) -> Option<bool> {
        let end = Instant::now() + SOON;
        let mut bytes = arrived(SOON).await?;
        if bytes < ANSWER {
            // Keys were pressed before there was a screen, and are not in the way of the answer.
            sleep_until(end).await;
            bytes = ioctl_fionread(io::stdin()).ok()?;
        }
        if bytes < ANSWER { None } else { read().await }
    }

    /// The same, if the terminal answers at all, and before somebody presses a key: that is not to wait.
    pub async fn late(self) -> Option<bool> {
        if arrived(LONGEST).await? < ANSWER { None } else { read().await }
    }
}

/// Waits until there is something to read, and tells how many bytes; none when nothing comes in this time.
async fn arrived(limit: Duration) -> Option<u64> {
    let waited = spawn_blocking(move || {
        let stdin = io::stdin();
        let limit = Timespec::try_from(limit).ok();
        loop {
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], limit.as_ref()) {
                Ok(0) => return None,
                Ok(_) => return ioctl_fionread(&stdin).ok(),
                Err(Errno::INTR) => {}
                Err(_) => return None,
            }
        }
    });
    waited.await.ok()?
}

/// Reads the answer. The keys before it are kept for whoever listens next.
async fn read() -> Option<bool> {
    // The library asks once more. Whatever is drawn by then, the first answer is that to the first question.
    let at = spawn_blocking(cursor::position).await;
    at.ok()?.ok().map(|(column, _)| column <= 1)
}
