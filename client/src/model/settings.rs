//! The settings that the model uses, and the kind of output.

use noughts_protocol::{Name, Rules, Seat, TimeControl};

use super::{BellMode, BoardPrinting, GlyphSet, PhraseDisplay, Theme};
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
