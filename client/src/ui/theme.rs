//! Styles. Colour is never the only cue, because signs and words carry the same information.
//!
//! This module uses the terminal's 16 ANSI colours and no backgrounds. Grounds and filled marks are in `surfaces`. A
//! colour has one meaning: two colours are the players, one is danger, and one is success. A colour is never combined
//! with bold, which some terminals draw in another colour. The tests compute the contrast of every colour on common
//! palettes.

mod surfaces;

use noughts_protocol::Seat;
use ratatui::style::{Color, Modifier, Style};

use crate::model::Appearance;
use crate::settings::Theme;

pub(super) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// Value of a free cell for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    Win,
    Draw,
    Loss,
}

impl Appearance {
    /// Returns the style of a player's mark.
    pub(super) fn mark(self, seat: Seat) -> Style {
        match (self.effective_theme(), seat) {
            (Theme::Auto | Theme::Dark, Seat::X) => Style::new().fg(Color::Cyan),
            (Theme::Auto | Theme::Dark, Seat::O) => Style::new().fg(Color::Yellow),
            (Theme::Light, Seat::X) => Style::new().fg(Color::Blue),
            (Theme::Light, Seat::O) => Style::new().fg(Color::Magenta),
            // No single ANSI colour is readable on every palette, so these themes use none.
            (Theme::HighContrast, Seat::X) => bold(),
            (Theme::HighContrast, Seat::O) => Style::new(),
        }
    }

    /// Returns the style of the signs around the last move.
    pub(super) fn last_move_sign(self) -> Style {
        self.with_contrast(bold(), Modifier::UNDERLINED)
    }

    /// Returns the style of the row that says it is the player's turn.
    pub(super) fn turn_bar(self) -> Style {
        bold().add_modifier(Modifier::REVERSED)
    }

    /// Returns the style of the row that says the player has won.
    pub(super) fn victory_bar(self) -> Style {
        match self.effective_theme() {
            Theme::Auto | Theme::Dark => Style::new()
                .fg(Color::Green)
                .add_modifier(Modifier::REVERSED),
            Theme::Light | Theme::HighContrast => self.turn_bar(),
        }
    }

    /// Returns the style of the row with an offer or a question to the player.
    pub(super) fn offer(self) -> Style {
        bold().add_modifier(Modifier::UNDERLINED)
    }

    /// Returns the style of a sign of danger. Its words have the style [`Appearance::alert`].
    pub(super) fn danger_sign(self) -> Style {
        match self.effective_theme() {
            Theme::Auto | Theme::Dark => Style::new().fg(Color::LightRed),
            Theme::Light => Style::new().fg(Color::Red),
            Theme::HighContrast => bold().add_modifier(Modifier::REVERSED),
        }
    }

    /// Returns the style of a sign of success.
    pub(super) fn success_sign(self) -> Style {
        match self.effective_theme() {
            Theme::Auto | Theme::Dark => Style::new().fg(Color::Green),
            Theme::Light | Theme::HighContrast => bold(),
        }
    }

    /// Returns the style of alerts.
    pub(super) fn alert(self) -> Style {
        bold()
    }

    /// Returns the style of notifications.
    pub(super) fn notice(self) -> Style {
        bold()
    }

    /// Returns the style of the letter for a cell's value.
    pub(super) fn value(self, value: ValueKind) -> Style {
        match (self.effective_theme(), value) {
            (Theme::Auto | Theme::Dark, ValueKind::Win) => Style::new().fg(Color::Green),
            (Theme::Auto | Theme::Dark | Theme::Light, ValueKind::Loss) => self.danger_sign(),
            (Theme::HighContrast, ValueKind::Loss) => {
                Style::new().add_modifier(Modifier::UNDERLINED)
            }
            (Theme::Light | Theme::HighContrast, ValueKind::Win) => bold(),
            (_, ValueKind::Draw) => Style::new(),
        }
    }

    /// Returns the style of secondary text: plain in the high-contrast theme, and never grey, which is invisible in
    /// some palettes.
    pub(super) fn dim(self) -> Style {
        match self.effective_theme() {
            Theme::HighContrast => Style::new(),
            Theme::Auto | Theme::Dark | Theme::Light => Style::new().add_modifier(Modifier::DIM),
        }
    }

    /// Returns the style of the selected cell or entry.
    pub(super) fn cursor(self, style: Style) -> Style {
        self.with_contrast(style.add_modifier(Modifier::REVERSED), Modifier::BOLD)
    }

    /// Returns the style, with a modifier in the high-contrast theme.
    fn with_contrast(self, style: Style, modifier: Modifier) -> Style {
        if self.effective_theme() == Theme::HighContrast {
            style.add_modifier(modifier)
        } else {
            style
        }
    }

    /// Returns the characters of the grid. The frame is double when the player is to move.
    pub(super) fn glyphs(self, is_own_turn: bool) -> &'static GridGlyphs {
        match (self.unicode, is_own_turn) {
            (true, false) => &LIGHT_GLYPHS,
            (true, true) => &DOUBLE_GLYPHS,
            (false, false) => &ASCII_GLYPHS,
            (false, true) => &ASCII_DOUBLE_GLYPHS,
        }
    }
}

/// Characters of a grid. Each row is: left, line, junction, right.
#[derive(Debug)]
pub(super) struct GridGlyphs {
    pub(super) top: [&'static str; 4],
    pub(super) middle: [&'static str; 4],
    pub(super) bottom: [&'static str; 4],
    /// Vertical lines: of the frame, and between cells.
    pub(super) sides: [&'static str; 2],
    /// Strokes of a drawn O: its corners from top left to bottom right, its horizontal and its vertical stroke.
    pub(super) ring: [&'static str; 6],
}

const LIGHT_GLYPHS: GridGlyphs = GridGlyphs {
    top: ["\u{250c}", "\u{2500}", "\u{252c}", "\u{2510}"],
    middle: ["\u{251c}", "\u{2500}", "\u{253c}", "\u{2524}"],
    bottom: ["\u{2514}", "\u{2500}", "\u{2534}", "\u{2518}"],
    sides: ["\u{2502}", "\u{2502}"],
    ring: [
        "\u{256d}", "\u{256e}", "\u{2570}", "\u{256f}", "\u{2500}", "\u{2502}",
    ],
};

const DOUBLE_GLYPHS: GridGlyphs = GridGlyphs {
    top: ["\u{2554}", "\u{2550}", "\u{2564}", "\u{2557}"],
    middle: ["\u{255f}", "\u{2500}", "\u{253c}", "\u{2562}"],
    bottom: ["\u{255a}", "\u{2550}", "\u{2567}", "\u{255d}"],
    sides: ["\u{2551}", "\u{2502}"],
    ring: LIGHT_GLYPHS.ring,
};

const ASCII_GLYPHS: GridGlyphs = GridGlyphs {
    top: ["+", "-", "+", "+"],
    middle: ["+", "-", "+", "+"],
    bottom: ["+", "-", "+", "+"],
    sides: ["|", "|"],
    ring: [".", ".", "'", "'", "-", "|"],
};

const ASCII_DOUBLE_GLYPHS: GridGlyphs = GridGlyphs {
    top: ["#", "=", "#", "#"],
    middle: ["#", "-", "+", "#"],
    bottom: ["#", "=", "#", "#"],
    sides: ["#", "|"],
    ring: ASCII_GLYPHS.ring,
};
