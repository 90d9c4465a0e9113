//! The network in training: its prediction of a position, and the gradient of the loss.

use noughts_engine::internals::line_network::dense::{
    self, CHANNELS, DenseValues, HIDDEN, evaluate_dense,
};
use noughts_engine::internals::line_network::patterns::{
    PATTERNS, REACH, exchange_seats, pattern_classes,
};
use noughts_engine::internals::line_network::{CHANNEL_MAX, SUM_UNIT};

use crate::training_data::{PatternPosition, sigmoid};
use crate::weights_file::PATTERN_WEIGHT_UNIT;

/// The weights of a class of patterns, or their gradient.
pub(crate) type Row = [f32; CHANNELS];

/// Maximum value of a channel of a cell.
const CELL_MAX: f32 = CHANNEL_MAX as f32 / PATTERN_WEIGHT_UNIT;
/// Divisor of the channel sums that enter the dense layers.
const SUM_SCALE: f32 = SUM_UNIT / PATTERN_WEIGHT_UNIT;

/// Weights in training.
pub(crate) struct NetworkWeights {
    /// For each pattern, its class and the class of the pattern with exchanged seats.
    classes: Vec<[u16; 2]>,
    /// The weights of each class. Class 0, without stones, has none.
    pub(crate) rows: Vec<Row>,
    pub(crate) dense: Box<[f32; dense::WEIGHTS]>,
}

/// The gradient of the loss of some positions, and their loss.
pub(crate) struct Gradient {
    pub(crate) rows: Vec<Row>,
    pub(crate) dense: Vec<f32>,
    pub(crate) loss: f64,
}

impl Gradient {
    pub(crate) fn new(classes: usize) -> Gradient {
        Gradient {
            rows: vec![[0.0; CHANNELS]; classes],
            dense: vec![0.0; dense::WEIGHTS],
            loss: 0.0,
        }
    }

    pub(crate) fn add(&mut self, other: &Gradient) {
        add(self.rows.as_flattened_mut(), other.rows.as_flattened());
        add(&mut self.dense, &other.dense);
        self.loss += other.loss;
    }

    pub(crate) fn scale(&mut self, factor: f32) {
        self.rows
            .as_flattened_mut()
            .iter_mut()
            .chain(&mut self.dense)
            .for_each(|value| *value *= factor);
    }
}

/// A free cell with stones near it: the classes of its patterns and its unlimited channels, for
/// the side to move and for its opponent.
pub(crate) struct CellChannels {
    pub(crate) cell: u16,
    pub(crate) classes: [[u16; 4]; 2],
    channels: [Row; 2],
}

impl CellChannels {
    pub(crate) fn limited_channels(&self) -> [Row; 2] {
        self.channels
            .map(|row| row.map(|value| value.clamp(0.0, CELL_MAX)))
    }
}

/// The values of the network for a position.
pub(crate) struct Prediction {
    cells: Vec<CellChannels>,
    inputs: [f32; dense::INPUTS],
    values: DenseValues,
}

impl Prediction {
    /// Returns the expected points of the side to move, from 0 to 1.
    pub(crate) fn points(&self) -> f32 {
        sigmoid(self.values.log_odds)
    }
}

impl NetworkWeights {
    /// Creates weights of 0, with these dense layers.
    pub(crate) fn new(dense: Box<[f32; dense::WEIGHTS]>) -> NetworkWeights {
        let (count, classes) = pattern_classes(REACH);
        let classes =
            (0..PATTERNS).map(|pattern| [classes[pattern], classes[exchange_seats(pattern)]]);
        NetworkWeights {
            classes: classes.collect(),
            rows: vec![[0.0; CHANNELS]; count],
            dense,
        }
    }

    /// Returns the free cells that have stones near them.
    pub(crate) fn cells(&self, position: &PatternPosition) -> Vec<CellChannels> {
        let turn = position.turn();
        let mut cells = Vec::new();
        for (cell, patterns) in position.free_cells() {
            let of_seats = patterns.map(|pattern| self.classes[usize::from(pattern)]);
            let classes = [turn, 1 - turn].map(|seat| of_seats.map(|classes| classes[seat]));
            if classes.as_flattened().iter().all(|&class| class == 0) {
                continue;
            }
            let channels = classes.map(|classes| {
                let mut channels = [0.0; CHANNELS];
                classes
                    .iter()
                    .for_each(|&class| add_row(&mut channels, &self.rows[usize::from(class)]));
                channels
            });
            cells.push(CellChannels {
                cell,
                classes,
                channels,
            });
        }
        cells
    }

    pub(crate) fn predict(&self, position: &PatternPosition) -> Prediction {
        let cells = self.cells(position);
        let mut sums = [[0.0; CHANNELS]; 2];
        for cell in &cells {
            for (sums, channels) in sums.iter_mut().zip(&cell.limited_channels()) {
                add_row(sums, channels);
            }
        }
        let sums = sums.as_flattened();
        let inputs = std::array::from_fn(|input| sums[input] / SUM_SCALE);
        Prediction {
            cells,
            inputs,
            values: evaluate_dense(&self.dense, &inputs),
        }
    }

    /// Adds the gradient of the cross entropy of a prediction.
    pub(crate) fn add_gradient(
        &self,
        prediction: &Prediction,
        target: f32,
        gradient: &mut Gradient,
    ) {
        let Prediction {
            cells,
            inputs,
            values,
        } = prediction;
        let error = prediction.points() - target;
        gradient.loss += f64::from(cross_entropy(prediction.points(), target));
        let (weights, sums) = (&self.dense, &mut gradient.dense);
        let active = values
            .hidden
            .map(|hidden| hidden.map(|value| value.max(0.0)));
        sums[dense::OUTPUT_BIAS] += error;
        let mut second = [0.0; HIDDEN];
        for output in 0..HIDDEN {
            sums[dense::OUTPUT + output] += error * active[1][output];
            if values.hidden[1][output] > 0.0 {
                second[output] = error * weights[dense::OUTPUT + output];
            }
        }
        add(&mut sums[dense::BIAS_2..dense::OUTPUT], &second);
        let mut first = [0.0; HIDDEN];
        for output in 0..HIDDEN {
            let at = dense::LAYER_2 + output * HIDDEN;
            add_scaled(&mut sums[at..at + HIDDEN], &second, active[0][output]);
            if values.hidden[0][output] > 0.0 {
                first[output] = dot(&weights[at..at + HIDDEN], &second);
            }
        }
        add(&mut sums[dense::BIAS_1..dense::LAYER_2], &first);
        add_scaled(&mut sums[dense::DIRECT..dense::OUTPUT_BIAS], inputs, error);
        let inputs: [f32; dense::INPUTS] = std::array::from_fn(|input| {
            let at = dense::LAYER_1 + input * HIDDEN;
            add_scaled(&mut sums[at..at + HIDDEN], &first, inputs[input]);
            (dot(&weights[at..at + HIDDEN], &first) + error * weights[dense::DIRECT + input])
                / SUM_SCALE
        });
        for CellChannels {
            classes, channels, ..
        } in cells
        {
            for ((classes, channels), inputs) in
                classes.iter().zip(channels).zip(inputs.chunks(CHANNELS))
            {
                // A limited channel has no gradient.
                let mut row = [0.0; CHANNELS];
                for ((value, channel), input) in row.iter_mut().zip(channels).zip(inputs) {
                    if *channel > 0.0 && *channel < CELL_MAX {
                        *value = *input;
                    }
                }
                classes
                    .iter()
                    .for_each(|&class| add_row(&mut gradient.rows[usize::from(class)], &row));
            }
        }
    }
}

pub(crate) fn cross_entropy(prediction: f32, target: f32) -> f32 {
    let prediction = prediction.clamp(1e-6, 1.0 - 1e-6);
    -(target * prediction.ln() + (1.0 - target) * (1.0 - prediction).ln())
}

pub(crate) fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += value);
}

/// Like [`add`], for a known length, so that the compiler vectorises it.
fn add_row(sum: &mut Row, row: &Row) {
    sum.iter_mut()
        .zip(row)
        .for_each(|(sum, value)| *sum += value);
}

fn add_scaled(sums: &mut [f32], values: &[f32], factor: f32) {
    sums.iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += factor * value);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
