//! The kind of output, and the appearance of the full screen.

use crate::settings::Theme;

/// Kind of output, and of the input that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Full,
    /// One line of text for each event.
    Line {
        /// Whether a person types. A person's command is answered immediately. A script's move waits for its turn, so
        /// that a script can write all moves in advance.
        interactive: bool,
    },
    /// One JSON object for each event.
    Json,
}

impl Mode {
    /// Returns whether input lines are processed in order and a move waits for its turn.
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
    /// Whether the terminal has a palette of 256 colours. The colours 16 to 255 are the same on every terminal.
    pub has_palette: bool,
    /// Whether box-drawing characters may be used.
    pub unicode: bool,
    pub theme: Theme,
    /// Whether the terminal's background is light, as far as is known.
    pub has_light_background: bool,
}

impl Appearance {
    /// The appearance of outputs that draw nothing.
    pub(crate) const PLAIN: Appearance = Appearance {
        color: false,
        has_palette: false,
        unicode: false,
        theme: Theme::HighContrast,
        has_light_background: false,
    };

    /// Returns whether boards and cards have their own backgrounds, and marks are filled shapes.
    pub(crate) fn has_surfaces(self) -> bool {
        self.has_palette && self.unicode && self.effective_theme() != Theme::HighContrast
    }

    /// Returns the theme to draw with: never [`Theme::Auto`], and [`Theme::HighContrast`] without colours.
    pub(crate) fn effective_theme(self) -> Theme {
        match self.theme {
            Theme::Auto | Theme::Dark | Theme::Light if !self.color => Theme::HighContrast,
            Theme::Auto if self.has_light_background => Theme::Light,
            Theme::Auto => Theme::Dark,
            theme @ (Theme::Dark | Theme::Light | Theme::HighContrast) => theme,
        }
    }
}
