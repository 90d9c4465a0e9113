use noughts_engine::internals::line_network::dense;
use noughts_protocol::rng::SeededRng;

use crate::game_record::GameRecord;
use crate::move_trainer::{self, MoveWeights};
use crate::self_play::{SelfPlayOptions, play_game};
use crate::trainer::Trainer;
use crate::training_data::TrainingData;
use crate::training_weights::{Gradient, cross_entropy};
use crate::weights_file::{network_from_bytes, to_bytes};

/// Returns the first `count` of 64 games of self-play in a file, so that a change of the search does not change the
/// data of these tests.
fn data(count: usize) -> TrainingData {
    TrainingData::from_records(
        include_str!("test_games.txt")
            .lines()
            .take(count)
            .map(str::parse),
    )
    .unwrap()
}

#[test]
fn a_game_survives_its_text() {
    let options = SelfPlayOptions {
        rules: "15x15:5".parse().unwrap(),
        games: 5,
        nodes: 50,
        seed: 0,
    };
    let mut rng = SeededRng::new(3);
    let games = std::iter::repeat_with(|| play_game(&options, &mut rng).unwrap()).flatten();
    for game in games.take(5) {
        assert_eq!(game.to_string().parse::<GameRecord>().unwrap(), game);
    }
    for text in [
        "",
        "15x15:5",
        "15x15:5 3 112",
        "15x15:5 2 112:",
        "15x15:5 2 900",
        "15x15:5 2 112 112",
    ] {
        assert!(text.parse::<GameRecord>().is_err(), "{text}");
    }
}

/// The gradient is the change of the loss with each weight.
#[test]
fn the_gradient_matches_finite_differences() {
    const STEP: f32 = 2e-3;
    let data = data(8);
    let mut trainer = Trainer::new(5);
    for sample in data.training.iter().step_by(7).take(6) {
        let position = data.position(sample);
        let loss = |trainer: &Trainer| {
            cross_entropy(trainer.weights.predict(&position).points(), sample.target)
        };
        let mut gradient = Gradient::new(trainer.weights.rows.len());
        trainer.weights.add_gradient(
            &trainer.weights.predict(&position),
            sample.target,
            &mut gradient,
        );
        let classes: Vec<usize> = (0..gradient.rows.len())
            .filter(|&class| gradient.rows[class][0] != 0.0)
            .collect();
        assert!(classes.len() > 10);
        let mut differences = Vec::new();
        for &class in classes.iter().step_by(3) {
            let channel = class % trainer.weights.rows[class].len();
            let weight = trainer.weights.rows[class][channel];
            let losses = [STEP, -STEP].map(|step| {
                trainer.weights.rows[class][channel] = weight + step;
                loss(&trainer)
            });
            trainer.weights.rows[class][channel] = weight;
            differences.push((
                gradient.rows[class][channel],
                (losses[0] - losses[1]) / (2.0 * STEP),
            ));
        }
        for index in (0..dense::WEIGHTS).step_by(5) {
            let weight = trainer.weights.dense[index];
            let losses = [STEP, -STEP].map(|step| {
                trainer.weights.dense[index] = weight + step;
                loss(&trainer)
            });
            trainer.weights.dense[index] = weight;
            differences.push((
                gradient.dense[index],
                (losses[0] - losses[1]) / (2.0 * STEP),
            ));
        }
        // A step may cross a bound of a channel, where the gradient jumps.
        let is_near = |&&(exact, measured): &&(f32, f32)| {
            (exact - measured).abs() <= 0.02 * exact.abs() + 4e-4
        };
        let near = differences.iter().filter(is_near).count();
        assert!(
            differences
                .iter()
                .filter(|(exact, _)| exact.abs() > 4e-3)
                .count()
                * 4
                > differences.len()
        );
        assert!(
            near * 100 >= differences.len() * 95,
            "{near} of {}: {differences:?}",
            differences.len()
        );
    }
}

#[test]
fn training_lowers_the_loss() {
    let mut trainer = Trainer::new(1);
    let loss = |trainer: &Trainer| trainer.validate(&data(64))[0];
    let before = loss(&trainer);
    trainer.train(data(64), 30, 2).unwrap();
    let after = loss(&trainer);
    assert!(after < before - 0.02, "{before} before, {after} after");
}

#[test]
fn move_training_lowers_the_loss() {
    let data = data(64);
    let network = Trainer::new(1).weights;
    let loss = |moves: &MoveWeights| move_trainer::mean_loss(moves, &network, &data);
    let before = loss(&MoveWeights::new(network.rows.len()));
    let after = loss(&move_trainer::train(&network, &data, 40, 2).unwrap());
    assert!(after < before - 0.5, "{before} before, {after} after");
}

#[test]
fn weights_survive_their_file() {
    let trainer = Trainer::new(1);
    let moves = MoveWeights::new(trainer.weights.rows.len());
    let bytes = to_bytes(&trainer.weights, &moves);
    let read = network_from_bytes(&bytes).unwrap();
    assert_eq!(read.dense, trainer.weights.dense);
    assert_eq!(to_bytes(&read, &moves), bytes);
    assert!(network_from_bytes(&bytes[..1_000]).is_err());
}
