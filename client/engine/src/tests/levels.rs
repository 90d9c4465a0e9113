//! Strength of the levels, in games that the seed and a node count determine.

use noughts_protocol::rng::split_mix64;
use noughts_protocol::{Cell, Position, Seat, Status};

use super::{best_by_nodes, position};
use crate::Level;

const NODES: u64 = 10_000;

/// A side in a game: a level, or a player that plays any move.
#[derive(Clone, Copy)]
enum Player {
    Level(Level),
    Random,
}

impl Player {
    fn choose(self, position: &Position, random: &mut u64) -> Cell {
        *random = split_mix64(*random);
        match self {
            Player::Level(level) => best_by_nodes(position, level, NODES, *random).best,
            Player::Random => position
                .legal_nth((*random % position.legal_count() as u64) as usize)
                .unwrap(),
        }
    }
}

/// Plays a game after one random stone of each side.
fn play_game(rules: &str, players: [Player; 2], number: u64) -> Position {
    let (mut game, mut opening, mut random) = (position(rules, ""), number / 2, number);
    while game.status() == Status::Ongoing {
        let next = if game.ply() < 2 {
            Player::Random.choose(&game, &mut opening)
        } else {
            players[game.turn().index()].choose(&game, &mut random)
        };
        game.play(next).unwrap();
    }
    game
}

/// Returns the first player's points in this number of games, with sides swapped.
fn points(rules: &str, players: [Player; 2], games: u64) -> u32 {
    let mut half_points = 0;
    for number in 0..games {
        let own = if number % 2 == 0 { Seat::X } else { Seat::O };
        let sides = if own == Seat::X {
            players
        } else {
            [players[1], players[0]]
        };
        half_points += match play_game(rules, sides, number).status() {
            Status::Won(winner) if winner == own => 2,
            Status::Won(_) => 0,
            Status::Drawn | Status::Ongoing => 1,
        };
    }
    half_points / 2
}

#[test]
fn a_random_player_wins_some_games_against_the_first_level() {
    for (rules, games, expected) in [
        ("3x3:3", 100, 15..=45),
        ("3x3:3+misere", 100, 15..=45),
        ("7x6:4+gravity", 100, 15..=45),
        ("4x4x4:4", 20, 2..=10),
        ("15x15:5", 10, 1..=6),
    ] {
        let points = points(rules, [Player::Random, Player::Level(Level::Novice)], games);
        assert!(expected.contains(&points), "{rules}: {points}");
    }
}

/// `level_match` in `lab/` measures the steps exactly, and on more boards. Here, a level beats the second level below
/// it by more than chance.
#[test]
fn a_level_beats_the_second_below() {
    for pair in Level::ALL.windows(3) {
        let points = points(
            "3x3:3+misere",
            [Player::Level(pair[2]), Player::Level(pair[0])],
            100,
        );
        assert!(points > 53, "{} {points}", pair[2]);
    }
}

/// On 3×3, level 5 sometimes walks into a fork. It never overlooks a single line.
#[test]
fn level_five_loses_to_a_trap_on_3x3() {
    let mut lost = 0;
    for seed in 0..80 {
        let mut game = position("3x3:3", "");
        let mut random = seed;
        while game.status() == Status::Ongoing {
            let level = if game.turn() == Seat::X {
                Level::Perfect
            } else {
                Level::Skilled
            };
            game.play(Player::Level(level).choose(&game, &mut random))
                .unwrap();
        }
        if game.status() == Status::Won(Seat::X) {
            lost += 1;
            // O blocked one of two lines.
            game.undo();
            let blocked = game.undo().unwrap();
            let completes = |&cell: &Cell| {
                let mut next = game.clone();
                let other = game.legal_moves().find(|&other| other != cell);
                other.is_some_and(|other| next.play(other).is_ok())
                    && next.status_after(cell) == Ok(Status::Won(Seat::X))
            };
            let threats: Vec<Cell> = game.legal_moves().filter(completes).collect();
            assert!(threats.len() >= 2 && threats.contains(&blocked), "{game:?}");
        }
    }
    assert!((4..=48).contains(&lost), "{lost}");
}

/// The results of `perfect` in every possible game against a player that moves at random. No play that never gives up a
/// draw or a win has better results. Another program computed these values.
#[test]
fn perfect_sets_traps_on_3x3() {
    fn expected(game: &mut Position, own: Seat) -> f64 {
        match game.status() {
            Status::Won(winner) => return f64::from(u8::from(winner == own)),
            Status::Drawn => return 0.5,
            Status::Ongoing => {}
        }
        let moves: Vec<Cell> = if game.turn() == own {
            vec![best_by_nodes(game, Level::Perfect, 1_000_000, 0).best]
        } else {
            game.legal_moves().collect()
        };
        let mut sum = 0.0;
        for &cell in &moves {
            game.play(cell).unwrap();
            sum += expected(game, own);
            game.undo();
        }
        sum / moves.len() as f64
    }
    for (rules, as_x, as_o) in [
        ("3x3:3", 0.997_396, 0.958_201),
        ("3x3:3+misere", 0.802_083, 0.999_471),
    ] {
        for (own, best) in [(Seat::X, as_x), (Seat::O, as_o)] {
            let found = expected(&mut position(rules, ""), own);
            assert!((found - best).abs() < 1e-6, "{rules} as {own}: {found}");
        }
    }
}
