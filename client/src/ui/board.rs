//! The board: marks, and around them what tells the cursor, the last move, the winning line and the
//! move on its way apart without any colour.

use noughts_protocol::{Cell, Position, Rules, Seat};
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::layout::{Block, Layout, Pitch};
use super::{put, theme};
use crate::engine::Score;
use crate::input::DigitOrder;
use crate::input::typed::cell_digit;
use crate::model::Look;
use crate::study::Values;

/// What there is to draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Board<'a> {
    pub(super) position: &'a Position,
    pub(super) look: Look,
    /// Numbers in the free cells, for one who may move.
    pub(super) digits: Option<DigitOrder>,
    /// The cell under the cursor, unless it is hidden.
    pub(super) cursor: Option<Cell>,
    /// Whose mark would fall there, where marks fall.
    pub(super) ghost: Option<Seat>,
    /// The move on its way, and whose it is.
    pub(super) pending: Option<(Cell, Seat)>,
    /// The line that ended the game.
    pub(super) winning: &'a [Cell],
    /// Whether the lines through the cursor are shown.
    pub(super) guide: bool,
    /// What the free cells are worth.
    pub(super) values: Option<&'a Values>,
}

/// A cell as it is drawn: what stands in it, what around it.
#[derive(Clone, Copy, Debug)]
struct Face {
    letter: char,
    rank: Rank,
    /// It is the last move, and no more than that.
    taken_last: bool,
    style: Style,
}

/// What is most to be told of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rank {
    Plain,
    Guide,
    /// The last move, or the winning line.
    Line,
    Pending,
    Cursor,
}

impl Rank {
    /// What stands on both sides of the mark.
    fn frame(self, last: bool) -> Option<(&'static str, &'static str)> {
        match self {
            Rank::Plain => None,
            Rank::Guide => Some((":", ":")),
            Rank::Line if last => Some(("[", "]")),
            Rank::Line => Some(("*", "*")),
            Rank::Pending => Some(("(", ")")),
            Rank::Cursor => Some((">", "<")),
        }
    }
}

impl Board<'_> {
    /// Draws the part that the layout shows, with its rulers.
    pub(super) fn draw(&self, layout: &Layout, buf: &mut Buffer) {
        let rules = self.position.rules();
        let here = self.cursor.and_then(|cursor| rules.coordinates(cursor));
        let mut rows_numbered = None;
        for block in layout.blocks() {
            self.head(layout, block, here.is_some_and(|at| (at[2], at[3]) == (block.z, block.w)), buf);
            if rows_numbered != Some(block.y) {
                rows_numbered = Some(block.y);
                self.row_numbers(layout, block, here, buf);
            }
            if layout.pitch == Pitch::Grid {
                self.grid(layout, block, buf);
            }
            // Neighbours may share the place between them: what matters more is drawn later.
            for rank in [Rank::Plain, Rank::Guide, Rank::Line, Rank::Pending, Rank::Cursor] {
                self.cells(layout, block, rank, buf);
            }
        }
    }

    /// The name of a layer, and the letters or numbers over its columns.
    fn head(&self, layout: &Layout, block: Block, current: bool, buf: &mut Buffer) {
        let rules = self.position.rules();
        let width = layout.mark(block, layout.columns.count - 1, 0).0 + 2 - block.x;
        if rules.dimensions() > 2 {
            let name = match rules.dimensions() {
                3 => format!("z {}", block.z + 1),
                _ => format!("z{} w{}", block.z + 1, block.w + 1),
            };
            let (text, style) = if current {
                (format!(">{name}<"), theme::strong())
            } else {
                (format!(" {name}"), self.look.dim())
            };
            put(buf, block.x, block.y - 2, width, &text, style);
        }
        let at = self.cursor.and_then(|cursor| rules.coordinates(cursor));
        for column in 0..layout.columns.count {
            let x = layout.columns.first + column;
            let label = if rules.dimensions() > 2 {
                ((x + 1) % 10).to_string()
            } else {
                char::from(b'a' + x as u8).to_string()
            };
            let here = current && at.is_some_and(|at| u16::from(at[0]) == x);
            let style = if here { theme::strong() } else { self.look.dim() };
            put(buf, layout.mark(block, column, 0).0, block.y - 1, 1, &label, style);
        }
    }

    fn row_numbers(&self, layout: &Layout, block: Block, here: Option<[u8; 4]>, buf: &mut Buffer) {
        let ruler = Layout::ruler(self.position.rules());
        for row in 0..layout.rows.count {
            let y = layout.rows.first + row;
            let style =
                if here.is_some_and(|at| u16::from(at[1]) == y) { theme::strong() } else { self.look.dim() };
            let label = format!("{:>1$}", y + 1, usize::from(ruler - 1));
            put(buf, layout.left(), layout.mark(block, 0, row).1, ruler, &label, style);
        }
    }

    /// The lines between cells.
    fn grid(&self, layout: &Layout, block: Block, buf: &mut Buffer) {
        let (glyphs, style) = (self.look.glyphs(), self.look.rules());
        let (columns, rows) = (layout.columns.count, layout.rows.count);
        for row in 0..2 * rows - 1 {
            for x in 0..4 * columns - 1 {
                let glyph = match (x % 4 == 3, row % 2 == 1) {
                    (true, true) => glyphs.cross,
                    (true, false) => glyphs.vertical,
                    (false, true) => glyphs.horizontal,
                    (false, false) => continue,
                };
                put(buf, block.x + x, block.y + row, 1, glyph, style);
            }
        }
    }

    /// The cells of one rank.
    fn cells(&self, layout: &Layout, block: Block, rank: Rank, buf: &mut Buffer) {
        for row in 0..layout.rows.count {
            for column in 0..layout.columns.count {
                let Some(cell) = layout.cell(block, column, row) else { continue };
                let face = self.face(cell, layout.pitch);
                if face.rank != rank {
                    continue;
                }
                let (x, y) = layout.mark(block, column, row);
                let letter = face.letter.to_string();
                let frame = rank.frame(face.taken_last).map(|(left, right)| [(x - 1, left), (x + 1, right)]);
                for (x, sign) in frame.into_iter().flatten().chain([(x, letter.as_str())]) {
                    // Nothing is left of the neighbour's colours.
                    if let Some(place) = buf.cell_mut((x, y)) {
                        place.reset();
                    }
                    put(buf, x, y, 1, sign, face.style);
                }
            }
        }
    }

    fn face(&self, cell: Cell, pitch: Pitch) -> Face {
        let mark = self.position.at(cell);
        let last = self.position.moves().last() == Some(&cell);
        let pending = self.pending.filter(|(pending, _)| *pending == cell).map(|(_, seat)| seat);
        let under_cursor = self.cursor == Some(cell);
        let winning = self.winning.contains(&cell);
        let (letter, style) = match (mark.or(pending), under_cursor.then_some(self.ghost).flatten()) {
            (Some(seat), _) => (letter(seat), self.look.mark(seat)),
            (None, Some(ghost)) => (letter(ghost).to_ascii_lowercase(), self.look.dim()),
            // A free cell on the way is a sign of its own; a frame would drown the marks.
            (None, None) if !under_cursor && self.is_guided(cell) => ('+', self.look.dim()),
            (None, None) => (self.free(cell, pitch), self.look.dim()),
        };
        let (rank, style) = if pending.is_some() {
            // Under the cursor too: that is where it was made.
            (Rank::Pending, style)
        } else if winning {
            (Rank::Line, self.look.win())
        } else if under_cursor {
            // Reversed and dim at once is hard to see.
            (Rank::Cursor, self.look.cursor(style.remove_modifier(Modifier::DIM)))
        } else if last {
            (Rank::Line, style)
        } else if mark.is_some() && self.is_guided(cell) {
            (Rank::Guide, style)
        } else {
            (Rank::Plain, style)
        };
        Face { letter, rank, taken_last: last && !winning, style }
    }

    /// What stands in a free cell: its number for one who may use it, else next to nothing.
    fn free(&self, cell: Cell, pitch: Pitch) -> char {
        let rules = self.position.rules();
        let playable = !rules.gravity() || self.position.is_legal(cell);
        let digit = self.digits.filter(|_| playable).and_then(|order| cell_digit(rules, order, cell));
        if let Some(sign) = self.values.and_then(|values| worth(values, cell)) {
            return sign;
        }
        match (digit, pitch) {
            (Some(digit), _) => char::from(b'0' + digit),
            (None, Pitch::Grid) => ' ',
            (None, Pitch::Wide | Pitch::Tight) => '.',
        }
    }

    /// Whether a cell is on a line with the cursor and lines are shown, or at the same place of another layer.
    fn is_guided(&self, cell: Cell) -> bool {
        let rules = self.position.rules();
        let (Some(cursor), Some(at)) = (self.cursor, rules.coordinates(cell)) else { return false };
        let Some(here) = rules.coordinates(cursor) else { return false };
        let twin = rules.dimensions() > 2 && at[..2] == here[..2] && cell != cursor;
        twin || (self.guide && on_a_line(rules, cursor, cell))
    }
}

/// Whether two cells lie on a line of the board that is long enough to count.
fn on_a_line(rules: &Rules, one: Cell, other: Cell) -> bool {
    let (Some(one), Some(other)) = (rules.coordinates(one), rules.coordinates(other)) else { return false };
    let mut distance = 0;
    for (a, b) in one.iter().zip(other) {
        let apart = a.abs_diff(b);
        if apart != 0 && distance != 0 && apart != distance {
            return false;
        }
        distance = distance.max(apart);
    }
    distance > 0 && distance < rules.line()
}

/// The sign for what a cell is worth to the side to move: won, drawn or lost, or its place among those
/// that are not settled. None for a cell that is not among the best nine.
fn worth(values: &Values, cell: Cell) -> Option<char> {
    match values.of(cell)? {
        Score::Win(_) => Some('w'),
        Score::Draw => Some('='),
        Score::Loss(_) => Some('l'),
        Score::Estimate(_) => {
            let rank = values.rank(cell).and_then(|rank| u32::try_from(rank).ok())?;
            char::from_digit(rank, 10)
        }
    }
}

fn letter(seat: Seat) -> char {
    match seat {
        Seat::X => 'X',
        Seat::O => 'O',
    }
}
