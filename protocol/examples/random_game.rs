//! Plays random legal moves and prints the record of the game, which `replay_record` and `noughts analyse` read.
//!
//! ```text
//! cargo run -p noughts-protocol --example random_game -- [RULES] [SEED]
//! cargo run -p noughts-protocol --example random_game -- 7x6:4+gravity 42
//! ```

use std::error::Error;

use noughts_protocol::rng::SeededRng;
use noughts_protocol::{Position, Record, Rules};

const USAGE: &str = "\
Plays random legal moves and prints the record of the game.

usage: random_game [RULES] [SEED]

  RULES  name or text of the rules, such as gomoku or 7x6:4+gravity [default: tictactoe]
  SEED   number that selects the game [default: 1]";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.len() > 2 || arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return Ok(());
    }
    let rules: Rules = arguments
        .first()
        .map_or("tictactoe", String::as_str)
        .parse()?;
    let seed = arguments.get(1).map_or(Ok(1), |seed| seed.parse())?;

    let mut rng = SeededRng::new(seed);
    let mut position = Position::new(rules);
    // `legal_count` is 0 after the end of the game.
    while position.legal_count() > 0 {
        let number = rng.random_below(position.legal_count() as u64) as usize;
        let cell = position
            .legal_nth(number)
            .expect("the number is below the count");
        position.play(cell)?;
    }

    let record = Record {
        rules,
        control: None,
        players: ["Random".to_owned(), format!("Seed {seed}")],
        identities: [None; 2],
        moves: position.moves().to_vec(),
        outcome: position.outcome(),
    };
    print!("{record}");
    Ok(())
}
