//! The settings that the model uses, the kind of output, and the appearance: colours, characters, the turn signal.

use clap::ValueEnum;
use noughts_protocol::{Name, Rules, Seat, TimeControl};

use crate::connection::server_url::ServerUrl;
use crate::engine::Level;
use crate::i18n::lang::Lang;
use crate::input::DigitOrder;

/// Kind of output, and of the input that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The full screen.
    Full,
    /// One line of text for each event.
    Line {
        /// Whether a person types. A person's command is answered at once; a script's move waits for its turn, so
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

/// Settings from the command line, the environment, the settings file and the forms.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub server: ServerUrl,
    /// Name shown to other players.
    pub name: Name,
    pub rules: Rules,
    pub clock: Option<TimeControl>,
    /// Seat of the player; `None`: random.
    pub seat: Option<Seat>,
    /// Level of invited bots.
    pub level: Level,
    /// How digits number the cells.
    pub digit_order: DigitOrder,
    /// Whether line mode prints the board at each turn; `Auto` counts as `Never` once the program has started.
    pub board_printing: BoardPrinting,
    /// Language of all texts.
    pub lang: Lang,
    pub theme: Theme,
    /// Characters of the grid.
    pub glyphs: GlyphSet,
    /// Signal when it becomes the player's turn.
    pub bell: BellMode,
    /// Whether the phrases of other players are shown until the player changes it in a room.
    pub phrases: PhraseDisplay,
}

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

/// Choice of colours. All are among the 16 of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark or light, as the terminal reports its background.
    #[default]
    Auto,
    /// Colours that are readable on a dark background.
    Dark,
    /// Colours that are readable on a light background.
    Light,
    /// No colours: bold and reversed text. Also the theme of a terminal without colours.
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
