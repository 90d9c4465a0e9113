//! How a bot behaves towards the other player: what it says yes to, and how long it stays. Pure.

use std::time::Duration;

use noughts_protocol::{Game, Offer, PlayerKind};

use crate::engine::Evaluation;

/// How long a paired bot waits for a rematch: others wait for an opponent.
const PAIRED_REMATCH_TIMEOUT: Duration = Duration::from_secs(20);
/// A program that wants a rematch says so at once.
const BOT_REMATCH_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a bot that somebody asked to a room waits for one.
const INVITED_REMATCH_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// A pause for manners takes no more than this part of the time that is left.
const MOVE_DELAY_CLOCK_DIVISOR: u32 = 100;

/// A bot's manners.
#[derive(Clone, Copy, Debug)]
pub(super) struct Behaviour {
    /// Whether it was paired with whoever came, or asked to a room by somebody.
    paired: bool,
    /// Finished games after which it goes.
    max_games: Option<u32>,
    /// Rematches with one opponent.
    max_rematches: Option<u32>,
    /// A person gets no answer faster than this.
    min_move_time: Duration,
    /// Whether those who watch are told what it thinks.
    remarks_enabled: bool,
}

impl Behaviour {
    /// Of a bot that was paired with whoever came.
    pub(super) fn for_paired_game(max_games: Option<u32>) -> Behaviour {
        Behaviour {
            paired: true,
            max_games: max_games,
            max_rematches: None,
            min_move_time: Duration::ZERO,
            remarks_enabled: false,
        }
    }

    /// Of a bot that somebody asked to a room.
    pub(super) fn for_invited_bot(max_games: Option<u32>) -> Behaviour {
        Behaviour {
            paired: false,
            max_games: max_games,
            max_rematches: None,
            min_move_time: Duration::ZERO,
            remarks_enabled: false,
        }
    }

    /// The same, but with at most so many rematches with one opponent.
    pub(super) fn with_max_rematches(self, max_rematches: Option<u32>) -> Behaviour {
        Behaviour { max_rematches, ..self }
    }

    /// The same, but a person gets no answer faster than this.
    pub(super) fn with_min_move_time(self, min_move_time: Duration) -> Behaviour {
        Behaviour { min_move_time, ..self }
    }

    /// The same, but those who watch are told what it thinks, or not.
    pub(super) fn with_remarks(self, remarks_enabled: bool) -> Behaviour {
        Behaviour { remarks_enabled, ..self }
    }

    /// Whether so many who watch are told what it thinks.
    pub(super) fn sends_remarks(&self, watching: u32) -> bool {
        self.remarks_enabled && watching > 0
    }

    /// How long a move is held back that is found at once, with so much time left.
    pub(super) fn move_delay(&self, other: Option<PlayerKind>, left: Option<Duration>) -> Duration {
        match other {
            Some(PlayerKind::Human) => left
                .map_or(self.min_move_time, |left| self.min_move_time.min(left / MOVE_DELAY_CLOCK_DIVISOR)),
            Some(PlayerKind::Bot) | None => Duration::ZERO,
        }
    }

    /// Whether there may be another game after so many rematches in this room.
    pub(super) fn allows_rematch(&self, finished: u32, rematches: u32) -> bool {
        !self.has_played_enough(finished) && self.max_rematches.is_none_or(|max| rematches < max)
    }

    /// How long to stay after a game, for a rematch.
    pub(super) fn rematch_timeout(&self, other: Option<PlayerKind>) -> Duration {
        match (self.paired, other) {
            (false, _) => INVITED_REMATCH_TIMEOUT,
            (true, Some(PlayerKind::Bot)) => BOT_REMATCH_TIMEOUT,
            (true, Some(PlayerKind::Human) | None) => PAIRED_REMATCH_TIMEOUT,
        }
    }

    /// Whether it has played enough.
    pub(super) fn has_played_enough(&self, finished: u32) -> bool {
        self.max_games.is_some_and(|max_games| finished >= max_games)
    }

    /// Whether to say yes to what the other proposes.
    ///
    /// * A draw, unless its last thought found itself better off. Before its first thought: no.
    /// * A takeback where no clock runs: that is a friendly game. With a clock it would pay to ask.
    ///
    /// Rematches are not decided here: see [`Behaviour::allows_rematch`].
    pub(super) fn should_accept(&self, offer: Offer, game: &Game, score: Option<Evaluation>) -> bool {
        match offer {
            Offer::Draw => score.is_some_and(Evaluation::is_draw_acceptable),
            Offer::Takeback => game.control().is_none(),
            Offer::Rematch => false,
        }
    }
}
