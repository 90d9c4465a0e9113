//! Shards, and the numbers that order their logs. Pure.

use std::fmt;

use noughts_protocol::RoomId;

/// Maximum number of shards of a cluster.
pub(crate) const MAX_SHARDS: u16 = 1024;

/// A fixed part of the space of room ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shard(pub(crate) u16);

impl Shard {
    /// Index into an array of all shards.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The shards of a cluster. Their number is fixed when the cluster is created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardMap {
    count: u16,
}

impl ShardMap {
    /// A map of `count` shards. `None` unless that is a power of two up to [`MAX_SHARDS`].
    pub(crate) fn new(count: u16) -> Option<ShardMap> {
        (count.is_power_of_two() && count <= MAX_SHARDS).then_some(ShardMap { count })
    }

    /// Number of shards.
    pub(crate) fn count(self) -> u16 {
        self.count
    }

    /// All shards.
    pub(crate) fn shards(self) -> impl Iterator<Item = Shard> {
        (0..self.count).map(Shard)
    }

    /// The shard of a room.
    pub(crate) fn of_room(self, room: RoomId) -> Shard {
        // The count is a power of two, so that the mask is a remainder.
        Shard((mix(room.bits()) & u64::from(self.count - 1)) as u16)
    }
}

/// Finalizer of SplitMix64. Stored rooms depend on it: it must not change.
fn mix(bits: u64) -> u64 {
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Location of a message in the log of its shard. Later messages have greater positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogPosition(pub(crate) u64);

impl LogPosition {
    /// The position before the first message.
    pub(crate) const START: LogPosition = LogPosition(0);
}

impl fmt::Display for LogPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Number of a claim of a shard. Fences former owners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(pub(crate) u64);

impl Epoch {
    /// The epoch of the next claim.
    pub(crate) fn next(self) -> Epoch {
        Epoch(self.0 + 1)
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identity of a node, drawn at random at each start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct NodeId(pub(crate) [u8; 16]);

/// Writes the first four bytes, which tell the nodes of a cluster apart.
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..4].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_shards_is_a_power_of_two_in_bounds() {
        let counts: Vec<u16> = (0..=u16::MAX).filter(|count| ShardMap::new(*count).is_some()).collect();
        assert_eq!(counts, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    }

    #[test]
    fn rooms_are_spread_evenly_and_stay_in_their_shard() {
        let map = ShardMap::new(64).unwrap();
        let mut rooms = [0; 64];
        for room in 0..64_000 {
            rooms[map.of_room(RoomId::from_bits(room)).index()] += 1;
        }
        assert!(rooms.iter().all(|count| (800..1200).contains(count)), "{rooms:?}");
        // Stored rooms are found by this function in all later versions.
        let shards = [0, 1, 0xff_ffff_ffff].map(|room| map.of_room(RoomId::from_bits(room)).0);
        assert_eq!(shards, [0, 37, 63], "shards of these rooms in the first version");
        assert_eq!(ShardMap::new(1).unwrap().of_room(RoomId::from_bits(17)), Shard(0));
    }
}
