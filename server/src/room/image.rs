//! A room as one document, so that it can be taken up again without its whole history.

use noughts_protocol::{FoldError, Game, Phase, Seq, Snapshot, Status};
use serde::{Deserialize, Serialize};

use super::answered::Answered;
use super::{Attendance, Patience, Room};
use crate::log::Image;

/// What is stored: the view that everyone has, and what only the room remembers.
#[derive(Serialize, Deserialize)]
struct Document {
    snapshot: Snapshot,
    answered: [Answered; 2],
}

impl Room {
    /// The room as of now. None in the few states that a snapshot does not hold whole: after an event
    /// that changed no board, a move made before it would no longer be known to be fresh; and between the last
    /// move of a game and its end there is no view.
    pub fn image(&self) -> Option<Image> {
        let about_to_end =
            self.game.phase() == Phase::Playing && self.game.position().status() != Status::Ongoing;
        if self.game.board_seq() != self.game.seq() || about_to_end {
            return None;
        }
        let document =
            Document { snapshot: self.game.snapshot(self.game.at()), answered: self.answered.clone() };
        let body = serde_json::to_vec(&document).expect("a snapshot has only string keys and finite numbers");
        Some(Image { seq: self.game.seq(), body })
    }

    /// The room that an image is of.
    ///
    /// # Errors
    /// When it is of none.
    pub(super) fn from_image(image: &Image, patience: Patience) -> Result<Room, FoldError> {
        let document: Document =
            serde_json::from_slice(&image.body).map_err(|_| FoldError::Impossible { seq: image.seq })?;
        if document.snapshot.seq != image.seq {
            return Err(FoldError::Gap { expected: image.seq, got: document.snapshot.seq });
        }
        let at = document.snapshot.at;
        Ok(Room {
            game: Game::from_snapshot(&document.snapshot)?,
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
