//! The rooms, seeks and counts that the other nodes last reported. Pure: the time is an argument.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use noughts_protocol::wire::{LobbyCounts, LobbyView, RoomListing};
use tokio::time::Instant;

use crate::cluster::shard::NodeId;
use crate::room::handle::is_joinable;
use crate::room::registry::{MAX_LISTED_ROOMS, limit_room_list};

/// Interval between the reports of a node about its lobby.
pub(super) const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Time that a report remains valid.
const REPORT_LIFETIME: Duration = Duration::from_millis(2500);

/// Maximum number of nodes. Reports of further nodes are ignored.
const MAX_NODES: usize = 1024;

#[derive(Debug)]
struct ReportedView {
    view: LobbyView,
    reported_at: Instant,
}

/// The last report of each node.
#[derive(Debug, Default)]
pub(super) struct LobbyViews(BTreeMap<NodeId, ReportedView>);

impl LobbyViews {
    /// Records the report of a node.
    pub(super) fn on_report(&mut self, node: NodeId, view: LobbyView, now: Instant) {
        self.0
            .retain(|_, reported| now - reported.reported_at < REPORT_LIFETIME);
        if self.0.len() < MAX_NODES {
            self.0.insert(
                node,
                ReportedView {
                    view,
                    reported_at: now,
                },
            );
        }
    }

    /// Records that the lobby of a node has not changed since its last report.
    pub(super) fn on_unchanged(&mut self, node: NodeId, now: Instant) {
        if let Some(reported) = self.0.get_mut(&node) {
            reported.reported_at = now;
        }
    }

    /// Adds the reports of the nodes that `is_serving` selects to the lobby of this node.
    ///
    /// Rooms of different nodes have no common order, so the list takes the newest remaining room of each node in turn.
    pub(super) fn merge(
        &self,
        own: LobbyView,
        is_serving: impl Fn(NodeId) -> bool,
        now: Instant,
    ) -> LobbyView {
        let is_live = |reported: &ReportedView| now - reported.reported_at < REPORT_LIFETIME;
        let reports = self.0.iter();
        let others: Vec<&LobbyView> = reports
            .filter(|(node, reported)| is_live(reported) && is_serving(**node))
            .map(|(_, reported)| &reported.view)
            .collect();
        if others.is_empty() {
            return own;
        }
        let views: Vec<&LobbyView> = [&own].into_iter().chain(others).collect();
        // While a room moves, two nodes may report it.
        let mut known = HashSet::new();
        let mut take = |wants_joinable: bool| -> Vec<RoomListing> {
            let lists: Vec<Vec<&RoomListing>> = views
                .iter()
                .map(|view| {
                    view.rooms
                        .iter()
                        .filter(|room| is_joinable(room) == wants_joinable)
                        .collect()
                })
                .collect();
            let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
            let in_turn =
                (0..longest).flat_map(|rank| lists.iter().filter_map(move |list| list.get(rank)));
            let new_rooms = in_turn
                .filter(|room| known.insert(room.room))
                .take(MAX_LISTED_ROOMS);
            new_rooms.map(|room| RoomListing::clone(room)).collect()
        };
        let (mut joinable, mut rooms) = (take(true), take(false));
        limit_room_list(&mut joinable, &mut rooms);
        joinable.append(&mut rooms);
        let mut seeks: Vec<_> = views.iter().flat_map(|view| &view.seeks).cloned().collect();
        seeks.sort_by_key(|listed| (listed.since, listed.seek));
        seeks.dedup_by_key(|listed| listed.seek);
        seeks.truncate(MAX_LISTED_ROOMS);
        let counts = views
            .iter()
            .map(|view| view.counts)
            .fold(LobbyCounts::default(), add);
        LobbyView {
            rooms: joinable,
            seeks,
            counts,
        }
    }
}

fn add(one: LobbyCounts, other: LobbyCounts) -> LobbyCounts {
    let LobbyCounts {
        persons,
        bots,
        waiting,
        games,
    } = one;
    LobbyCounts {
        persons: persons.saturating_add(other.persons),
        bots: bots.saturating_add(other.bots),
        waiting: waiting.saturating_add(other.waiting),
        games: games.saturating_add(other.games),
    }
}

#[cfg(test)]
mod tests {
    use noughts_protocol::Phase;
    use noughts_protocol::wire::SeekId;

    use super::*;
    use crate::tests::{listed_seek, listing};

    fn view(waiting: &[u64], playing: &[u64], seeks: &[(u64, u64)]) -> LobbyView {
        let rooms = waiting.iter().map(|id| listing(*id, Phase::Waiting, 0));
        let rooms = rooms
            .chain(playing.iter().map(|id| listing(*id, Phase::Playing, 0)))
            .collect();
        let seeks = seeks.iter();
        let seeks = seeks.map(|(seek, since)| listed_seek(*seek, *since));
        let counts = LobbyCounts {
            persons: 1,
            bots: 2,
            waiting: 3,
            games: 4,
        };
        LobbyView {
            rooms,
            seeks: seeks.collect(),
            counts,
        }
    }

    fn rooms(view: &LobbyView) -> Vec<u64> {
        view.rooms.iter().map(|room| room.room.bits()).collect()
    }

    #[test]
    fn the_lists_of_live_nodes_are_merged() {
        let [one, two] = [1, 2].map(|id| NodeId([id; 16]));
        let (mut views, now) = (LobbyViews::default(), Instant::now());
        let own = view(&[1, 2, 3], &[4], &[(10, 100)]);
        assert_eq!(views.merge(own.clone(), |_| true, now), own);
        views.on_report(one, view(&[11], &[12, 4], &[(20, 90)]), now);
        views.on_report(two, view(&[], &[21], &[(30, 110), (10, 100)]), now);
        let merged = views.merge(own.clone(), |_| true, now);
        assert_eq!(rooms(&merged), [1, 11, 2, 3, 4, 12, 21], "no room twice");
        let seeks: Vec<u64> = merged.seeks.iter().map(|listed| listed.seek.0).collect();
        assert_eq!(seeks, [20, 10, 30]);
        assert_eq!(
            merged.counts,
            LobbyCounts {
                persons: 3,
                bots: 6,
                waiting: 9,
                games: 12
            }
        );
        assert_eq!(
            rooms(&views.merge(own.clone(), |node| node == two, now)),
            [1, 2, 3, 4, 21]
        );

        let later = now + REPORT_LIFETIME - Duration::from_millis(1);
        views.on_unchanged(one, later);
        views.on_unchanged(NodeId([3; 16]), later);
        let end = now + REPORT_LIFETIME;
        assert_eq!(
            rooms(&views.merge(own, |_| true, end)),
            [1, 11, 2, 3, 4, 12]
        );
    }

    #[test]
    fn a_merged_list_has_a_maximum_length_and_space_for_running_games() {
        let ids = |from: u64| (from..from + 50).collect::<Vec<u64>>();
        let (mut views, now) = (LobbyViews::default(), Instant::now());
        let seeks: Vec<(u64, u64)> = ids(1000).into_iter().map(|id| (id, id)).collect();
        views.on_report(NodeId([1; 16]), view(&ids(100), &[7, 8], &seeks), now);
        let merged = views.merge(view(&ids(200), &[9], &[(1, 1)]), |_| true, now);
        assert_eq!((merged.rooms.len(), merged.seeks.len()), (50, 50));
        assert_eq!(rooms(&merged)[..4], [200, 100, 201, 101]);
        assert_eq!(rooms(&merged)[47..], [9, 7, 8]);
        assert_eq!(merged.seeks[0].seek, SeekId(1));
    }
}
