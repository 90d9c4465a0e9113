//! State of single screens and of the layer above them.

use noughts_protocol::wire::{OpenSeek, RoomListing};

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

/// What covers the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys and commands, scrolled down by this number of lines.
    Help(usize),
    Confirmation(Confirmation),
}
