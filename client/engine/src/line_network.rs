//! The evaluation network of gomoku: its weights, and the evaluation of positions and moves.
//!
//! Each free cell adds the weights of its four patterns ([`patterns`]) to [`CHANNELS`] channels for each seat. Each
//! channel of a cell is limited to the range from 0 to [`CHANNEL_MAX`] and summed over all cells. Three dense layers
//! compute the evaluation from the sums of both seats. The score of a move is the sum of other weights for the patterns
//! and the channels of its cell. A stone changes the patterns of at most 32 cells, so a search updates the sums with
//! each move.
//!
//! The weights depend neither on the cell nor on the seat. So all images of a position have the same evaluation, and
//! the network applies to boards of any size. The sums are integers and the layers add in a fixed order, so the
//! evaluation is the same on every machine.
//!
//! `lab/` makes the weights from games of the engine against itself.

pub mod dense;
pub mod patterns;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use noughts_protocol::{RuleFlag, Rules};

use dense::{CHANNELS, evaluate_dense};
use patterns::{DIRECTIONS, PATTERNS, REACH, exchange_seats, pattern_classes};

/// Maximum value of a channel of a cell.
pub const CHANNEL_MAX: i16 = 100;
/// Maximum number of cells of boards that are searched in full. On larger boards only cells near stones are searched.
pub(crate) const MAX_FULL_SEARCH_CELLS: usize = 64;
/// Divisor of the channel sums that enter the dense layers.
pub const SUM_UNIT: f32 = 256.0;
/// The evaluation at log-odds of 1.
pub const EVALUATION_UNIT: f32 = 85.0;
/// Difference between the scores of two moves when their log-probabilities differ by 1.
pub const MOVE_SCORE_UNIT: f32 = 256.0;
/// Divisor of the weighted sum of a move's channels.
pub const MOVE_CHANNEL_DIVISOR: i32 = 64;
/// Limit of the evaluation in both directions. It is below the scores of wins.
const MAX_EVALUATION: f32 = 3_000.0;

// The sum of a channel over all cells fits into 16 bits.
const _: () =
    assert!(CHANNEL_MAX as usize * (Rules::MAX_SIDE as usize).pow(2) <= u16::MAX as usize);

/// Returns whether the network evaluates boards with these rules. With `exact`, it ignores that longer lines do not
/// count.
pub fn supports(rules: &Rules) -> bool {
    rules.dimensions() == 2
        && usize::from(rules.line()) == patterns::REACH + 1
        && rules.cells() > MAX_FULL_SEARCH_CELLS
        && rules.has_only(&[RuleFlag::Exact])
}

/// The channels of X, then the channels of O.
pub(crate) type Channels = [i16; 2 * CHANNELS];

#[derive(Debug)]
pub(crate) struct LineNetwork {
    /// For each pattern, the number of its row.
    classes: Box<[u16]>,
    /// The weights of a class of patterns for the channels of both seats.
    rows: Box<[Channels]>,
    dense: Box<[f32; dense::WEIGHTS]>,
    /// The weights of a class of patterns for a move of X, and of O.
    move_rows: Box<[[i16; 2]]>,
    /// Weights for the score of a move: of the channels of the side to move, then of the opponent's channels.
    move_channels: Channels,
}

static NETWORK: LazyLock<LineNetwork> =
    LazyLock::new(|| LineNetwork::from_bytes(include_bytes!("line_network/weights.bin")));

impl LineNetwork {
    pub(crate) fn get() -> &'static LineNetwork {
        &NETWORK
    }

    /// Reads the weights. First come the weights of the pattern classes in one byte each, by class and channel. The
    /// dense layers follow as 32-bit numbers. Last come the weights of moves as 16-bit integers: for the classes, for
    /// the mover's own channels and for the opponent's channels. All numbers are little-endian.
    ///
    /// # Panics
    /// Panics if the number of bytes does not match.
    fn from_bytes(bytes: &[u8]) -> LineNetwork {
        let (count, classes) = pattern_classes(REACH);
        let (weights, rest) = bytes.split_at(count * CHANNELS);
        let (dense_bytes, move_bytes) = rest.split_at(4 * dense::WEIGHTS);
        // For each class, the class itself and the class with exchanged seats.
        let mut classes_of_seats = vec![[0, 0]; count];
        for pattern in 0..PATTERNS {
            let class = usize::from(classes[pattern]);
            classes_of_seats[class] = [class, usize::from(classes[exchange_seats(pattern)])];
        }
        let rows = classes_of_seats.iter().map(|of_seats| -> Channels {
            std::array::from_fn(|channel| {
                let class = of_seats[channel / CHANNELS];
                i16::from(weights[class * CHANNELS + channel % CHANNELS].cast_signed())
            })
        });
        let rows: Box<[Channels]> = rows.collect();
        let (numbers, _) = dense_bytes.as_chunks();
        let (move_weights, odd_bytes) = move_bytes.as_chunks();
        assert!(
            odd_bytes.is_empty() && move_weights.len() == count + 2 * CHANNELS,
            "the weights have another format"
        );
        assert!(
            rows[0] == [0; 2 * CHANNELS],
            "patterns without stones have weights"
        );
        let move_weight = |index: usize| i16::from_le_bytes(move_weights[index]);
        let move_rows = classes_of_seats
            .iter()
            .map(|of_seats| of_seats.map(move_weight))
            .collect();
        let move_channels = std::array::from_fn(|channel| move_weight(count + channel));
        let dense = std::array::from_fn(|index| f32::from_le_bytes(numbers[index]));
        LineNetwork {
            classes: classes.into(),
            rows,
            dense: Box::new(dense),
            move_rows,
            move_channels,
        }
    }

    /// Returns the row number of a pattern.
    #[inline]
    pub(crate) fn class(&self, pattern: u16) -> u16 {
        self.classes[usize::from(pattern)]
    }

    /// Returns the weights of a class of patterns.
    #[inline]
    pub(crate) fn row(&self, class: u16) -> &Channels {
        &self.rows[usize::from(class)]
    }

    /// Returns the score of a seat's move, from the patterns and the channels of its cell. It is the logarithm of the
    /// move's probability in units of 1/[`MOVE_SCORE_UNIT`], up to an additive constant.
    pub(crate) fn score_move(
        &self,
        patterns: [u16; DIRECTIONS],
        channels: &Channels,
        seat: usize,
    ) -> i32 {
        let rows = patterns
            .map(|pattern| i32::from(self.move_rows[usize::from(self.class(pattern))][seat]));
        let (of_x, of_o) = channels.split_at(CHANNELS);
        let [own, others] = if seat == 0 {
            [of_x, of_o]
        } else {
            [of_o, of_x]
        };
        let (own_weights, others_weights) = self.move_channels.split_at(CHANNELS);
        let of_channels = weighted_sum(own, own_weights) + weighted_sum(others, others_weights);
        rows.iter().sum::<i32>() + of_channels / MOVE_CHANNEL_DIVISOR
    }

    /// Returns the evaluation for the seat to move.
    pub(crate) fn evaluate(&self, sums: &Channels, turn: usize) -> i32 {
        let inputs = std::array::from_fn(|index| {
            let from = if turn == 0 {
                index
            } else {
                (index + CHANNELS) % (2 * CHANNELS)
            };
            f32::from(sums[from].cast_unsigned()) / SUM_UNIT
        });
        let value = evaluate_dense(&self.dense, &inputs).log_odds * EVALUATION_UNIT;
        value.clamp(-MAX_EVALUATION, MAX_EVALUATION) as i32
    }
}

/// Limits a channel of a cell, as it enters the sums.
#[inline]
pub(crate) fn limit_channel(channel: i16) -> i16 {
    channel.clamp(0, CHANNEL_MAX)
}

/// Returns the weighted sum of limited channels.
fn weighted_sum(channels: &[i16], weights: &[i16]) -> i32 {
    let products = channels
        .iter()
        .zip(weights)
        .map(|(&channel, &weight)| i32::from(limit_channel(channel)) * i32::from(weight));
    products.sum()
}
