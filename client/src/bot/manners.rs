//! How a bot behaves towards the other player: what it says yes to, and how long it stays. Pure.

use std::time::Duration;

use noughts_protocol::{Game, Kind, Offer};

use crate::engine::Score;

/// How long a paired bot waits for a rematch: others wait for an opponent.
const PAIRED_WAIT: Duration = Duration::from_secs(20);
/// A program that wants a rematch says so at once.
const PAIRED_WITH_BOT_WAIT: Duration = Duration::from_secs(2);
/// How long a bot that somebody asked to a room waits for one.
const GUEST_WAIT: Duration = Duration::from_secs(10 * 60);
/// A pause for manners takes no more than this part of the time that is left.
const SHARE_OF_CLOCK: u32 = 100;

/// A bot's manners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manners {
    /// Whether it was paired with whoever came, or asked to a room by somebody.
    paired: bool,
    /// Finished games after which it goes.
    games: Option<u32>,
    /// Rematches with one opponent.
    rematches: Option<u32>,
    /// A person gets no answer faster than this.
    pause: Duration,
    /// Whether those who watch are told what it thinks.
    tells: bool,
}

impl Manners {
    /// Of a bot that was paired with whoever came.
    pub(super) fn of_paired(games: Option<u32>) -> Manners {
        Manners { paired: true, games, rematches: None, pause: Duration::ZERO, tells: false }
    }

    /// Of a bot that somebody asked to a room.
    pub(super) fn of_guest(games: Option<u32>) -> Manners {
        Manners { paired: false, games, rematches: None, pause: Duration::ZERO, tells: false }
    }

    /// The same, but with at most so many rematches with one opponent.
    pub(super) fn with_rematches(self, rematches: Option<u32>) -> Manners {
        Manners { rematches, ..self }
    }

    /// The same, but a person gets no answer faster than this.
    pub(super) fn with_pause(self, pause: Duration) -> Manners {
        Manners { pause, ..self }
    }

    /// The same, but those who watch are told what it thinks, or not.
    pub(super) fn with_telling(self, tells: bool) -> Manners {
        Manners { tells, ..self }
    }

    /// Whether so many who watch are told what it thinks.
    pub(super) fn tells(&self, watching: u32) -> bool {
        self.tells && watching > 0
    }

    /// How long a move is held back that is found at once, with so much time left.
    pub(super) fn pause(&self, other: Option<Kind>, left: Option<Duration>) -> Duration {
        match other {
            Some(Kind::Human) => left.map_or(self.pause, |left| self.pause.min(left / SHARE_OF_CLOCK)),
            Some(Kind::Bot) | None => Duration::ZERO,
        }
    }

    /// Whether there may be another game after so many rematches in this room.
    pub(super) fn plays_on(&self, finished: u32, rematches: u32) -> bool {
        !self.has_enough(finished) && self.rematches.is_none_or(|most| rematches < most)
    }

    /// How long to stay after a game, for a rematch.
    pub(super) fn rematch_wait(&self, other: Option<Kind>) -> Duration {
        match (self.paired, other) {
            (false, _) => GUEST_WAIT,
            (true, Some(Kind::Bot)) => PAIRED_WITH_BOT_WAIT,
            (true, Some(Kind::Human) | None) => PAIRED_WAIT,
        }
    }

    /// Whether it has played enough.
    pub(super) fn has_enough(&self, finished: u32) -> bool {
        self.games.is_some_and(|games| finished >= games)
    }

    /// Whether to say yes to what the other proposes.
    ///
    /// * A draw, unless its last thought found itself better off. Before its first thought: no.
    /// * A takeback where no clock runs: that is a friendly game. With a clock it would pay to ask.
    ///
    /// Rematches are not decided here: see [`Manners::plays_on`].
    pub(super) fn accepts(&self, offer: Offer, game: &Game, score: Option<Score>) -> bool {
        match offer {
            Offer::Draw => score.is_some_and(Score::welcomes_draw),
            Offer::Takeback => game.control().is_none(),
            Offer::Rematch => false,
        }
    }
}
