//! Board widget. Signs around the marks distinguish the cursor, the last move, the winning line and the pending move
//! without colour.

mod lines;
mod shapes;
mod stones;

use noughts_protocol::{Cell, Position, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::engine::Evaluation;
use crate::engines::analysis::MoveValues;
use crate::i18n::Texts;
use crate::input::DigitOrder;
use crate::input::text_command::cell_digit;
use crate::model::layout::board_layout::{CellSize, GridStyle, Layout, Slice};
use crate::model::{Appearance, Motion};
use crate::ui::drawing::put_text;
use crate::ui::theme::{self, ValueKind};

#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct BoardWidget<'a> {
    pub(in crate::ui) position: &'a Position,
    pub(in crate::ui) appearance: Appearance,
    /// Order of the digits in free cells, if the player may move.
    pub(in crate::ui) digits: Option<DigitOrder>,
    /// Cursor, unless it is hidden.
    pub(in crate::ui) cursor: Option<Cell>,
    /// Seat of the mark that would drop at the cursor, on boards with gravity.
    pub(in crate::ui) landing_seat: Option<Seat>,
    pub(in crate::ui) pending: Option<(Cell, Seat)>,
    /// Cells of the winning line, if any.
    pub(in crate::ui) winning_cells: &'a [Cell],
    /// Frame of an animation: the last mark falls, or the winning line lights up.
    pub(in crate::ui) motion: Option<u8>,
    /// Whether guide lines through the cursor are shown.
    pub(in crate::ui) guide: bool,
    /// Whether the player is to move. Without surfaces, the frame around the cursor is then double.
    pub(in crate::ui) is_own_turn: bool,
    /// Evaluations of the free cells.
    pub(in crate::ui) values: Option<&'a MoveValues>,
    /// Language of the names of layers. Otherwise layers have numbers.
    pub(in crate::ui) texts: Option<Texts>,
}

#[derive(Clone, Copy, Debug)]
struct CellStyle {
    letter: char,
    /// The seat of a mark that may be drawn large.
    mark: Option<Seat>,
    highlight: Highlight,
    is_last_move: bool,
    style: Style,
    sign_style: Style,
}

/// Most important fact about a cell, in ascending order of importance. Neighbours may share a column, so the more
/// important cell is drawn later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
    /// Creates a board that shows only the marks.
    pub(in crate::ui) fn plain(position: &'a Position, appearance: Appearance) -> BoardWidget<'a> {
        BoardWidget {
            position,
            appearance,
            digits: None,
            cursor: None,
            landing_seat: None,
            pending: None,
            winning_cells: &[],
            motion: None,
            guide: false,
            is_own_turn: false,
            values: None,
            texts: None,
        }
    }
}

impl BoardWidget<'_> {
    pub(in crate::ui) fn draw(&self, layout: &Layout, buf: &mut Buffer) {
        let cursor_at = self
            .cursor
            .and_then(|cursor| self.position.rules().coordinates(cursor));
        let has_layers = self.position.rules().dimensions() > 2;
        let has_surfaces = self.appearance.has_surfaces();
        if has_surfaces {
            self.draw_ground(layout, buf);
        }
        for slice in layout.slices() {
            let is_current = cursor_at.is_some_and(|at| (at[2], at[3]) == (slice.z, slice.w));
            let rulers = lines::Rulers {
                position: self.position,
                appearance: self.appearance,
                slice,
                cursor_at,
                is_current,
            };
            rulers.draw(layout, buf);
            if has_surfaces {
                lines::draw_on_ground(layout, slice, self.appearance, buf);
                self.draw_stones(layout, slice, buf);
            } else {
                let has_turn = self.is_own_turn && (is_current || !has_layers);
                let glyphs = self.appearance.glyphs(has_turn);
                lines::draw(layout, slice, glyphs, self.appearance.dim(), has_turn, buf);
                self.draw_cells(layout, slice, buf);
            }
            rulers.draw_layer_name(layout, self.texts, buf);
        }
        lines::draw_hidden_counts(layout, buf);
    }

    /// Returns the cells of a slice with their positions, the most important cell last.
    fn styled_cells(&self, layout: &Layout, slice: Slice) -> Vec<((u16, u16), CellStyle)> {
        let mut cells = Vec::with_capacity(usize::from(layout.rows.count * layout.columns.count));
        for row in 0..layout.rows.count {
            for column in 0..layout.columns.count {
                let Some(cell) = layout.cell(slice, column, row) else {
                    continue;
                };
                cells.push((
                    layout.mark_position(slice, column, row),
                    self.cell_style(cell, layout.cell_size),
                ));
            }
        }
        cells.sort_by_key(|(_, styled)| styled.highlight);
        cells
    }

    fn draw_cells(&self, layout: &Layout, slice: Slice, buf: &mut Buffer) {
        for (at, styled) in self.styled_cells(layout, slice) {
            self.draw_cell(layout.cell_size, at, &styled, buf);
        }
    }

    fn draw_cell(&self, size: CellSize, (x, y): (u16, u16), styled: &CellStyle, buf: &mut Buffer) {
        if styled.letter == ' ' && styled.highlight == Highlight::Plain {
            return;
        }
        let signs = styled.highlight.brackets(styled.is_last_move);
        let distance = size.sign_distance();
        if styled.style.add_modifier.contains(Modifier::REVERSED) {
            self.fill_cell(size, (x, y), styled.style, buf);
        }
        if let Some(seat) = styled.mark.filter(|_| size.is_drawn()) {
            if size.grid == GridStyle::Crossings {
                // Clears the lines within a mark.
                let is_reversed = styled.style.add_modifier.contains(Modifier::REVERSED);
                let (columns, rows) = if is_reversed {
                    size.mark_size()
                } else {
                    (3, size.rows)
                };
                clear(buf, (x, y), (columns, rows), styled.style);
            }
            self.draw_strokes(size, (x, y), seat, styled.style, buf);
        }
        if let Some((left, right)) = signs {
            set_cell(buf, x - distance, y, left, styled.sign_style);
            set_cell(buf, x + distance, y, right, styled.sign_style);
        }
        if styled.letter == ' ' && size.grid == GridStyle::Crossings {
            // Changes only the style, so that the crossing stays visible.
            buf.set_style(Rect::new(x, y, 1, 1).intersection(buf.area), styled.style);
        } else if styled.letter != ' ' || signs.is_some() {
            let letter = styled.letter.encode_utf8(&mut [0; 4]).to_owned();
            set_cell(buf, x, y, &letter, styled.style);
        }
    }

    /// Fills a cell with a style.
    fn fill_cell(&self, size: CellSize, (x, y): (u16, u16), style: Style, buf: &mut Buffer) {
        if matches!(size.grid, GridStyle::Plain | GridStyle::Crossings) {
            return;
        }
        clear(buf, (x, y), size.mark_size(), style);
    }

    /// Draws the strokes of a mark around its letter.
    fn draw_strokes(
        &self,
        size: CellSize,
        (x, y): (u16, u16),
        seat: Seat,
        style: Style,
        buf: &mut Buffer,
    ) {
        let (columns, rows) = size.mark_size();
        // A blank column on both sides is for the signs.
        let (half_width, half_height) = (columns / 2 - 1, rows / 2);
        match seat {
            Seat::X => {
                let slope = half_width / half_height;
                for step in 1..=half_height {
                    let (dx, dy) = (slope * step, step);
                    for (at_x, at_y, stroke) in [
                        (x - dx, y - dy, "\\"),
                        (x + dx, y - dy, "/"),
                        (x - dx, y + dy, "/"),
                        (x + dx, y + dy, "\\"),
                    ] {
                        set_cell(buf, at_x, at_y, stroke, style);
                    }
                }
            }
            Seat::O => {
                let [
                    top_left,
                    top_right,
                    bottom_left,
                    bottom_right,
                    horizontal,
                    vertical,
                ] = self.appearance.glyphs(false).ring;
                let (left, right, top, bottom) = (
                    x - half_width,
                    x + half_width,
                    y - half_height,
                    y + half_height,
                );
                for at_x in left + 1..right {
                    set_cell(buf, at_x, top, horizontal, style);
                    set_cell(buf, at_x, bottom, horizontal, style);
                }
                for at_y in top + 1..bottom {
                    set_cell(buf, left, at_y, vertical, style);
                    set_cell(buf, right, at_y, vertical, style);
                }
                set_cell(buf, left, top, top_left, style);
                set_cell(buf, right, top, top_right, style);
                set_cell(buf, left, bottom, bottom_left, style);
                set_cell(buf, right, bottom, bottom_right, style);
            }
        }
    }

    fn cell_style(&self, cell: Cell, size: CellSize) -> CellStyle {
        let last_cell = self.position.moves().last().copied();
        let shown_last = self.falling_cell().or(last_cell);
        let last = shown_last == Some(cell);
        let mark = match last_cell.filter(|_| last || last_cell == Some(cell)) {
            // In motion, the mark is above the cell where it comes to rest.
            Some(last_cell) => self.position.stone_at(last_cell).filter(|_| last),
            None => self.position.stone_at(cell),
        };
        let pending = self
            .pending
            .filter(|(pending, _)| *pending == cell)
            .map(|(_, seat)| seat);
        let under_cursor = self.cursor == Some(cell);
        let winning = mark.filter(|_| self.lit_cells().contains(&cell));
        let free = self.free_style();
        let (letter, style) = match (
            mark.or(pending),
            under_cursor.then_some(self.landing_seat).flatten(),
        ) {
            (Some(seat), _) => (
                mark_char(seat),
                self.stone_style(seat, winning.is_some(), last),
            ),
            (None, Some(ghost)) => (mark_char(ghost).to_ascii_lowercase(), free),
            // Free cells on guide lines have their own sign, because a frame would obscure the marks.
            (None, None) if !under_cursor && self.guide && self.is_on_guide_line(cell) => {
                ('+', free)
            }
            (None, None) => self.free_cell(cell, size),
        };
        let bracket = theme::bold();
        let has_surfaces = self.appearance.has_surfaces();
        let (highlight, style, sign_style) = if pending.is_some() {
            // This also applies under the cursor, because the move was made there.
            let style = match pending.filter(|_| has_surfaces) {
                Some(seat) => self.appearance.faded_stone(seat),
                None => style.patch(self.appearance.dim()),
            };
            (Highlight::Pending, style, style)
        } else if winning.is_some() {
            (Highlight::Line, style, style)
        } else if under_cursor && has_surfaces {
            // On a stone, the cursor is a pair of signs.
            let style = match mark {
                Some(_) => style,
                None => self.appearance.cursor_cell(),
            };
            (Highlight::Cursor, style, style)
        } else if under_cursor {
            // Removes the dim style, because reversed dim text is hard to read.
            let style = self.appearance.cursor(style.remove_modifier(Modifier::DIM));
            let sign_style = self.appearance.cursor(Style::new());
            (Highlight::Cursor, style, sign_style)
        } else if last {
            (Highlight::Line, style, self.appearance.last_move_sign())
        } else if self.is_same_place(cell) || (mark.is_some() && self.is_on_guide_line(cell)) {
            (Highlight::Guide, style, bracket)
        } else {
            (Highlight::Plain, style, style)
        };
        CellStyle {
            letter,
            mark: mark.or(pending),
            highlight,
            is_last_move: last && winning.is_none(),
            style,
            sign_style,
        }
    }

    /// Returns the cell that a falling mark passes in this frame.
    fn falling_cell(&self) -> Option<Cell> {
        let (frame, rules) = (self.motion?, self.position.rules());
        let mut at = rules.coordinates(*self.position.moves().last()?)?;
        if !rules.gravity() {
            return None;
        }
        at[1] = at[1] * (frame + 1) / (Motion::FRAMES + 1);
        rules.cell_at(&at[..rules.dimensions()])
    }

    /// Returns the cells of the winning line that are lit in this frame.
    fn lit_cells(&self) -> &[Cell] {
        let count = match self.motion {
            None => self.winning_cells.len(),
            Some(_) if self.position.rules().gravity() => 0,
            Some(frame) => {
                self.winning_cells.len() * usize::from(frame + 1) / usize::from(Motion::FRAMES + 1)
            }
        };
        &self.winning_cells[..count]
    }

    /// Returns the letter of a free cell: its value, its number if the player may play it, or else a dot or a blank.
    fn free_cell(&self, cell: Cell, size: CellSize) -> (char, Style) {
        let rules = self.position.rules();
        if let Some((letter, kind)) = self.values.and_then(|values| evaluation_mark(values, cell)) {
            return (
                letter,
                kind.map_or_else(Style::new, |kind| self.value_style(kind)),
            );
        }
        let playable = !rules.gravity() || self.position.is_legal(cell);
        // The column numbers are in the ruler.
        let order = self
            .digits
            .filter(|_| playable && size.grid != GridStyle::Columns);
        let letter = match (
            order.and_then(|order| cell_digit(rules, order, cell)),
            size.grid,
        ) {
            (Some(digit), _) => char::from(b'0' + digit),
            (None, GridStyle::Boxes | GridStyle::Crossings) => ' ',
            (None, GridStyle::Plain | GridStyle::Columns) => '.',
        };
        (letter, self.free_style())
    }

    /// Returns the style of text in a free cell.
    fn free_style(&self) -> Style {
        match self.appearance.has_surfaces() {
            true => Style {
                bg: None,
                ..self.appearance.board_ground()
            },
            false => self.appearance.dim(),
        }
    }

    fn value_style(&self, kind: ValueKind) -> Style {
        match self.appearance.has_surfaces() {
            true => Style {
                bg: None,
                ..self.appearance.board_value(kind)
            },
            false => self.appearance.value(kind),
        }
    }

    /// Returns whether a cell has the cursor's coordinates in another layer.
    fn is_same_place(&self, cell: Cell) -> bool {
        let rules = self.position.rules();
        if rules.dimensions() < 3 {
            return false;
        }
        let (Some(cursor), Some(at)) = (self.cursor, rules.coordinates(cell)) else {
            return false;
        };
        cell != cursor
            && rules
                .coordinates(cursor)
                .is_some_and(|cursor_at| at[..2] == cursor_at[..2])
    }

    fn is_on_guide_line(&self, cell: Cell) -> bool {
        self.guide
            && self
                .cursor
                .is_some_and(|cursor| self.position.geometry().shares_window(cursor, cell))
    }
}

/// Fills a number of columns and rows around a position with blanks.
fn clear(buf: &mut Buffer, (x, y): (u16, u16), (columns, rows): (u16, u16), style: Style) {
    let area = Rect::new(x - columns / 2, y - rows / 2, columns, rows).intersection(buf.area);
    for at in area.positions() {
        set_cell(buf, at.x, at.y, " ", style);
    }
}

/// Writes a symbol, without the style of a neighbour that was drawn there.
fn set_cell(buf: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.reset();
        put_text(buf, x, y, 1, symbol, style);
    }
}

/// Returns the sign of a cell's evaluation for the side to move: win, draw, loss, or its rank among the unproven cells.
/// Returns `None` for ranks above nine.
fn evaluation_mark(values: &MoveValues, cell: Cell) -> Option<(char, Option<ValueKind>)> {
    match values.score(cell)?.evaluation {
        Evaluation::Win(_) => Some(('W', Some(ValueKind::Win))),
        Evaluation::Draw => Some(('=', Some(ValueKind::Draw))),
        Evaluation::Loss(_) => Some(('L', Some(ValueKind::Loss))),
        Evaluation::Estimate(_) => {
            let order = values
                .rank(cell)
                .and_then(|rank| u32::try_from(rank).ok())?;
            char::from_digit(order, 10).map(|digit| (digit, None))
        }
    }
}

fn mark_char(seat: Seat) -> char {
    match seat {
        Seat::X => 'X',
        Seat::O => 'O',
    }
}
