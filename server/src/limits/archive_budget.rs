//! Limits the finished games that each client adds to the archive. Pure: the time is an argument.
//!
//! Without it, one client could fill the archive within hours, and the oldest games of all others would be deleted. A game
//! beyond the budget is played as any other, but not kept.
//!
//! Memory is bounded: a contributor that a [`GenerationMap`] discards starts with a full budget.

use noughts_protocol::RoomId;
use noughts_protocol::rate_limit::Gcra;

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::generation_map::GenerationMap;

/// Number of contributors per generation.
const GENERATION_CAPACITY: usize = 8192;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// The source of finished games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArchiveContributor {
    /// A client that opened the room, or whose seek led to it.
    Client(ClientPrefix),
    /// A room that was open when the server started: its clients are unknown.
    Room(RoomId),
}

/// A budget of games for each contributor.
#[derive(Debug)]
pub(crate) struct ArchiveBudget {
    /// The time at which the budget of a contributor is full again, in milliseconds; see [`Gcra`].
    full_at: GenerationMap<ArchiveContributor, u64, GENERATION_CAPACITY>,
    limit: Gcra,
}

impl ArchiveBudget {
    /// Allows each contributor `per_hour` games per hour, also in one burst.
    pub(crate) fn new(per_hour: u32) -> ArchiveBudget {
        let interval_ms = (HOUR_MS / u64::from(per_hour.max(1))).max(1);
        let limit = Gcra::new(interval_ms, HOUR_MS);
        ArchiveBudget {
            full_at: GenerationMap::new(),
            limit,
        }
    }

    /// Charges a game at `now` to the first of its contributors that has some budget left, and returns whether there is
    /// one. A game without contributors is not limited.
    pub(crate) fn try_charge(&mut self, contributors: &[ArchiveContributor], now: u64) -> bool {
        let has_budget = |contributor: &&ArchiveContributor| {
            self.limit.wait(self.full_at(**contributor), 1, now) == 0
        };
        let Some(contributor) = contributors.iter().find(has_budget).copied() else {
            return contributors.is_empty();
        };
        let full_at = self.limit.charge(self.full_at(contributor), 1, now);
        self.full_at.insert(contributor, full_at);
        true
    }

    fn full_at(&self, contributor: ArchiveContributor) -> u64 {
        self.full_at.get(&contributor).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client(number: u32) -> ArchiveContributor {
        ArchiveContributor::Client(ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into()))
    }

    #[test]
    fn games_beyond_the_budget_are_charged_to_the_other_player_or_not_kept() {
        let mut budget = ArchiveBudget::new(60);
        let [eve, ann] = [client(1), client(2)];
        let start = 50 * HOUR_MS;
        assert!((0..60).all(|_| budget.try_charge(&[eve], start)));
        assert!(!budget.try_charge(&[eve], start));
        assert!(
            (0..60).all(|_| budget.try_charge(&[eve, ann], start)),
            "the opponent has a budget of its own"
        );
        assert!(!budget.try_charge(&[ann, eve], start));
        assert!(budget.try_charge(&[ArchiveContributor::Room(RoomId::from_bits(1))], start));
        assert!(budget.try_charge(&[], start));
        // A minute later there is budget for one game each.
        assert!(budget.try_charge(&[eve, eve], start + 60_000));
        assert!(!budget.try_charge(&[eve, eve], start + 60_000));
        assert!((0..60).all(|_| budget.try_charge(&[eve], start + 2 * HOUR_MS)));
    }
}
