//! A question to the player, over the panel, so that the board stays in sight. The safe answer is chosen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::facts::Confirmation;
use crate::i18n::wrap_text;
use crate::input::{Action, KeyContext};
use crate::model::Model;
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Smallest panel that can hold a question.
const MIN_SIZE: (u16, u16) = (22, 8);

/// Returns whether a panel has room for a question.
pub(in crate::ui) fn has_room(panel: Rect) -> bool {
    panel.width >= MIN_SIZE.0 && panel.height >= MIN_SIZE.1
}

/// Draws the question and its answers in a box at the bottom of the panel.
pub(in crate::ui) fn draw(model: &Model, question: Confirmation, panel: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let inner_width = panel.width - 4;
    let mut lines: Vec<(String, Style)> = wrap_text(texts.confirmation(question), inner_width)
        .into_iter()
        .map(|line| (line, theme::bold()))
        .collect();
    lines.push((String::new(), Style::new()));
    for action in [Action::No, Action::Yes, Action::KeepSeat] {
        let Some(key) = model.keymap.letter_key(KeyContext::Confirmation, action) else { continue };
        let Some(answer) = texts.answer(question, action) else { continue };
        let (sign, style) = if action == Action::No { (">", theme::bold()) } else { (" ", Style::new()) };
        let text = format!("{sign} {}  {answer}", texts.key(key));
        lines.extend(wrap_text(&text, inner_width).into_iter().map(|line| (line, style)));
    }
    let height = (lines.len() as u16 + 2).min(panel.height);
    let area = Rect { y: panel.bottom() - height, height, ..panel };
    for at in area.positions() {
        if let Some(cell) = buf.cell_mut(at) {
            cell.reset();
        }
    }
    let glyphs = model.appearance.glyphs(false);
    let horizontal = glyphs.top[1].repeat(usize::from(area.width - 2));
    let frame_row = |ends: [&str; 4]| format!("{}{horizontal}{}", ends[0], ends[3]);
    put_text(buf, area.x, area.y, area.width, &frame_row(glyphs.top), Style::new());
    put_text(buf, area.x, area.bottom() - 1, area.width, &frame_row(glyphs.bottom), Style::new());
    for (y, (line, style)) in (area.y + 1..area.bottom() - 1).zip(&lines) {
        put_text(buf, area.x, y, 1, glyphs.sides[0], Style::new());
        put_text(buf, area.x + 2, y, columns(line).min(inner_width), line, *style);
        put_text(buf, area.right() - 1, y, 1, glyphs.sides[0], Style::new());
    }
}
