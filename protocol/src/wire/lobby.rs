//! The lobby as a subscriber sees it: public rooms, open seeks and counts, and the changes between two views.

use serde::{Deserialize, Serialize};

use super::listing::{OpenSeek, RoomListing};
use crate::RoomId;

/// Number of a seek on its server, for `accept_seek`. The numbers grow with the clock of the server, even across a
/// restart. They are never reused, unless that clock is set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeekId(pub u64);

/// An open seek with its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedSeek {
    /// The number for `accept_seek`.
    pub seek: SeekId,
    /// Time when the seek began, in server milliseconds.
    pub since: u64,
    /// What the player wants.
    #[serde(flatten)]
    pub open: OpenSeek,
}

/// Numbers of connections, seeks and games of the whole server, private games included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyCounts {
    /// Connections of people.
    pub persons: u32,
    /// Connections of bots.
    pub bots: u32,
    /// Open seeks.
    pub waiting: u32,
    /// Running games.
    pub games: u32,
}

/// The lobby at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyView {
    /// Public rooms, at most 50: rooms with a seat to take, then other rooms, each newest first.
    pub rooms: Vec<RoomListing>,
    /// The open seeks in order of arrival, at most 50.
    pub seeks: Vec<ListedSeek>,
    /// Counts of the whole server, which may exceed the lists.
    pub counts: LobbyCounts,
}

/// The difference between two views of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyChange {
    /// Rooms that are new or have changed, each as a whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms: Vec<RoomListing>,
    /// Rooms that have left the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rooms_gone: Vec<RoomId>,
    /// New seeks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeks: Vec<ListedSeek>,
    /// Seeks that have left the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeks_gone: Vec<SeekId>,
    /// The counts, if they have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<LobbyCounts>,
}

impl LobbyChange {
    /// Returns whether the views are equal.
    pub fn is_empty(&self) -> bool {
        *self == LobbyChange::default()
    }
}

impl LobbyView {
    /// Returns the difference between this view and a later view. The order of rooms and seeks is not part of it.
    #[must_use]
    pub fn changes_to(&self, later: &LobbyView) -> LobbyChange {
        LobbyChange {
            rooms: later
                .rooms
                .iter()
                .filter(|room| !self.rooms.contains(room))
                .cloned()
                .collect(),
            rooms_gone: self
                .room_ids()
                .filter(|room| later.room(*room).is_none())
                .collect(),
            seeks: later
                .seeks
                .iter()
                .filter(|seek| !self.seeks.contains(seek))
                .cloned()
                .collect(),
            seeks_gone: self
                .seek_ids()
                .filter(|seek| later.seek(*seek).is_none())
                .collect(),
            counts: (self.counts != later.counts).then_some(later.counts),
        }
    }

    /// Applies a difference. New rooms come first, new seeks last; the order of a new view is not restored.
    pub fn apply(&mut self, change: LobbyChange) {
        let LobbyChange {
            rooms,
            rooms_gone,
            seeks,
            seeks_gone,
            counts,
        } = change;
        self.rooms.retain(|room| !rooms_gone.contains(&room.room));
        let mut new_rooms = Vec::new();
        for room in rooms {
            match self.rooms.iter_mut().find(|known| known.room == room.room) {
                Some(known) => *known = room,
                None => new_rooms.push(room),
            }
        }
        self.rooms.splice(0..0, new_rooms);
        self.seeks.retain(|seek| !seeks_gone.contains(&seek.seek));
        for seek in seeks {
            match self.seeks.iter_mut().find(|known| known.seek == seek.seek) {
                Some(known) => *known = seek,
                None => self.seeks.push(seek),
            }
        }
        self.counts = counts.unwrap_or(self.counts);
    }

    /// Returns the entry of a room.
    pub fn room(&self, room: RoomId) -> Option<&RoomListing> {
        self.rooms.iter().find(|listing| listing.room == room)
    }

    /// Returns a seek by its number.
    pub fn seek(&self, seek: SeekId) -> Option<&ListedSeek> {
        self.seeks.iter().find(|listed| listed.seek == seek)
    }

    fn room_ids(&self) -> impl Iterator<Item = RoomId> {
        self.rooms.iter().map(|listing| listing.room)
    }

    fn seek_ids(&self) -> impl Iterator<Item = SeekId> {
        self.seeks.iter().map(|listed| listed.seek)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Phase, Player, PlayerKind};

    fn player() -> Player {
        Player::guest("Ann".parse().unwrap(), PlayerKind::Person)
    }

    fn view(rooms: Vec<(u64, u32)>, seeks: Vec<u64>, waiting: u32) -> LobbyView {
        let listing = |(room, moves)| RoomListing {
            room: RoomId::from_bits(room),
            rules: "3x3:3".parse().unwrap(),
            clock: None,
            phase: Phase::Playing,
            players: [Some(player()), None],
            moves,
            spectators: 0,
            open_seat: None,
        };
        let open = OpenSeek {
            player: player(),
            rules: "3x3:3".parse().unwrap(),
            clock: None,
            seat: None,
            opponents: None,
        };
        let seek = |seek| ListedSeek {
            seek: SeekId(seek),
            since: seek,
            open: open.clone(),
        };
        LobbyView {
            rooms: rooms.into_iter().map(listing).collect(),
            seeks: seeks.into_iter().map(seek).collect(),
            counts: LobbyCounts {
                waiting,
                ..LobbyCounts::default()
            },
        }
    }

    fn any_view() -> impl Strategy<Value = LobbyView> {
        let rooms = proptest::collection::btree_map(0..8_u64, 0..3_u32, 0..6);
        let seeks = proptest::collection::btree_set(0..8_u64, 0..6);
        (rooms, seeks, 0..3_u32).prop_map(|(rooms, seeks, waiting)| {
            view(
                rooms.into_iter().collect(),
                seeks.into_iter().collect(),
                waiting,
            )
        })
    }

    /// Sorts a view, because order is not part of a change.
    fn sorted(mut view: LobbyView) -> LobbyView {
        view.rooms.sort_by_key(|listing| listing.room);
        view.seeks.sort_by_key(|listed| listed.seek);
        view
    }

    proptest! {
        #[test]
        fn changes_lead_from_one_view_to_the_other(earlier in any_view(), later in any_view()) {
            let change = earlier.changes_to(&later);
            prop_assert_eq!(change.is_empty(), earlier == later);
            let mut changed = earlier;
            changed.apply(change);
            prop_assert_eq!(sorted(changed), sorted(later));
        }
    }

    #[test]
    fn new_rooms_come_first_and_new_seeks_last() {
        let mut changed = view(vec![(1, 0)], vec![1], 0);
        changed.apply(changed.changes_to(&view(vec![(2, 0), (1, 1)], vec![1, 2], 0)));
        assert_eq!(changed, view(vec![(2, 0), (1, 1)], vec![1, 2], 0));
    }
}
