//! Sequential probability ratio test of two engines, over pairs of games from the same opening.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::{Evaluation, SearchLimits, evaluate};
use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Rules, Seat, Status};

use crate::AnyResult;
use crate::match_player::MatchPlayer;

/// The test ends when the log-likelihood ratio leaves this range: a probability of 5 % for each kind of error.
const LLR_BOUND: f64 = 2.944;
/// Minimum number of pairs before the test decides: fewer pairs say too little about the variance.
const MIN_PAIRS: u32 = 20;
/// Maximum evaluation of a balanced opening, for the side to move.
const BALANCED_SCORE_MAX: i32 = 60;
/// Node limit of the search that evaluates an opening.
const OPENING_NODES: u64 = 50_000;

/// Tests whether the first of two engines is stronger.
pub(crate) struct SprtTest {
    pub(crate) rules: Rules,
    /// The limits of the searches of both engines, as in `go LIMIT`.
    pub(crate) limits: [String; 2],
    /// The Elo differences of both hypotheses.
    pub(crate) elo: [f64; 2],
    pub(crate) max_pairs: u32,
    pub(crate) seed: u64,
}

impl SprtTest {
    /// Plays until the test decides. Returns `true` if it accepts the second hypothesis.
    pub(crate) fn run(&self, new: &str, old: &str) -> AnyResult<bool> {
        let [new_limit, old_limit] = &self.limits;
        let mut players = [
            MatchPlayer::start(new, new_limit)?,
            MatchPlayer::start(old, old_limit)?,
        ];
        let mut tally = PairTally::default();
        let mut random = self.seed;
        for number in 1..=self.max_pairs {
            let opening = self.balanced_opening(&mut random)?;
            let points = [0, 1].map(|first| self.play_game(&mut players, &opening, first));
            let [first, second] = points;
            tally.add(first? + second?);
            let llr = tally.log_likelihood_ratio(self.elo);
            let is_decided = llr.abs() >= LLR_BOUND && number >= MIN_PAIRS;
            if number % 20 == 0 || is_decided || number == self.max_pairs {
                let [new_time, old_time] = [players[0].move_time()?, players[1].move_time()?];
                println!(
                    "{number} pairs: {tally}, LLR {llr:.2}; processor time of a move {new_time:.1?} and {old_time:.1?}"
                );
            }
            if is_decided {
                println!("{}", if llr > 0.0 { "accepted" } else { "rejected" });
                return Ok(llr > 0.0);
            }
        }
        println!("no decision");
        Ok(false)
    }

    /// Returns random stones near the centre, in a position that this build evaluates as balanced.
    fn balanced_opening(&self, random: &mut u64) -> AnyResult<Vec<Cell>> {
        let [width, height, ..] = self.rules.sides() else {
            return Err("openings need two dimensions".into());
        };
        let mut below = |limit: u8| {
            *random = split_mix64(*random);
            (*random % u64::from(limit.max(1))) as usize
        };
        loop {
            let mut position = Position::new(self.rules);
            while position.ply() < 4 {
                // The cells are in the middle half of each side.
                let (x, y) = (
                    usize::from(width / 4) + below(width.div_ceil(2)),
                    usize::from(height / 4) + below(height.div_ceil(2)),
                );
                let _occupied = position.play(Cell::new((y * usize::from(*width) + x) as u16));
            }
            let limits = SearchLimits {
                nodes: Some(OPENING_NODES),
                ..SearchLimits::default()
            };
            let found = evaluate(
                &position,
                limits,
                &|| Duration::ZERO,
                &AtomicBool::new(false),
            );
            if let Some(Evaluation::Estimate(score)) = found.map(|found| found.score)
                && score.abs() <= BALANCED_SCORE_MAX
            {
                return Ok(position.moves().to_vec());
            }
        }
    }

    /// Returns the half points of the first engine in a game. The first engine plays X if `first` is 0.
    fn play_game(
        &self,
        players: &mut [MatchPlayer; 2],
        opening: &[Cell],
        first: usize,
    ) -> AnyResult<u32> {
        let mut position = Position::new(self.rules);
        for &cell in opening {
            position.play(cell)?;
        }
        for player in &mut *players {
            player.start_game(&self.rules)?;
        }
        while position.status() == Status::Ongoing {
            let seat = usize::from(position.turn() == Seat::O);
            position.play(players[(seat + first) % 2].choose(&position)?)?;
        }
        let own = [Seat::X, Seat::O][first];
        Ok(match position.status() {
            Status::Won(seat) if seat == own => 2,
            Status::Won(_) => 0,
            Status::Drawn | Status::Ongoing => 1,
        })
    }
}

/// Number of pairs for each number of half points that the first engine has scored in both games.
#[derive(Default)]
struct PairTally([u32; 5]);

impl PairTally {
    fn add(&mut self, half_points: u32) {
        self.0[half_points as usize] += 1;
    }

    fn pairs(&self) -> f64 {
        f64::from(self.0.iter().sum::<u32>())
    }

    /// Returns the mean and variance of the share of the points in a pair.
    fn mean_and_variance(&self) -> (f64, f64) {
        let sum = |power: i32| -> f64 {
            self.0
                .iter()
                .zip(0..)
                .map(|(&count, half)| f64::from(count) * (f64::from(half) / 4.0).powi(power))
                .sum()
        };
        let mean = sum(1) / self.pairs();
        // A lower bound applies, because equal pairs would have no variance at all.
        (mean, (sum(2) / self.pairs() - mean * mean).max(0.01))
    }

    /// Returns the log-likelihood ratio of two Elo differences, with a normal approximation.
    fn log_likelihood_ratio(&self, elo: [f64; 2]) -> f64 {
        let [low, high] = elo.map(expected_points);
        let (mean, variance) = self.mean_and_variance();
        self.pairs() * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }
}

impl std::fmt::Display for PairTally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (mean, variance) = self.mean_and_variance();
        let error = 1.96 * (variance / self.pairs()).sqrt();
        let [low, middle, high] = [mean - error, mean, mean + error].map(elo);
        write!(
            f,
            "{:?}, {:.1} %, Elo {middle:+.0} ({low:+.0} to {high:+.0})",
            self.0,
            100.0 * mean
        )
    }
}

fn expected_points(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

fn elo(points: f64) -> f64 {
    let points = points.clamp(0.001, 0.999);
    400.0 * (points / (1.0 - points)).log10()
}
