//! A room as one document, so that it can be taken up again without its whole history.

use std::sync::Arc;

use noughts_protocol::{FoldError, Game, Phase, Seat, Seq, Snapshot, Status};
use serde::{Deserialize, Serialize};

use super::answered::Answered;
use super::{Attendance, Patience, Room};
use crate::log::Image;

/// What is stored: the view that everyone has, and what only the room remembers.
#[derive(Serialize, Deserialize)]
struct Document {
    /// As of the last change of the board: what is left on the clocks is what was left then.
    snapshot: Snapshot,
    /// That change; in earlier images it was the last event of all.
    #[serde(default)]
    board_seq: Option<Seq>,
    /// When the last event of all was decided; in earlier images at the same time.
    #[serde(default)]
    at: Option<u64>,
    answered: [Answered; 2],
}

impl Room {
    /// The room as of now. None between the events of one decision, where there is no view: when both are
    /// seated and the game has not begun, and between the last move of a game and its end.
    pub fn image(&self) -> Option<Image> {
        let game = &self.game;
        let about_to_begin =
            game.phase() == Phase::Waiting && Seat::ALL.into_iter().all(|seat| game.player(seat).is_some());
        let about_to_end = game.phase() == Phase::Playing && game.position().status() != Status::Ongoing;
        if about_to_begin || about_to_end {
            return None;
        }
        let document = Document {
            snapshot: Snapshot {
                left: game.clock().map(|clock| clock.stored()),
                ..game.snapshot(game.board_at())
            },
            board_seq: Some(game.board_seq()),
            // Never before the change of the board, whatever a history says.
            at: Some(game.at().max(game.board_at())),
            answered: self.answered.clone(),
        };
        let body = serde_json::to_vec(&document).expect("a snapshot has only string keys and finite numbers");
        Some(Image { seq: game.seq(), body })
    }

    /// The room that an image is of.
    ///
    /// # Errors
    /// When it is of none.
    pub(super) fn from_image(image: &Image, patience: Arc<Patience>) -> Result<Room, FoldError> {
        let document: Document =
            serde_json::from_slice(&image.body).map_err(|_| FoldError::Impossible { seq: image.seq })?;
        if document.snapshot.seq != image.seq {
            return Err(FoldError::Gap { expected: image.seq, got: document.snapshot.seq });
        }
        let at = document.at.unwrap_or(document.snapshot.at);
        let board_seq = document.board_seq.unwrap_or(image.seq);
        Ok(Room {
            game: Game::from_image(&document.snapshot, board_seq, at)?,
            attendance: [Attendance::Away(at); 2],
            answered: document.answered,
            since: at,
            patience,
        })
    }

    /// Whether an image is due: every so many events, so that a restart reads little.
    pub fn image_due(&self, last: Seq) -> bool {
        const EVERY: u64 = 256;
        self.game.seq().get() >= last.get() + EVERY
    }
}
