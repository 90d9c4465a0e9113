//! Grounds of boards and cards, and filled marks, for terminals with 256 colours.
//!
//! The colours 16 to 255 of the palette have the same values on every terminal. Therefore the tests can compute the
//! contrast of each ink on its ground. Without surfaces, a role has a style with the 16 colours.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::{ValueKind, bold};
use crate::model::Appearance;
use crate::settings::Theme;

/// A ground and the ink on it, as indices into the palette.
type Surface = (u8, u8);

/// The colours of a theme.
#[derive(Debug)]
struct SurfaceColors {
    /// The ground of a board, and dim text on it.
    ground: Surface,
    /// The lines of a board on its ground.
    line: u8,
    /// The rack of a board with gravity, and the text on it.
    rack: Surface,
    /// A free hole of a rack.
    hole: u8,
    /// The card of a player, and dim text on it.
    card: Surface,
    card_dim: u8,
    active_card: Surface,
    active_card_dim: u8,
    /// Stones by seat: a plain stone, the last move, the winning line, and other stones beside a winning line.
    stones: [Surface; 2],
    last_stones: [Surface; 2],
    winning_stones: [Surface; 2],
    faded_stones: [Surface; 2],
    /// The ground of a large cell with the last move.
    last_ground: u8,
    /// A free cell under the cursor, and the signs there.
    cursor: Surface,
    /// The signs "your move" or "victory", and "defeat".
    badge: Surface,
    defeat_badge: Surface,
    /// Letters for the values of cells.
    win: u8,
    loss: u8,
}

const DARK: SurfaceColors = SurfaceColors {
    ground: (236, 247),
    line: 244,
    rack: (18, 231),
    hole: 16,
    card: (236, 252),
    card_dim: 247,
    active_card: (239, 231),
    active_card_dim: 251,
    stones: [(39, 17), (214, 16)],
    last_stones: [(117, 17), (222, 16)],
    winning_stones: [(45, 17), (208, 16)],
    faded_stones: [(67, 16), (137, 16)],
    last_ground: 239,
    cursor: (240, 231),
    badge: (43, 16),
    defeat_badge: (203, 16),
    win: 114,
    loss: 210,
};

const LIGHT: SurfaceColors = SurfaceColors {
    ground: (223, 58),
    line: 94,
    rack: (153, 17),
    hole: 231,
    card: (254, 235),
    card_dim: 240,
    active_card: (250, 16),
    active_card_dim: 236,
    stones: [(25, 231), (161, 231)],
    last_stones: [(17, 231), (52, 231)],
    winning_stones: [(20, 231), (125, 231)],
    faded_stones: [(61, 231), (131, 231)],
    last_ground: 230,
    cursor: (180, 16),
    badge: (29, 231),
    defeat_badge: (160, 231),
    win: 22,
    loss: 124,
};

fn fill((ground, ink): Surface) -> Style {
    Style::new()
        .bg(Color::Indexed(ground))
        .fg(Color::Indexed(ink))
}

impl Appearance {
    fn surface_colors(self) -> Option<&'static SurfaceColors> {
        let is_light = self.effective_theme() == Theme::Light;
        self.has_surfaces()
            .then_some(if is_light { &LIGHT } else { &DARK })
    }

    /// Returns the style of a role, with surfaces or else the fallback.
    fn surface(self, surface: impl Fn(&SurfaceColors) -> Surface, fallback: Style) -> Style {
        self.surface_colors()
            .map_or(fallback, |colors| fill(surface(colors)))
    }

    /// Returns the style of the ground of a board, and of secondary text on it.
    pub(in crate::ui) fn board_ground(self) -> Style {
        self.surface(|colors| colors.ground, self.dim())
    }

    /// Returns the style of the lines of a board on its ground.
    pub(in crate::ui) fn board_line(self) -> Style {
        self.surface(|colors| (colors.ground.0, colors.line), self.dim())
    }

    /// Returns the style of a part of the board that must not be overlooked: a ruler at the cursor, or a star point.
    pub(in crate::ui) fn board_strong(self) -> Style {
        self.board_ground()
            .remove_modifier(Modifier::DIM)
            .patch(bold())
    }

    /// Returns the style of the rack of a board with gravity, and of the text on it.
    pub(in crate::ui) fn rack(self) -> Style {
        self.surface(|colors| colors.rack, self.dim())
    }

    /// Returns the style of a free hole in the rack, and of text in it.
    pub(in crate::ui) fn hole(self) -> Style {
        self.surface(|colors| (colors.hole, colors.ground.1), self.dim())
    }

    /// Returns the style of a free cell under the cursor, and of the signs there.
    pub(in crate::ui) fn cursor_cell(self) -> Style {
        self.surface(|colors| colors.cursor, self.cursor(Style::new()))
            .patch(bold())
    }

    /// Returns the style of the ground of a large cell with the last move, and of the signs there.
    pub(in crate::ui) fn last_move_ground(self) -> Style {
        self.surface(
            |colors| (colors.last_ground, colors.cursor.1),
            self.last_move_sign(),
        )
    }

    /// Returns the style of the letter for a cell's value on the ground of a board.
    pub(in crate::ui) fn board_value(self, value: ValueKind) -> Style {
        let ink = |colors: &SurfaceColors| match value {
            ValueKind::Win => colors.win,
            ValueKind::Draw => colors.ground.1,
            ValueKind::Loss => colors.loss,
        };
        self.surface(|colors| (colors.ground.0, ink(colors)), self.value(value))
    }

    /// Returns the style of the ground of a player's card, and of the text on it.
    pub(in crate::ui) fn card(self) -> Style {
        self.surface(|colors| colors.card, Style::new())
    }

    /// Returns the style of secondary text on a player's card.
    pub(in crate::ui) fn card_dim(self) -> Style {
        self.surface(|colors| (colors.card.0, colors.card_dim), self.dim())
    }

    /// Returns the style of the card of the player to move, and of the text on it.
    pub(in crate::ui) fn active_card(self) -> Style {
        self.surface(|colors| colors.active_card, Style::new())
            .patch(bold())
    }

    /// Returns the style of secondary text on the card of the player to move.
    pub(in crate::ui) fn active_card_dim(self) -> Style {
        self.surface(
            |colors| (colors.active_card.0, colors.active_card_dim),
            self.dim(),
        )
    }

    /// Gives a drawn row the ground of the selection. Marks keep their own grounds.
    pub(in crate::ui) fn mark_selected_row(self, row: Rect, buf: &mut Buffer) {
        let Some(colors) = self.surface_colors() else {
            return;
        };
        for position in row.intersection(buf.area).positions() {
            let cell = &mut buf[position];
            if cell.bg == Color::Reset {
                let (ground, ink) = colors.active_card;
                let is_dim = cell.modifier.contains(Modifier::DIM);
                cell.modifier.remove(Modifier::DIM);
                cell.bg = Color::Indexed(ground);
                if cell.fg == Color::Reset {
                    cell.fg = Color::Indexed(if is_dim { colors.active_card_dim } else { ink });
                }
            }
        }
    }

    /// Returns the style of a stone: its ground, and the ink of its letter.
    pub(in crate::ui) fn stone(self, seat: Seat) -> Style {
        self.filled_stone(|colors| &colors.stones, seat, self.mark(seat))
    }

    /// Returns the style of the stone of the last move.
    pub(in crate::ui) fn last_stone(self, seat: Seat) -> Style {
        self.filled_stone(|colors| &colors.last_stones, seat, self.mark(seat))
    }

    /// Returns the style of a stone of the winning line.
    pub(in crate::ui) fn winning_stone(self, seat: Seat) -> Style {
        let reversed = self.mark(seat).add_modifier(Modifier::REVERSED);
        self.filled_stone(|colors| &colors.winning_stones, seat, reversed)
    }

    /// Returns the style of a stone beside a winning line.
    pub(in crate::ui) fn faded_stone(self, seat: Seat) -> Style {
        self.filled_stone(|colors| &colors.faded_stones, seat, self.mark(seat))
    }

    fn filled_stone(
        self,
        stones: impl Fn(&SurfaceColors) -> &[Surface; 2],
        seat: Seat,
        fallback: Style,
    ) -> Style {
        match self.surface_colors() {
            Some(colors) => fill(stones(colors)[seat.index()]).patch(bold()),
            None => fallback,
        }
    }

    /// Returns the style of the sign "your move".
    pub(in crate::ui) fn your_move_badge(self) -> Style {
        self.surface(|colors| colors.badge, self.turn_bar())
            .patch(bold())
    }

    /// Returns the style of the sign "victory".
    pub(in crate::ui) fn victory_badge(self) -> Style {
        match self.has_surfaces() {
            true => self.your_move_badge(),
            false => self.victory_bar(),
        }
    }

    /// Returns the style of the sign "defeat".
    pub(in crate::ui) fn defeat_badge(self) -> Style {
        self.surface(|colors| colors.defeat_badge, self.turn_bar())
            .patch(bold())
    }

    /// Returns the style of the sign "draw".
    pub(in crate::ui) fn draw_badge(self) -> Style {
        self.surface(|colors| colors.active_card, self.turn_bar())
            .patch(bold())
    }
}
