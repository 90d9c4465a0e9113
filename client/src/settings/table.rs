//! The table of settings, and the types of their values.
//!
//! The settings file, environment variables, flags, forms, `noughts config show`, JSON mode and the table in the README
//! follow from the rows. A new setting needs a row here, code that uses its value, and two texts in each language: its
//! name (`field` in `forms.ftl`) and its explanation (`flag` in `cli.ftl`).

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, ValueParser};
use noughts_protocol::{Name, Rules, Seat, TimeControl};
use serde::{Serialize, Serializer};

use crate::connection::server_url::ServerUrl;
use crate::engine::Level;
use crate::facts::FormFieldError;
use crate::i18n::lang::Lang;
use crate::input::DigitOrder;

#[derive(Debug)]
pub(crate) struct SettingEntry {
    /// The key in the settings file, the name of the flag, the word in JSON mode, and the key of the setting's texts.
    pub key: &'static str,
    pub variable: &'static str,
    /// Placeholder for the flag's value in `--help`.
    pub value_name: &'static str,
    /// The commands that have the flag. Empty means all commands.
    pub commands: &'static [&'static str],
    /// Source of a default that depends on the environment.
    pub derived: Option<&'static str>,
    /// Whether the settings screen shows the setting.
    pub is_in_form: bool,
    /// Whether a form accepts texts other than the options.
    pub is_free_text: bool,
    /// Returns the values that a form offers.
    pub options: fn() -> Vec<String>,
    pub flag_parser: fn() -> ValueParser,
    pub set: fn(&mut Settings, &str) -> Result<(), FormFieldError>,
    pub text: fn(&Settings) -> String,
}

/// Declares [`Setting`], [`Settings`] and their table. A row has a key, a type and a default; [`CHOICE`] or
/// [`FREE_TEXT`]; the environment variable; the placeholder for the flag's value in `--help`; and the flag's commands,
/// unless all commands have it.
macro_rules! settings {
    ($(
        $(#[doc = $document:literal])+
        $setting:ident $key:ident: $type:ty = $default:expr, $widget:ident, env $variable:literal,
            flag $value_name:literal $(of $($command:literal)+)?
            $(, derived $derived:literal)? $(, not in $form:ident)?;
    )+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Setting {
            $($(#[doc = $document])+ $setting,)+
        }

        /// Values of the settings, and what forms remember until the program ends.
        #[derive(Clone, Debug)]
        pub(crate) struct Settings {
            $($(#[doc = $document])+ pub $key: $type,)+
            /// Seat of the player; `None` means random.
            pub seat: Option<Seat>,
            /// Level of invited bots.
            pub level: Level,
        }

        impl Default for Settings {
            fn default() -> Settings {
                Settings {
                    $($key: $default,)+
                    seat: None,
                    // A newcomer sometimes beats this level.
                    level: Level::Casual,
                }
            }
        }

        impl Setting {
            /// All settings in display order.
            pub const ALL: &[Setting] = &[$(Setting::$setting),+];

            pub(crate) fn entry(self) -> &'static SettingEntry {
                match self {
                    $(Setting::$setting => {
                        static ENTRY: SettingEntry = SettingEntry {
                            key: stringify!($key),
                            variable: $variable,
                            value_name: $value_name,
                            commands: &[$($($command),+)?],
                            derived: first(&[$($derived)?]),
                            is_in_form: first(&[$(stringify!($form))?]).is_none(),
                            is_free_text: $widget,
                            options: <$type as SettingValue<$widget>>::options,
                            flag_parser: <$type as SettingValue<$widget>>::flag_parser,
                            set: |settings, text| {
                                settings.$key = SettingValue::<$widget>::parse(text)?;
                                Ok(())
                            },
                            text: |settings| SettingValue::<$widget>::text(&settings.$key),
                        };
                        &ENTRY
                    })+
                }
            }
        }
    };
}

impl Serialize for Setting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.entry().key)
    }
}

const fn first(values: &[&'static str]) -> Option<&'static str> {
    match values {
        [] => None,
        [first, ..] => Some(first),
    }
}

settings! {
    /// Name shown to other players.
    Name name: Name = Lang::En.texts().first_player(), FREE_TEXT, env "NOUGHTS_NAME",
        flag "NAME" of "play" "join" "watch" "mcp", derived "`USER`, `LOGNAME` or a drawn name";
    /// Language of all texts.
    Lang lang: Lang = Lang::En, CHOICE, env "NOUGHTS_LANG", flag "LANG", derived "the locale";
    /// Kind of output, and of the input that belongs to it.
    Ui ui: Ui = Ui::Auto, CHOICE, env "NOUGHTS_UI", flag "UI", not in form;
    /// Server for all commands that name no server.
    Server server: ServerUrl = ServerUrl::default(), FREE_TEXT, env "NOUGHTS_SERVER", flag "SERVER";
    /// Game of new rooms and seeks.
    Rules rules: Rules = Rules::new(&[3, 3], 3).expect("3x3:3 is valid"), FREE_TEXT, env "NOUGHTS_RULES",
        flag "RULES" of "play" "local" "engine";
    /// Clock of new rooms and seeks.
    Clock clock: Option<TimeControl> = None, FREE_TEXT, env "NOUGHTS_CLOCK", flag "5+3" of "play";
    /// How digits number the cells.
    Digits digits: DigitOrder = DigitOrder::Reading, CHOICE, env "NOUGHTS_DIGITS", flag "DIGITS";
    /// Whether line mode prints the board at each turn. The program replaces `Auto` at its start: with `Always` at a
    /// terminal, otherwise with `Never`.
    Board board: BoardPrinting = BoardPrinting::Auto, CHOICE, env "NOUGHTS_BOARD", flag "BOARD", not in form;
    /// Colours.
    Theme theme: Theme = Theme::Auto, CHOICE, env "NOUGHTS_THEME", flag "THEME";
    /// Characters of the grid.
    Glyphs glyphs: GlyphSet = GlyphSet::Auto, CHOICE, env "NOUGHTS_GLYPHS", flag "GLYPHS";
    /// Whether changes of the board are animated in several frames. The program replaces `Auto` at its start: with
    /// `Off` over ssh, otherwise with `On`.
    Motion motion: MotionMode = MotionMode::Auto, CHOICE, env "NOUGHTS_MOTION", flag "MOTION", not in form;
    /// Signal when it becomes the player's turn.
    Bell bell: BellMode = BellMode::TerminalBell, CHOICE, env "NOUGHTS_BELL", flag "BELL";
    /// Whether the other players' phrases are shown, until the player changes this in a room.
    Phrases phrases: PhraseDisplay = PhraseDisplay::Show, CHOICE, env "NOUGHTS_PHRASES", flag "PHRASES";
}

/// A setting with few values. The player chooses one of them in a form.
const CHOICE: bool = false;
/// A setting that is typed. The options in a form are suggestions.
const FREE_TEXT: bool = true;

/// A value in the form that a user writes.
pub(crate) trait SettingValue<const IS_FREE_TEXT: bool>: Sized + 'static {
    fn parse(text: &str) -> Result<Self, FormFieldError>;

    fn text(&self) -> String;

    fn options() -> Vec<String> {
        Vec::new()
    }

    fn flag_parser() -> ValueParser {
        ValueParser::new(|text: &str| Self::parse(text).map(|_| text.to_owned()))
    }
}

impl<T: ValueEnum + 'static> SettingValue<CHOICE> for T {
    fn parse(text: &str) -> Result<T, FormFieldError> {
        T::from_str(text, true).map_err(|_| FormFieldError::BadOption)
    }

    fn text(&self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    fn options() -> Vec<String> {
        T::value_variants().iter().map(T::text).collect()
    }

    fn flag_parser() -> ValueParser {
        let values = T::value_variants().iter();
        PossibleValuesParser::new(values.filter_map(T::to_possible_value)).into()
    }
}

impl SettingValue<CHOICE> for Lang {
    fn parse(text: &str) -> Result<Lang, FormFieldError> {
        text.parse().map_err(|_| FormFieldError::BadOption)
    }

    fn text(&self) -> String {
        self.to_string()
    }

    fn options() -> Vec<String> {
        Lang::ALL.map(|lang| lang.to_string()).into()
    }

    fn flag_parser() -> ValueParser {
        // A locale name is accepted as well.
        ValueParser::new(|text: &str| text.parse::<Lang>().map(|_| text.to_owned()))
    }
}

impl SettingValue<FREE_TEXT> for Name {
    fn parse(text: &str) -> Result<Name, FormFieldError> {
        text.parse().map_err(FormFieldError::BadName)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl SettingValue<FREE_TEXT> for ServerUrl {
    fn parse(text: &str) -> Result<ServerUrl, FormFieldError> {
        text.parse().map_err(FormFieldError::BadServer)
    }

    fn text(&self) -> String {
        self.to_string()
    }
}

impl SettingValue<FREE_TEXT> for Rules {
    fn parse(text: &str) -> Result<Rules, FormFieldError> {
        text.parse().map_err(FormFieldError::BadRules)
    }

    fn text(&self) -> String {
        self.name().map_or_else(|| self.to_string(), str::to_owned)
    }

    fn options() -> Vec<String> {
        let names = Rules::NAMED.iter().map(|(name, _)| (*name).to_owned());
        names.collect()
    }
}

/// The clocks that a form offers. The first choice means no clock.
const CLOCK_OPTIONS: [&str; 4] = ["none", "5+3", "3+2", "10+0"];

impl SettingValue<FREE_TEXT> for Option<TimeControl> {
    fn parse(text: &str) -> Result<Option<TimeControl>, FormFieldError> {
        if text.eq_ignore_ascii_case(CLOCK_OPTIONS[0]) {
            return Ok(None);
        }
        text.parse().map(Some).map_err(FormFieldError::BadClock)
    }

    fn text(&self) -> String {
        self.map_or_else(|| CLOCK_OPTIONS[0].to_owned(), |clock| clock.to_string())
    }

    fn options() -> Vec<String> {
        CLOCK_OPTIONS.map(str::to_owned).into()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ui {
    #[default]
    Auto,
    Full,
    Line,
    Json,
}

/// Choice of colours. All colours are among the terminal's 16 colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Theme {
    /// Dark or light, depending on the background that the terminal reports.
    Auto,
    /// Colours that are readable on a dark background.
    Dark,
    /// Colours that are readable on a light background.
    Light,
    /// No colours, but bold and reversed text. A terminal without colours also uses this theme.
    HighContrast,
}

/// Choice of characters for the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GlyphSet {
    /// Depends on the locale and on the terminal.
    Auto,
    Unicode,
    Ascii,
}

/// Whether line mode prints the board when it is the turn of a person at this terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BoardPrinting {
    /// Prints the board only at a terminal.
    Auto,
    Always,
    /// Prints the board only when the player asks for it, as suits screen readers.
    Never,
}

/// Whether marks fall and winning lines light up in several frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MotionMode {
    /// On, but not over ssh.
    Auto,
    On,
    Off,
}

/// Signal for the player's turn while the terminal does not have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BellMode {
    Off,
    /// The terminal's bell.
    #[value(name = "bell")]
    TerminalBell,
    /// A desktop notification, if the terminal supports it.
    Notify,
}

/// Whether the other players' phrases are shown in a room that the player enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PhraseDisplay {
    Show,
    Hide,
}
