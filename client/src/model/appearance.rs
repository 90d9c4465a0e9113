//! The kind of output, and how the full screen is drawn.

use crate::settings::Theme;

/// Kind of output, and of the input that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The full screen.
    Full,
    /// One line of text for each event.
    Line {
        /// Whether a person types. A person's command gets an immediate answer. A script's move waits for its turn, so
        /// that a script can write all moves in advance.
        interactive: bool,
    },
    /// One JSON object for each event.
    Json,
}

impl Mode {
    /// Whether input lines are processed in order and a move waits for its turn.
    pub(crate) fn is_script(self) -> bool {
        match self {
            Mode::Full | Mode::Line { interactive: true } => false,
            Mode::Line { interactive: false } | Mode::Json => true,
        }
    }
}

/// How the full screen is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Whether colours may be used.
    pub color: bool,
    /// Whether the terminal has the palette of 256 colours. Its colours from 16 on are the same everywhere.
    pub has_palette: bool,
    /// Whether box-drawing characters may be used.
    pub unicode: bool,
    pub theme: Theme,
    /// Whether the background of the terminal is light, as far as known.
    pub has_light_background: bool,
}

impl Appearance {
    /// Whether boards and cards have grounds of their own, and marks are filled shapes.
    pub(crate) fn has_surfaces(self) -> bool {
        self.has_palette && self.unicode && self.effective_theme() != Theme::HighContrast
    }

    /// The theme to draw with: never [`Theme::Auto`], and without colours [`Theme::HighContrast`].
    pub(crate) fn effective_theme(self) -> Theme {
        match self.theme {
            Theme::Auto | Theme::Dark | Theme::Light if !self.color => Theme::HighContrast,
            Theme::Auto if self.has_light_background => Theme::Light,
            Theme::Auto => Theme::Dark,
            theme @ (Theme::Dark | Theme::Light | Theme::HighContrast) => theme,
        }
    }
}
