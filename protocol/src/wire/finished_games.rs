//! Finished games that the server keeps: rows of lists, and the profile of a player.

use serde::{Deserialize, Serialize};

use crate::outcome::Verdict;
use crate::{Identity, Player, RoomId, Rules, TimeControl};

/// Maximum number of rows of a response to `games`.
pub const MAX_LISTED_GAMES: u8 = 50;

/// Maximum number of rules in a profile: those with the most games.
pub const MAX_PROFILE_RULES: usize = 32;

/// Number of the latest games in a profile.
pub const PROFILE_GAMES: u8 = 10;

/// Maximum number of games that a response counts or searches: the newest of a player, or those before a given game.
pub const MAX_COUNTED_GAMES: u32 = 1000;

/// The id of a finished game on the server. Later games have greater ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GameId(pub u64);

/// Selects finished games. An absent `with`, `rules` or `before` matches all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GamesFilter {
    /// A player of the games; `None` for the player who asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<Identity>,
    /// The opponent of that player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<Identity>,
    /// Rules of the games.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Rules>,
    /// Only games with smaller ids: the `before` of the last response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<GameId>,
    /// Maximum number of rows, at most [`MAX_LISTED_GAMES`], which is the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u8>,
}

/// A finished game that the server keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FinishedListing {
    /// The id of the game.
    pub game: GameId,
    /// The room of the game, which may have closed.
    pub room: RoomId,
    /// The number of the game in its room.
    pub number: u32,
    /// End of the game, in milliseconds since 1970-01-01 UTC.
    pub ended: u64,
    /// Rules of the game.
    pub rules: Rules,
    /// Time control; absent without a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<TimeControl>,
    /// X and O.
    pub players: [Player; 2],
    /// The winner and the reason, as in a record.
    pub result: Verdict,
    /// Number of moves.
    pub moves: u32,
}

/// Numbers of won, drawn and lost games of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameCounts {
    /// Won games.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Lost games.
    pub losses: u64,
}

impl GameCounts {
    /// Returns the number of all games.
    pub fn total(self) -> u64 {
        self.wins
            .saturating_add(self.draws)
            .saturating_add(self.losses)
    }
}

/// The games of a player by one set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RulesCounts {
    /// The rules.
    pub rules: Rules,
    /// The numbers of games.
    #[serde(flatten)]
    pub counts: GameCounts,
}

/// The profile of a player: name, numbers of games, and the latest games.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerProfile {
    /// The player, with the name in the latest game.
    pub player: Player,
    /// End of the oldest game that you may see, among the newest [`MAX_COUNTED_GAMES`] games of the player, in
    /// milliseconds since 1970-01-01 UTC.
    pub first_seen: u64,
    /// Numbers of games by rules, among the newest [`MAX_COUNTED_GAMES`] games of the player; most games first, at most
    /// [`MAX_PROFILE_RULES`]. Games against oneself do not count.
    pub rules: Vec<RulesCounts>,
    /// The player's games against the player who asks, among the newest [`MAX_COUNTED_GAMES`] games of the player who
    /// asks. Absent in one's own profile, and for a guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against_you: Option<GameCounts>,
    /// The latest games, newest first, at most [`PROFILE_GAMES`].
    pub games: Vec<FinishedListing>,
}
