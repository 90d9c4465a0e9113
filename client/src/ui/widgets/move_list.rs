//! The list of moves. A row has two moves and the number of the first move. The displayed move is between `>` and `<`.

use noughts_protocol::{Cell, Rules};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::Texts;
use crate::input::DigitOrder;
use crate::input::text_command::shown_name;
use crate::model::Appearance;
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

#[derive(Clone, Debug)]
pub(in crate::ui) struct MoveList<'a> {
    pub(in crate::ui) rules: &'a Rules,
    /// How digits name the cells of a small board.
    pub(in crate::ui) digits: DigitOrder,
    pub(in crate::ui) moves: &'a [Cell],
    /// Number of moves in the displayed position.
    pub(in crate::ui) shown_ply: usize,
    /// The move that the server has not confirmed yet.
    pub(in crate::ui) pending: Option<Cell>,
    /// Whether the move before the displayed position has signs even if it is the last move.
    pub(in crate::ui) marks_last: bool,
    /// One-based numbers of the moves that have a sign because they were mistakes.
    pub(in crate::ui) mistakes: Vec<usize>,
}

impl MoveList<'_> {
    /// Returns the number of rows without the heading.
    pub(in crate::ui) fn row_count(&self) -> usize {
        self.entry_count().div_ceil(2)
    }

    fn name(&self, cell: Cell) -> String {
        shown_name(self.rules, self.digits, cell)
    }

    fn entry_count(&self) -> usize {
        self.moves.len() + usize::from(self.pending.is_some())
    }

    /// Draws a heading, and as many rows around the displayed move as fit.
    pub(in crate::ui) fn draw(
        &self,
        texts: Texts,
        appearance: Appearance,
        area: Rect,
        buf: &mut Buffer,
    ) {
        if area.height == 0 {
            return;
        }
        let behind = self.moves.len() - self.shown_ply.min(self.moves.len());
        let label = match behind {
            0 => String::new(),
            _ => texts.moves_label(self.shown_ply, self.moves.len()),
        };
        let heading = texts.moves_heading();
        put_text(buf, area.x, area.y, area.width, heading, Style::new());
        let right = columns(&label);
        if columns(heading) + 1 + right <= area.width {
            let style = if behind == 0 {
                appearance.dim()
            } else {
                theme::bold()
            };
            put_text(buf, area.right() - right, area.y, right, &label, style);
        }
        let list = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        self.draw_rows(appearance, list, buf);
    }

    /// Draws the rows without a heading.
    pub(in crate::ui) fn draw_rows(&self, appearance: Appearance, area: Rect, buf: &mut Buffer) {
        self.draw_rows_from(
            self.first_row(usize::from(area.height)),
            appearance,
            area,
            buf,
        );
    }

    /// Returns the first of the visible rows. At the latest position, the end of the list stays visible. At an earlier
    /// position, the last move of that position stays visible.
    pub(in crate::ui) fn first_row(&self, visible: usize) -> usize {
        let current = self.shown_ply.saturating_sub(1) / 2;
        let last_top = self.row_count().saturating_sub(visible);
        let top = if self.shown_ply >= self.moves.len() {
            last_top
        } else {
            current.saturating_sub(visible / 2)
        };
        top.min(last_top)
    }

    /// Draws this row and the rows below it.
    pub(in crate::ui) fn draw_rows_from(
        &self,
        top: usize,
        appearance: Appearance,
        area: Rect,
        buf: &mut Buffer,
    ) {
        for (y, row) in (area.y..area.bottom()).zip(top..self.row_count()) {
            self.draw_row(
                row,
                appearance,
                Rect {
                    y,
                    height: 1,
                    ..area
                },
                buf,
            );
        }
    }

    /// Returns the number of moves up to the move at a position in a list without a heading.
    pub(in crate::ui) fn ply_at(&self, area: Rect, at: Position) -> Option<usize> {
        self.ply_at_from(self.first_row(usize::from(area.height)), area, at)
    }

    /// Returns the number of moves up to the move at a position in rows that begin with this row.
    pub(in crate::ui) fn ply_at_from(&self, top: usize, area: Rect, at: Position) -> Option<usize> {
        let row = top + usize::from(at.y.checked_sub(area.y)?);
        let first = self.first_entry_x(area);
        let column = usize::from(at.x.checked_sub(first)? / self.entry_columns());
        let ply = 2 * row + column + 1;
        (area.contains(at) && column < 2 && ply <= self.moves.len()).then_some(ply)
    }

    /// Returns the number of moves up to the move at a position in a list with a heading.
    pub(in crate::ui) fn ply_below_heading(&self, area: Rect, at: Position) -> Option<usize> {
        self.ply_at(
            Rect {
                y: area.y + 1,
                height: area.height.checked_sub(1)?,
                ..area
            },
            at,
        )
    }

    /// Returns the first column of the first player's moves, with space for a sign.
    fn first_entry_x(&self, area: Rect) -> u16 {
        let indent = Self::indent(area);
        area.x + indent + self.number_columns() + indent / 2
    }

    /// Returns the columns before the numbers. Half as many columns separate the number of a row from its moves.
    fn indent(area: Rect) -> u16 {
        u16::from(area.width >= 20) * 2
    }

    /// Returns the width of a row's number, including its period.
    fn number_columns(&self) -> u16 {
        let last_row = self.row_count().saturating_sub(1);
        (row_number(last_row).to_string().len() as u16).max(2) + 1
    }

    fn draw_row(&self, row: usize, appearance: Appearance, area: Rect, buf: &mut Buffer) {
        let digits = usize::from(self.number_columns() - 1);
        let x = area.x + Self::indent(area);
        let end = area.right();
        let number = format!("{:>digits$}.", row_number(row));
        put_text(
            buf,
            x,
            area.y,
            end.saturating_sub(x),
            &number,
            appearance.dim(),
        );
        let mut x = self.first_entry_x(area);
        let width = self.entry_columns();
        for index in (2 * row..2 * row + 2).take_while(|index| *index < self.entry_count()) {
            let (text, style) = self.entry(index, appearance);
            // The signs of the displayed move replace the blanks before it, so that the moves stay aligned.
            let at = if text.starts_with("> ") { x } else { x + 2 };
            if at < end {
                put_text(buf, at, area.y, end - at, &text, style);
            }
            x += width;
        }
    }

    /// Returns the width of a move with its signs.
    fn entry_columns(&self) -> u16 {
        let widest = self
            .moves
            .iter()
            .map(|&cell| self.name(cell).len())
            .max()
            .unwrap_or(2);
        widest as u16 + 5 + u16::from(!self.mistakes.is_empty())
    }

    fn entry(&self, index: usize, appearance: Appearance) -> (String, Style) {
        let Some(&cell) = self.moves.get(index) else {
            let pending = self.pending.map(|cell| format!("({})", self.name(cell)));
            return (pending.unwrap_or_default(), Style::new());
        };
        let mistake = if self.mistakes.contains(&(index + 1)) {
            "?"
        } else {
            ""
        };
        let name = format!("{}{mistake}", self.name(cell));
        let is_shown = index + 1 == self.shown_ply;
        if is_shown && (self.marks_last || self.shown_ply < self.moves.len()) {
            return (format!("> {name} <"), theme::bold());
        }
        (
            name,
            if index >= self.shown_ply {
                appearance.dim()
            } else {
                Style::new()
            },
        )
    }
}

/// Returns the number of the first move in a row. Every mark counts as a move.
fn row_number(row: usize) -> usize {
    2 * row + 1
}
