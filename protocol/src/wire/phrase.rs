//! Preset phrases: what players can say. Each client words them in the language of its user.

use serde::{Deserialize, Serialize};

/// A phrase, by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phrase {
    /// A greeting.
    Hello,
    /// Wishes the opponent luck.
    GoodLuck,
    /// Wishes the opponent a pleasant game.
    HaveFun,
    /// Praises the last move.
    NiceMove,
    /// Regrets the own last move.
    Oops,
    /// Announces a long thought.
    Thinking,
    /// Apologizes.
    Sorry,
    /// Praises the play of the opponent.
    WellPlayed,
    /// Praises the game.
    GoodGame,
    /// Thanks the opponent.
    Thanks,
    /// Asks for another game, without an offer.
    OneMore,
    /// A farewell.
    Bye,
}

impl Phrase {
    /// All phrases, in the order of a menu.
    pub const ALL: [Phrase; 12] = [
        Phrase::Hello,
        Phrase::GoodLuck,
        Phrase::HaveFun,
        Phrase::NiceMove,
        Phrase::Oops,
        Phrase::Thinking,
        Phrase::Sorry,
        Phrase::WellPlayed,
        Phrase::GoodGame,
        Phrase::Thanks,
        Phrase::OneMore,
        Phrase::Bye,
    ];
}
