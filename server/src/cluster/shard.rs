//! Shards, and the numbers that order their logs. Pure.

use std::fmt;
use std::str::FromStr;

use noughts_protocol::{RoomCode, RoomId};
use serde::{Deserialize, Serialize};

/// Maximum number of shards of a cluster.
pub(crate) const MAX_SHARDS: u16 = 1024;

/// A fixed part of the space of room ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Shard(pub(crate) u16);

impl Shard {
    /// Returns the index into an array of all shards.
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
    /// Creates a map of `count` shards. `None` unless that is a power of two up to [`MAX_SHARDS`].
    pub(crate) fn new(count: u16) -> Option<ShardMap> {
        (count.is_power_of_two() && count <= MAX_SHARDS).then_some(ShardMap { count })
    }

    pub(crate) fn count(self) -> u16 {
        self.count
    }

    pub(crate) fn shards(self) -> impl Iterator<Item = Shard> {
        (0..self.count).map(Shard)
    }

    /// Returns the shard of the code of a private room.
    pub(crate) fn of_code(self, code: RoomCode) -> Shard {
        self.of_text(&code.to_string())
    }

    fn of_text(self, text: &str) -> Shard {
        let hash = text
            .bytes()
            .fold(0, |hash, byte| mix(hash ^ u64::from(byte)));
        Shard((hash & u64::from(self.count - 1)) as u16)
    }

    pub(crate) fn of_room(self, room: RoomId) -> Shard {
        // The count is a power of two, so the mask yields the remainder of a division by it.
        Shard((mix(room.bits()) & u64::from(self.count - 1)) as u16)
    }
}

/// Hexadecimal digits of a word of a [`ShardSet`].
const WORD_DIGITS: usize = 16;

/// A set of shards. Its text has 16 hexadecimal digits for every 64 shards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ShardSet(Vec<u64>);

impl ShardSet {
    pub(crate) fn insert(&mut self, shard: Shard) {
        let (word, bit) = (shard.index() / 64, shard.index() % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    pub(crate) fn contains(&self, shard: Shard) -> bool {
        self.0
            .get(shard.index() / 64)
            .is_some_and(|word| word & 1 << (shard.index() % 64) != 0)
    }

    /// Returns the shards that are in both sets.
    pub(crate) fn intersection(mut self, other: &ShardSet) -> ShardSet {
        self.0.truncate(other.0.len());
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
        self
    }

    /// Returns the shards that are in at least one of the sets.
    pub(crate) fn union(mut self, other: &ShardSet) -> ShardSet {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
        self
    }
}

impl FromIterator<Shard> for ShardSet {
    fn from_iter<I: IntoIterator<Item = Shard>>(shards: I) -> ShardSet {
        let mut set = ShardSet::default();
        shards.into_iter().for_each(|shard| set.insert(shard));
        set
    }
}

impl fmt::Display for ShardSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|word| write!(f, "{word:016x}"))
    }
}

/// Error of reading a text that is not a set of shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShardSetError;

impl FromStr for ShardSet {
    type Err = ShardSetError;

    fn from_str(text: &str) -> Result<ShardSet, ShardSetError> {
        let is_valid = text.len().is_multiple_of(WORD_DIGITS)
            && text.len() / WORD_DIGITS <= usize::from(MAX_SHARDS) / 64
            && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_valid {
            return Err(ShardSetError);
        }
        let words = (0..text.len()).step_by(WORD_DIGITS);
        let words = words.map(|at| u64::from_str_radix(&text[at..at + WORD_DIGITS], 16));
        words
            .collect::<Result<_, _>>()
            .map(ShardSet)
            .map_err(|_| ShardSetError)
    }
}

/// Applies the finalizer of SplitMix64. Stored rooms and the owners of shards depend on it: it must not change.
pub(crate) fn mix(bits: u64) -> u64 {
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

/// Number of a claim of a shard. The log rejects appends with the epoch of a former owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Epoch(pub(crate) u64);

impl Epoch {
    /// Returns the epoch of the next claim.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct NodeId(pub(crate) [u8; 16]);

/// Writes only the first four bytes, which suffice to distinguish the nodes of a cluster.
impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..4]
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_of_1024() -> ShardMap {
        ShardMap::new(MAX_SHARDS).unwrap()
    }

    #[test]
    fn sets_of_shards_are_read_as_written() {
        for shards in [vec![], vec![0], vec![63, 64], vec![5, 1023]] {
            let set: ShardSet = shards.iter().map(|shard| Shard(*shard)).collect();
            assert_eq!(set.to_string().parse(), Ok(set.clone()));
            let found: Vec<u16> = (0..MAX_SHARDS)
                .filter(|shard| set.contains(Shard(*shard)))
                .collect();
            assert_eq!(found, shards);
        }
        let both: ShardSet = [Shard(1)].into_iter().collect();
        let both = both.union(&[Shard(1), Shard(900)].into_iter().collect());
        assert_eq!(both, [Shard(900), Shard(1)].into_iter().collect());
        let first: ShardSet = [Shard(1), Shard(5)].into_iter().collect();
        for (one, other) in [(&first, &both), (&both, &first)] {
            let common = one.clone().intersection(other);
            assert!(
                map_of_1024()
                    .shards()
                    .all(|shard| common.contains(shard) == (shard == Shard(1)))
            );
        }
        for text in [
            "0",
            "000000000000000g",
            "+00000000000001",
            &"0".repeat(17 * WORD_DIGITS),
        ] {
            assert_eq!(text.parse::<ShardSet>(), Err(ShardSetError), "{text}");
        }
    }

    #[test]
    fn the_number_of_shards_is_a_power_of_two_in_bounds() {
        let counts: Vec<u16> = (0..=u16::MAX)
            .filter(|count| ShardMap::new(*count).is_some())
            .collect();
        assert_eq!(counts, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]);
    }

    #[test]
    fn rooms_are_spread_evenly_and_stay_in_their_shard() {
        let map = ShardMap::new(64).unwrap();
        let mut rooms = [0; 64];
        for room in 0..64_000 {
            rooms[map.of_room(RoomId::from_bits(room)).index()] += 1;
        }
        assert!(
            rooms.iter().all(|count| (800..1200).contains(count)),
            "{rooms:?}"
        );
        // All later versions must assign stored rooms to the same shards.
        let shards = [0, 1, 0xff_ffff_ffff].map(|room| map.of_room(RoomId::from_bits(room)).0);
        assert_eq!(
            shards,
            [0, 37, 63],
            "shards of these rooms in the first version"
        );
        assert_eq!(
            ShardMap::new(1).unwrap().of_room(RoomId::from_bits(17)),
            Shard(0)
        );
        let mut codes = [0; 64];
        for code in 0..6400 {
            codes[map.of_code(RoomCode::from_bits(code << 20)).index()] += 1;
        }
        assert!(
            codes.iter().all(|count| (50..200).contains(count)),
            "{codes:?}"
        );
    }
}
