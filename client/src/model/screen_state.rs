//! State of the layer above the screens.

use crate::facts::Confirmation;

/// Overlay that covers the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    /// The keys and commands, scrolled down by this number of lines.
    Help(usize),
    Confirmation(Confirmation),
    /// The menu of phrases, with the index of the selected one.
    Say(usize),
    /// The list of all moves.
    Moves,
}
