//! Training of the move ordering: gradient descent on the cross entropy of the move that was played, with the channels
//! of a trained evaluation.

use std::path::Path;

use noughts_engine::internals::line_network::dense::CHANNELS;
use noughts_protocol::rng::SeededRng;

use crate::AnyResult;
use crate::trainer::{AdamMoments, learning_rate, map_parts, shuffle};
use crate::training_data::{Sample, TrainingData};
use crate::training_weights::{CellChannels, NetworkWeights, add};
use crate::weights_file::{network_from_bytes, to_bytes};

const BATCH_SAMPLES: usize = 4_096;
const LEARNING_RATES: [f32; 2] = [1e-2, 2e-4];

/// Weights for the score of a move: of the classes of its patterns, and of the channels of its cell.
pub(crate) struct MoveWeights {
    pub(crate) rows: Vec<f32>,
    pub(crate) channels: [[f32; CHANNELS]; 2],
}

/// The gradient of the loss of some positions, and their loss.
struct MoveGradient {
    weights: MoveWeights,
    loss: f64,
    /// Number of positions where the played move has the best score, and where it is among the best six.
    hits: [u64; 2],
}

impl MoveWeights {
    /// Creates weights of 0.
    pub(crate) fn new(classes: usize) -> MoveWeights {
        MoveWeights {
            rows: vec![0.0; classes],
            channels: [[0.0; CHANNELS]; 2],
        }
    }

    fn score(&self, cell: &CellChannels) -> f32 {
        let rows: f32 = cell.classes[0]
            .iter()
            .map(|&class| self.rows[usize::from(class)])
            .sum();
        let channels = cell.limited_channels();
        let weighted = channels
            .as_flattened()
            .iter()
            .zip(self.channels.as_flattened());
        rows + weighted.map(|(value, weight)| value * weight).sum::<f32>()
    }
}

impl MoveGradient {
    fn new(classes: usize) -> MoveGradient {
        MoveGradient {
            weights: MoveWeights::new(classes),
            loss: 0.0,
            hits: [0, 0],
        }
    }

    fn add(&mut self, other: &MoveGradient) {
        add(&mut self.weights.rows, &other.weights.rows);
        add(
            self.weights.channels.as_flattened_mut(),
            other.weights.channels.as_flattened(),
        );
        self.loss += other.loss;
        self.hits = [self.hits[0] + other.hits[0], self.hits[1] + other.hits[1]];
    }

    fn add_sample(
        &mut self,
        moves: &MoveWeights,
        network: &NetworkWeights,
        data: &TrainingData,
        sample: &Sample,
    ) {
        let played = data.played(sample);
        let cells = network.cells(&data.position(sample));
        let Some(target) = cells.iter().position(|cell| cell.cell == played) else {
            return;
        };
        let scores: Vec<f32> = cells.iter().map(|cell| moves.score(cell)).collect();
        let rank = scores
            .iter()
            .filter(|&&score| score > scores[target])
            .count();
        self.hits[0] += u64::from(rank < 1);
        self.hits[1] += u64::from(rank < 6);
        let max = scores.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f32> = scores.iter().map(|score| (score - max).exp()).collect();
        let sum: f32 = powers.iter().sum();
        self.loss -= f64::from((powers[target] / sum).max(1e-9).ln());
        for (index, (cell, power)) in cells.iter().zip(&powers).enumerate() {
            let error = power / sum - f32::from(u8::from(index == target));
            for &class in &cell.classes[0] {
                self.weights.rows[usize::from(class)] += error;
            }
            let channels = cell.limited_channels();
            for (sum, value) in self
                .weights
                .channels
                .as_flattened_mut()
                .iter_mut()
                .zip(channels.as_flattened())
            {
                *sum += error * value;
            }
        }
    }
}

/// Trains the weights of moves for some passes over the data, and prints the loss of each.
pub(crate) fn train(
    network: &NetworkWeights,
    data: &TrainingData,
    epochs: usize,
    threads: usize,
) -> AnyResult<MoveWeights> {
    let classes = network.rows.len();
    let mut moves = MoveWeights::new(classes);
    let mut moments = [AdamMoments::new(classes), AdamMoments::new(2 * CHANNELS)];
    let steps = epochs * data.training.len().div_ceil(BATCH_SAMPLES);
    let mut step = 0;
    for epoch in 1..=epochs {
        let mut epoch_sum = MoveGradient::new(classes);
        for batch in data.training.chunks(BATCH_SAMPLES) {
            step += 1;
            let mut gradient = MoveGradient::new(classes);
            let parts = map_parts(batch, threads, &|part: &[Sample]| {
                let mut gradient = MoveGradient::new(classes);
                part.iter()
                    .for_each(|sample| gradient.add_sample(&moves, network, data, sample));
                gradient
            })?;
            parts.iter().for_each(|part| gradient.add(part));
            epoch_sum.add(&gradient);
            let scale = 1.0 / batch.len() as f32;
            let MoveWeights { rows, channels } = &mut gradient.weights;
            rows.iter_mut()
                .chain(channels.as_flattened_mut())
                .for_each(|value| *value *= scale);
            let rate = learning_rate(LEARNING_RATES, step as f32 / steps as f32);
            let [of_rows, of_channels] = &mut moments;
            of_rows.update(&mut moves.rows, rows, rate, step);
            of_channels.update(
                moves.channels.as_flattened_mut(),
                channels.as_flattened(),
                rate,
                step,
            );
        }
        let share = |count: u64| count as f64 / data.training.len() as f64;
        println!(
            "epoch {epoch}: loss {:.4}, move of the game first {:.3}, among the first six {:.3}",
            epoch_sum.loss / data.training.len() as f64,
            share(epoch_sum.hits[0]),
            share(epoch_sum.hits[1])
        );
    }
    Ok(moves)
}

/// Returns the mean loss of the training positions.
#[cfg(test)]
pub(crate) fn mean_loss(moves: &MoveWeights, network: &NetworkWeights, data: &TrainingData) -> f64 {
    let mut gradient = MoveGradient::new(network.rows.len());
    data.training
        .iter()
        .for_each(|sample| gradient.add_sample(moves, network, data, sample));
    gradient.loss / data.training.len() as f64
}

/// Trains the move ordering of a file of weights on the games of other files, and replaces the weights of moves in the
/// file of weights.
pub(crate) fn run(weights: &Path, epochs: usize, threads: usize, files: &[&str]) -> AnyResult<()> {
    let mut data = TrainingData::read(files)?;
    if data.training.is_empty() {
        return Err("too few games".into());
    }
    shuffle(&mut data.training, &mut SeededRng::new(0));
    let network = network_from_bytes(&std::fs::read(weights)?)?;
    let moves = train(&network, &data, epochs, threads)?;
    std::fs::write(weights, to_bytes(&network, &moves))?;
    Ok(())
}
