//! The sums of the evaluation network, which each move updates.

use crate::board::cell_sets::CellSet;
use crate::line_network::patterns::{BoardPatterns, DIRECTIONS};
use crate::line_network::{Channels, LineNetwork, limit_channel};

/// The network's state in a position.
#[derive(Clone, Debug)]
pub(super) struct NetworkState<'s> {
    network: &'static LineNetwork,
    board: &'s BoardPatterns,
    patterns: Box<[[u16; DIRECTIONS]]>,
    /// For each cell, the sums of the weights of its patterns. The sums of an occupied cell stay as they were before
    /// its stone.
    channels: Box<[Channels]>,
    occupied: CellSet,
    /// The sums over the free cells. The bits are read as a `u16`, because a sum may exceed `i16::MAX`.
    sums: Channels,
    /// The sums before each stone.
    saved_sums: Vec<Channels>,
    cache: EvaluationCache,
}

impl<'s> NetworkState<'s> {
    /// Creates the state of the empty board. Patterns without stones have no weights.
    pub(super) fn new(board: &'s BoardPatterns) -> NetworkState<'s> {
        let cells = board.empty().len();
        NetworkState {
            network: LineNetwork::get(),
            board,
            patterns: board.empty().into(),
            channels: vec![Channels::default(); cells].into(),
            occupied: CellSet::default(),
            sums: Channels::default(),
            saved_sums: Vec::with_capacity(cells),
            cache: EvaluationCache::new(),
        }
    }

    /// Returns the number of stones that the state has counted. The caller never takes back a stone that is not
    /// counted.
    pub(super) fn plies(&self) -> usize {
        self.saved_sums.len()
    }

    /// Returns the evaluation of a position for the side to move, from its key and all its stones. The state must
    /// belong to an earlier position of the same game.
    pub(super) fn evaluate(&mut self, key: u64, stones: impl ExactSizeIterator<Item = u16>) -> i32 {
        if let Some(value) = self.cache.get(key) {
            return value;
        }
        let turn = stones.len() % 2;
        let mut new_stones = stones.skip(self.plies()).peekable();
        let mut sums = self.sums;
        while let Some(cell) = new_stones.next() {
            if new_stones.peek().is_some() {
                self.play(cell);
                sums = self.sums;
            } else {
                // Most evaluated positions are leaves, so the search takes back their last stone next.
                sums = self.sums_after(cell);
            }
        }
        let value = self.network.evaluate(&sums, turn);
        self.cache.insert(key, value);
        value
    }

    /// Adds the stones that the state has not counted yet.
    pub(super) fn play_missing(&mut self, stones: impl Iterator<Item = u16>) {
        stones.skip(self.plies()).for_each(|cell| self.play(cell));
    }

    /// Returns the score of a move by the side to move, after [`NetworkState::play_missing`].
    pub(super) fn move_score(&self, cell: u16) -> i32 {
        let cell = usize::from(cell);
        self.network
            .score_move(self.patterns[cell], &self.channels[cell], self.plies() % 2)
    }

    /// Adds a stone of the side to move.
    fn play(&mut self, cell: u16) {
        let stone = self.plies() as u16 % 2 + 1;
        self.saved_sums.push(self.sums);
        let mut sums = without_cell(self.sums, &self.channels[usize::from(cell)]);
        self.change_patterns(
            cell,
            |pattern, weight| pattern + stone * weight,
            |channel, old, new| {
                for (((channel, sum), old), new) in
                    channel.iter_mut().zip(&mut sums).zip(old).zip(new)
                {
                    *channel = change_channel(*channel, *old, *new, sum);
                }
            },
        );
        self.occupied.insert(cell);
        self.sums = sums;
    }

    /// Takes back the last stone.
    pub(super) fn undo(&mut self, cell: u16) {
        let Some(sums) = self.saved_sums.pop() else {
            return;
        };
        let stone = self.plies() as u16 % 2 + 1;
        self.change_patterns(
            cell,
            |pattern, weight| pattern - stone * weight,
            |channel, old, new| {
                for ((channel, old), new) in channel.iter_mut().zip(old).zip(new) {
                    *channel += new - old;
                }
            },
        );
        self.occupied.remove(cell);
        self.sums = sums;
    }

    /// Changes the patterns through a cell. If the class of a pattern changes and its middle cell is free, also changes
    /// that cell's channels.
    #[inline]
    fn change_patterns(
        &mut self,
        cell: u16,
        change_pattern: impl Fn(u16, u16) -> u16,
        mut change_channels: impl FnMut(&mut Channels, &Channels, &Channels),
    ) {
        for part in self.board.parts(cell) {
            let pattern = &mut self.patterns[usize::from(part.cell)][usize::from(part.direction)];
            let new_pattern = change_pattern(*pattern, part.weight);
            let classes = [*pattern, new_pattern].map(|pattern| self.network.class(pattern));
            *pattern = new_pattern;
            if classes[0] != classes[1] && !self.occupied.contains(part.cell) {
                let [old, new] = classes.map(|class| self.network.row(class));
                change_channels(&mut self.channels[usize::from(part.cell)], old, new);
            }
        }
    }

    /// Returns the sums with one more stone of the side to move.
    fn sums_after(&self, cell: u16) -> Channels {
        let stone = self.plies() as u16 % 2 + 1;
        let mut sums = without_cell(self.sums, &self.channels[usize::from(cell)]);
        for part in self.board.parts(cell) {
            let pattern = self.patterns[usize::from(part.cell)][usize::from(part.direction)];
            let classes =
                [pattern, pattern + stone * part.weight].map(|pattern| self.network.class(pattern));
            if classes[0] == classes[1] || self.occupied.contains(part.cell) {
                continue;
            }
            let [old, new] = classes.map(|class| self.network.row(class));
            for (((channel, sum), old), new) in self.channels[usize::from(part.cell)]
                .iter()
                .zip(&mut sums)
                .zip(old)
                .zip(new)
            {
                change_channel(*channel, *old, *new, sum);
            }
        }
        sums
    }
}

/// Returns a cell's channel after the change of one of its patterns, and updates the sum.
#[inline]
fn change_channel(channel: i16, old_weight: i16, new_weight: i16, sum: &mut i16) -> i16 {
    let changed = channel + (new_weight - old_weight);
    *sum = sum.wrapping_add(limit_channel(changed) - limit_channel(channel));
    changed
}

#[inline]
fn without_cell(mut sums: Channels, channels: &Channels) -> Channels {
    sums.iter_mut()
        .zip(channels)
        .for_each(|(sum, value)| *sum = sum.wrapping_sub(limit_channel(*value)));
    sums
}

/// Evaluations of recent positions. An entry contains the complement of the key, so that an unused entry (0) does not
/// match the empty board. The evaluation replaces the last 16 bits of the key. The last 15 bits are the slot.
#[derive(Clone, Debug)]
struct EvaluationCache {
    entries: Box<[u64]>,
}

impl EvaluationCache {
    /// The table is small, because its allocation is part of each search.
    const SLOT_BITS: u32 = 15;
    const VALUE_BITS: u32 = 16;

    fn new() -> EvaluationCache {
        EvaluationCache {
            entries: vec![0; 1 << EvaluationCache::SLOT_BITS].into(),
        }
    }

    fn get(&self, key: u64) -> Option<i32> {
        let entry = self.entries[EvaluationCache::slot(key)];
        let is_same = (entry ^ !key) >> EvaluationCache::VALUE_BITS == 0;
        is_same.then_some(i32::from(entry as i16))
    }

    fn insert(&mut self, key: u64, value: i32) {
        let first_bits = !key >> EvaluationCache::VALUE_BITS << EvaluationCache::VALUE_BITS;
        self.entries[EvaluationCache::slot(key)] = first_bits | u64::from(value as u16);
    }

    fn slot(key: u64) -> usize {
        key as usize & ((1 << EvaluationCache::SLOT_BITS) - 1)
    }
}
