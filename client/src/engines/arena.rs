//! Arena: matches between engines on this machine. Each opening is played twice with swapped seats. The result is an
//! Elo difference with its confidence interval, and the likelihood of superiority.

pub(crate) mod opening;

use std::time::Duration;

use noughts_protocol::{Position, Rules, Seat, Status};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::engine::SearchLimits;
use crate::engines::player_engine::child_process::{EngineError, IllegalMoveReason};
use crate::engines::player_engine::{EngineResources, EngineSpec, PlayerEngine};

#[derive(Clone, Debug)]
pub(crate) struct ArenaOptions {
    /// Engines. Every two engines play a match.
    pub players: Vec<EngineSpec>,
    /// Rules of the matches. Every two engines play one match by each of these rules.
    pub rules: Vec<Rules>,
    pub pairs: u32,
    /// Time per move.
    pub move_time: Duration,
    /// Search nodes per move of the built-in search, instead of the time.
    pub nodes: Option<u64>,
    /// Number of opening plies; `None` selects a number that suits the board.
    pub opening_plies: Option<u32>,
    /// Use only openings that the engine evaluates as balanced.
    pub balanced_openings: bool,
    /// Seed for the openings, and for the built-in search's choice between equally good moves.
    pub seed: u64,
    /// Number of pairs of games that run concurrently.
    pub jobs: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct ArenaGame {
    /// X and O.
    pub players: [EngineSpec; 2],
    /// The last position.
    pub position: Position,
    /// The player that failed, and therefore loses, with its error.
    pub failure: Option<(Seat, EngineError)>,
}

impl ArenaGame {
    /// Returns the winner; `None` for a draw.
    pub(crate) fn winner(&self) -> Option<Seat> {
        match (&self.failure, self.position.status()) {
            (Some((seat, _)), _) => Some(seat.other()),
            (None, Status::Won(seat)) => Some(seat),
            (None, Status::Drawn | Status::Ongoing) => None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ArenaReport {
    Game(Box<ArenaGame>),
    Match(MatchResult),
}

#[derive(Clone, Debug)]
pub struct MatchResult {
    pub rules: Rules,
    pub players: [EngineSpec; 2],
    /// Results from the point of view of the first player.
    pub tally: MatchTally,
    /// Last error of each player.
    pub last_errors: [Option<EngineError>; 2],
}

/// Plays all matches. Reports each pair of games when its second game has ended, and each match. When stopped, reports
/// the current match with the games played so far.
pub(crate) async fn run(
    options: &ArenaOptions,
    resources: &EngineResources,
    stop: &CancellationToken,
    mut report: impl FnMut(&ArenaReport),
) {
    for &rules in &options.rules {
        for (index, first) in options.players.iter().enumerate() {
            for second in &options.players[index + 1..] {
                if stop.is_cancelled() {
                    return;
                }
                let players = [first.clone(), second.clone()];
                let mut on_game = |game| report(&ArenaReport::Game(Box::new(game)));
                let match_result =
                    play_match(options, rules, players, resources, stop, &mut on_game).await;
                report(&ArenaReport::Match(match_result));
            }
        }
    }
}

async fn play_match(
    options: &ArenaOptions,
    rules: Rules,
    players: [EngineSpec; 2],
    resources: &EngineResources,
    stop: &CancellationToken,
    on_game: &mut impl FnMut(ArenaGame),
) -> MatchResult {
    let mut match_result = MatchResult {
        rules,
        players,
        tally: MatchTally::default(),
        last_errors: [None, None],
    };
    let mut running = JoinSet::new();
    let mut pairs = 0..options.pairs;
    loop {
        while running.len() < options.jobs.max(1) as usize
            && let Some(number) = pairs.next()
        {
            running.spawn(play_pair(
                options.clone(),
                rules,
                match_result.players.clone(),
                resources.clone(),
                number,
            ));
        }
        let finished_pair = tokio::select! {
            biased;
            () = stop.cancelled() => {
                // Dropping the set only requests the end of its tasks. Their programs end with them.
                running.shutdown().await;
                return match_result;
            }
            played = running.join_next() => played,
        };
        match finished_pair {
            None => return match_result,
            Some(Ok(games)) => {
                match_result.add(&games);
                games.into_iter().for_each(&mut *on_game);
            }
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Tasks are aborted only after a stop.
                Err(error) => tracing::error!(%error, "arena game task aborted"),
            },
        }
    }
}

/// Plays two games from one opening with swapped seats. The first player is X in the first game.
async fn play_pair(
    options: ArenaOptions,
    rules: Rules,
    players: [EngineSpec; 2],
    resources: EngineResources,
    number: u32,
) -> [ArenaGame; 2] {
    let mut rng = pair_rng(options.seed, number);
    let (balanced, plies) = (options.balanced_openings, options.opening_plies);
    let opening_task =
        tokio::task::spawn_blocking(move || (draw_opening(rules, plies, balanced, &mut rng), rng));
    let (opening, mut rng) = match opening_task.await {
        Ok(drawn) => drawn,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    };
    let mut engines = players.each_ref().map(|spec| {
        // An external engine supports only a time limit.
        let (nodes, time) = match spec {
            EngineSpec::Level(_) => (
                options.nodes,
                options.nodes.is_none().then_some(options.move_time),
            ),
            EngineSpec::Program(_) => (None, Some(options.move_time)),
        };
        let engine = PlayerEngine::new(spec, &resources).with_seed(rng.random());
        Some((
            engine,
            SearchLimits {
                nodes,
                time,
                ..SearchLimits::default()
            },
        ))
    });
    let [one, two] = players;
    let mut games = [
        ArenaGame::new(&opening, [one.clone(), two.clone()]),
        ArenaGame::new(&opening, [two, one]),
    ];
    for (game, first) in games.iter_mut().zip(Seat::ALL) {
        game.play(first, &mut engines).await;
    }
    for (engine, _) in engines.into_iter().flatten() {
        engine.end().await;
    }
    games
}

/// Returns the random number generator for a pair of games. It depends only on the seed and the number of the pair.
fn pair_rng(seed: u64, number: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(u64::from(number) << 32))
}

fn draw_opening(
    rules: Rules,
    plies: Option<u32>,
    balanced: bool,
    rng: &mut Xoshiro256PlusPlus,
) -> Position {
    let draw = if balanced {
        opening::random_balanced_opening
    } else {
        opening::random_opening
    };
    draw(
        rules,
        plies.unwrap_or_else(|| opening::default_plies(&rules)),
        rng,
    )
}

impl ArenaGame {
    fn new(opening: &Position, players: [EngineSpec; 2]) -> ArenaGame {
        ArenaGame {
            players,
            position: opening.clone(),
            failure: None,
        }
    }

    /// Plays the game to its end. An engine that fails loses. `first` is the seat of the first engine.
    async fn play(&mut self, first: Seat, engines: &mut [Option<(PlayerEngine, SearchLimits)>; 2]) {
        while self.position.status() == Status::Ongoing {
            let seat = self.position.turn();
            let player = &mut engines[usize::from(seat != first)];
            let Some((engine, limits)) = player.take() else {
                return;
            };
            let (engine, result) = engine.choose(self.position.clone(), limits).await;
            *player = Some((engine, limits));
            let played = result.and_then(|choice| {
                let played = self.position.play(choice.cell);
                played.map_err(|error| {
                    let answer = self.position.rules().cell_text(choice.cell);
                    EngineError::illegal_move(&answer, IllegalMoveReason::Move(error))
                })
            });
            if let Err(error) = played {
                self.failure = Some((seat, error));
                return;
            }
        }
    }

    /// Returns the result for a player.
    fn result_of(&self, player: Seat) -> GameResult {
        match self.winner() {
            Some(winner) if winner == player => GameResult::Won,
            Some(_) => GameResult::Lost,
            None => GameResult::Drawn,
        }
    }
}

impl MatchResult {
    /// Adds the two games of an opening.
    fn add(&mut self, games: &[ArenaGame; 2]) {
        let [one, two] = games;
        self.tally
            .add([one.result_of(Seat::X), two.result_of(Seat::O)]);
        for (game, first) in games.iter().zip(Seat::ALL) {
            if let Some((seat, error)) = &game.failure {
                self.last_errors[usize::from(*seat != first)] = Some(error.clone());
            }
        }
    }
}

/// Result of a game for the first player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameResult {
    Won,
    Drawn,
    Lost,
}

impl GameResult {
    /// Returns the first player's points, in half points.
    fn half_points(self) -> usize {
        match self {
            GameResult::Won => 2,
            GameResult::Drawn => 1,
            GameResult::Lost => 0,
        }
    }
}

/// Results of pairs of games with the same opening, for the first player.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTally {
    won: u32,
    drawn: u32,
    lost: u32,
    /// Number of pairs for each number of points: 0, ½, 1, 1½ and 2. Pairs are counted because the two games of a pair
    /// are not independent.
    pairs: [u32; 5],
}

/// Difference in strength on the Elo scale: 400 points mean odds of ten to one.
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

    /// Returns the share of the points, from 0 to 1. It is 0.5 before the first game.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            return 0.5;
        }
        (f64::from(self.won) + f64::from(self.drawn) / 2.0) / f64::from(self.games())
    }

    /// Returns the difference in strength. The confidence interval follows from the variance of the pairs, as in Van
    /// den Bergh's pentanomial model. If all pairs have the same result, it follows from the rule of three: an event
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

/// Computes the error function, with an absolute error below 2e-7 (Abramowitz and Stegun, 7.1.26).
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
    use crate::engines::player_engine::{EngineProgram, SearchPool, child_process};
    use GameResult::{Drawn, Lost, Won};
    use std::sync::Arc;

    /// Parses the text of an engine: a level, or a protocol with a command line.
    fn spec(text: &str) -> EngineSpec {
        EngineProgram::parse(text).map_or_else(
            || EngineSpec::Level(text.parse().unwrap()),
            EngineSpec::Program,
        )
    }

    fn options(players: &[&str], rules: &str, pairs: u32) -> ArenaOptions {
        ArenaOptions {
            players: players.iter().map(|text| spec(text)).collect(),
            rules: vec![rules.parse().unwrap()],
            pairs,
            move_time: Duration::from_millis(100),
            nodes: Some(300),
            opening_plies: None,
            balanced_openings: false,
            seed: 5,
            jobs: 2,
        }
    }

    fn resources() -> EngineResources {
        EngineResources {
            searcher: Arc::new(SearchPool::new(2)),
            process_limits: child_process::ProcessLimits::default(),
        }
    }

    async fn play_matches(options: &ArenaOptions) -> Vec<MatchResult> {
        let mut results = Vec::new();
        let stop = CancellationToken::new();
        run(options, &resources(), &stop, |report| {
            if let ArenaReport::Match(match_result) = report {
                results.push(match_result.clone());
            }
        })
        .await;
        results
    }

    #[tokio::test]
    async fn equal_seeds_play_equal_games_and_the_stronger_engine_wins() {
        let options = options(&["easy", "perfect"], "5x5:4", 20);
        let (once, again) = (play_matches(&options).await, play_matches(&options).await);
        let [once, again] = [&once[0].tally, &again[0].tally];
        assert_eq!(once, again);
        assert_eq!(once.games(), 40);
        assert!(once.score() < 0.4, "{once:?}");
    }

    #[test]
    fn another_seed_draws_other_openings() {
        let rules: Rules = "5x5:4".parse().unwrap();
        let openings = |seed| {
            let draw = |number| draw_opening(rules, None, false, &mut pair_rng(seed, number));
            (0..20).map(draw).collect::<Vec<_>>()
        };
        assert_eq!(openings(7), openings(7));
        assert_ne!(openings(7), openings(8));
    }

    #[tokio::test]
    async fn each_engine_plays_each_other_engine() {
        let results = play_matches(&options(&["easy", "medium", "hard"], "3x3:3", 1)).await;
        let pairs: Vec<String> = results
            .iter()
            .map(|match_result| {
                match_result
                    .players
                    .each_ref()
                    .map(EngineSpec::to_string)
                    .join(" ")
            })
            .collect();
        assert_eq!(pairs, ["easy medium", "easy hard", "medium hard"]);
    }

    #[test]
    fn balanced_openings_are_used_on_request() {
        // After two plies the position may be a draw or lost.
        let rules: Rules = "3x3:3".parse().unwrap();
        let mut others = 0;
        for number in 0..20 {
            let rng = || pair_rng(5, number);
            let any = draw_opening(rules, None, false, &mut rng());
            let even = draw_opening(rules, None, true, &mut rng());
            assert_eq!(any, opening::random_opening(rules, 2, &mut rng()));
            assert_eq!(even, opening::random_balanced_opening(rules, 2, &mut rng()));
            assert_eq!(even, draw_opening(rules, Some(2), true, &mut rng()));
            others += u32::from(any != even);
        }
        assert!(others > 2, "some unfiltered openings are won: {others}");
    }

    #[tokio::test]
    async fn a_failing_engine_loses_and_is_reported() {
        let results = play_matches(&options(&["easy", "gomocup:exit 7"], "15x15:5", 1)).await;
        let MatchResult {
            tally, last_errors, ..
        } = &results[0];
        assert_eq!((tally.games(), tally.score()), (2, 1.0));
        assert!(
            matches!(last_errors, [None, Some(EngineError::Exited { .. })]),
            "{last_errors:?}"
        );
    }

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
        // 100 pairs with 75 of 100 points: 191 Elo. The pairs vary by a quarter point.
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
