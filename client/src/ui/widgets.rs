//! Parts that several screens draw, each in its own module, with the frame around them and the targets of clicks.
//! `model::layout` finds clicked cells and watched games.

pub(super) mod board;
mod digits;
pub(super) mod game_picture;
pub(super) mod header;
pub(super) mod list_rows;
pub(super) mod live_game;
pub(super) mod move_list;
pub(super) mod panel;
pub(super) mod player_card;
pub(super) mod question;
pub(super) mod room_invitation;
pub(super) mod status;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::input::Action;
use crate::model::Appearance;
use crate::ui::drawing::{columns, put_text, shorten};

/// Clears an area, draws a frame with a title on its edge, and returns the area inside.
pub(in crate::ui) fn draw_frame(
    appearance: Appearance,
    area: Rect,
    title: &str,
    [frame_style, title_style]: [Style; 2],
    buf: &mut Buffer,
) -> Rect {
    for at in area.intersection(buf.area).positions() {
        buf[at].reset();
    }
    if area.width < 2 || area.height < 2 {
        return Rect {
            width: 0,
            height: 0,
            ..area
        };
    }
    let glyphs = appearance.glyphs(false);
    let horizontal = glyphs.top[1].repeat(usize::from(area.width - 2));
    let edge = |ends: [&str; 4]| format!("{}{horizontal}{}", ends[0], ends[3]);
    put_text(
        buf,
        area.x,
        area.y,
        area.width,
        &edge(glyphs.top),
        frame_style,
    );
    put_text(
        buf,
        area.x,
        area.bottom() - 1,
        area.width,
        &edge(glyphs.bottom),
        frame_style,
    );
    for y in area.y + 1..area.bottom() - 1 {
        put_text(buf, area.x, y, 1, glyphs.sides[0], frame_style);
        put_text(buf, area.right() - 1, y, 1, glyphs.sides[0], frame_style);
    }
    let title = shorten(title, area.width.saturating_sub(6));
    if !title.is_empty() {
        put_text(
            buf,
            area.x + 2,
            area.y,
            columns(&title) + 2,
            &format!(" {title} "),
            title_style,
        );
    }
    Rect {
        x: area.x + 1,
        y: area.y + 1,
        width: area.width - 2,
        height: area.height - 2,
    }
}

/// What is at a clicked position on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClickTarget {
    /// A key in the footer, or an entry that has a key.
    Action(Action),
    /// An entry of the displayed list, by its index.
    Entry(usize),
    /// A phrase in the menu, by its index.
    Phrase(usize),
    /// A move in the list of moves: the position after this number of moves.
    Ply(usize),
}
