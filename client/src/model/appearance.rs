//! Colours, characters and the turn signal: the choices, and the appearance that results from them.

use clap::ValueEnum;

/// How the full screen is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Appearance {
    /// Whether colours may be used.
    pub color: bool,
    /// Whether box-drawing characters may be used.
    pub unicode: bool,
    pub theme: Theme,
    /// Whether the background of the terminal is light, as far as known.
    pub has_light_background: bool,
}

impl Appearance {
    /// The theme to draw with: never [`Theme::Auto`], and without colours [`Theme::Mono`].
    pub(crate) fn effective_theme(self) -> Theme {
        match self.theme {
            Theme::Auto | Theme::Dark | Theme::Light if !self.color => Theme::Mono,
            Theme::Auto if self.has_light_background => Theme::Light,
            Theme::Auto => Theme::Dark,
            theme @ (Theme::Dark | Theme::Light | Theme::HighContrast | Theme::Mono) => theme,
        }
    }
}

/// Choice of colours. All are among the 16 of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark or light, as the terminal reports its background.
    #[default]
    #[value(alias = "ansi")]
    Auto,
    /// Colours that are readable on a dark background.
    Dark,
    /// Colours that are readable on a light background.
    Light,
    /// No colours: bold and reversed text.
    HighContrast,
    /// No colours.
    Mono,
}

/// Choice of characters for the grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GlyphSet {
    /// Depends on the locale and the terminal.
    #[default]
    Auto,
    Unicode,
    Ascii,
}

/// Whether line mode prints the board when it is the turn of a person here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BoardPrinting {
    /// At a terminal.
    #[default]
    Auto,
    Always,
    /// Only when the player asks for it, as suits screen readers.
    Never,
}

/// Signal for the player's turn while the terminal is not focused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BellMode {
    Off,
    /// The terminal's bell.
    #[default]
    #[value(name = "bell")]
    TerminalBell,
    /// A desktop notification, if the terminal supports it.
    Notify,
}

/// Whether the phrases of other players are shown in a room that the player enters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PhraseDisplay {
    #[default]
    Show,
    Hide,
}

/// Returns the name of a value as the command line and the settings file spell it.
pub(crate) fn value_name(choice: &impl ValueEnum) -> String {
    choice
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
        .unwrap_or_default()
}

/// Returns the names of all values.
pub(crate) fn value_names<T: ValueEnum>() -> Vec<String> {
    T::value_variants().iter().map(value_name).collect()
}
