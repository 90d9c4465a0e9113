//! Lines between the cells of a board, and its rulers: column letters, row numbers, layer numbers, and counts of hidden
//! cells.

use noughts_protocol::{Position, Rules};
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::i18n::Texts;
use crate::input::text_command::is_named_by_digits;
use crate::model::Appearance;
use crate::model::layout::board_layout::{CellSize, GridStyle, Layout, Slice};
use crate::ui::drawing::{WRAPPING_EDGE, columns, put_text};
use crate::ui::theme::{self, GridGlyphs, bold};

/// Returns whether columns are named by numbers, because in a game with gravity a player chooses a column.
fn has_column_numbers(rules: &Rules) -> bool {
    rules.gravity() && rules.dimensions() == 2 && rules.width() <= 9
}

/// Draws the lines of a slice. The frame is not dimmed when the player is to move.
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
        GridStyle::Crossings => draw_crossings(layout, slice, glyphs, [frame_style, style], buf),
    }
}

/// Draws the lines of a slice on its ground. The ground ends where a frame would be, unless the board has layers.
pub(super) fn draw_on_ground(
    layout: &Layout,
    slice: Slice,
    appearance: Appearance,
    buf: &mut Buffer,
) {
    let (glyphs, style) = (appearance.glyphs(false), appearance.board_line());
    let rules = layout.rules();
    match layout.cell_size.grid {
        // Stones are on the crossings of lines, as on a Go board.
        GridStyle::Plain if rules.dimensions() == 2 && !rules.gravity() => {
            draw_crossings(layout, slice, glyphs, [style; 2], buf);
        }
        GridStyle::Plain | GridStyle::Columns => {}
        GridStyle::Boxes if rules.dimensions() > 2 => {
            draw_boxes(layout, slice, glyphs, [style; 2], buf);
        }
        GridStyle::Boxes => draw_inner_lines(layout, slice, glyphs, style, buf),
        GridStyle::Crossings => draw_crossings(layout, slice, glyphs, [style; 2], buf),
    }
    if matches!(
        layout.cell_size.grid,
        GridStyle::Plain | GridStyle::Crossings
    ) {
        draw_star_points(layout, slice, appearance, buf);
    }
}

/// Draws the lines between cells.
fn draw_inner_lines(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    style: Style,
    buf: &mut Buffer,
) {
    let (width, height) = layout.slice_size();
    let (step_x, step_y) = layout.cell_size.stride();
    for (row, column) in
        (1..height - 1).flat_map(|row| (1..width - 1).map(move |column| (row, column)))
    {
        let glyph = match (row % step_y == 0, column % step_x == 0) {
            (true, true) => glyphs.middle[2],
            (true, false) => glyphs.middle[1],
            (false, true) => glyphs.sides[1],
            (false, false) => continue,
        };
        put_text(buf, slice.x + column, slice.y + row, 1, glyph, style);
    }
}

/// Sign for a point that helps players find their way.
const STAR_POINT: &str = "\u{254b}";

/// Marks the star points of a 15x15 (Gomoku) or 19x19 (Go) board without gravity.
fn draw_star_points(layout: &Layout, slice: Slice, appearance: Appearance, buf: &mut Buffer) {
    let rules = layout.rules();
    let is_star: fn(u16, u16) -> bool = match (rules.sides(), rules.gravity()) {
        ([15, 15], false) => |x, y| (x == 3 || x == 11) && (y == 3 || y == 11) || (x, y) == (7, 7),
        ([19, 19], false) => |x, y| x % 6 == 3 && y % 6 == 3,
        _ => return,
    };
    for (row, column) in (0..layout.rows.count)
        .flat_map(|row| (0..layout.columns.count).map(move |column| (row, column)))
    {
        if is_star(layout.columns.first + column, layout.rows.first + row) {
            let (x, y) = layout.mark_position(slice, column, row);
            put_text(buf, x, y, 1, STAR_POINT, appearance.board_strong());
        }
    }
}

/// Draws a row: its left end, lines, junctions and right end.
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

/// Draws lines that cross at the marks. The outer lines are the frame.
fn draw_crossings(
    layout: &Layout,
    slice: Slice,
    glyphs: &GridGlyphs,
    [frame_style, style]: [Style; 2],
    buf: &mut Buffer,
) {
    let (first_x, first_y) = layout.mark_position(slice, 0, 0);
    let (last_x, last_y) =
        layout.mark_position(slice, layout.columns.count - 1, layout.rows.count - 1);
    let (step_x, step_y) = layout.cell_size.stride();
    let [frame, inner] = glyphs.sides;
    for y in first_y..=last_y {
        let [left, line, junction, right] = match y {
            y if y == first_y => glyphs.top,
            y if y == last_y => glyphs.bottom,
            y if (y - first_y) % step_y == 0 => glyphs.middle,
            _ => [frame, " ", inner, frame],
        };
        for x in first_x..=last_x {
            let glyph = match x {
                x if x == first_x => left,
                x if x == last_x => right,
                x if (x - first_x) % step_x == 0 => junction,
                _ => line,
            };
            let is_frame = [first_x, last_x].contains(&x) || [first_y, last_y].contains(&y);
            let style = if is_frame { frame_style } else { style };
            put_text(buf, x, y, 1, glyph, style);
        }
    }
}

pub(super) struct Rulers<'a> {
    pub(super) position: &'a Position,
    pub(super) appearance: Appearance,
    pub(super) slice: Slice,
    pub(super) cursor_at: Option<[u8; 4]>,
    /// Whether the cursor is in this slice.
    pub(super) is_current: bool,
}

impl Rulers<'_> {
    pub(super) fn draw(&self, layout: &Layout, buf: &mut Buffer) {
        let (_, height) = layout.slice_size();
        let rules = self.position.rules();
        let has_digits = is_named_by_digits(rules);
        if !has_digits || rules.gravity() {
            self.draw_columns(layout, self.slice.y - 1, has_column_numbers(rules), buf);
        }
        if layout.has_second_ruler() {
            self.draw_columns(layout, self.slice.y + height, false, buf);
        }
        if !has_digits {
            self.draw_rows(layout, buf);
        }
    }

    fn style(&self, is_at_cursor: bool) -> Style {
        match is_at_cursor && self.is_current {
            true if self.appearance.has_surfaces() => Style {
                bg: None,
                ..self.appearance.cursor_cell()
            },
            true => theme::bold(),
            // Uses the ink of the ground.
            false if self.appearance.has_surfaces() => Style::new(),
            false => self.appearance.dim(),
        }
    }

    /// Draws the name of the layer in the upper line of its frame. If the line is too short, draws its number in the
    /// corner: `3`, or `2.3` for layer 2 of cube 3. The cursor's layer is between signs.
    pub(super) fn draw_layer_name(&self, layout: &Layout, texts: Option<Texts>, buf: &mut Buffer) {
        let rules = self.position.rules();
        let number = match rules.dimensions() {
            0..=2 => return,
            3 => (self.slice.z + 1).to_string(),
            _ => format!("{}.{}", self.slice.z + 1, self.slice.w + 1),
        };
        let between_signs = |name: &str| match self.is_current {
            true => format!(">{name}<"),
            false => format!(" {name} "),
        };
        let name = texts.map(|texts| between_signs(&texts.layer_name(&number)));
        let (width, _) = layout.slice_size();
        let has_frame = layout.cell_size.grid == GridStyle::Boxes;
        match name.filter(|name| has_frame && columns(name) + 2 <= width) {
            Some(name) => {
                let style = match self.is_current {
                    true if self.appearance.has_surfaces() => self.appearance.board_strong(),
                    true => theme::bold(),
                    false if self.appearance.has_surfaces() => self.appearance.board_ground(),
                    false => self.appearance.dim(),
                };
                let x = self.slice.x + (width - columns(&name)) / 2;
                put_text(buf, x, self.slice.y, columns(&name), &name, style);
            }
            None => {
                let ruler = Layout::ruler_columns(layout.rules());
                let (x, y) = (self.slice.x - ruler, self.slice.y - 1);
                let name = between_signs(&number);
                put_text(buf, x, y, ruler, &name, self.style(true));
            }
        }
    }

    /// Draws the letters of the columns, or the numbers of the columns where a mark can drop.
    fn draw_columns(&self, layout: &Layout, y: u16, has_numbers: bool, buf: &mut Buffer) {
        let rules = self.position.rules();
        for column in 0..layout.columns.count {
            let x = layout.columns.first + column;
            let is_at_cursor = self.cursor_at.is_some_and(|at| u16::from(at[0]) == x);
            let (at, _) = layout.mark_position(self.slice, column, 0);
            let name = if has_numbers {
                (x + 1).to_string()
            } else {
                char::from(b'a' + x as u8).to_string()
            };
            // The column where the mark would fall has the cursor's signs.
            if is_at_cursor && self.is_current && has_numbers && layout.cell_size != CellSize::TIGHT
            {
                put_text(buf, at - 1, y, 3, &format!(">{name}<"), theme::bold());
            } else {
                put_text(buf, at, y, 1, &name, self.style(is_at_cursor));
            }
        }
        let last = layout.columns.first + layout.columns.count;
        let (left, _) = layout.mark_position(self.slice, 0, 0);
        let (right, _) = layout.mark_position(self.slice, layout.columns.count - 1, 0);
        if layout.columns.first > 0 {
            put_text(buf, self.slice.x, y, 1, "<", theme::bold());
        } else if rules.wraps(0) {
            put_text(buf, left - 1, y, 1, WRAPPING_EDGE, self.style(false));
        }
        if last < u16::from(rules.width()) {
            put_text(buf, right + 1, y, 1, ">", theme::bold());
        } else if rules.wraps(0) {
            put_text(buf, right + 1, y, 1, WRAPPING_EDGE, self.style(false));
        }
    }

    fn draw_rows(&self, layout: &Layout, buf: &mut Buffer) {
        let rules = self.position.rules();
        let ruler = Layout::ruler_columns(rules);
        for row in 0..layout.rows.count {
            let y = layout.board_row(row);
            let is_at_cursor = self.cursor_at.is_some_and(|at| at[1] == y);
            let label = format!("{:>1$}", rules.row_number(y), usize::from(ruler - 1));
            let (_, at) = layout.mark_position(self.slice, 0, row);
            put_text(
                buf,
                self.slice.x - ruler,
                at,
                ruler,
                &label,
                self.style(is_at_cursor),
            );
        }
        // Signs between the row numbers and the cells show that the board continues above or below.
        let (x, last) = (self.slice.x - 1, layout.rows.count - 1);
        let (_, top) = layout.mark_position(self.slice, 0, 0);
        let (_, bottom) = layout.mark_position(self.slice, 0, last);
        if layout.rows.first > 0 {
            put_text(buf, x, top, 1, "^", theme::bold());
        } else if rules.wraps(1) {
            put_text(buf, x, top, 1, WRAPPING_EDGE, self.style(false));
        }
        if layout.rows.first + last + 1 < u16::from(rules.height()) {
            put_text(buf, x, bottom, 1, "v", theme::bold());
        } else if rules.wraps(1) {
            put_text(buf, x, bottom, 1, WRAPPING_EDGE, self.style(false));
        }
    }
}

/// Draws the numbers of hidden rows, columns and layers below the board: `^ 5  v 2  < 3  > 4  z 1-2/8`.
pub(super) fn draw_hidden_counts(layout: &Layout, buf: &mut Buffer) {
    let Some(hidden) = layout.hidden_parts() else {
        return;
    };
    let counts = [
        ("^", hidden.above),
        ("v", hidden.below),
        ("<", hidden.left),
        (">", hidden.right),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut texts: Vec<String> = counts
        .map(|(sign, count)| format!("{sign} {count}"))
        .collect();
    if let Some([first, last]) = hidden.layers {
        let rules = layout.rules();
        let depth = rules.sides()[2];
        texts.push(match rules.sides().get(3) {
            None => format!("z {}-{}/{depth}", first.0 + 1, last.0 + 1),
            Some(spans) => {
                format!(
                    "z {}-{}/{depth}  w {}-{}/{spans}",
                    first.0 + 1,
                    last.0 + 1,
                    first.1 + 1,
                    last.1 + 1
                )
            }
        });
    }
    let (text, row) = (texts.join("  "), layout.counts_row());
    put_text(
        buf,
        row.x,
        row.y,
        row.width.min(columns(&text)),
        &text,
        theme::bold(),
    );
}
