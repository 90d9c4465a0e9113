//! A room as one document, so that it can be taken up again without its whole history.

use std::sync::Arc;

use noughts_protocol::{FoldError, Game, Phase, Seat, Seq, Snapshot, Status};
use serde::{Deserialize, Serialize};

use super::request_log::RequestLog;
use super::{Connectivity, Room, RoomTimeouts};
use crate::store::Checkpoint;

/// What is stored: the view that everyone has, and what only the room remembers.
#[derive(Serialize, Deserialize)]
struct CheckpointDoc {
    /// As of the last change of the board: what is left on the clocks is what was left then.
    snapshot: Snapshot,
    /// That change; in earlier images it was the last event of all.
    #[serde(default)]
    board_seq: Option<Seq>,
    /// When the last event of all was decided; in earlier images at the same time.
    #[serde(default)]
    at: Option<u64>,
    answered: [RequestLog; 2],
}

impl Room {
    /// The room as of now. None between the events of one decision, where there is no view: when both are
    /// seated and the game has not begun, and between the last move of a game and its end.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        let game = &self.game;
        let about_to_begin =
            game.phase() == Phase::Waiting && Seat::ALL.into_iter().all(|seat| game.player(seat).is_some());
        let about_to_end = game.phase() == Phase::Playing && game.position().status() != Status::Ongoing;
        if about_to_begin || about_to_end {
            return None;
        }
        let document = CheckpointDoc {
            snapshot: Snapshot {
                left: game.clock().map(|clock| clock.left_at_last_stop()),
                ..game.snapshot(game.board_at())
            },
            board_seq: Some(game.board_seq()),
            // Never before the change of the board, whatever a history says.
            at: Some(game.last_event_at().max(game.board_at())),
            answered: self.request_logs.clone(),
        };
        let body = serde_json::to_vec(&document).expect("a snapshot has only string keys and finite numbers");
        Some(Checkpoint { seq: game.seq(), body })
    }

    /// The room that an image is of.
    ///
    /// # Errors
    /// When it is of none.
    pub(super) fn from_checkpoint(
        checkpoint: &Checkpoint,
        timeouts: Arc<RoomTimeouts>,
    ) -> Result<Room, FoldError> {
        let document: CheckpointDoc = serde_json::from_slice(&checkpoint.body)
            .map_err(|_| FoldError::Impossible { seq: checkpoint.seq })?;
        if document.snapshot.seq != checkpoint.seq {
            return Err(FoldError::Gap { expected: checkpoint.seq, got: document.snapshot.seq });
        }
        let at = document.at.unwrap_or(document.snapshot.at);
        let board_seq = document.board_seq.unwrap_or(checkpoint.seq);
        Ok(Room {
            game: Game::from_checkpoint(&document.snapshot, board_seq, at)?,
            connectivity: [Connectivity::Disconnected(at); 2],
            request_logs: document.answered,
            active_since: at,
            timeouts,
        })
    }

    /// Whether an image is due: every so many events, so that a restart reads little.
    pub fn is_checkpoint_due(&self, last_checkpoint: Seq) -> bool {
        const CHECKPOINT_INTERVAL: u64 = 256;
        self.game.seq().get() >= last_checkpoint.get() + CHECKPOINT_INTERVAL
    }
}
