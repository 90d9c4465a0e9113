//! Plays a random game and prints its record.
//!
//! ```text
//! cargo run -p noughts-protocol --example random_game -- [RULES] [SEED]
//! cargo run -p noughts-protocol --example random_game -- 7x6:4+gravity 42
//! ```

use std::error::Error;

use noughts_protocol::rng::SeededRng;
use noughts_protocol::{Position, Record, Rules};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rules: Rules = arguments.next().as_deref().unwrap_or("tictactoe").parse()?;
    let seed = arguments.next().map_or(Ok(1), |seed| seed.parse())?;

    let mut rng = SeededRng::new(seed);
    let mut position = Position::new(rules);
    // `legal_count` is 0 after the end of the game.
    while position.legal_count() > 0 {
        let number = rng.random_below(position.legal_count() as u64) as usize;
        let cell = position.legal_nth(number).expect("the number is below the count");
        position.play(cell)?;
    }

    let record = Record {
        rules,
        control: None,
        players: ["Random".to_owned(), format!("Seed {seed}")],
        moves: position.moves().to_vec(),
        outcome: position.outcome(),
    };
    print!("{record}");
    Ok(())
}
