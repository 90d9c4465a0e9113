//! How things look. Colour is only ever a second cue: marks, brackets and words tell everything.
//!
//! The 16 ANSI colours, which the player's terminal defines, and no backgrounds. Without colour there
//! are bold, dim and reversed text.

use noughts_protocol::Seat;
use ratatui::style::{Color, Modifier, Style};

use crate::model::Look;

/// Bold.
pub(super) fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// Less important. Not grey: that is invisible on some palettes.
pub(super) fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

impl Look {
    fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }

    /// The mark of a seat.
    pub(super) fn mark(self, seat: Seat) -> Style {
        match seat {
            Seat::X => self.colored(Color::Cyan).add_modifier(Modifier::BOLD),
            Seat::O => self.colored(Color::Yellow),
        }
    }

    /// The line that won.
    pub(super) fn win(self) -> Style {
        self.colored(Color::Green).add_modifier(Modifier::BOLD)
    }

    /// What needs attention.
    pub(super) fn alert(self) -> Style {
        self.colored(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// What was just said.
    pub(super) fn notice(self) -> Style {
        self.colored(Color::Magenta)
    }

    /// The cell or entry under the cursor.
    pub(super) fn cursor(self, style: Style) -> Style {
        style.add_modifier(Modifier::REVERSED)
    }

    /// The lines between cells.
    pub(super) fn rules(self) -> Style {
        dim()
    }

    /// Between two cells of a row, between two rows, and where these cross.
    pub(super) fn glyphs(self) -> Glyphs {
        if self.unicode {
            Glyphs { vertical: "\u{2502}", horizontal: "\u{2500}", cross: "\u{253c}" }
        } else {
            Glyphs { vertical: "|", horizontal: "-", cross: "+" }
        }
    }
}

/// The characters of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyphs {
    pub(super) vertical: &'static str,
    pub(super) horizontal: &'static str,
    pub(super) cross: &'static str,
}
