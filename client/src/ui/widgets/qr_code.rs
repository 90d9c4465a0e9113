//! A QR code in half blocks, black on white in every theme: phones do not read other colours.

use qrcode::{Color as Module, EcLevel, QrCode};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::ui::drawing::put_text;

/// Blank modules around the code.
const MARGIN: usize = 2;

/// Returns the rows of the code as text; `None` if the text is too long for one.
fn rows(text: &str) -> Option<Vec<String>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let is_dark = |x: usize, y: usize| {
        let (Some(x), Some(y)) = (x.checked_sub(MARGIN), y.checked_sub(MARGIN)) else {
            return false;
        };
        x < width && y < width && modules[y * width + x] == Module::Dark
    };
    let side = width + 2 * MARGIN;
    let row = |y: usize| {
        let half_blocks = (0..side).map(|x| match (is_dark(x, y), is_dark(x, y + 1)) {
            (true, true) => '\u{2588}',
            (true, false) => '\u{2580}',
            (false, true) => '\u{2584}',
            (false, false) => ' ',
        });
        half_blocks.collect()
    };
    Some((0..side).step_by(2).map(row).collect())
}

/// A QR code as rows of half blocks.
pub(in crate::ui) struct QrPicture {
    rows: Vec<String>,
}

impl QrPicture {
    /// Encodes a text; `None` if it is too long for a code.
    pub(in crate::ui) fn new(text: &str) -> Option<QrPicture> {
        Some(QrPicture { rows: rows(text)? })
    }

    fn size(&self) -> (u16, u16) {
        (
            self.rows.first().map_or(0, |row| row.chars().count()) as u16,
            self.rows.len() as u16,
        )
    }

    /// Whether an area has room for the whole code.
    pub(in crate::ui) fn fits(&self, area: Rect) -> bool {
        let (width, height) = self.size();
        width <= area.width && height <= area.height
    }

    /// Draws the code in the lower right corner of an area in which it fits. Returns its width.
    pub(in crate::ui) fn draw(&self, area: Rect, buf: &mut Buffer) -> u16 {
        let (width, height) = self.size();
        let style = Style::new().fg(Color::Black).bg(Color::White);
        for (y, row) in (area.bottom() - height..).zip(&self.rows) {
            put_text(buf, area.right() - width, y, width, row, style);
        }
        width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_beside_the_invitation_on_80_columns() {
        let rows = rows("http://192.168.100.100:7878/#fcem-t8v0-x1sh").expect("a code");
        assert!(
            rows.len() <= 18 && rows.iter().all(|row| row.chars().count() <= 36),
            "{}",
            rows.len()
        );
        // The finder pattern at the top left.
        assert!(
            rows[1].starts_with("  \u{2588}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2588}"),
            "{}",
            rows[1]
        );
    }

    #[test]
    fn a_code_fits_only_as_a_whole() {
        let code = QrPicture::new("http://192.168.1.5:7878/#fcem-t8v0-x1sh").expect("a code");
        assert!(code.fits(Rect::new(0, 0, 80, 20)));
        assert!(!code.fits(Rect::new(0, 0, 20, 20)) && !code.fits(Rect::new(0, 0, 80, 10)));
    }
}
