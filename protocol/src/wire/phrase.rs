//! Preset phrases that players can say. Each client words them in the language of its user.

use super::vocabulary::vocabulary;

vocabulary! {
    /// A phrase, by its meaning. The variants are in the order of a menu.
    Phrase:
    /// A greeting.
    Hello = "hello",
    /// Wishes the opponent luck.
    GoodLuck = "good_luck",
    /// Wishes the opponent a pleasant game.
    HaveFun = "have_fun",
    /// Praises the last move.
    NiceMove = "nice_move",
    /// Regrets the player's last move.
    Oops = "oops",
    /// Announces a long thought.
    Thinking = "thinking",
    /// Apologizes.
    Sorry = "sorry",
    /// Praises the play of the opponent.
    WellPlayed = "well_played",
    /// Praises the game.
    GoodGame = "good_game",
    /// Thanks the opponent.
    Thanks = "thanks",
    /// Asks for another game, without an offer.
    OneMore = "one_more",
    /// A farewell.
    Bye = "bye",
}
