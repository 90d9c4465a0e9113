//! Reads a game record from standard input and prints the board after every move.
//!
//! ```text
//! cargo run -p noughts-protocol --example random_game | cargo run -p noughts-protocol --example replay_record
//! cargo run -p noughts-protocol --example replay_record < game.txt
//! ```

use std::error::Error;
use std::io::Read;

use noughts_protocol::{Cell, Position, Record, Rules};

const USAGE: &str = "\
Reads a game record from standard input and prints the board after every move.

usage: replay_record < FILE";

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().len() > 1 {
        println!("{USAGE}");
        return Ok(());
    }
    let mut text = String::new();
    std::io::stdin()
        .take(Record::MAX_TEXT as u64 + 1)
        .read_to_string(&mut text)?;
    // Parsing plays the moves, so every move below is legal.
    let record: Record = text.parse()?;

    println!(
        "{}: {} (X) - {} (O)",
        record.rules, record.players[0], record.players[1]
    );
    let mut position = Position::new(record.rules);
    for (number, &cell) in (1..).zip(&record.moves) {
        println!(
            "\n{number}. {} {}",
            position.turn(),
            record.rules.cell_text(cell)
        );
        position.play(cell)?;
        print_board(&position);
    }
    match &record.outcome {
        Some(outcome) => println!("\n{outcome}"),
        None => println!("\nunfinished"),
    }
    Ok(())
}

/// Prints the rows of a board, with a blank line between the layers of a board of three or four dimensions.
fn print_board(position: &Position) {
    let rules: &Rules = position.rules();
    let (width, height) = (usize::from(rules.width()), usize::from(rules.height()));
    for row in 0..rules.cells() / width {
        if row > 0 && row % height == 0 {
            println!();
        }
        let cells = (row * width..(row + 1) * width).map(|index| Cell::new(index as u16));
        let marks = cells.map(|cell| {
            position
                .stone_at(cell)
                .map_or(".".to_owned(), |seat| seat.to_string())
        });
        println!("{}", marks.collect::<Vec<_>>().join(" "));
    }
}
