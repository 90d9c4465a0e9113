//! Behaviour of a bot towards its opponent: offers, rematches and pauses before moves. Pure.

use std::time::Duration;

use noughts_protocol::{Game, Offer, PlayerKind};

use crate::engine::Evaluation;

/// Timeout for a rematch of a paired bot with a person. It is short, because others may wait for an opponent.
const PAIRED_REMATCH_TIMEOUT: Duration = Duration::from_secs(20);
/// Timeout for a rematch of a paired bot with another bot, which would offer the rematch immediately.
const BOT_REMATCH_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeout for a rematch of an invited bot.
const INVITED_REMATCH_TIMEOUT: Duration = Duration::from_secs(10 * 60);
/// The pause before a move is at most the remaining time divided by this number.
const MOVE_DELAY_CLOCK_DIVISOR: u32 = 100;

/// Number of moves before the bot accepts a draw on large boards.
const MAX_DRAW_PLIES_MIN: usize = 30;

/// Returns the number of moves before the bot accepts a draw. On small boards it is two thirds of the cells, because a
/// person who plays with a bot wants a game.
fn draw_plies_min(game: &Game) -> usize {
    (game.rules().cells() * 2 / 3).min(MAX_DRAW_PLIES_MIN)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Behaviour {
    /// True if the lobby paired the bot with its opponent; false if it was invited into a room.
    paired: bool,
    /// Number of games that the bot finishes before it leaves.
    max_games: Option<u32>,
    /// Minimum time for a move against a person.
    min_move_time: Duration,
    /// Whether to send evaluations to spectators.
    remarks_enabled: bool,
}

impl Behaviour {
    /// Returns the behaviour of a bot that the lobby pairs.
    pub(super) fn for_paired_game(max_games: Option<u32>) -> Behaviour {
        Behaviour {
            paired: true,
            max_games,
            min_move_time: Duration::ZERO,
            remarks_enabled: false,
        }
    }

    /// Returns the behaviour of a bot that was invited into a room.
    pub(super) fn for_invited_bot(max_games: Option<u32>) -> Behaviour {
        Behaviour {
            paired: false,
            max_games,
            min_move_time: Duration::ZERO,
            remarks_enabled: false,
        }
    }

    /// Sets the minimum time for a move against a person.
    pub(super) fn with_min_move_time(self, min_move_time: Duration) -> Behaviour {
        Behaviour {
            min_move_time,
            ..self
        }
    }

    pub(super) fn with_remarks(self, remarks_enabled: bool) -> Behaviour {
        Behaviour {
            remarks_enabled,
            ..self
        }
    }

    /// Returns whether to send evaluations, given the number of spectators.
    pub(super) fn sends_remarks(&self, spectators: u32) -> bool {
        self.remarks_enabled && spectators > 0
    }

    /// Returns the minimum time between the last event and the move, given the remaining clock time.
    pub(super) fn move_delay(&self, other: Option<PlayerKind>, left: Option<Duration>) -> Duration {
        match other {
            Some(PlayerKind::Person) => left.map_or(self.min_move_time, |left| {
                self.min_move_time.min(left / MOVE_DELAY_CLOCK_DIVISOR)
            }),
            Some(PlayerKind::Bot) | None => Duration::ZERO,
        }
    }

    /// Returns how long to wait for a rematch after a game.
    pub(super) fn rematch_timeout(&self, other: Option<PlayerKind>) -> Duration {
        match (self.paired, other) {
            (false, _) => INVITED_REMATCH_TIMEOUT,
            (true, Some(PlayerKind::Bot)) => BOT_REMATCH_TIMEOUT,
            (true, Some(PlayerKind::Person) | None) => PAIRED_REMATCH_TIMEOUT,
        }
    }

    /// Returns whether the bot has finished its number of games.
    pub(super) fn has_played_enough(&self, finished: u32) -> bool {
        self.max_games
            .is_some_and(|max_games| finished >= max_games)
    }

    /// Returns whether to accept the opponent's offer.
    ///
    /// * Draw: accepted after a number of moves, unless the last evaluation is better for the bot.
    /// * Takeback: accepted only without a clock, because the opponent could gain time with a takeback.
    /// * Rematch: never accepted here; see [`Behaviour::allows_rematch`].
    pub(super) fn should_accept(
        &self,
        offer: Offer,
        game: &Game,
        score: Option<Evaluation>,
    ) -> bool {
        match offer {
            Offer::Draw => {
                game.position().ply() >= draw_plies_min(game)
                    && score.is_some_and(Evaluation::is_draw_acceptable)
            }
            Offer::Takeback => game.control().is_none(),
            Offer::Rematch => false,
        }
    }
}
