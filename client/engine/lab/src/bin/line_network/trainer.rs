//! Training: gradient descent with Adam (Kingma and Ba, "Adam: a method for stochastic optimization", 2015) on the
//! cross entropy of the expected points.
//!
//! Replaces: a framework such as candle or burn.
//! Gain: no dependency; these tensors are sums of a few rows of a table, which take some 15 µs per position and core.
//! Invariant: the gradient is the gradient of the loss, and both programs share the dense layers and the classes of
//! patterns. Test: `tests.rs`, by finite differences.

use std::path::Path;

use noughts_engine::internals::line_network::dense::{self, CHANNELS};
use noughts_engine::internals::line_network::patterns::{REACH, pattern_classes};
use noughts_protocol::rng::SeededRng;

use crate::AnyResult;
use crate::move_trainer::MoveWeights;
use crate::training_data::{Sample, TrainingData};
use crate::training_weights::{Gradient, NetworkWeights, Row, add, cross_entropy};
use crate::weights_file::{PATTERN_WEIGHT_UNIT, to_bytes};

const BATCH_SAMPLES: usize = 4_096;
const LEARNING_RATES: [f32; 2] = [2e-3, 4e-5];
/// Initial weights lie within these distances from 0.
const PATTERN_RANGE: f32 = 0.25;
const DENSE_RANGE: f32 = 0.5;
/// Largest absolute value of a pattern weight that fits into a signed byte.
const PATTERN_WEIGHT_MAX: f32 = i8::MAX as f32 / PATTERN_WEIGHT_UNIT;

/// The moments of Adam.
pub(crate) struct AdamMoments {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl AdamMoments {
    const DECAYS: [f32; 2] = [0.9, 0.999];
    const EPSILON: f32 = 1e-8;

    pub(crate) fn new(len: usize) -> AdamMoments {
        AdamMoments {
            first: vec![0.0; len],
            second: vec![0.0; len],
        }
    }

    /// Updates values by their gradient. `step` counts from 1.
    pub(crate) fn update(&mut self, values: &mut [f32], gradient: &[f32], rate: f32, step: i32) {
        let [decay_1, decay_2] = Self::DECAYS;
        let [scale_1, scale_2] = Self::DECAYS.map(|decay| 1.0 / (1.0 - decay.powi(step)));
        let moments = self.first.iter_mut().zip(&mut self.second);
        for ((value, gradient), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
            *first = decay_1 * *first + (1.0 - decay_1) * gradient;
            *second = decay_2 * *second + (1.0 - decay_2) * gradient * gradient;
            *value -= rate * *first * scale_1 / ((*second * scale_2).sqrt() + Self::EPSILON);
        }
    }
}

/// Weights that patterns share if they are equal within a reach, so that rare patterns learn from common patterns.
struct SharedRows {
    /// For each class of the full reach, the class of this reach.
    classes: Vec<u16>,
    rows: Vec<Row>,
    moments: AdamMoments,
}

/// A network in training.
pub(crate) struct Trainer {
    /// The weights of a pattern are the sum of the shared weights.
    shared: Vec<SharedRows>,
    pub(crate) weights: NetworkWeights,
    dense_moments: AdamMoments,
    step: i32,
}

impl Trainer {
    pub(crate) fn new(seed: u64) -> Trainer {
        let mut rng = SeededRng::new(seed);
        let mut random =
            |range: f32| range * ((rng.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0);
        let (count, full) = pattern_classes(REACH);
        let shared = (1..=REACH).map(|reach| {
            let (len, of_patterns) = pattern_classes(reach);
            let mut classes = vec![0; count];
            full.iter()
                .zip(&of_patterns)
                .for_each(|(&full, &class)| classes[usize::from(full)] = class);
            let range = if reach == REACH { 0.0 } else { PATTERN_RANGE };
            let rows = (0..len)
                .map(|_| std::array::from_fn(|_| random(range)))
                .collect();
            SharedRows {
                classes,
                rows,
                moments: AdamMoments::new(len * CHANNELS),
            }
        });
        let shared = shared.collect();
        let mut dense_weights = Box::new([0.0; dense::WEIGHTS]);
        for layer in [
            dense::LAYER_1..dense::BIAS_1,
            dense::LAYER_2..dense::BIAS_2,
            dense::OUTPUT..dense::DIRECT,
        ] {
            dense_weights[layer]
                .iter_mut()
                .for_each(|weight| *weight = random(DENSE_RANGE));
        }
        let weights = NetworkWeights::new(dense_weights);
        let mut trainer = Trainer {
            shared,
            weights,
            dense_moments: AdamMoments::new(dense::WEIGHTS),
            step: 0,
        };
        trainer.sum_shared_rows();
        trainer
    }

    fn sum_shared_rows(&mut self) {
        for (class, row) in self.weights.rows.iter_mut().enumerate().skip(1) {
            *row = [0.0; CHANNELS];
            for shared in &self.shared {
                add(row, &shared.rows[usize::from(shared.classes[class])]);
            }
            row.iter_mut()
                .for_each(|weight| *weight = weight.clamp(-PATTERN_WEIGHT_MAX, PATTERN_WEIGHT_MAX));
        }
    }

    fn update(&mut self, gradient: &Gradient, rate: f32) {
        self.step += 1;
        for shared in &mut self.shared {
            let mut sums = vec![[0.0; CHANNELS]; shared.rows.len()];
            for (row, &class) in gradient.rows.iter().zip(&shared.classes).skip(1) {
                add(&mut sums[usize::from(class)], row);
            }
            shared.moments.update(
                shared.rows.as_flattened_mut(),
                sums.as_flattened(),
                rate,
                self.step,
            );
        }
        self.dense_moments.update(
            &mut self.weights.dense[..],
            &gradient.dense,
            rate,
            self.step,
        );
        self.sum_shared_rows();
    }

    /// Trains for some passes over the data, and prints the loss after each.
    pub(crate) fn train(
        &mut self,
        mut data: TrainingData,
        epochs: usize,
        threads: usize,
    ) -> AnyResult<()> {
        let mut rng = SeededRng::new(0);
        let mut samples = std::mem::take(&mut data.training);
        let steps = epochs * samples.len().div_ceil(BATCH_SAMPLES);
        for epoch in 1..=epochs {
            shuffle(&mut samples, &mut rng);
            let mut loss = 0.0;
            for batch in samples.chunks(BATCH_SAMPLES) {
                let mut gradient = self.batch_gradient(&data, batch, threads)?;
                loss += gradient.loss;
                gradient.scale(1.0 / batch.len() as f32);
                let progress = self.step as f32 / steps as f32;
                self.update(&gradient, learning_rate(LEARNING_RATES, progress));
            }
            let [target, result] = self.validate(&data);
            println!(
                "epoch {epoch}: loss {:.4}, of validation {target:.4}, of its results {result:.4}",
                loss / samples.len() as f64
            );
        }
        Ok(())
    }

    /// Returns the mean losses of the validation positions: against targets and against results.
    pub(crate) fn validate(&self, data: &TrainingData) -> [f64; 2] {
        let mut losses = [0.0; 2];
        for sample in &data.validation {
            let points = self.weights.predict(&data.position(sample)).points();
            losses[0] += f64::from(cross_entropy(points, sample.target));
            losses[1] += f64::from(cross_entropy(points, sample.result));
        }
        losses.map(|loss| loss / data.validation.len() as f64)
    }

    fn batch_gradient(
        &self,
        data: &TrainingData,
        batch: &[Sample],
        threads: usize,
    ) -> AnyResult<Gradient> {
        let part_gradient = |part: &[Sample]| {
            let mut gradient = Gradient::new(self.weights.rows.len());
            for sample in part {
                let prediction = self.weights.predict(&data.position(sample));
                self.weights
                    .add_gradient(&prediction, sample.target, &mut gradient);
            }
            gradient
        };
        let mut sum = Gradient::new(self.weights.rows.len());
        let parts = map_parts(batch, threads, &part_gradient)?;
        parts.iter().for_each(|part| sum.add(part));
        Ok(sum)
    }
}

/// Applies a function to equal parts of a batch, each on its own thread.
pub(crate) fn map_parts<T: Send>(
    batch: &[Sample],
    threads: usize,
    function: &(impl Fn(&[Sample]) -> T + Sync),
) -> AnyResult<Vec<T>> {
    std::thread::scope(|scope| {
        let parts = batch.chunks(batch.len().div_ceil(threads.max(1)));
        let workers: Vec<_> = parts
            .map(|part| scope.spawn(move || function(part)))
            .collect();
        let joined = workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| "a thread has panicked"));
        Ok(joined.collect::<Result<Vec<T>, _>>()?)
    })
}

/// Returns a rate that falls from the first to the second number along half a period of a cosine. `progress` is from 0
/// to 1.
pub(crate) fn learning_rate([high, low]: [f32; 2], progress: f32) -> f32 {
    low + (high - low) * (0.5 + 0.5 * (std::f32::consts::PI * progress).cos())
}

pub(crate) fn shuffle(samples: &mut [Sample], rng: &mut SeededRng) {
    for last in (1..samples.len()).rev() {
        samples.swap(last, rng.random_below(last as u64 + 1) as usize);
    }
}

/// Trains the evaluation on the games of files, and writes its weights. The weights of moves are 0.
pub(crate) fn run(
    weights: &Path,
    epochs: usize,
    seed: u64,
    threads: usize,
    files: &[&str],
) -> AnyResult<()> {
    let data = TrainingData::read(files)?;
    if data.validation.is_empty() || data.training.is_empty() {
        return Err("too few games".into());
    }
    let of_search = data
        .validation
        .iter()
        .map(|sample| f64::from(cross_entropy(sample.prediction, sample.result)));
    println!(
        "{} positions, {} for validation; loss of their results by search scores {:.4}",
        data.training.len(),
        data.validation.len(),
        of_search.sum::<f64>() / data.validation.len() as f64
    );
    let mut trainer = Trainer::new(seed);
    trainer.train(data, epochs, threads)?;
    let moves = MoveWeights::new(trainer.weights.rows.len());
    std::fs::write(weights, to_bytes(&trainer.weights, &moves))?;
    Ok(())
}
