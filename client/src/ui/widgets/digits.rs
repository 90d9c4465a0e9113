//! Digits that are three rows high, drawn with half blocks.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::ui::drawing::put_text;

/// Height of the digits in rows.
const ROWS: usize = 3;
/// Height of the digits in half rows. The last half row is blank.
const HALF_ROWS: usize = 2 * ROWS;

/// A time in large digits.
#[derive(Debug)]
pub(in crate::ui) struct LargeDigits([String; ROWS]);

impl LargeDigits {
    /// Draws the digits, colons and periods of a text. Other characters are left out.
    pub(in crate::ui) fn new(text: &str) -> LargeDigits {
        let mut rows = [const { String::new() }; ROWS];
        for shape in text.chars().filter_map(shape) {
            for (row, pair) in rows.iter_mut().zip(shape.chunks(2)) {
                if !row.is_empty() {
                    row.push(' ');
                }
                let (upper, lower) = (pair[0].bytes(), pair[1].bytes());
                row.extend(upper.zip(lower).map(|pixels| match pixels {
                    (b'#', b'#') => '\u{2588}',
                    (b'#', _) => '\u{2580}',
                    (_, b'#') => '\u{2584}',
                    _ => ' ',
                }));
            }
        }
        LargeDigits(rows)
    }

    pub(in crate::ui) fn columns(&self) -> u16 {
        crate::ui::drawing::columns(&self.0[0])
    }

    pub(in crate::ui) fn draw(&self, x: u16, y: u16, style: Style, buf: &mut Buffer) {
        for (y, row) in (y..).zip(&self.0) {
            put_text(buf, x, y, self.columns(), row, style);
        }
    }
}

/// Returns the half rows of a character.
fn shape(letter: char) -> Option<[&'static str; HALF_ROWS]> {
    Some(match letter {
        '0' => ["###", "# #", "# #", "# #", "###", "   "],
        '1' => [" # ", "## ", " # ", " # ", "###", "   "],
        '2' => ["###", "  #", "###", "#  ", "###", "   "],
        '3' => ["###", "  #", "###", "  #", "###", "   "],
        '4' => ["# #", "# #", "###", "  #", "  #", "   "],
        '5' => ["###", "#  ", "###", "  #", "###", "   "],
        '6' => ["###", "#  ", "###", "# #", "###", "   "],
        '7' => ["###", "  #", "  #", "  #", "  #", "   "],
        '8' => ["###", "# #", "###", "# #", "###", "   "],
        '9' => ["###", "# #", "###", "  #", "###", "   "],
        ':' => [" ", "#", " ", "#", " ", " "],
        '.' => [" ", " ", " ", " ", "#", " "],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_three_rows_high() {
        let digits = LargeDigits::new("4:51");
        assert_eq!(
            digits.0.join("\n"),
            "█ █ ▄ █▀▀ ▄█ \n\
             ▀▀█ ▄ ▀▀█  █ \n  ▀   ▀▀▀ ▀▀▀"
        );
        assert_eq!(digits.columns(), 13);
    }
}
