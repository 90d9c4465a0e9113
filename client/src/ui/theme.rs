//! Styles. Colour is never the only cue: signs and words carry the same information.
//!
//! Uses the 16 ANSI colours of the terminal and no backgrounds. Without colours: bold, dim and reversed
//! text.

use noughts_protocol::Seat;
use ratatui::style::{Color, Modifier, Style};

use crate::model::{Appearance, Theme};

pub(super) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

impl Appearance {
    /// No single ANSI colour is readable on every palette, so the high-contrast theme has none.
    fn colored(self, color: Color) -> Style {
        match self.theme {
            Theme::Ansi if self.color => Style::new().fg(color),
            Theme::Ansi | Theme::Mono | Theme::HighContrast => Style::new(),
        }
    }

    /// Style of plain text in the high-contrast theme.
    fn with_contrast(self, style: Style, modifier: Modifier) -> Style {
        match self.theme {
            Theme::HighContrast => style.add_modifier(modifier),
            Theme::Ansi | Theme::Mono => style,
        }
    }

    pub(super) fn mark(self, seat: Seat) -> Style {
        match seat {
            Seat::X => self.colored(Color::Cyan).add_modifier(Modifier::BOLD),
            Seat::O => self.colored(Color::Yellow),
        }
    }

    /// Style of the winning line.
    pub(super) fn winning(self) -> Style {
        let style = self.colored(Color::Green).add_modifier(Modifier::BOLD);
        self.with_contrast(style, Modifier::REVERSED)
    }

    /// Style of alerts.
    pub(super) fn alert(self) -> Style {
        let style = self.colored(Color::Red).add_modifier(Modifier::BOLD);
        self.with_contrast(style, Modifier::REVERSED)
    }

    /// Style of notifications.
    pub(super) fn notice(self) -> Style {
        self.with_contrast(self.colored(Color::Magenta), Modifier::BOLD)
    }

    /// Style of secondary text. Not grey, which is invisible in some palettes; plain in the high-contrast theme.
    pub(super) fn dim(self) -> Style {
        match self.theme {
            Theme::Ansi | Theme::Mono => Style::new().add_modifier(Modifier::DIM),
            Theme::HighContrast => Style::new(),
        }
    }

    /// Style of the selected cell or entry.
    pub(super) fn cursor(self, style: Style) -> Style {
        style.add_modifier(Modifier::REVERSED)
    }

    pub(super) fn grid_lines(self) -> Style {
        self.dim()
    }

    /// Vertical, horizontal and crossing grid characters.
    pub(super) fn glyphs(self) -> GridGlyphs {
        if self.unicode {
            GridGlyphs { vertical: "\u{2502}", horizontal: "\u{2500}", cross: "\u{253c}" }
        } else {
            GridGlyphs { vertical: "|", horizontal: "-", cross: "+" }
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct GridGlyphs {
    pub(super) vertical: &'static str,
    pub(super) horizontal: &'static str,
    pub(super) cross: &'static str,
}
