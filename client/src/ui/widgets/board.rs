//! Board widget. Signs around the marks distinguish the cursor, the last move, the winning line and the
//! pending move without colour.

use noughts_protocol::{Cell, Position, Rules, Seat};
use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use crate::engine::Evaluation;
use crate::engines::analysis::MoveValues;
use crate::input::DigitOrder;
use crate::input::text_command::cell_digit;
use crate::model::Appearance;
use crate::model::layout::board_layout::{CellSize, Layout, Slice};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Contents of the board.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct BoardWidget<'a> {
    pub(in crate::ui) position: &'a Position,
    pub(in crate::ui) appearance: Appearance,
    /// Digits of the free cells, if the player may move.
    pub(in crate::ui) digits: Option<DigitOrder>,
    /// Cursor, unless it is hidden.
    pub(in crate::ui) cursor: Option<Cell>,
    /// Seat whose mark would drop at the cursor, on boards with gravity.
    pub(in crate::ui) preview: Option<Seat>,
    /// Pending move and its seat.
    pub(in crate::ui) pending: Option<(Cell, Seat)>,
    /// Winning line.
    pub(in crate::ui) winning_cells: &'a [Cell],
    /// Whether guide lines through the cursor are shown.
    pub(in crate::ui) guide: bool,
    /// Evaluations of the free cells.
    pub(in crate::ui) values: Option<&'a MoveValues>,
}

/// Appearance of a cell.
#[derive(Clone, Copy, Debug)]
struct CellStyle {
    letter: char,
    highlight: Highlight,
    is_last_move: bool,
    style: Style,
}

/// Most important fact about a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Highlight {
    Plain,
    Guide,
    /// The last move, or the winning line.
    Line,
    Pending,
    Cursor,
}

impl Highlight {
    /// Returns the signs on both sides of the mark.
    fn brackets(self, last: bool) -> Option<(&'static str, &'static str)> {
        match self {
            Highlight::Plain => None,
            Highlight::Guide => Some((":", ":")),
            Highlight::Line if last => Some(("[", "]")),
            Highlight::Line => Some(("*", "*")),
            Highlight::Pending => Some(("(", ")")),
            Highlight::Cursor => Some((">", "<")),
        }
    }
}

impl<'a> BoardWidget<'a> {
    /// A board that shows only the marks.
    pub(in crate::ui) fn plain(position: &'a Position, appearance: Appearance) -> BoardWidget<'a> {
        BoardWidget {
            position,
            appearance,
            digits: None,
            cursor: None,
            preview: None,
            pending: None,
            winning_cells: &[],
            guide: false,
            values: None,
        }
    }
}

impl BoardWidget<'_> {
    /// Draws the visible part of the board with its rulers.
    pub(in crate::ui) fn draw(&self, layout: &Layout, buf: &mut Buffer) {
        let rules = self.position.rules();
        let cursor_coordinates = self.cursor.and_then(|cursor| rules.coordinates(cursor));
        let mut rows_numbered = None;
        for block in layout.slices() {
            self.draw_header(
                layout,
                block,
                cursor_coordinates.is_some_and(|at| (at[2], at[3]) == (block.z, block.w)),
                buf,
            );
            if rows_numbered != Some(block.y) {
                rows_numbered = Some(block.y);
                self.draw_row_numbers(layout, block, cursor_coordinates, buf);
            }
            if layout.cell_size == CellSize::Grid {
                self.draw_grid(layout, block, buf);
            }
            // Neighbours may share a column: the more important cell is drawn later.
            for highlight in
                [Highlight::Plain, Highlight::Guide, Highlight::Line, Highlight::Pending, Highlight::Cursor]
            {
                self.draw_cells(layout, block, highlight, buf);
            }
        }
    }

    /// Draws the name of a layer and the labels of its columns.
    fn draw_header(&self, layout: &Layout, block: Slice, current: bool, buf: &mut Buffer) {
        let rules = self.position.rules();
        let width = layout.mark_position(block, layout.columns.count - 1, 0).0 + 2 - block.x;
        if rules.dimensions() > 2 {
            let name = match rules.dimensions() {
                // The number of layers, if some of them are hidden.
                3 if layout.has_hidden_layers() => format!("z {}/{}", block.z + 1, rules.sides()[2]),
                3 => format!("z {}", block.z + 1),
                _ => format!("z{} w{}", block.z + 1, block.w + 1),
            };
            let name = match rules.sides() {
                &[_, _, depth, spans] if layout.has_hidden_layers() => {
                    let full = format!("z{}/{depth} w{}/{spans}", block.z + 1, block.w + 1);
                    if columns(&full) + 2 <= width { full } else { name }
                }
                _ => name,
            };
            let (text, style) = if current {
                (format!(">{name}<"), theme::bold())
            } else {
                (format!(" {name}"), self.appearance.dim())
            };
            put_text(buf, block.x, block.y - 2, width, &text, style);
        }
        let at = self.cursor.and_then(|cursor| rules.coordinates(cursor));
        for column in 0..layout.columns.count {
            let x = layout.columns.first + column;
            let label = if rules.dimensions() > 2 {
                ((x + 1) % 10).to_string()
            } else {
                char::from(b'a' + x as u8).to_string()
            };
            let is_cursor_column = current && at.is_some_and(|at| u16::from(at[0]) == x);
            let style = if is_cursor_column { theme::bold() } else { self.appearance.dim() };
            put_text(buf, layout.mark_position(block, column, 0).0, block.y - 1, 1, &label, style);
        }
        let last = layout.columns.count - 1;
        if layout.columns.first > 0 {
            put_text(buf, block.x, block.y - 1, 1, "<", theme::bold());
        }
        if layout.columns.first + last + 1 < u16::from(rules.width()) {
            put_text(buf, layout.mark_position(block, last, 0).0 + 1, block.y - 1, 1, ">", theme::bold());
        }
    }

    fn draw_row_numbers(
        &self,
        layout: &Layout,
        block: Slice,
        cursor_coordinates: Option<[u8; 4]>,
        buf: &mut Buffer,
    ) {
        let ruler = Layout::ruler_columns(self.position.rules());
        for row in 0..layout.rows.count {
            let y = layout.rows.first + row;
            let style = if cursor_coordinates.is_some_and(|at| u16::from(at[1]) == y) {
                theme::bold()
            } else {
                self.appearance.dim()
            };
            let label = format!("{:>1$}", y + 1, usize::from(ruler - 1));
            put_text(buf, layout.left_edge(), layout.mark_position(block, 0, row).1, ruler, &label, style);
        }
        // Signs between the row numbers and the cells: the board continues above or below.
        let (x, last) = (layout.left_edge() + ruler - 1, layout.rows.count - 1);
        if layout.rows.first > 0 {
            put_text(buf, x, layout.mark_position(block, 0, 0).1, 1, "^", theme::bold());
        }
        if layout.rows.first + last + 1 < u16::from(self.position.rules().height()) {
            put_text(buf, x, layout.mark_position(block, 0, last).1, 1, "v", theme::bold());
        }
    }

    fn draw_grid(&self, layout: &Layout, block: Slice, buf: &mut Buffer) {
        let (glyphs, style) = (self.appearance.glyphs(), self.appearance.grid_lines());
        let (columns, rows) = (layout.columns.count, layout.rows.count);
        for row in 0..2 * rows - 1 {
            for x in 0..4 * columns - 1 {
                let glyph = match (x % 4 == 3, row % 2 == 1) {
                    (true, true) => glyphs.cross,
                    (true, false) => glyphs.vertical,
                    (false, true) => glyphs.horizontal,
                    (false, false) => continue,
                };
                put_text(buf, block.x + x, block.y + row, 1, glyph, style);
            }
        }
    }

    fn draw_cells(&self, layout: &Layout, block: Slice, highlight: Highlight, buf: &mut Buffer) {
        for row in 0..layout.rows.count {
            for column in 0..layout.columns.count {
                let Some(cell) = layout.cell(block, column, row) else { continue };
                let styled = self.cell_style(cell, layout.cell_size);
                if styled.highlight != highlight {
                    continue;
                }
                let (x, y) = layout.mark_position(block, column, row);
                let letter = styled.letter.to_string();
                let frame = highlight
                    .brackets(styled.is_last_move)
                    .map(|(left, right)| [(x - 1, left), (x + 1, right)]);
                for (x, symbol) in frame.into_iter().flatten().chain([(x, letter.as_str())]) {
                    // Resets the neighbour's style.
                    if let Some(buffer_cell) = buf.cell_mut((x, y)) {
                        buffer_cell.reset();
                    }
                    put_text(buf, x, y, 1, symbol, styled.style);
                }
            }
        }
    }

    fn cell_style(&self, cell: Cell, pitch: CellSize) -> CellStyle {
        let mark = self.position.stone_at(cell);
        let last = self.position.moves().last() == Some(&cell);
        let pending = self.pending.filter(|(pending, _)| *pending == cell).map(|(_, seat)| seat);
        let under_cursor = self.cursor == Some(cell);
        let winning = self.winning_cells.contains(&cell);
        let (letter, style) = match (mark.or(pending), under_cursor.then_some(self.preview).flatten()) {
            (Some(seat), _) => (stone_char(seat), self.appearance.mark(seat)),
            (None, Some(ghost)) => (stone_char(ghost).to_ascii_lowercase(), self.appearance.dim()),
            // Free cells on guide lines have their own sign; a frame would obscure the marks.
            (None, None) if !under_cursor && self.is_on_guide_line(cell) => ('+', self.appearance.dim()),
            (None, None) => (self.free_cell_char(cell, pitch), self.appearance.dim()),
        };
        let (highlight, style) = if pending.is_some() {
            // Also under the cursor, where the move was made.
            (Highlight::Pending, style)
        } else if winning {
            (Highlight::Line, self.appearance.winning())
        } else if under_cursor {
            // Reversed dim text is hard to read.
            (Highlight::Cursor, self.appearance.cursor(style.remove_modifier(Modifier::DIM)))
        } else if last {
            (Highlight::Line, style)
        } else if mark.is_some() && self.is_on_guide_line(cell) {
            (Highlight::Guide, style)
        } else {
            (Highlight::Plain, style)
        };
        CellStyle { letter, highlight, is_last_move: last && !winning, style }
    }

    /// Returns the text of a free cell: its number if the player may play it, otherwise a dot or a blank.
    fn free_cell_char(&self, cell: Cell, pitch: CellSize) -> char {
        let rules = self.position.rules();
        let playable = !rules.gravity() || self.position.is_legal(cell);
        let digit = self.digits.filter(|_| playable).and_then(|order| cell_digit(rules, order, cell));
        if let Some(mark) = self.values.and_then(|values| evaluation_mark(values, cell)) {
            return mark;
        }
        match (digit, pitch) {
            (Some(digit), _) => char::from(b'0' + digit),
            (None, CellSize::Grid) => ' ',
            (None, CellSize::Wide | CellSize::Tight) => '.',
        }
    }

    /// Returns whether a cell is highlighted: on a guide line through the cursor, or at its coordinates in another layer.
    fn is_on_guide_line(&self, cell: Cell) -> bool {
        let rules = self.position.rules();
        let (Some(cursor), Some(at)) = (self.cursor, rules.coordinates(cell)) else { return false };
        let Some(cursor_at) = rules.coordinates(cursor) else { return false };
        let same_in_other_layer = rules.dimensions() > 2 && at[..2] == cursor_at[..2] && cell != cursor;
        same_in_other_layer || (self.guide && share_line(rules, cursor, cell))
    }
}

/// Returns whether a line of the winning length on the board contains both cells.
fn share_line(rules: &Rules, one: Cell, other: Cell) -> bool {
    let (Some(one), Some(other)) = (rules.coordinates(one), rules.coordinates(other)) else { return false };
    let mut distance = 0;
    // The number of steps from the first cell to the edge of the board, away from the other cell and towards it.
    let (mut before, mut after) = (u8::MAX, u8::MAX);
    for ((a, b), side) in one.into_iter().zip(other).zip(rules.sides()) {
        let delta = a.abs_diff(b);
        if delta == 0 {
            continue;
        }
        if distance != 0 && delta != distance {
            return false;
        }
        distance = delta;
        let (low, high) = (a, side - 1 - a);
        let (back, forward) = if b > a { (low, high) } else { (high, low) };
        (before, after) = (before.min(back), after.min(forward));
    }
    distance > 0 && distance < rules.line() && before.saturating_add(after) >= rules.line() - 1
}

/// Returns the sign of a cell's evaluation for the side to move: win, draw, loss, or its rank among the
/// unproven cells. `None` beyond rank nine.
fn evaluation_mark(values: &MoveValues, cell: Cell) -> Option<char> {
    match values.score(cell)? {
        Evaluation::Win(_) => Some('w'),
        Evaluation::Draw => Some('='),
        Evaluation::Loss(_) => Some('l'),
        Evaluation::Estimate(_) => {
            let order = values.rank(cell).and_then(|rank| u32::try_from(rank).ok())?;
            char::from_digit(order, 10)
        }
    }
}

fn stone_char(seat: Seat) -> char {
    match seat {
        Seat::X => 'X',
        Seat::O => 'O',
    }
}
