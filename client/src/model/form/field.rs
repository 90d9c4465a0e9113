//! Initial texts, options and checks of form fields.

use std::num::NonZeroU16;

use clap::ValueEnum;
use noughts_protocol::{Name, Rules, Seat, TimeControl};

use crate::connection::server_url::{Invite, ServerUrl};
use crate::engine::Level;
use crate::engines::player_engine::EngineSpec;
use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::i18n::lang::Lang;
use crate::input::{DigitOrder, TextInput};
use crate::model::local_game::LocalPlayerSpec;
use crate::model::{BellMode, GlyphSet, PhraseDisplay, Settings, Theme, appearance};

/// The clock options; the first one means no clock.
pub(super) const CLOCK_OPTIONS: &[&str] = &["none", "1+0", "3+2", "5+3", "10+5", "30+0"];
const SEAT_OPTIONS: &[&str] = &["random", "X", "O"];
const SEAT_ASSIGNMENT_OPTIONS: &[&str] = &["first", "second", "random"];

/// Stores the text of a valid field in the settings.
pub(super) fn store_field_value(settings: &mut Settings, id: FieldId, text: &str) {
    match id {
        FieldId::Server => {
            settings.server = text.parse().unwrap_or_else(|_| settings.server.clone())
        }
        FieldId::Name => settings.name = text.parse().unwrap_or_else(|_| settings.name.clone()),
        FieldId::Rules => settings.rules = text.parse().unwrap_or(settings.rules),
        FieldId::Clock => settings.clock = text.parse().ok(),
        FieldId::Seat => settings.seat = text.parse().ok(),
        FieldId::DigitOrder => settings.digit_order = text.parse().unwrap_or(settings.digit_order),
        FieldId::Theme => settings.theme = Theme::from_str(text, true).unwrap_or(settings.theme),
        FieldId::Glyphs => {
            settings.glyphs = GlyphSet::from_str(text, true).unwrap_or(settings.glyphs)
        }
        FieldId::Bell => settings.bell = BellMode::from_str(text, true).unwrap_or(settings.bell),
        FieldId::Phrases => {
            settings.phrases = PhraseDisplay::from_str(text, true).unwrap_or(settings.phrases);
        }
        FieldId::FirstPlayer => {
            if let Ok(LocalPlayerSpec::Person(name)) = text.parse() {
                settings.name = name;
            }
        }
        // The fold applies the language, which also changes a generated name.
        FieldId::Lang => {}
        FieldId::Port | FieldId::Invite | FieldId::SecondPlayer | FieldId::SeatAssignment => {}
    }
}

impl FormField {
    /// Creates a field, filled in with the current settings.
    pub(super) fn new(id: FieldId, kind: FormKind, settings: &Settings) -> FormField {
        let to_strings = |words: &[&str]| {
            words
                .iter()
                .map(|&word| word.to_owned())
                .collect::<Vec<String>>()
        };
        let bots =
            || Level::ALL.map(|level| LocalPlayerSpec::Bot(EngineSpec::Level(level)).to_string());
        let name = settings.name.to_string();
        let (text, options, is_free_text) = match id {
            FieldId::Server => (settings.server.to_string(), Vec::new(), true),
            FieldId::Port => (ServerUrl::DEFAULT_PORT.to_string(), Vec::new(), true),
            FieldId::Name => (name, Vec::new(), true),
            FieldId::Rules => {
                let text = settings
                    .rules
                    .name()
                    .map_or_else(|| settings.rules.to_string(), str::to_owned);
                (
                    text,
                    Rules::NAMED
                        .iter()
                        .map(|(name, _)| (*name).to_owned())
                        .collect(),
                    true,
                )
            }
            FieldId::Clock => {
                let text = settings
                    .clock
                    .map_or_else(|| CLOCK_OPTIONS[0].to_owned(), |clock| clock.to_string());
                (text, to_strings(CLOCK_OPTIONS), true)
            }
            FieldId::Seat => {
                let text = settings
                    .seat
                    .map_or_else(|| SEAT_OPTIONS[0].to_owned(), |seat| seat.to_string());
                (text, to_strings(SEAT_OPTIONS), false)
            }
            FieldId::Invite => (String::new(), Vec::new(), true),
            FieldId::FirstPlayer => (
                name.clone(),
                [name].into_iter().chain(bots()).collect(),
                true,
            ),
            FieldId::SecondPlayer => {
                let friend = settings.lang.texts().second_player().to_string();
                let text = if kind == FormKind::Bot {
                    LocalPlayerSpec::Bot(EngineSpec::Level(settings.level)).to_string()
                } else {
                    friend.clone()
                };
                (text, [friend].into_iter().chain(bots()).collect(), true)
            }
            FieldId::SeatAssignment => (
                SEAT_ASSIGNMENT_OPTIONS[0].to_owned(),
                to_strings(SEAT_ASSIGNMENT_OPTIONS),
                false,
            ),
            FieldId::DigitOrder => {
                let options = [DigitOrder::Reading, DigitOrder::Numpad]
                    .map(|order| order.as_str().to_owned());
                (
                    settings.digit_order.as_str().to_owned(),
                    options.into(),
                    false,
                )
            }
            FieldId::Lang => (
                settings.lang.to_string(),
                Lang::ALL.map(|lang| lang.to_string()).into(),
                false,
            ),
            FieldId::Theme => (
                appearance::value_name(&settings.theme),
                appearance::value_names::<Theme>(),
                false,
            ),
            FieldId::Glyphs => (
                appearance::value_name(&settings.glyphs),
                appearance::value_names::<GlyphSet>(),
                false,
            ),
            FieldId::Bell => (
                appearance::value_name(&settings.bell),
                appearance::value_names::<BellMode>(),
                false,
            ),
            FieldId::Phrases => (
                appearance::value_name(&settings.phrases),
                appearance::value_names::<PhraseDisplay>(),
                false,
            ),
        };
        FormField {
            id,
            input: TextInput::new(text),
            options,
            is_free_text,
        }
    }

    /// Checks the text.
    ///
    /// # Errors
    /// Returns the reason why the text is invalid.
    pub fn check(&self) -> Result<(), FormFieldError> {
        let text = self.input.text().trim();
        match self.id {
            FieldId::Server => text
                .parse::<ServerUrl>()
                .map(drop)
                .map_err(FormFieldError::Server),
            FieldId::Port => text
                .parse::<NonZeroU16>()
                .map(drop)
                .map_err(|_| FormFieldError::Port),
            FieldId::Name => text.parse::<Name>().map(drop).map_err(FormFieldError::Name),
            FieldId::Rules => text
                .parse::<Rules>()
                .map(drop)
                .map_err(FormFieldError::Rules),
            FieldId::Clock if text.eq_ignore_ascii_case(CLOCK_OPTIONS[0]) => Ok(()),
            FieldId::Clock => text
                .parse::<TimeControl>()
                .map(drop)
                .map_err(FormFieldError::Clock),
            FieldId::Invite => text
                .parse::<Invite>()
                .map(drop)
                .map_err(FormFieldError::Invite),
            FieldId::FirstPlayer | FieldId::SecondPlayer => {
                text.parse::<LocalPlayerSpec>().map(drop)
            }
            FieldId::Seat if text.parse::<Seat>().is_ok() => Ok(()),
            FieldId::Seat
            | FieldId::SeatAssignment
            | FieldId::DigitOrder
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Bell
            | FieldId::Phrases => {
                let is_known = self
                    .options
                    .iter()
                    .any(|option| option.eq_ignore_ascii_case(text));
                if is_known {
                    Ok(())
                } else {
                    Err(FormFieldError::UnknownOption)
                }
            }
        }
    }
}
