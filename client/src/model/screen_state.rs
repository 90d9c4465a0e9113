//! State of single screens and of the layer above them.

use noughts_protocol::wire::{OpenSeek, RoomListing};
use noughts_protocol::{Position, Record};

use crate::facts::Confirmation;

/// The list of public rooms and open seeks.
#[derive(Debug, Default)]
pub(crate) struct LobbyScreen {
    /// The rooms; `None` before the first response.
    pub rooms: Option<Vec<RoomListing>>,
    pub seeks: Vec<OpenSeek>,
    /// Index of the selected room.
    pub selected: usize,
    /// Time of the next refresh, on the scale of the model's `now`.
    pub refresh_at: u64,
}

/// A record and the position that is shown.
#[derive(Debug)]
pub(crate) struct Replay {
    pub record: Record,
    /// The position after `position.ply()` moves of the record.
    pub position: Position,
}

impl Replay {
    /// Shows the position after this number of moves, or the last one.
    pub(crate) fn go_to(&mut self, ply: usize) {
        while self.position.ply() > ply && self.position.undo().is_some() {}
        for &cell in
            self.record.moves.get(self.position.ply()..ply.min(self.record.moves.len())).unwrap_or(&[])
        {
            if self.position.play(cell).is_err() {
                break;
            }
        }
    }
}

/// What covers the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys and commands, scrolled down by this number of lines.
    Help(usize),
    Confirmation(Confirmation),
}
