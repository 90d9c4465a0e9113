//! The weights in the format of the engine; see `LineNetwork::from_bytes` there.

use noughts_engine::internals::line_network::dense::{self, CHANNELS};
use noughts_engine::internals::line_network::{MOVE_CHANNEL_DIVISOR, MOVE_SCORE_UNIT};

use crate::AnyResult;
use crate::move_trainer::MoveWeights;
use crate::training_weights::NetworkWeights;

/// Factor from a weight of a pattern in training to its integer.
pub(crate) const PATTERN_WEIGHT_UNIT: f32 = 32.0;
/// Factor from a weight of a channel of a move in training to its integer.
const MOVE_CHANNEL_UNIT: f32 = MOVE_SCORE_UNIT * MOVE_CHANNEL_DIVISOR as f32 / PATTERN_WEIGHT_UNIT;

pub(crate) fn to_bytes(network: &NetworkWeights, moves: &MoveWeights) -> Vec<u8> {
    let patterns = network.rows.as_flattened().iter();
    let mut bytes: Vec<u8> = patterns
        .map(|weight| ((weight * PATTERN_WEIGHT_UNIT).round() as i8).cast_unsigned())
        .collect();
    network
        .dense
        .iter()
        .for_each(|weight| bytes.extend(weight.to_le_bytes()));
    let rows = moves.rows.iter().map(|weight| weight * MOVE_SCORE_UNIT);
    let channels = moves
        .channels
        .as_flattened()
        .iter()
        .map(|weight| weight * MOVE_CHANNEL_UNIT);
    rows.chain(channels)
        .for_each(|weight| bytes.extend((weight.round() as i16).to_le_bytes()));
    bytes
}

/// Reads the weights of the evaluation.
pub(crate) fn network_from_bytes(bytes: &[u8]) -> AnyResult<NetworkWeights> {
    let mut network = NetworkWeights::new(Box::new([0.0; dense::WEIGHTS]));
    let (patterns, rest) = bytes
        .split_at_checked(network.rows.len() * CHANNELS)
        .ok_or("too few bytes")?;
    for (weight, byte) in network.rows.as_flattened_mut().iter_mut().zip(patterns) {
        *weight = f32::from(byte.cast_signed()) / PATTERN_WEIGHT_UNIT;
    }
    let (numbers, _) = rest.as_chunks();
    let move_bytes = 2 * (network.rows.len() + 2 * CHANNELS);
    if rest.len() != 4 * dense::WEIGHTS + move_bytes {
        return Err("the file has another format".into());
    }
    network
        .dense
        .iter_mut()
        .zip(numbers)
        .for_each(|(weight, &bytes)| *weight = f32::from_le_bytes(bytes));
    Ok(network)
}
