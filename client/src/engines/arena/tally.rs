//! Match results and their statistics: score, Elo difference and likelihood of superiority.

/// Result of a game for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    Won,
    Drawn,
    Lost,
}

impl GameResult {
    /// Returns the points of the first player in units of half a point.
    fn half_points(self) -> usize {
        match self {
            GameResult::Won => 2,
            GameResult::Drawn => 1,
            GameResult::Lost => 0,
        }
    }
}

/// Results of pairs of games from the same opening, for the first player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTally {
    won: u32,
    drawn: u32,
    lost: u32,
    /// Number of pairs by their points: 0, ½, 1, 1½, 2. Counted by pair because the two games of a pair are not
    /// independent.
    pairs: [u32; 5],
}

/// Difference in strength. On the Elo scale 400 points mean odds of ten to one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// Estimate; infinite if one player has all points.
    pub difference: f64,
    /// 95 % confidence interval.
    pub confidence_interval: [f64; 2],
}

/// Half width of a 95 % confidence interval in standard deviations.
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

    /// Returns the numbers of games won, drawn and lost.
    pub fn results(&self) -> [u32; 3] {
        [self.won, self.drawn, self.lost]
    }

    pub fn games(&self) -> u32 {
        self.won + self.drawn + self.lost
    }

    /// Returns the share of the points, from 0 to 1; 0.5 before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.won) + f64::from(self.drawn) / 2.0) / f64::from(self.games())
    }

    /// Returns the difference in strength. The confidence interval follows from the variance of the pairs, as in
    /// Van den Bergh's pentanomial model. If all pairs have the same result it follows from the rule of three: an event
    /// not seen in `n` trials has a probability below `3 / n`.
    pub fn elo(&self) -> Elo {
        let (score, pairs) = (self.score(), f64::from(self.pairs.iter().sum::<u32>()));
        if pairs == 0.0 {
            return Elo {
                difference: 0.0,
                confidence_interval: [f64::NEG_INFINITY, f64::INFINITY],
            };
        }
        let variance: f64 = (0..5_u32)
            .zip(self.pairs)
            .map(|(halves, count)| f64::from(count) * (f64::from(halves) / 4.0 - score).powi(2))
            .sum::<f64>()
            / pairs;
        let error = if variance > 0.0 {
            CONFIDENCE_Z * (variance / pairs).sqrt()
        } else {
            3.0 / pairs
        };
        let between = [score - error, score + error].map(|score| elo(score.clamp(0.0, 1.0)));
        Elo {
            difference: elo(score),
            confidence_interval: between,
        }
    }

    /// Returns the probability that the first player is stronger, estimated from the decisive games.
    pub fn likelihood_of_superiority(&self) -> f64 {
        let (won, lost) = (f64::from(self.won), f64::from(self.lost));
        if won + lost == 0.0 {
            return 0.5;
        }
        0.5 * (1.0 + error_function((won - lost) / (2.0 * (won + lost)).sqrt()))
    }
}

fn elo(score: f64) -> f64 {
    // Adding 0.0 turns the -0.0 of an even score into 0.0.
    -400.0 * (1.0 / score - 1.0).log10() + 0.0
}

/// Error function with an absolute error below 2e-7 (Abramowitz and Stegun, 7.1.26).
fn error_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x.abs());
    let series = [
        0.254_829_592,
        -0.284_496_736,
        1.421_413_741,
        -1.453_152_027,
        1.061_405_429,
    ];
    let sum = series
        .iter()
        .rev()
        .fold(0.0, |sum, factor| (sum + factor) * t);
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
    fn an_even_score_is_an_elo_difference_of_zero() {
        let even = tally(&[([Won, Lost], 10), ([Drawn, Drawn], 10)]);
        assert_eq!(
            (even.games(), even.results(), even.score()),
            (40, [10, 20, 10], 0.5)
        );
        assert_near(even.elo().difference, 0.0, 1e-9);
        assert_near(even.likelihood_of_superiority(), 0.5, 1e-9);
        assert_eq!(MatchTally::default().likelihood_of_superiority(), 0.5);
    }

    #[test]
    fn the_confidence_interval_follows_from_the_pairs() {
        // 100 pairs with 75 of 100 points: 191 Elo; the pairs vary by a quarter point.
        let better = tally(&[([Won, Won], 50), ([Won, Lost], 50)]);
        let Elo {
            difference,
            confidence_interval: [low, high],
        } = better.elo();
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
    fn a_perfect_score_has_a_lower_bound() {
        let all = tally(&[([Won, Won], 30)]);
        let Elo {
            difference,
            confidence_interval: [low, high],
        } = all.elo();
        assert!(difference.is_infinite() && high.is_infinite());
        assert_near(low, elo(0.9), 1e-9);
    }

    #[test]
    fn the_likelihood_of_superiority_matches_known_values() {
        // (won - lost) / sqrt(won + lost) standard deviations: 1 is 84.13 %, 2 is 97.72 %.
        assert_near(
            tally(&[([Won, Lost], 6), ([Won, Won], 2)]).likelihood_of_superiority(),
            0.8413,
            1e-4,
        );
        assert_near(
            tally(&[([Won, Lost], 6), ([Won, Won], 2)]).likelihood_of_superiority(),
            0.841_345,
            1e-6,
        );
        assert_near(error_function(1.0), 0.842_700_79, 2e-7);
        assert_near(error_function(-0.5), -0.520_499_88, 2e-7);
        assert_near(error_function(0.0), 0.0, 1e-8);
    }
}
