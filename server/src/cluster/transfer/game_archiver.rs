//! Copies the stream of finished games into the archive of a data directory.
//!
//! The transaction that adds the games also records the position of the last game in the stream. An archive that was
//! restored from a backup therefore continues where the backup ends. A game that was published twice is added once.

use std::path::Path;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{error, info, warn};

use crate::cluster::cluster_error::ClusterError;
use crate::cluster::log::game_message::{GameMessage, GameMessageError};
use crate::cluster::nats::NatsOptions;
use crate::cluster::nats::game_reader::{GamePass, GameReader, StreamedGame};
use crate::store::sqlite::{DataDirError, DataDirWriter, StreamPosition};

/// Maximum number of games of one transaction.
const MAX_BATCH_GAMES: usize = 500;

/// Maximum time that an incomplete batch waits for further games.
const BATCH_WAIT: Duration = Duration::from_millis(500);

/// Delay before reading is repeated after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Copying the existing games fails if no message arrives for this time.
const READ_TIMEOUT: Duration = Duration::from_secs(10);

/// Failure of the archive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Data(#[from] DataDirError),
    #[error("game {0} of the stream was written by another version of this program")]
    OtherVersion(u64),
}

/// Counts of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArchiveCounts {
    /// Games that the directory did not contain.
    pub(crate) added: usize,
    /// Skipped messages that do not contain a game.
    pub(crate) damaged: usize,
}

/// Copies finished games into a data directory.
pub(crate) struct GameArchiver {
    reader: GameReader,
    writer: DataDirWriter,
    position: StreamPosition,
    pub(crate) counts: ArchiveCounts,
}

impl GameArchiver {
    /// Connects to the stream, and opens the directory, which is created if necessary.
    ///
    /// # Errors
    /// If the stream or the directory cannot be used.
    pub(crate) async fn open(
        options: &NatsOptions,
        directory: &Path,
    ) -> Result<GameArchiver, ArchiveError> {
        let reader = GameReader::connect(options).await?;
        let writer = DataDirWriter::open(directory)?;
        GameArchiver::with_writer(reader, writer)
    }

    /// Copies games into a directory that is already open.
    pub(crate) fn with_writer(
        reader: GameReader,
        writer: DataDirWriter,
    ) -> Result<GameArchiver, ArchiveError> {
        let stream = reader.identity();
        let sequence = writer.archived_sequence(&stream)?;
        let position = StreamPosition { stream, sequence };
        Ok(GameArchiver {
            reader,
            writer,
            position,
            counts: ArchiveCounts::default(),
        })
    }

    /// Copies all games that the stream has.
    ///
    /// # Errors
    /// If the stream cannot be read, or the directory cannot be written. The games of earlier batches are archived.
    pub(crate) async fn copy_existing(&mut self) -> Result<(), ArchiveError> {
        if !self.reader.has_games_after(self.position.sequence) {
            return Ok(());
        }
        let mut pass = self.reader.read_after(self.position.sequence).await?;
        loop {
            let batch = read_batch(&mut pass, READ_TIMEOUT).await?;
            let is_last = batch.last().ok_or_else(late_games)?.is_last;
            self.add(&batch)?;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Copies games as they end. Waits while the stream cannot be read.
    ///
    /// # Errors
    /// If the directory cannot be written.
    pub(crate) async fn follow(&mut self) -> Result<(), ArchiveError> {
        loop {
            match self.follow_pass().await {
                Err(ArchiveError::Cluster(error)) => {
                    warn!(%error, "stream of finished games interrupted; will retry");
                    sleep(RETRY_DELAY).await;
                }
                ended => return ended,
            }
        }
    }

    async fn follow_pass(&mut self) -> Result<(), ArchiveError> {
        let mut pass = self.reader.read_after(self.position.sequence).await?;
        loop {
            let batch = read_batch(&mut pass, BATCH_WAIT).await?;
            if !batch.is_empty() {
                self.add(&batch)?;
            }
        }
    }

    fn add(&mut self, batch: &[StreamedGame]) -> Result<(), ArchiveError> {
        let mut games = Vec::with_capacity(batch.len());
        for StreamedGame {
            sequence, message, ..
        } in batch
        {
            match GameMessage::parse(message) {
                Ok(game) => games.push(game),
                Err(GameMessageError::OtherVersion) => {
                    return Err(ArchiveError::OtherVersion(*sequence));
                }
                Err(damage) => {
                    error!(sequence, error = %damage, "damaged game of the stream skipped");
                    self.counts.damaged += 1;
                }
            }
        }
        let last = batch.iter().map(|game| game.sequence).max().unwrap_or(0);
        // The position never goes back, because a pass that is repeated begins with earlier games.
        self.position.sequence = self.position.sequence.max(last);
        let games = games.iter().map(|GameMessage { room, game }| (*room, game));
        let added = self.writer.add_games(games, Some(&self.position))?;
        self.counts.added += added;
        info!(games = added, sequence = last, "finished games archived");
        Ok(())
    }
}

impl GameArchiver {
    /// Returns the directory, for further data.
    pub(super) fn into_writer(self) -> DataDirWriter {
        self.writer
    }
}

/// Reads all games that the stream has.
///
/// # Errors
/// If the stream cannot be read.
pub(super) async fn read_all_games(reader: &GameReader) -> Result<Vec<GameMessage>, ArchiveError> {
    let mut games = Vec::new();
    if !reader.has_games_after(0) {
        return Ok(games);
    }
    let mut pass = reader.read_after(0).await?;
    loop {
        let batch = read_batch(&mut pass, READ_TIMEOUT).await?;
        let is_last = batch.last().ok_or_else(late_games)?.is_last;
        games.extend(
            batch
                .iter()
                .filter_map(|game| GameMessage::parse(&game.message).ok()),
        );
        if is_last {
            return Ok(games);
        }
    }
}

fn late_games() -> ClusterError {
    ClusterError::Setup("finished games do not arrive in time".into())
}

/// Reads messages until a batch is full or no message arrives in time.
async fn read_batch(
    pass: &mut GamePass,
    first_wait: Duration,
) -> Result<Vec<StreamedGame>, ClusterError> {
    let mut batch = Vec::new();
    let mut wait = first_wait;
    while batch.len() < MAX_BATCH_GAMES {
        let Some(game) = pass.next(wait).await? else {
            break;
        };
        let is_last = game.is_last;
        batch.push(game);
        if is_last {
            break;
        }
        wait = BATCH_WAIT;
    }
    Ok(batch)
}
