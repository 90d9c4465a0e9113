//! Shapes of marks, computed from the size of a cell and drawn with characters that have four quarters.
//!
//! A character is twice as high as wide. Therefore the units of a shape are a column and half a row.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

/// A character for each set of filled quarters. The bits are: top left, top right, bottom left, bottom right.
const QUARTERS: [&str; 16] = [
    " ", "\u{2598}", "\u{259d}", "\u{2580}", "\u{2596}", "\u{258c}", "\u{259e}", "\u{259b}",
    "\u{2597}", "\u{259a}", "\u{2590}", "\u{259c}", "\u{2584}", "\u{2599}", "\u{259f}", "\u{2588}",
];
const FULL: u8 = 0b1111;

/// Diameter of a shape in a cell of size 1.
const DIAMETER: f32 = 0.86;
/// Number of points in each direction of a quarter. They decide whether the quarter is filled.
const SAMPLES: u8 = 4;

/// The form of a mark, or of a hole for a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShapeKind {
    Cross,
    Ring,
    Disc,
    /// A disc with a cross or a ring cut into it.
    CrossDisc,
    RingDisc,
}

/// What is at a point of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Paint {
    Ground,
    Fill,
    Cut,
}

impl ShapeKind {
    /// Returns the paint at a distance from the middle, in radii of the shape.
    fn paint_at(self, x: f32, y: f32) -> Paint {
        let distance = x.hypot(y);
        // `side` is half of the side of the square, and `width` is half of the width of the strokes.
        let is_cross = |side: f32, width: f32| {
            let (along, across) = ((x + y).abs(), (x - y).abs());
            let scale = std::f32::consts::SQRT_2;
            x.abs().max(y.abs()) <= side && along.min(across) <= width * scale
        };
        let fill = |is_inside: bool| {
            if is_inside {
                Paint::Fill
            } else {
                Paint::Ground
            }
        };
        let cut = |is_cut: bool| {
            if is_cut {
                Paint::Cut
            } else {
                fill(distance <= 1.0)
            }
        };
        match self {
            ShapeKind::Cross => fill(is_cross(0.95, 0.3)),
            ShapeKind::Ring => fill((0.52..=1.04).contains(&distance)),
            ShapeKind::Disc => fill(distance <= 1.0),
            ShapeKind::CrossDisc => cut(is_cross(0.5, 0.18)),
            ShapeKind::RingDisc => cut((0.38..=0.64).contains(&distance)),
        }
    }
}

/// A shape for cells of a given size.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    columns: u16,
    rows: u16,
    /// The filled and the cut quarters of each character, row by row.
    quarters: Vec<(u8, u8)>,
}

impl Shape {
    /// Computes a shape in the middle of its cell. `free` is the free part at the bottom of the cell, in half rows.
    pub(super) fn new(kind: ShapeKind, (columns, rows): (u16, u16), free: u16) -> Shape {
        let (width, height) = (f32::from(columns), f32::from(2 * rows - free));
        let diameter = if free > 0 { 1.0 } else { DIAMETER };
        let radius = diameter * width.min(height) / 2.0;
        // Slightly more than half of a half row would leave a tip at the top of a circle.
        let radius = if radius.fract() <= 0.5 {
            radius
        } else {
            radius.ceil()
        };
        // The majority of a quarter's points decides.
        let paint_of = |left: f32, top: f32| {
            let mut counts = [0_u8; 3];
            for point in 0..SAMPLES * SAMPLES {
                let step = |index: u8| (f32::from(index) + 0.5) / f32::from(SAMPLES);
                let x = left + step(point % SAMPLES) / 2.0 - width / 2.0;
                let y = top + step(point / SAMPLES) - height / 2.0;
                counts[kind.paint_at(x / radius, y / radius) as usize] += 1;
            }
            let [ground, fill, cut] = counts;
            if ground >= fill + cut {
                Paint::Ground
            } else if cut >= fill {
                Paint::Cut
            } else {
                Paint::Fill
            }
        };
        let character = |column: u16, row: u16| {
            let (mut filled, mut cut) = (0, 0);
            for quarter in 0..4_u8 {
                let left = f32::from(column) + f32::from(quarter % 2) / 2.0;
                let top = f32::from(2 * row) + f32::from(quarter / 2);
                match paint_of(left, top) {
                    Paint::Ground => {}
                    Paint::Fill => filled |= 1 << quarter,
                    Paint::Cut => cut |= 1 << quarter,
                }
            }
            // A character has only two colours.
            if filled | cut == FULL {
                (filled, cut)
            } else {
                (filled | cut, 0)
            }
        };
        let positions = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        Shape {
            columns,
            rows,
            quarters: positions
                .map(|(column, row)| character(column, row))
                .collect(),
        }
    }

    /// Draws the shape with its middle at a position, in the ground of a style. Cuts have the style's ink. The ground
    /// of the buffer stays.
    pub(super) fn draw(&self, (x, y): (u16, u16), style: Style, buf: &mut Buffer) {
        let (fill, ink) = (style.bg.unwrap_or_default(), style.fg.unwrap_or_default());
        let area = Rect::new(
            x.saturating_sub(self.columns / 2),
            y.saturating_sub(self.rows / 2),
            self.columns,
            self.rows,
        );
        for (at, &(filled, cut)) in area.positions().zip(&self.quarters) {
            let Some(cell) = buf.cell_mut(at).filter(|_| filled | cut != 0) else {
                continue;
            };
            let ground = cell.bg;
            let (quarters, fg, bg): (u8, Color, Color) = match (filled, cut) {
                (filled, 0) => (filled, fill, ground),
                (_, cut) => (cut, ink, fill),
            };
            cell.reset();
            cell.set_symbol(QUARTERS[usize::from(quarters)])
                .set_fg(fg)
                .set_bg(bg);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the filled quarters of a shape, and of its mirror images.
    fn rows(kind: ShapeKind, size: (u16, u16)) -> Vec<Vec<(u8, u8)>> {
        let shape = Shape::new(kind, size, 0);
        let rows = shape.quarters.chunks(usize::from(size.0));
        rows.map(<[_]>::to_vec).collect()
    }

    #[test]
    fn shapes_of_all_sizes_are_symmetric_and_differ() {
        let mirror = |quarters: u8| (quarters & 0b0101) << 1 | (quarters & 0b1010) >> 1;
        let kinds = [
            ShapeKind::Cross,
            ShapeKind::Ring,
            ShapeKind::Disc,
            ShapeKind::CrossDisc,
            ShapeKind::RingDisc,
        ];
        for size in [(5, 3), (7, 3), (11, 5), (15, 7), (19, 9), (31, 15)] {
            let shapes = kinds.map(|kind| rows(kind, size));
            for (shape, kind) in shapes.iter().zip(kinds) {
                for row in shape {
                    let mirrored = row
                        .iter()
                        .rev()
                        .map(|&(filled, cut)| (mirror(filled), mirror(cut)));
                    assert!(
                        mirrored.eq(row.iter().copied()),
                        "{kind:?} {size:?}: {row:?}"
                    );
                }
            }
            for (number, shape) in shapes.iter().enumerate() {
                assert!(!shapes[..number].contains(shape), "{size:?}: {number}");
            }
        }
    }
}
