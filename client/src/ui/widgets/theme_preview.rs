//! A row with every sign of a board in the colours of a theme.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::i18n::Texts;
use crate::model::Appearance;
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Draws the row, as far as it fits.
pub(in crate::ui) fn draw_theme_preview(
    texts: Texts,
    appearance: Appearance,
    row: Rect,
    buf: &mut Buffer,
) {
    let (x_mark, o_mark) = (appearance.mark(Seat::X), appearance.mark(Seat::O));
    let turn = format!(" >> {} ", texts.turn_headline());
    let samples: [(&str, Style); 9] = [
        (texts.preview_label(), Style::new()),
        ("X", x_mark),
        ("O", o_mark),
        (">.<", appearance.cursor(Style::new())),
        ("[O]", appearance.last_move_sign()),
        ("(X)", x_mark.patch(appearance.dim())),
        ("*X*", appearance.winning(Seat::X)),
        (&turn, appearance.turn_bar()),
        ("!", appearance.danger_sign()),
    ];
    let mut x = row.x;
    for (text, style) in samples {
        if x + columns(text) > row.right() {
            break;
        }
        // Underlines and reversal end with the sample.
        x = put_text(buf, x, row.y, columns(text), text, style) + 2;
    }
    let offer = format!("? {}", texts.preview_offer());
    if x + columns(&offer) <= row.right() {
        put_text(
            buf,
            x,
            row.y,
            columns(&offer),
            &offer,
            theme::bold().add_modifier(Modifier::UNDERLINED),
        );
    }
}
