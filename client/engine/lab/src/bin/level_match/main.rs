//! Measures the engine against simple players.
//!
//! `cargo run --release --bin level_match -- connect4 GAMES ROLLOUTS MILLIS`: games of `perfect` as X in Connect Four,
//! with `MILLIS` milliseconds per move, against Monte Carlo tree search. Exit code 1 if a game is not won.
//!
//! `... -- ladder GAMES NODES [RULES]`: the points of each level against the level below and against the simple players
//! on five boards, or on one, over `GAMES` games (at most 100 against the simple players) with sides swapped, and the
//! Elo difference of each step with its 95 % interval.

mod stand_in;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use noughts_engine::{Level, SearchLimits, best_move};
use noughts_protocol::{Cell, Position, Rules, Seat, Status};
use stand_in::{Random, StandIn};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| {
        arguments
            .get(index)
            .and_then(|text| text.parse::<u64>().ok())
    };
    match (
        arguments.first().map(String::as_str),
        number(1),
        number(2),
        number(3),
    ) {
        (Some("connect4"), Some(games), Some(rollouts), Some(millis)) => {
            play_connect4(games, rollouts as u32, Duration::from_millis(millis))
        }
        (Some("ladder"), Some(games), Some(nodes), None) => {
            let boards = match arguments.get(3) {
                Some(rules) => vec![rules.as_str()],
                None => LADDER_BOARDS.to_vec(),
            };
            boards
                .into_iter()
                .for_each(|rules| measure_ladder(rules, games, nodes));
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "usage: level_match connect4 GAMES ROLLOUTS MILLIS | ladder GAMES NODES [RULES]"
            );
            ExitCode::from(2)
        }
    }
}

fn play_connect4(games: u64, rollouts: u32, time: Duration) -> ExitCode {
    let rules: Rules = "7x6:4+gravity".parse().expect("the rules are valid");
    let mut results = [0_u64; 3];
    for seed in 0..games {
        let mut random = Random(seed);
        let mut position = Position::new(rules);
        while position.status() == Status::Ongoing {
            let next = match position.turn() {
                Seat::X => choose_within(&position, time, seed),
                Seat::O => StandIn::Mcts(rollouts).choose(&position, &mut random),
            };
            position.play(next).expect("a legal move");
        }
        let index = match position.status() {
            Status::Won(Seat::X) => 0,
            Status::Drawn | Status::Ongoing => 1,
            Status::Won(Seat::O) => 2,
        };
        results[index] += 1;
        if index > 0 {
            println!("not won: {position:?}");
        }
    }
    let [won, drawn, lost] = results;
    println!(
        "perfect as X, {time:?} a move, against mcts {rollouts}: {won} won, {drawn} drawn, {lost} lost"
    );
    if won == games {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Returns the move that `perfect` chooses within this time.
fn choose_within(position: &Position, time: Duration, seed: u64) -> Cell {
    #[expect(clippy::disallowed_methods, reason = "the clock of this program")]
    let started_at = Instant::now();
    let limits = SearchLimits {
        time: Some(time),
        ..SearchLimits::default()
    };
    let (elapsed, stop) = (|| started_at.elapsed(), AtomicBool::new(false));
    let found = best_move(position, Level::Perfect, limits, seed, &elapsed, &stop);
    found.expect("the game is not over").best
}

#[derive(Clone, Copy)]
enum Player {
    Level(Level),
    StandIn(StandIn),
}

impl Player {
    fn choose(self, position: &Position, nodes: u64, random: &mut Random) -> Cell {
        match self {
            Player::StandIn(stand_in) => stand_in.choose(position, random),
            Player::Level(level) => {
                let limits = SearchLimits {
                    nodes: Some(nodes),
                    ..SearchLimits::default()
                };
                let seed = random.below(usize::MAX) as u64;
                let stop = AtomicBool::new(false);
                best_move(position, level, limits, seed, &|| Duration::ZERO, &stop)
                    .expect("a move")
                    .best
            }
        }
    }
}

/// Plays a game and returns the points of the first player: 2 for a win. `first` plays X if `number` is even. The
/// opening is one random stone of each side. Two consecutive games have the same opening.
fn play_game(rules: Rules, players: [Player; 2], nodes: u64, number: u64) -> u32 {
    let (mut opening, mut random) = (Random(number / 2 + 1), Random(number + 1_000_000));
    let mut position = Position::new(rules);
    let own = if number.is_multiple_of(2) {
        Seat::X
    } else {
        Seat::O
    };
    while position.status() == Status::Ongoing {
        let next = if position.ply() < opening_plies(&rules) {
            StandIn::Random.choose(&position, &mut opening)
        } else {
            players[usize::from(position.turn() != own)].choose(&position, nodes, &mut random)
        };
        position.play(next).expect("a legal move");
    }
    match position.status() {
        Status::Won(seat) if seat == own => 2,
        Status::Won(_) => 0,
        Status::Drawn | Status::Ongoing => 1,
    }
}

/// Returns the number of random stones before a game, so that games differ.
fn opening_plies(rules: &Rules) -> usize {
    if rules.cells() > 30 { 2 } else { 1 }
}

fn match_points(rules: Rules, players: [Player; 2], nodes: u64, games: u64) -> f64 {
    let points: u32 = (0..games)
        .map(|number| play_game(rules, players, nodes, number))
        .sum();
    f64::from(points) / (2 * games) as f64
}

fn elo(points: f64) -> f64 {
    let points = points.clamp(0.001, 0.999);
    400.0 * (points / (1.0 - points)).log10()
}

/// Maximum number of games against each of the simple players.
const MAX_STAND_IN_GAMES: u64 = 100;
const LADDER_BOARDS: [&str; 5] = [
    "3x3:3",
    "3x3:3+misere",
    "7x6:4+gravity",
    "4x4x4:4",
    "15x15:5",
];

fn measure_ladder(rules: &str, games: u64, nodes: u64) {
    let stand_ins = [
        StandIn::Random,
        StandIn::SeesHalf,
        StandIn::Blocks,
        StandIn::Heuristic,
        StandIn::Mcts(100),
        StandIn::Mcts(1_000),
    ];
    let rules: Rules = rules.parse().expect("the rules are valid");
    println!("{rules}: points in 100 over {games} games, {nodes} positions a move");
    print!("| level | level below | Elo |");
    stand_ins
        .iter()
        .for_each(|stand_in| print!(" {stand_in} |"));
    println!();
    for (index, &level) in Level::ALL.iter().enumerate() {
        print!("| {level} |");
        match index.checked_sub(1) {
            None => print!(" – | – |"),
            Some(below) => {
                let players = [Player::Level(level), Player::Level(Level::ALL[below])];
                let points = match_points(rules, players, nodes, games);
                let error = 1.96 * (points * (1.0 - points) / games as f64).sqrt();
                let (low, high) = (elo(points - error), elo(points + error));
                print!(
                    " {:.0} | {:+.0} ({low:+.0} to {high:+.0}) |",
                    100.0 * points,
                    elo(points)
                );
            }
        }
        for stand_in in stand_ins {
            // Monte Carlo tree search on a large board takes long and says little.
            if matches!(stand_in, StandIn::Mcts(_)) && rules.cells() > 100 {
                print!(" – |");
                continue;
            }
            let players = [Player::Level(level), Player::StandIn(stand_in)];
            print!(
                " {:.0} |",
                100.0 * match_points(rules, players, nodes, games.min(MAX_STAND_IN_GAMES))
            );
        }
        println!();
    }
}
