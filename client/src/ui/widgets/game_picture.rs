//! A small picture of a game: its board with a completed line.

use noughts_protocol::{Cell, Outcome, Position, Rules};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::layout;
use crate::model::layout::board_layout::{CellSize, Layout};
use crate::model::{Appearance, Model};
use crate::ui::drawing::put_text;
use crate::ui::theme;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::draw_frame;

/// Minimum height inside a frame that has blank rows around the board.
const MIN_MARGIN_ROWS: u16 = 12;
/// Maximum height of a picture beside a list, including its frame.
const MAX_BESIDE_ROWS: u16 = 26;

/// Splits a body into the area of a list and, on a wide screen, the area of a picture on its right.
pub(in crate::ui) fn split_beside(body: Rect) -> (Rect, Option<Rect>) {
    let (list, beside) = layout::split_beside(body);
    let picture = beside.map(|area| Rect {
        height: area.height.min(MAX_BESIDE_ROWS),
        ..area
    });
    (list, picture)
}

/// Draws the picture of a game in a frame with the game's name.
pub(in crate::ui) fn draw_framed(model: &Model, rules: &Rules, area: Rect, buf: &mut Buffer) {
    let styles = [model.appearance.dim(), theme::bold()];
    let title = model.lang().texts().rules(rules);
    let inner = draw_frame(model.appearance, area, &title, styles, buf);
    // If there is room, the ground of the board does not touch the frame.
    let margin = u16::from(inner.height >= MIN_MARGIN_ROWS);
    let inner = Rect {
        x: inner.x + 1,
        y: inner.y + margin,
        width: inner.width.saturating_sub(2),
        height: inner.height - 2 * margin,
    };
    draw(model.appearance, *rules, inner, buf);
}

/// Draws the board in the middle of an area, with the largest cells that fit. If the board does not fit, draws its
/// middle part.
pub(in crate::ui) fn draw(appearance: Appearance, rules: Rules, area: Rect, buf: &mut Buffer) {
    if area.is_empty() {
        return;
    }
    let position = sample_position(rules);
    let outcome = position.outcome();
    let winning: &[Cell] = outcome
        .as_ref()
        .and_then(Outcome::line)
        .map_or(&[], |line| &line.cells);
    let board = BoardWidget {
        winning_cells: winning,
        ..BoardWidget::plain(&position, appearance)
    };
    match CellSize::largest(&rules, area) {
        Some(size) => board.draw(&Layout::new(rules, size, area, Cell::new(0)), buf),
        None => draw_part(appearance, &position, area, buf),
    }
}

/// Draws the cells around the centre of the middle layer, without rulers.
fn draw_part(appearance: Appearance, position: &Position, area: Rect, buf: &mut Buffer) {
    let rules = position.rules();
    let columns = u16::from(rules.width()).min(area.width.div_ceil(2));
    let rows = u16::from(rules.height()).min(area.height);
    let (left, top) = (
        (u16::from(rules.width()) - columns) / 2,
        (u16::from(rules.height()) - rows) / 2,
    );
    let x = area.x + (area.width - (2 * columns - 1)) / 2;
    let y = area.y + (area.height - rows) / 2;
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let middle = |axis: usize| rules.sides().get(axis).map_or(0, |side| (side - 1) / 2);
        let at = [
            (left + column) as u8,
            (top + row) as u8,
            middle(2),
            middle(3),
        ];
        let stone = rules
            .cell_at(&at[..rules.dimensions()])
            .and_then(|cell| position.stone_at(cell));
        let (text, style): (String, Style) = match stone {
            Some(seat) => (seat.to_string(), appearance.stone(seat)),
            None => (".".to_owned(), appearance.dim()),
        };
        put_text(buf, x + 2 * column, y + row, 1, &text, style);
    }
}

/// Returns a position where X has completed a line in the middle of the board. On a board of one row, returns an empty
/// position.
fn sample_position(rules: Rules) -> Position {
    let mut position = Position::new(rules);
    if rules.dimensions() < 2 {
        return position;
    }
    for step in 0..rules.line() {
        let (own, other) = sample_cells(&rules, step);
        let answers = if step + 1 < rules.line() { other } else { None };
        for cell in own.into_iter().chain(answers) {
            // If a cell is taken, the picture has no line.
            if position.play(cell).is_err() {
                return Position::new(rules);
            }
        }
    }
    position
}

/// Returns the cells of X and O at a step along the line. The line runs along every side that is long enough, or with
/// gravity along the floor.
fn sample_cells(rules: &Rules, step: u8) -> (Option<Cell>, Option<Cell>) {
    let (sides, line) = (rules.sides(), rules.line());
    let mut own = [0; Rules::MAX_DIMENSIONS];
    for (axis, &side) in sides.iter().enumerate() {
        own[axis] = match axis {
            1 if rules.gravity() => side - 1,
            _ if side >= line => (side - line) / 2 + step,
            _ => (side - 1) / 2,
        };
    }
    let mut other = own;
    if rules.gravity() {
        // The stone of O is on top of the stone of X.
        other[1] = other[1].saturating_sub(1);
    } else if sides[1] >= line {
        other[0] = (other[0] + 1).min(sides[0] - 1);
    } else {
        other[1] = if other[1] + 1 < sides[1] {
            other[1] + 1
        } else {
            other[1].saturating_sub(1)
        };
    }
    let cell = |at: [u8; Rules::MAX_DIMENSIONS]| rules.cell_at(&at[..sides.len()]);
    (cell(own), cell(other))
}

#[cfg(test)]
mod tests {
    use noughts_protocol::{Seat, Status};

    use super::*;

    #[test]
    fn the_picture_of_each_named_game_has_a_line() {
        for (name, text) in Rules::NAMED {
            let rules: Rules = text.parse().unwrap();
            let expected = Status::Won(if rules.misere() { Seat::O } else { Seat::X });
            assert_eq!(sample_position(rules).status(), expected, "{name}");
        }
    }

    #[test]
    fn every_board_has_a_picture() {
        let area = Rect::new(0, 0, 30, 12);
        let appearance = Appearance {
            color: true,
            has_palette: false,
            unicode: true,
            theme: crate::settings::Theme::Dark,
            has_light_background: false,
        };
        for text in [
            "9:3",
            "25x25:5",
            "3x9:5+gravity",
            "25x1:3",
            "1x9:4",
            "10x10x10:4",
            "2x2:1",
            "9x2:5",
        ] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 14));
            draw(appearance, text.parse().unwrap(), area, &mut buffer);
            assert!(
                buffer.content().iter().any(|cell| cell.symbol() != " "),
                "{text}"
            );
        }
    }
}
