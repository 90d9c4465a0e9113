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
        let (Some(x), Some(y)) = (x.checked_sub(MARGIN), y.checked_sub(MARGIN)) else { return false };
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

/// Draws the code in the lower right corner of the area, if it fits as a whole. Returns its width.
pub(in crate::ui) fn draw(text: &str, area: Rect, buf: &mut Buffer) -> Option<u16> {
    let rows = rows(text)?;
    let (height, width) = (rows.len() as u16, rows.first().map_or(0, |row| row.chars().count()) as u16);
    if height > area.height || width > area.width {
        return None;
    }
    let style = Style::new().fg(Color::Black).bg(Color::White);
    for (y, row) in (area.bottom() - height..).zip(&rows) {
        put_text(buf, area.right() - width, y, width, row, style);
    }
    Some(width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_beside_the_invitation_on_80_columns() {
        let rows = rows("http://192.168.100.100:7878/#fcem-t8v0-x1sh").expect("a code");
        assert!(rows.len() <= 18 && rows.iter().all(|row| row.chars().count() <= 36), "{}", rows.len());
        // The finder pattern at the top left.
        assert!(
            rows[1].starts_with("  \u{2588}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2588}"),
            "{}",
            rows[1]
        );
    }

    #[test]
    fn a_code_that_does_not_fit_is_not_drawn() {
        let area = Rect::new(0, 0, 20, 10);
        assert_eq!(draw("http://192.168.1.5:7878/#fcem-t8v0-x1sh", area, &mut Buffer::empty(area)), None);
    }
}
