//! Targets of clicks on the full screen, apart from cells and watched games, which `model::layout` finds.

use crate::input::Action;

/// Target of a click at a position of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClickTarget {
    /// A key of the footer, or an entry that has a key.
    Action(Action),
    /// An entry of the list on the screen, by its index.
    Entry(usize),
    /// A phrase of the menu, by its index.
    Phrase(usize),
    /// A move of the list of moves: the position after this number of moves.
    Ply(usize),
}
