//! How things look and sound: what may be chosen, and what came of it.

use clap::ValueEnum;

/// How things are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// The terminal may have colours.
    pub color: bool,
    /// With box-drawing characters.
    pub unicode: bool,
    /// Which colours.
    pub theme: Theme,
}

/// Which colours, as the player chooses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// The sixteen of the terminal.
    #[default]
    Ansi,
    /// None.
    Mono,
    /// The bright ones, with bold and reversed text.
    HighContrast,
}

/// Which characters the grid is drawn with, as the player chooses them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum GlyphSet {
    /// As the locale and the terminal allow.
    #[default]
    Auto,
    Unicode,
    Ascii,
}

/// How one is called when it is one's turn and the terminal is not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BellMode {
    /// Not at all.
    Off,
    /// By the terminal's bell.
    #[default]
    Bell,
    /// By a notification of the desktop, where the terminal passes one on.
    Notify,
}

/// The name of a choice, as it is typed.
pub fn value_name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The names of all choices.
pub fn value_names<T: ValueEnum>() -> Vec<String> {
    T::value_variants().iter().map(value_name).collect()
}
