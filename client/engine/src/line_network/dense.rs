//! The dense layers of the network, and the places of their weights: two hidden layers with their biases, by input and
//! then by output; the output with its bias; and direct weights from the inputs to the output.

/// Number of channels of a cell for one seat.
pub const CHANNELS: usize = 16;
/// Number of outputs of each hidden layer.
pub const HIDDEN: usize = 16;

/// Number of inputs: the channels of the side to move, then the channels of the opponent.
pub const INPUTS: usize = 2 * CHANNELS;
/// Weights of the first hidden layer.
pub const LAYER_1: usize = 0;
/// Biases of the first hidden layer.
pub const BIAS_1: usize = LAYER_1 + INPUTS * HIDDEN;
/// Weights of the second hidden layer.
pub const LAYER_2: usize = BIAS_1 + HIDDEN;
/// Biases of the second hidden layer.
pub const BIAS_2: usize = LAYER_2 + HIDDEN * HIDDEN;
/// Weights of the output.
pub const OUTPUT: usize = BIAS_2 + HIDDEN;
/// Weights from the inputs to the output.
pub const DIRECT: usize = OUTPUT + HIDDEN;
/// The bias of the output.
pub const OUTPUT_BIAS: usize = DIRECT + INPUTS;
/// Number of weights.
pub const WEIGHTS: usize = OUTPUT_BIAS + 1;

/// Values of the dense layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DenseValues {
    /// Outputs of the hidden layers, before negative outputs are replaced with 0.
    pub hidden: [[f32; HIDDEN]; 2],
    /// Logarithm of the odds that the side to move wins.
    pub log_odds: f32,
}

/// Evaluates the dense layers.
pub fn evaluate_dense(weights: &[f32; WEIGHTS], inputs: &[f32; INPUTS]) -> DenseValues {
    let biases = |from: usize| std::array::from_fn(|output| weights[from + output]);
    let mut hidden: [[f32; HIDDEN]; 2] = [biases(BIAS_1), biases(BIAS_2)];
    for (input, weights) in inputs.iter().zip(weights[LAYER_1..].chunks_exact(HIDDEN)) {
        hidden[0]
            .iter_mut()
            .zip(weights)
            .for_each(|(sum, weight)| *sum += input * weight);
    }
    let [first, second] = &mut hidden;
    for (input, weights) in first.iter().zip(weights[LAYER_2..].chunks_exact(HIDDEN)) {
        let input = input.max(0.0);
        second
            .iter_mut()
            .zip(weights)
            .for_each(|(sum, weight)| *sum += input * weight);
    }
    let mut log_odds = weights[OUTPUT_BIAS];
    second
        .iter()
        .zip(&weights[OUTPUT..])
        .for_each(|(input, weight)| log_odds += input.max(0.0) * weight);
    inputs
        .iter()
        .zip(&weights[DIRECT..])
        .for_each(|(input, weight)| log_odds += input * weight);
    DenseValues { hidden, log_odds }
}
