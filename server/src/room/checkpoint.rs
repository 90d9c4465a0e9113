//! Checkpoints: the state of a room as one stored document, so that a restart needs no earlier events.

use std::sync::Arc;

use noughts_protocol::{FoldError, Game, Phase, Seat, Seq, Snapshot, Status};
use serde::{Deserialize, Serialize};

use super::Room;
use super::connectivity::Connectivity;
use super::request_log::RequestLog;
use crate::config::ServerLimits;
use crate::store::Checkpoint;

/// Number of events between two checkpoints. Bounds the work of a restart.
const CHECKPOINT_INTERVAL: u64 = 256;

/// The stored document. The spelling of its fields is part of the storage format.
#[derive(Serialize, Deserialize)]
struct CheckpointDoc {
    /// At the last change of the board, with the time that was left then.
    snapshot: Snapshot,
    /// The last change of the board.
    board_seq: Seq,
    /// Time of the last event.
    at: u64,
    /// By seat.
    #[serde(rename = "answered")]
    request_logs: [RequestLog; 2],
}

impl Room {
    /// The checkpoint of the current state. `None` between events of one decision, where no snapshot exists:
    /// after the second player was seated and before the game starts, and between the last move and the end.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let game = &self.game;
        let about_to_begin = game.phase() == Phase::Waiting
            && Seat::ALL
                .into_iter()
                .all(|seat| game.player(seat).is_some());
        let about_to_end =
            game.phase() == Phase::Playing && game.position().status() != Status::Ongoing;
        if about_to_begin || about_to_end {
            return None;
        }
        let left = game.clock().map(|clock| clock.left_at_last_stop());
        let document = CheckpointDoc {
            snapshot: Snapshot {
                left,
                shown: left.filter(|_| game.has_free_first_moves()),
                ..game.snapshot(game.board_at())
            },
            board_seq: game.board_seq(),
            // Not before the last change of the board, even if the history contains such times.
            at: game.last_event_at().max(game.board_at()),
            request_logs: self.request_logs.clone(),
        };
        let body = serde_json::to_vec(&document)
            .expect("a snapshot has only string keys and finite numbers");
        Some(Checkpoint {
            seq: game.seq(),
            body,
        })
    }

    /// Restores a room from a checkpoint.
    ///
    /// # Errors
    /// If the checkpoint is not one of a room.
    pub(super) fn from_checkpoint(
        checkpoint: &Checkpoint,
        limits: Arc<ServerLimits>,
    ) -> Result<Room, FoldError> {
        let document: CheckpointDoc =
            serde_json::from_slice(&checkpoint.body).map_err(|_| FoldError::Impossible {
                seq: checkpoint.seq,
            })?;
        if document.snapshot.seq != checkpoint.seq {
            return Err(FoldError::Gap {
                expected: checkpoint.seq,
                got: document.snapshot.seq,
            });
        }
        let at = document.at;
        Ok(Room {
            game: Game::from_checkpoint(&document.snapshot, document.board_seq, at)?,
            connectivity: [Connectivity::Disconnected(at); 2],
            request_logs: document.request_logs,
            active_since: at,
            limits,
        })
    }

    /// Whether enough events followed the last checkpoint to store another one.
    pub fn is_checkpoint_due(&self, last_checkpoint: Seq) -> bool {
        self.game.seq().get() >= last_checkpoint.get() + CHECKPOINT_INTERVAL
    }
}
