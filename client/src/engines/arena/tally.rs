//! Points, and what they say of strength.

/// How a game went for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    Won,
    Drawn,
    Lost,
}

impl GameResult {
    /// Points in halves.
    fn half_points(self) -> usize {
        match self {
            GameResult::Won => 2,
            GameResult::Drawn => 1,
            GameResult::Lost => 0,
        }
    }
}

/// The results of pairs of games from the same opening, for the first player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTally {
    won: u32,
    drawn: u32,
    lost: u32,
    /// Pairs by the points in them: 0, ½, 1, 1½, 2. The two games of a pair are not independent.
    pairs: [u32; 5],
}

/// A difference in strength, on the scale where 400 points are ten to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// What the points say; infinite when one side has them all.
    pub difference: f64,
    /// Between these it lies with 95 in 100.
    pub confidence_interval: [f64; 2],
}

/// 95 of 100 lie within so many standard deviations.
const CONFIDENCE_Z: f64 = 1.96;

impl MatchTally {
    /// Adds the two games of an opening.
    pub fn add(&mut self, results: [GameResult; 2]) {
        for result in results {
            match result {
                GameResult::Won => self.won += 1,
                GameResult::Drawn => self.drawn += 1,
                GameResult::Lost => self.lost += 1,
            }
        }
        self.pairs[results[0].half_points() + results[1].half_points()] += 1;
    }

    /// Games won, drawn and lost.
    pub fn results(&self) -> [u32; 3] {
        [self.won, self.drawn, self.lost]
    }

    /// Games.
    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// The share of the points, from 0 to 1; a half before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.won) + f64::from(self.drawn) / 2.0) / f64::from(self.games())
    }

    /// The difference in strength. The error is that of the pairs (as in Van den Bergh's pentanomial
    /// model); where all went alike it is told by the rule of three: what was not seen in `n` is rarer
    /// than `3 / n`.
    pub fn elo(&self) -> Elo {
        let (score, pairs) = (self.score(), f64::from(self.pairs.iter().sum::<u32>()));
        if pairs == 0.0 {
            return Elo { difference: 0.0, confidence_interval: [f64::NEG_INFINITY, f64::INFINITY] };
        }
        let variance: f64 = (0..5_u32)
            .zip(self.pairs)
            .map(|(halves, count)| f64::from(count) * (f64::from(halves) / 4.0 - score).powi(2))
            .sum::<f64>()
            / pairs;
        let error = if variance > 0.0 { CONFIDENCE_Z * (variance / pairs).sqrt() } else { 3.0 / pairs };
        let between = [score - error, score + error].map(|score| elo(score.clamp(0.0, 1.0)));
        Elo { difference: elo(score), confidence_interval: between }
    }

    /// How likely it is that the first player is the stronger, by the games that were not drawn.
    pub fn likelihood_of_superiority(&self) -> f64 {
        let (won, lost) = (f64::from(self.won), f64::from(self.lost));
        if won + lost == 0.0 {
            return 0.5;
        }
        0.5 * (1.0 + error_function((won - lost) / (2.0 * (won + lost)).sqrt()))
    }
}

fn elo(score: f64) -> f64 {
    // Adding nothing makes no negative nothing of an even score.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

/// The error function to seven places (Abramowitz and Stegun, 7.1.26).
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = [0.254_829_592, -0.284_496_736, 1.421_413_741, -1.453_152_027, 1.061_405_429];
    let sum = series.iter().rev().fold(0.0, |sum, factor| (sum + factor) * t);
    (1.0 - sum * (-x * x).exp()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use GameResult::{Drawn, Lost, Won};

    fn tally(pairs: &[([GameResult; 2], u32)]) -> MatchTally {
        let mut tally = MatchTally::default();
        for &(results, times) in pairs {
            for _ in 0..times {
                tally.add(results);
            }
        }
        tally
    }

    fn assert_near(value: f64, expected: f64, by: f64) {
        assert!((value - expected).abs() <= by, "{value} is not {expected}");
    }

    #[test]
    fn equal_players_differ_by_nothing() {
        let even = tally(&[([Won, Lost], 10), ([Drawn, Drawn], 10)]);
        assert_eq!((even.games(), even.results(), even.score()), (40, [10, 20, 10], 0.5));
        assert_near(even.elo().difference, 0.0, 1e-9);
        assert_near(even.likelihood_of_superiority(), 0.5, 1e-9);
        assert_eq!(MatchTally::default().likelihood_of_superiority(), 0.5);
    }

    #[test]
    fn a_difference_has_its_error() {
        // 100 pairs with 75 of 100 points: 191 Elo; the pairs vary by a quarter point.
        let better = tally(&[([Won, Won], 50), ([Won, Lost], 50)]);
        let Elo { difference, confidence_interval: [low, high] } = better.elo();
        assert_near(difference, 190.85, 0.01);
        // 0.75 ± 1.96 × 0.25 / 10.
        assert_near(low, elo(0.701), 0.01);
        assert_near(high, elo(0.799), 0.01);
        assert_near(better.likelihood_of_superiority(), 1.0, 1e-6);
        let mirrored = tally(&[([Lost, Lost], 50), ([Won, Lost], 50)]);
        assert_near(mirrored.elo().difference, -190.85, 0.01);
        assert_near(mirrored.likelihood_of_superiority(), 0.0, 1e-6);
    }

    #[test]
    fn all_the_points_say_at_least_so_much() {
        let all = tally(&[([Won, Won], 30)]);
        let Elo { difference, confidence_interval: [low, high] } = all.elo();
        assert!(difference.is_infinite() && high.is_infinite());
        assert_near(low, elo(0.9), 1e-9);
    }

    #[test]
    fn superiority_by_known_values() {
        // (won - lost) / sqrt(won + lost) standard deviations: 1 is 84.13 %, 2 is 97.72 %.
        assert_near(tally(&[([Won, Lost], 6), ([Won, Won], 2)]).likelihood_of_superiority(), 0.8413, 1e-4);
        assert_near(tally(&[([Won, Lost], 6), ([Won, Won], 2)]).likelihood_of_superiority(), 0.841_345, 1e-6);
        assert_near(error_function(1.0), 0.842_700_79, 2e-7);
        assert_near(error_function(-0.5), -0.520_499_88, 2e-7);
        assert_near(error_function(0.0), 0.0, 1e-8);
    }
}
