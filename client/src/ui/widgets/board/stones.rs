//! Cells on a terminal with 256 colours: filled stones on the ground of the board, or discs in the holes of a rack.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::shapes::{Shape, ShapeKind};
use super::{BoardWidget, CellStyle, Highlight};
use crate::model::layout::board_layout::{CellSize, GridStyle, Layout, Slice};
use crate::ui::drawing::put_text;

/// The shapes for the cells of a board by seat, and the hole of its rack.
struct Shapes {
    stones: [Shape; 2],
    hole: Option<Shape>,
}

impl Shapes {
    fn new(size: CellSize) -> Shapes {
        let is_rack = size.grid == GridStyle::Columns;
        // Discs that are three rows high would touch the discs above and below.
        let free = u16::from(is_rack && size.rows == 3);
        let shape = |kind| Shape::new(kind, size.mark_size(), free);
        let kinds = match is_rack {
            _ if has_letters(size) => [ShapeKind::Disc; 2],
            true => [ShapeKind::CrossDisc, ShapeKind::RingDisc],
            false => [ShapeKind::Cross, ShapeKind::Ring],
        };
        Shapes {
            stones: kinds.map(shape),
            hole: is_rack.then(|| shape(ShapeKind::Disc)),
        }
    }
}

/// Returns whether marks are discs that are too small for a cross and a ring, and therefore have letters.
fn has_letters(size: CellSize) -> bool {
    matches!(size.grid, GridStyle::Columns | GridStyle::Crossings) && size.rows <= 3
}

impl BoardWidget<'_> {
    /// Fills the area of the board and its rulers.
    pub(super) fn draw_ground(&self, layout: &Layout, buf: &mut Buffer) {
        let ground = match layout.cell_size.grid {
            GridStyle::Columns => self.appearance.rack(),
            GridStyle::Plain | GridStyle::Boxes | GridStyle::Crossings => {
                self.appearance.board_ground()
            }
        };
        fill(buf, layout.ground(), ground);
    }

    /// Draws the cells of a slice on its ground.
    pub(super) fn draw_stones(&self, layout: &Layout, slice: Slice, buf: &mut Buffer) {
        let size = layout.cell_size;
        let shapes = size.is_drawn().then(|| Shapes::new(size));
        for (at, styled) in self.styled_cells(layout, slice) {
            match &shapes {
                Some(shapes) => self.draw_large(shapes, size, at, &styled, buf),
                None => self.draw_small(size, at, &styled, buf),
            }
        }
    }

    /// Draws a cell that has room for a shape.
    fn draw_large(
        &self,
        shapes: &Shapes,
        size: CellSize,
        at: (u16, u16),
        styled: &CellStyle,
        buf: &mut Buffer,
    ) {
        let area = centered(at, size.mark_size());
        let is_free = styled.mark.is_none();
        let is_cursor = styled.highlight == Highlight::Cursor && is_free;
        let is_winning = styled.highlight == Highlight::Line && !styled.is_last_move;
        let ground = if is_cursor {
            Some(self.appearance.cursor_cell())
        } else if is_winning {
            Some(styled.style)
        } else {
            // A small disc keeps its form and its lines, because the signs beside it are enough.
            (styled.is_last_move && !has_letters(size)).then(|| self.appearance.last_move_ground())
        };
        if let Some(ground) = ground.filter(|_| shapes.hole.is_none()) {
            fill(buf, area, ground);
        }
        if let Some(hole) = &shapes.hole {
            let hole_style = match is_cursor {
                true => self.appearance.cursor_cell(),
                false => self.appearance.hole(),
            };
            hole.draw(at, hole_style, buf);
        }
        // The letter of a value is in the hole.
        let letter_style = match is_free && !is_cursor && shapes.hole.is_some() {
            true => Style {
                bg: self.appearance.hole().bg,
                ..styled.style
            },
            false => styled.style,
        };
        match styled.mark {
            Some(seat) if is_winning && shapes.hole.is_none() => {
                shapes.stones[seat.index()].draw(at, swapped(styled.style), buf);
            }
            Some(seat) => shapes.stones[seat.index()].draw(at, styled.style, buf),
            None if is_cursor && shapes.hole.is_some() => {
                if let Some(seat) = self.landing_seat {
                    shapes.stones[seat.index()].draw(at, styled.style, buf);
                }
            }
            None if styled.letter != ' ' && !(styled.letter == '.' && shapes.hole.is_some()) => {
                put_letter(buf, at, styled.letter, letter_style);
            }
            None => {}
        }
        if has_letters(size) && !matches!(styled.letter, '.' | ' ') {
            // The disc is the ground of the letter.
            let style = match is_winning && shapes.hole.is_none() {
                true => swapped(styled.style),
                false => letter_style,
            };
            put_letter(buf, at, styled.letter, style);
        }
        if let Some((left, right)) = styled.highlight.brackets(styled.is_last_move) {
            // In a rack, the signs are between the holes.
            let distance = size.sign_distance() + u16::from(shapes.hole.is_some());
            let style = match styled.highlight {
                Highlight::Line | Highlight::Cursor | Highlight::Pending => {
                    self.appearance.cursor_cell()
                }
                Highlight::Plain | Highlight::Guide => self.appearance.board_strong(),
            };
            // The ground of the cell stays.
            let style = Style { bg: None, ..style };
            let style = match is_winning && shapes.hole.is_none() {
                true => styled.style,
                false => style,
            };
            put_text(buf, at.0 - distance, at.1, 1, left, style);
            put_text(buf, at.0 + distance, at.1, 1, right, style);
        }
    }

    /// Draws a cell that is one row high.
    fn draw_small(&self, size: CellSize, at: (u16, u16), styled: &CellStyle, buf: &mut Buffer) {
        let (x, y) = at;
        let signs = styled.highlight.brackets(styled.is_last_move);
        let is_tight = size.grid == GridStyle::Plain && size.columns == 2;
        let columns = if is_tight { 1 } else { 3 };
        let area = centered(at, (columns, 1));
        match styled.mark {
            Some(_) if size == CellSize::WIDE && signs.is_none() => {
                // Neighbours must not touch.
                put_half(buf, (x - 1, y), "\u{2590}", styled.style);
                put_half(buf, (x + 1, y), "\u{258c}", styled.style);
            }
            Some(_) => fill(buf, area, styled.style),
            None if styled.highlight == Highlight::Cursor => fill(buf, area, styled.style),
            None if size.grid == GridStyle::Columns => {
                fill(buf, area, self.appearance.hole());
            }
            None => {}
        }
        let is_on_line = styled.letter == '.' && buf[at].symbol() != " ";
        if styled.letter != ' ' && !is_on_line {
            put_letter(buf, at, styled.letter, styled.style);
        }
        if let Some((left, right)) = signs {
            let style = match is_tight {
                // In a tight layout the signs are outside the cell, on the ground of the board.
                true => self.appearance.board_strong(),
                false => styled.style,
            };
            let distance = if size.grid == GridStyle::Crossings || size.grid == GridStyle::Plain {
                size.sign_distance()
            } else {
                1
            };
            put_text(buf, x - distance, y, 1, left, style);
            put_text(buf, x + distance, y, 1, right, style);
        }
    }

    /// Returns the style of a seat's stone, depending on the role of its cell.
    pub(super) fn stone_style(&self, seat: Seat, is_winning: bool, is_last: bool) -> Style {
        if is_winning {
            self.appearance.winning_stone(seat)
        } else if !self.winning_cells.is_empty() && self.falling_cell().is_none() {
            self.appearance.faded_stone(seat)
        } else if is_last {
            self.appearance.last_stone(seat)
        } else {
            self.appearance.stone(seat)
        }
    }
}

fn centered((x, y): (u16, u16), (columns, rows): (u16, u16)) -> Rect {
    Rect::new(x - columns / 2, y - rows / 2, columns, rows)
}

/// Fills an area with blanks.
fn fill(buf: &mut Buffer, area: Rect, style: Style) {
    for at in area.intersection(buf.area).positions() {
        buf[at].reset();
        buf[at].set_symbol(" ").set_style(style);
    }
}

/// Draws half of a character in the ground of a style, beside the ground of the buffer.
fn put_half(buf: &mut Buffer, (x, y): (u16, u16), half: &str, style: Style) {
    if let (Some(cell), Some(color)) = (buf.cell_mut((x, y)), style.bg) {
        cell.set_symbol(half).set_fg(color);
        cell.modifier = Modifier::empty();
    }
}

fn put_letter(buf: &mut Buffer, (x, y): (u16, u16), letter: char, style: Style) {
    put_text(buf, x, y, 1, letter.encode_utf8(&mut [0; 4]), style);
}

/// Returns the style with ground and ink exchanged.
fn swapped(style: Style) -> Style {
    Style {
        fg: style.bg,
        bg: style.fg,
        ..style
    }
}
