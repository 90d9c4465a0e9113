//! Rows of a screen with a list: texts in columns, and what a click on a row means.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::wrap_text;
use crate::model::Appearance;
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;

#[derive(Clone, Debug, Default)]
pub(in crate::ui) struct ListRow {
    /// Texts with their columns, from left to right. A text that reaches the next column is shortened.
    texts: Vec<(u16, String, Style)>,
    /// Text at the right end.
    right: (String, Style),
    target: Option<ClickTarget>,
    is_selected: bool,
    /// Whether the list scrolls to this row.
    is_in_view: bool,
}

impl ListRow {
    pub(in crate::ui) fn blank() -> ListRow {
        ListRow::default()
    }

    pub(in crate::ui) fn text(x: u16, text: impl Into<String>, style: Style) -> ListRow {
        ListRow::blank().with_text(x, text, style)
    }

    /// Creates a text with as many rows as it needs.
    pub(in crate::ui) fn wrapped(x: u16, text: &str, width: u16, style: Style) -> Vec<ListRow> {
        let lines = wrap_text(text, width.saturating_sub(x));
        lines
            .into_iter()
            .map(|line| ListRow::text(x, line, style))
            .collect()
    }

    /// Creates an entry with its sign in the first column.
    pub(in crate::ui) fn entry(target: ClickTarget, is_selected: bool) -> ListRow {
        let row = ListRow {
            target: Some(target),
            is_selected,
            is_in_view: is_selected,
            ..ListRow::default()
        };
        if is_selected {
            row.with_text(0, ">", theme::bold())
        } else {
            row
        }
    }

    pub(in crate::ui) fn with_text(
        mut self,
        x: u16,
        text: impl Into<String>,
        style: Style,
    ) -> ListRow {
        self.texts.push((x, text.into(), style));
        self
    }

    /// Makes the list scroll to this row although it is not selected.
    pub(in crate::ui) fn in_view_if(mut self, is_in_view: bool) -> ListRow {
        self.is_in_view |= is_in_view;
        self
    }

    pub(in crate::ui) fn with_right(mut self, text: impl Into<String>, style: Style) -> ListRow {
        self.right = (text.into(), style);
        self
    }

    /// Creates a row with a key and what the key does.
    pub(in crate::ui) fn offer(x: u16, key: &str, target: ClickTarget, text: &str) -> ListRow {
        ListRow {
            target: Some(target),
            ..ListRow::default()
        }
        .with_text(x, key, theme::bold())
        .with_text(x + 3, text, Style::new())
    }

    fn draw(&self, appearance: Appearance, area: Rect, buf: &mut Buffer) {
        let right = columns(&self.right.0).min(area.width);
        let end = area.width - if right > 0 { right + 1 } else { 0 };
        for (index, (x, text, style)) in self.texts.iter().enumerate() {
            let next = self
                .texts
                .get(index + 1)
                .map_or(end, |(next, _, _)| next.saturating_sub(1).min(end));
            let width = next.saturating_sub(*x);
            put_text(
                buf,
                area.x + x,
                area.y,
                width,
                &shorten(text, width),
                *style,
            );
        }
        put_text(
            buf,
            area.right() - right,
            area.y,
            right,
            &self.right.0,
            self.right.1,
        );
        if self.is_selected {
            appearance.mark_selected_row(area, buf);
        }
    }
}

/// Returns the index of the first visible row that keeps the row in view visible.
fn first_visible(rows: &[ListRow], height: u16) -> usize {
    let height = usize::from(height);
    let selected = rows.iter().position(|row| row.is_in_view).unwrap_or(0);
    // A row below the selected row stays visible, if there is such a row.
    let wanted = (selected + 2).min(rows.len());
    wanted.saturating_sub(height.max(1))
}

/// Draws the rows around the selected row. Signs at the right edge show that there are more rows above or below.
pub(in crate::ui) fn draw(rows: &[ListRow], appearance: Appearance, area: Rect, buf: &mut Buffer) {
    let first = first_visible(rows, area.height);
    let visible = rows.iter().skip(first);
    let end = first + usize::from(area.height);
    let signs = [
        (first > 0, area.y, "^"),
        (end < rows.len(), area.bottom().saturating_sub(1), "v"),
    ];
    for (y, row) in (area.y..area.bottom()).zip(visible) {
        let row_area = Rect {
            y,
            height: 1,
            ..area
        };
        row.draw(appearance, row_area, buf);
    }
    // If a screen has no margin, the signs are in the last column of the list.
    let x = area.right().min(buf.area.right().saturating_sub(1));
    for (is_shown, y, sign) in signs {
        if is_shown && area.height > 0 {
            put_text(buf, x, y, 1, sign, theme::bold());
        }
    }
}

/// Returns what a click at a position means, for rows that were drawn in this area.
pub(in crate::ui) fn target_at(rows: &[ListRow], area: Rect, at: Position) -> Option<ClickTarget> {
    let index = first_visible(rows, area.height) + usize::from(at.y.checked_sub(area.y)?);
    rows.get(index).filter(|_| area.contains(at))?.target
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(selected: usize) -> Vec<ListRow> {
        (0..20)
            .map(|index| ListRow::entry(ClickTarget::Entry(index), index == selected))
            .collect()
    }

    #[test]
    fn a_click_hits_the_row_that_was_drawn_there() {
        let area = Rect::new(2, 3, 20, 5);
        for (selected, at, expected) in [
            (0, (2, 4), Some(1)),
            (10, (21, 3), Some(7)),
            (19, (5, 7), Some(19)),
            (0, (1, 4), None),
            (0, (22, 4), None),
            (0, (2, 2), None),
            (0, (2, 8), None),
        ] {
            let target = target_at(&rows(selected), area, Position::from(at));
            assert_eq!(target, expected.map(ClickTarget::Entry), "{at:?}");
        }
    }

    #[test]
    fn signs_show_that_there_are_rows_above_and_below() {
        for (selected, expected) in [(0, [" ", "v"]), (10, ["^", "v"]), (19, ["^", " "])] {
            let area = Rect::new(0, 0, 10, 5);
            let mut buffer = Buffer::empty(area);
            draw(&rows(selected), Appearance::PLAIN, area, &mut buffer);
            let signs = [0, 4].map(|y| buffer[(9, y)].symbol().to_owned());
            assert_eq!(signs, expected, "{selected}");
        }
    }

    #[test]
    fn a_long_text_is_shortened_before_the_next_column() {
        let area = Rect::new(0, 0, 20, 1);
        let mut buffer = Buffer::empty(area);
        let row = ListRow::text(2, "Bartholomew", Style::new()).with_text(9, "x", Style::new());
        draw(
            &[row.with_right("0:47", Style::new())],
            Appearance::PLAIN,
            area,
            &mut buffer,
        );
        let text: String = buffer
            .content()
            .iter()
            .map(ratatui::buffer::Cell::symbol)
            .collect();
        assert_eq!(text, "  Barth~ x      0:47");
    }
}
