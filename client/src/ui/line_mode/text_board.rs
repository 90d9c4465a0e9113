//! The board in ASCII, for line mode.

use noughts_protocol::{Cell, Outcome, Position, Seat};

use crate::input::DigitOrder;
use crate::input::cell_names::row_number;
use crate::input::text_command::cell_digit;

/// Returns the rows of the board with rulers, the digits of free cells, and the last move in brackets, or a winning line
/// between asterisks.
pub(in crate::ui) fn board_rows(position: &Position, keys: Option<DigitOrder>) -> Vec<String> {
    let rules = position.rules();
    let side = |axis: usize| rules.sides().get(axis).copied().unwrap_or(1);
    let outcome = position.outcome();
    let winning = outcome
        .as_ref()
        .and_then(Outcome::line)
        .map_or(&[][..], |line| &line.cells);
    let mut rows = Vec::new();
    for w in 0..side(3) {
        for z in 0..side(2) {
            match rules.dimensions() {
                0..=2 => {}
                3 => rows.push(format!("z {}", z + 1)),
                _ => rows.push(format!("z {} w {}", z + 1, w + 1)),
            }
            let labels = (0..rules.width()).map(|x| format!(" {} ", char::from(b'a' + x)));
            rows.push(
                format!("   {}", labels.collect::<String>())
                    .trim_end()
                    .to_owned(),
            );
            for y in 0..rules.height() {
                let cells = (0..rules.width())
                    .filter_map(|x| rules.cell_at(&[x, y, z, w][..rules.dimensions()]));
                let cells: String = cells
                    .map(|cell| cell_text(position, keys, winning, cell))
                    .collect();
                rows.push(
                    format!("{:>2} {cells}", row_number(rules, y))
                        .trim_end()
                        .to_owned(),
                );
            }
        }
    }
    rows
}

fn cell_text(
    position: &Position,
    keys: Option<DigitOrder>,
    winning: &[Cell],
    cell: Cell,
) -> String {
    let rules = position.rules();
    let playable = position.is_legal(cell);
    let digit = keys
        .filter(|_| playable)
        .and_then(|order| cell_digit(rules, order, cell));
    let mark = match (position.stone_at(cell), digit) {
        (Some(Seat::X), _) => 'X',
        (Some(Seat::O), _) => 'O',
        (None, Some(digit)) => char::from(b'0' + digit),
        (None, None) => '.',
    };
    if winning.contains(&cell) {
        format!("*{mark}*")
    } else if position.moves().last() == Some(&cell) {
        format!("[{mark}]")
    } else {
        format!(" {mark} ")
    }
}
