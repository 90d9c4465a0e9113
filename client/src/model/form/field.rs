//! A field of a form: what stands in it, what may, and what becomes of it.

use clap::ValueEnum;
use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;
use noughts_protocol::{Name, Rules, RulesError, Seat, TimeControl};

use super::Purpose;
use crate::engine::Level;
use crate::input::DigitOrder;
use crate::lang::Lang;
use crate::local::SideSpec;
use crate::model::{Bell, Edit, Glyphs, Settings, Theme, look};
use crate::server_url::{Invite, InviteError, ServerUrl, ServerUrlError};
use crate::thinker::Spec;
use crate::words::Words;

/// Which field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldId {
    Server,
    Name,
    Rules,
    Clock,
    Seat,
    Invite,
    /// The two who play on this terminal.
    First,
    Second,
    /// Which of them has X.
    Lot,
    Keys,
    Lang,
    Theme,
    Glyphs,
    Bell,
}

/// A field: what stands in it, and what may be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which.
    pub id: FieldId,
    /// What stands in it.
    pub edit: Edit,
    /// What the arrow keys go through.
    pub options: Vec<String>,
    /// Whether other texts than the options may be typed.
    pub free: bool,
}

/// Why a field's text will not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    Server(ServerUrlError),
    Name(NameError),
    Rules(RulesError),
    Clock(TimeControlError),
    Invite(InviteError),
    Level,
    Engine,
    /// The engine does not know the game.
    Unknown,
    Option,
}

/// The clocks to choose from; the first is none.
pub(super) const CLOCKS: &[&str] = &["none", "1+0", "3+2", "5+3", "10+5", "30+0"];
const SEATS: &[&str] = &["random", "X", "O"];
const LOTS: &[&str] = &["first", "second", "random"];

/// Keeps the text of a field that was checked.
pub(super) fn keep(settings: &mut Settings, id: FieldId, text: &str) {
    match id {
        FieldId::Server => settings.server = text.parse().unwrap_or_else(|_| settings.server.clone()),
        FieldId::Name => settings.name = text.parse().unwrap_or_else(|_| settings.name.clone()),
        FieldId::Rules => settings.rules = text.parse().unwrap_or(settings.rules),
        FieldId::Clock => settings.clock = text.parse().ok(),
        FieldId::Seat => settings.seat = text.parse().ok(),
        FieldId::Keys => settings.keys = text.parse().unwrap_or(settings.keys),
        FieldId::Lang => settings.lang = text.parse().unwrap_or(settings.lang),
        FieldId::Theme => settings.theme = Theme::from_str(text, true).unwrap_or(settings.theme),
        FieldId::Glyphs => settings.glyphs = Glyphs::from_str(text, true).unwrap_or(settings.glyphs),
        FieldId::Bell => settings.bell = Bell::from_str(text, true).unwrap_or(settings.bell),
        FieldId::First => {
            if let Ok(SideSpec::Person(name)) = text.parse() {
                settings.name = name;
            }
        }
        FieldId::Invite | FieldId::Second | FieldId::Lot => {}
    }
}

impl Field {
    /// A field as it is at first, with what the player has chosen before.
    pub(super) fn new(id: FieldId, purpose: Purpose, settings: &Settings) -> Field {
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<String>>();
        let bots = || Level::ALL.map(|level| SideSpec::Bot(Spec::Level(level)).to_string());
        let name = settings.name.to_string();
        let (text, options, free) = match id {
            FieldId::Server => (settings.server.to_string(), Vec::new(), true),
            FieldId::Name => (name, Vec::new(), true),
            FieldId::Rules => {
                let text = settings.rules.name().map_or_else(|| settings.rules.to_string(), str::to_owned);
                (text, Rules::NAMED.iter().map(|(name, _)| (*name).to_owned()).collect(), true)
            }
            FieldId::Clock => {
                let text = settings.clock.map_or_else(|| CLOCKS[0].to_owned(), |clock| clock.to_string());
                (text, words(CLOCKS), true)
            }
            FieldId::Seat => {
                let text = settings.seat.map_or_else(|| SEATS[0].to_owned(), |seat| seat.to_string());
                (text, words(SEATS), false)
            }
            FieldId::Invite => (String::new(), Vec::new(), true),
            FieldId::First => (name.clone(), [name].into_iter().chain(bots()).collect(), true),
            FieldId::Second => {
                let friend = Words::new(settings.lang).second_player().to_string();
                let text = if purpose == Purpose::Bot {
                    SideSpec::Bot(Spec::Level(settings.level)).to_string()
                } else {
                    friend.clone()
                };
                (text, [friend].into_iter().chain(bots()).collect(), true)
            }
            FieldId::Lot => (LOTS[0].to_owned(), words(LOTS), false),
            FieldId::Keys => {
                let options =
                    [DigitOrder::Reading, DigitOrder::Numpad].map(|order| order.as_str().to_owned());
                (settings.keys.as_str().to_owned(), options.into(), false)
            }
            FieldId::Lang => {
                (settings.lang.to_string(), Lang::ALL.map(|lang| lang.to_string()).into(), false)
            }
            FieldId::Theme => (look::name_of(&settings.theme), look::names::<Theme>(), false),
            FieldId::Glyphs => (look::name_of(&settings.glyphs), look::names::<Glyphs>(), false),
            FieldId::Bell => (look::name_of(&settings.bell), look::names::<Bell>(), false),
        };
        Field { id, edit: Edit::new(text), options, free }
    }

    /// Goes to the option before or after the one that stands here; from a typed text, to the first.
    pub fn turn(&mut self, forward: bool) {
        if self.options.is_empty() {
            return;
        }
        let count = self.options.len();
        let place = self.options.iter().position(|option| option == self.edit.text());
        let place = place.map_or(0, |place| (place + if forward { 1 } else { count - 1 }) % count);
        self.edit.set(self.options[place].clone());
    }

    /// Whether the text will do.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), FieldError> {
        let text = self.edit.text().trim();
        match self.id {
            FieldId::Server => text.parse::<ServerUrl>().map(drop).map_err(FieldError::Server),
            FieldId::Name => text.parse::<Name>().map(drop).map_err(FieldError::Name),
            FieldId::Rules => text.parse::<Rules>().map(drop).map_err(FieldError::Rules),
            FieldId::Clock if text.eq_ignore_ascii_case(CLOCKS[0]) => Ok(()),
            FieldId::Clock => text.parse::<TimeControl>().map(drop).map_err(FieldError::Clock),
            FieldId::Invite => text.parse::<Invite>().map(drop).map_err(FieldError::Invite),
            FieldId::First | FieldId::Second => text.parse::<SideSpec>().map(drop),
            FieldId::Seat if text.parse::<Seat>().is_ok() => Ok(()),
            FieldId::Seat
            | FieldId::Lot
            | FieldId::Keys
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Bell => {
                let known = self.options.iter().any(|option| option.eq_ignore_ascii_case(text));
                if known { Ok(()) } else { Err(FieldError::Option) }
            }
        }
    }
}
