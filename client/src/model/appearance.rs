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
}

/// Choice of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// The 16 colours of the terminal.
    #[default]
    Ansi,
    /// No colours.
    Mono,
    /// The bright colours, with bold and reversed text.
    HighContrast,
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

/// Returns the name of a value as the command line and the settings file spell it.
pub(crate) fn value_name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Returns the names of all values.
pub(crate) fn value_names<T: ValueEnum>() -> Vec<String> {
    T::value_variants().iter().map(value_name).collect()
}
