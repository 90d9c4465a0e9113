//! How things look. Colour is only ever a second cue: marks, brackets and words tell everything.
//!
//! The 16 ANSI colours, which the player's terminal defines, and no backgrounds. Without colour there
//! are bold, dim and reversed text.

use noughts_protocol::Seat;
use ratatui::style::{Color, Modifier, Style};

use crate::model::{Appearance, Theme};

/// Bold.
pub(super) fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

impl Appearance {
    fn colored(self, color: Color, bright: Color) -> Style {
        match self.theme {
            Theme::Ansi if self.color => Style::new().fg(color),
            Theme::HighContrast if self.color => Style::new().fg(bright),
            Theme::Ansi | Theme::Mono | Theme::HighContrast => Style::new(),
        }
    }

    /// What is plain otherwise, where contrast is wanted.
    fn with_contrast(self, style: Style, modifier: Modifier) -> Style {
        match self.theme {
            Theme::HighContrast => style.add_modifier(modifier),
            Theme::Ansi | Theme::Mono => style,
        }
    }

    /// The mark of a seat.
    pub(super) fn mark(self, seat: Seat) -> Style {
        match seat {
            Seat::X => self.colored(Color::Cyan, Color::LightCyan).add_modifier(Modifier::BOLD),
            Seat::O => self.with_contrast(self.colored(Color::Yellow, Color::LightYellow), Modifier::BOLD),
        }
    }

    /// The line that won.
    pub(super) fn winning(self) -> Style {
        let style = self.colored(Color::Green, Color::LightGreen).add_modifier(Modifier::BOLD);
        self.with_contrast(style, Modifier::REVERSED)
    }

    /// What needs attention.
    pub(super) fn alert(self) -> Style {
        let style = self.colored(Color::Red, Color::LightRed).add_modifier(Modifier::BOLD);
        self.with_contrast(style, Modifier::REVERSED)
    }

    /// What was just said.
    pub(super) fn notice(self) -> Style {
        self.with_contrast(self.colored(Color::Magenta, Color::LightMagenta), Modifier::BOLD)
    }

    /// Less important. Not grey: that is invisible on some palettes. Where contrast is wanted, nothing is dim.
    pub(super) fn dim(self) -> Style {
        match self.theme {
            Theme::Ansi | Theme::Mono => Style::new().add_modifier(Modifier::DIM),
            Theme::HighContrast => Style::new(),
        }
    }

    /// The cell or entry under the cursor.
    pub(super) fn cursor(self, style: Style) -> Style {
        style.add_modifier(Modifier::REVERSED)
    }

    /// The lines between cells.
    pub(super) fn grid_lines(self) -> Style {
        self.dim()
    }

    /// Between two cells of a row, between two rows, and where these cross.
    pub(super) fn glyphs(self) -> GridGlyphs {
        if self.unicode {
            GridGlyphs { vertical: "\u{2502}", horizontal: "\u{2500}", cross: "\u{253c}" }
        } else {
            GridGlyphs { vertical: "|", horizontal: "-", cross: "+" }
        }
    }
}

/// The characters of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct GridGlyphs {
    pub(super) vertical: &'static str,
    pub(super) horizontal: &'static str,
    pub(super) cross: &'static str,
}
