//! Programs against each other on this machine: each opening is played twice with the colours exchanged,
//! and the points are told with how far they may be chance.

pub mod opening;
pub mod tally;

use std::time::Duration;

use noughts_protocol::{Position, Rules, Seat, Status};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::engine::Limits;
use crate::thinker::child::Fault;
use crate::thinker::{Means, Spec, Thinker};
use tally::{GameResult, Tally};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct ArenaOptions {
    /// Who plays: each against each.
    pub players: Vec<Spec>,
    /// What: each of these.
    pub rules: Vec<Rules>,
    /// Pairs of games of two players.
    pub pairs: u32,
    /// The time for a move.
    pub budget: Duration,
    /// Positions for a move of our own search, instead of time.
    pub nodes: Option<u64>,
    /// Moves of an opening; none: as many as suit the board.
    pub opening: Option<u32>,
    /// Openings that seem even only.
    pub even: bool,
    /// Draws the openings, and decides between moves of our own search that look the same.
    pub seed: u64,
    /// Pairs of games at once.
    pub at_once: u32,
}

/// The games of two players.
#[derive(Clone, Debug)]
pub struct Meeting {
    /// What they played.
    pub rules: Rules,
    /// Who.
    pub players: [Spec; 2],
    /// How it went, for the first of them.
    pub tally: Tally,
    /// What went wrong last with each of them.
    pub faults: [Option<Fault>; 2],
}

/// Plays all games of each two players in each game and tells the outcome of one meeting after the other.
/// Stopped early it tells what has been played.
pub async fn run(
    options: &ArenaOptions,
    means: &Means,
    stop: &CancellationToken,
    mut tell: impl FnMut(&Meeting),
) {
    for &rules in &options.rules {
        for (place, first) in options.players.iter().enumerate() {
            for second in &options.players[place + 1..] {
                if stop.is_cancelled() {
                    return;
                }
                let players = [first.clone(), second.clone()];
                let meeting = meet(options, rules, players, means, stop).await;
                tell(&meeting);
            }
        }
    }
}

async fn meet(
    options: &ArenaOptions,
    rules: Rules,
    players: [Spec; 2],
    means: &Means,
    stop: &CancellationToken,
) -> Meeting {
    let mut meeting = Meeting { rules, players, tally: Tally::default(), faults: [None, None] };
    let mut running = JoinSet::new();
    let mut pairs = 0..options.pairs;
    loop {
        while running.len() < options.at_once.max(1) as usize
            && let Some(number) = pairs.next()
        {
            running.spawn(pair(options.clone(), rules, meeting.players.clone(), means.clone(), number));
        }
        let played = tokio::select! {
            biased;
            () = stop.cancelled() => return meeting,
            played = running.join_next() => played,
        };
        match played {
            None => return meeting,
            Some(Ok((results, faults))) => {
                meeting.tally.add(results);
                for (last, fault) in meeting.faults.iter_mut().zip(faults) {
                    *last = fault.or(last.take());
                }
            }
            Some(Err(error)) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Nothing is ever aborted but by dropping the set.
                Err(error) => tracing::error!(%error, "a game was lost"),
            },
        }
    }
}

/// Two games from one opening, each player once with X: the results for the first player.
async fn pair(
    options: ArenaOptions,
    rules: Rules,
    players: [Spec; 2],
    means: Means,
    number: u32,
) -> ([GameResult; 2], [Option<Fault>; 2]) {
    let mut chance = chance_of(options.seed, number);
    let (even, plies) = (options.even, options.opening);
    let drawn = tokio::task::spawn_blocking(move || (drawn(rules, plies, even, &mut chance), chance));
    let (opening, mut chance) = match drawn.await {
        Ok(drawn) => drawn,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    };
    let mut thinkers = players.each_ref().map(|spec| {
        // An engine of somebody else knows no other limit than time.
        let (nodes, time) = match spec {
            Spec::Level(_) => (options.nodes, options.nodes.is_none().then_some(options.budget)),
            Spec::Engine(_) => (None, Some(options.budget)),
        };
        let thinker = Thinker::new(spec, &means).with_seed(chance.random());
        Some((thinker, Limits { depth: None, nodes, time }))
    });
    let mut results = [GameResult::Drawn; 2];
    let mut faults = [None, None];
    for (result, first) in results.iter_mut().zip(Seat::ALL) {
        *result = game(opening.clone(), first, &mut thinkers, &mut faults).await;
    }
    for (thinker, _) in thinkers.into_iter().flatten() {
        thinker.end().await;
    }
    (results, faults)
}

/// What decides a pair of games: the same for the same seed, another for each pair.
fn chance_of(seed: u64, number: u32) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_add(u64::from(number) << 32))
}

/// The opening of a pair.
fn drawn(rules: Rules, plies: Option<u32>, even: bool, chance: &mut Xoshiro256PlusPlus) -> Position {
    let draw = if even { opening::draw_even } else { opening::draw };
    draw(rules, plies.unwrap_or_else(|| opening::plies(&rules)), chance)
}

/// One game to its end; who fails has lost it. `first` is the seat of the first player.
async fn game(
    mut position: Position,
    first: Seat,
    thinkers: &mut [Option<(Thinker, Limits)>; 2],
    faults: &mut [Option<Fault>; 2],
) -> GameResult {
    loop {
        let place = usize::from(position.turn() != first);
        match position.status() {
            Status::Won(seat) if seat == first => return GameResult::Won,
            Status::Won(_) => return GameResult::Lost,
            Status::Drawn => return GameResult::Drawn,
            Status::Ongoing => {}
        }
        let Some((thinker, limits)) = thinkers[place].take() else { return GameResult::Drawn };
        let (thinker, chosen) = thinker.choose(position.clone(), limits).await;
        thinkers[place] = Some((thinker, limits));
        let fault = match chosen {
            Ok(choice) => match position.play(choice.cell) {
                Ok(_) => continue,
                Err(error) => Fault::Illegal(error.to_string()),
            },
            Err(fault) => fault,
        };
        faults[place] = Some(fault);
        return if place == 0 { GameResult::Lost } else { GameResult::Won };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::thinker::child;
    use crate::thinker::threads::Threads;

    fn options(players: &[&str], rules: &str, pairs: u32) -> ArenaOptions {
        ArenaOptions {
            players: players.iter().map(|text| text.parse().unwrap()).collect(),
            rules: vec![rules.parse().unwrap()],
            pairs,
            budget: Duration::from_millis(100),
            nodes: Some(300),
            opening: None,
            even: false,
            seed: 5,
            at_once: 2,
        }
    }

    fn means() -> Means {
        Means { own: Arc::new(Threads::new(2)), limits: child::Limits::default() }
    }

    async fn meetings(options: &ArenaOptions) -> Vec<Meeting> {
        let mut meetings = Vec::new();
        run(options, &means(), &CancellationToken::new(), |meeting| meetings.push(meeting.clone())).await;
        meetings
    }

    #[tokio::test]
    async fn the_same_seed_plays_the_same_games_and_the_stronger_wins() {
        let options = options(&["easy", "perfect"], "5x5:4", 20);
        let (once, again) = (meetings(&options).await, meetings(&options).await);
        let [once, again] = [&once[0].tally, &again[0].tally];
        assert_eq!(once, again);
        let other = meetings(&ArenaOptions { seed: 6, ..options }).await;
        assert_eq!((once.games(), other[0].tally.games()), (40, 40));
        assert!(once.score() < 0.4, "{once:?}");
        assert_ne!(*once, other[0].tally, "other openings, other games");
    }

    #[tokio::test]
    async fn each_meets_each() {
        let meetings = meetings(&options(&["easy", "medium", "hard"], "3x3:3", 1)).await;
        let pairs: Vec<String> = meetings
            .iter()
            .map(|meeting| meeting.players.each_ref().map(Spec::to_string).join(" "))
            .collect();
        assert_eq!(pairs, ["level:easy level:medium", "level:easy level:hard", "level:medium level:hard"]);
    }

    #[tokio::test]
    async fn even_openings_are_the_same_for_the_same_seed() {
        let even = ArenaOptions { even: true, ..options(&["easy", "medium"], "5x5:4", 2) };
        let (once, again) = (meetings(&even).await, meetings(&even).await);
        assert_eq!(once[0].tally, again[0].tally);
        assert_eq!(once[0].tally.games(), 4);
    }

    #[test]
    fn an_opening_is_even_where_that_is_asked_for() {
        // Of two moves the second may lose, or hold the draw.
        let rules: Rules = "3x3:3".parse().unwrap();
        let mut others = 0;
        for number in 0..20 {
            let chance = || chance_of(5, number);
            let any = drawn(rules, None, false, &mut chance());
            let even = drawn(rules, None, true, &mut chance());
            assert_eq!(any, opening::draw(rules, 2, &mut chance()));
            assert_eq!(even, opening::draw_even(rules, 2, &mut chance()));
            assert_eq!(even, drawn(rules, Some(2), true, &mut chance()));
            others += u32::from(any != even);
        }
        assert!(others > 2, "{others}: some of the first that were drawn are won");
    }

    #[tokio::test]
    async fn who_fails_loses_and_is_told_of() {
        let meetings = meetings(&options(&["easy", "engine:exit 7"], "15x15:5", 1)).await;
        let Meeting { tally, faults, .. } = &meetings[0];
        assert_eq!((tally.games(), tally.score()), (2, 1.0));
        assert!(matches!(faults, [None, Some(Fault::Ended(Some(_)))]), "{faults:?}");
    }
}
