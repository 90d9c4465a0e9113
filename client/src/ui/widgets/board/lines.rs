//! Lines between the cells of a board.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::model::layout::board_layout::GridStyle;
use crate::model::layout::board_layout::{Layout, Slice};
use crate::ui::drawing::put_text;
use crate::ui::theme::{GridGlyphs, bold};

/// Draws the lines of a slice. The frame of the player to move is not dimmed.
pub(super) fn draw(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    style: Style,
    is_own_turn: bool,
    buf: &mut Buffer,
) {
    let frame_style = if is_own_turn { bold() } else { style };
    match layout.cell_size.grid {
        GridStyle::Plain => {}
        GridStyle::Boxes => draw_boxes(layout, slice, glyphs, [frame_style, style], buf),
        GridStyle::Columns => draw_columns(layout, slice, glyphs, [frame_style, style], buf),
        GridStyle::Crossings => draw_crossings(layout, slice, glyphs, style, buf),
    }
}

/// Draws a row of left end, lines, junctions and right end.
fn draw_row(
    layout: &Layout,
    (x, y): (u16, u16),
    [left, line, junction, right]: [&str; 4],
    [end_style, style]: [Style; 2],
    buf: &mut Buffer,
) {
    let (width, _) = layout.slice_size();
    let (step, _) = layout.cell_size.stride();
    put_text(buf, x, y, 1, left, end_style);
    for column in 1..width - 1 {
        put_text(
            buf,
            x + column,
            y,
            1,
            if column % step == 0 { junction } else { line },
            style,
        );
    }
    put_text(buf, x + width - 1, y, 1, right, end_style);
}

fn draw_boxes(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    styles: [Style; 2],
    buf: &mut Buffer,
) {
    let (_, height) = layout.slice_size();
    let (_, step) = layout.cell_size.stride();
    for row in 0..height {
        let at = (slice.x, slice.y + row);
        if row == 0 {
            draw_row(layout, at, glyphs.top, [styles[0]; 2], buf);
        } else if row == height - 1 {
            draw_row(layout, at, glyphs.bottom, [styles[0]; 2], buf);
        } else if row % step == 0 {
            draw_row(layout, at, glyphs.middle, styles, buf);
        } else {
            draw_sides(layout, at, glyphs, styles, buf);
        }
    }
}

fn draw_columns(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    styles: [Style; 2],
    buf: &mut Buffer,
) {
    let (_, height) = layout.slice_size();
    for row in 0..height - 1 {
        draw_sides(layout, (slice.x, slice.y + row), glyphs, styles, buf);
    }
    draw_row(
        layout,
        (slice.x, slice.y + height - 1),
        glyphs.bottom,
        [styles[0]; 2],
        buf,
    );
}

/// Draws the vertical lines of a row of cells.
fn draw_sides(
    layout: &Layout,
    (x, y): (u16, u16),
    glyphs: &GridGlyphs,
    [frame_style, style]: [Style; 2],
    buf: &mut Buffer,
) {
    let (width, _) = layout.slice_size();
    let (step, _) = layout.cell_size.stride();
    let [frame, inner] = glyphs.sides;
    put_text(buf, x, y, 1, frame, frame_style);
    for column in (step..width - 1).step_by(usize::from(step)) {
        put_text(buf, x + column, y, 1, inner, style);
    }
    put_text(buf, x + width - 1, y, 1, frame, frame_style);
}

/// Draws lines that cross where the marks stand.
fn draw_crossings(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    style: Style,
    buf: &mut Buffer,
) {
    let (first_x, first_y) = layout.mark_position(slice, 0, 0);
    let (last_x, last_y) =
        layout.mark_position(slice, layout.columns.count - 1, layout.rows.count - 1);
    let (step_x, step_y) = layout.cell_size.stride();
    for y in first_y..=last_y {
        if (y - first_y) % step_y != 0 {
            for x in (first_x..=last_x).step_by(usize::from(step_x)) {
                put_text(buf, x, y, 1, glyphs.sides[1], style);
            }
            continue;
        }
        let [left, line, junction, right] = if y == first_y {
            glyphs.top
        } else if y == last_y {
            glyphs.bottom
        } else {
            glyphs.middle
        };
        for x in first_x..=last_x {
            let glyph = match x {
                x if x == first_x => left,
                x if x == last_x => right,
                x if (x - first_x) % step_x == 0 => junction,
                _ => line,
            };
            put_text(buf, x, y, 1, glyph, style);
        }
    }
}
