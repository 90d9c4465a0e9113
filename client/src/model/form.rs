//! Fields to fill in, and what they come to. Line mode asks the same fields one after the other.

use clap::ValueEnum;
use noughts_protocol::clock::TimeControlError;
use noughts_protocol::player::NameError;
use noughts_protocol::{Name, Rules, RulesError, Seat, TimeControl};

use super::{Bell, Edit, Glyphs, Goal, Settings, Theme, look};
use crate::engine::Level;
use crate::input::DigitOrder;
use crate::lang::Lang;
use crate::local::{Lot, Setup, SideSpec};
use crate::preferences::Setting;
use crate::server_url::{Invite, InviteError, ServerUrl, ServerUrlError};
use crate::thinker::Spec;
use crate::words::Words;

/// What the form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To be paired with anyone.
    Quick,
    /// To open a room for a friend.
    Private,
    /// To join by a code.
    Join,
    /// To play on this terminal.
    Local,
    /// To play a bot on this terminal.
    Bot,
    /// To choose for good.
    Settings,
}

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

/// Fields, one of which is being filled in.
#[derive(Clone, Debug)]
pub struct Form {
    /// What for.
    pub purpose: Purpose,
    /// The fields from the top.
    pub fields: Vec<Field>,
    /// The field that is being filled in.
    pub at: usize,
    /// What was wrong with it.
    pub error: Option<FieldError>,
}

/// What a form comes to.
#[derive(Clone, Debug)]
pub enum Plan {
    /// To go to a server.
    Online(ServerUrl, Name, Goal),
    /// To play here.
    Here(Setup),
    /// To have these settings from now on.
    Settings(Vec<(Setting, Option<String>)>),
}

/// The clocks to choose from; the first is none.
const CLOCKS: &[&str] = &["none", "1+0", "3+2", "5+3", "10+5", "30+0"];
const SEATS: &[&str] = &["random", "X", "O"];
const LOTS: &[&str] = &["first", "second", "random"];

impl Form {
    /// The fields for a purpose, filled in with what the player has chosen before.
    pub fn new(purpose: Purpose, settings: &Settings) -> Form {
        let ids: &[FieldId] = match purpose {
            Purpose::Quick | Purpose::Private => {
                &[FieldId::Rules, FieldId::Clock, FieldId::Seat, FieldId::Name, FieldId::Server]
            }
            Purpose::Join => &[FieldId::Invite, FieldId::Name, FieldId::Server],
            Purpose::Local | Purpose::Bot => {
                &[FieldId::Rules, FieldId::First, FieldId::Second, FieldId::Lot, FieldId::Keys]
            }
            Purpose::Settings => &[
                FieldId::Name,
                FieldId::Lang,
                FieldId::Server,
                FieldId::Rules,
                FieldId::Clock,
                FieldId::Keys,
                FieldId::Theme,
                FieldId::Glyphs,
                FieldId::Bell,
            ],
        };
        let fields = ids.iter().map(|&id| field(id, purpose, settings)).collect();
        Form { purpose, fields, at: 0, error: None }
    }

    /// The field that is being filled in.
    pub fn field(&self) -> &Field {
        &self.fields[self.at]
    }

    /// The same, to be changed.
    pub fn field_mut(&mut self) -> &mut Field {
        &mut self.fields[self.at]
    }

    /// Goes to another field; round the ends.
    pub fn step(&mut self, down: bool) {
        let count = self.fields.len();
        self.at = (self.at + if down { 1 } else { count - 1 }) % count;
    }

    fn text(&self, id: FieldId) -> &str {
        self.fields.iter().find(|field| field.id == id).map_or("", |field| field.edit.text().trim())
    }

    /// What the fields come to; keeps what was chosen for the next form.
    ///
    /// # Errors
    /// The first field that will not do, and why.
    pub fn finish(&self, settings: &mut Settings) -> Result<Plan, (usize, FieldError)> {
        for (place, field) in self.fields.iter().enumerate() {
            field.check().map_err(|error| (place, error))?;
        }
        let mut chosen = settings.clone();
        for field in &self.fields {
            keep(&mut chosen, field.id, field.edit.text().trim());
        }
        let Settings { server, name, rules, clock, seat, .. } = chosen.clone();
        let before = std::mem::replace(settings, chosen);
        Ok(match self.purpose {
            Purpose::Quick => Plan::Online(server, name, Goal::Seek { rules, clock, seat }),
            Purpose::Private => {
                Plan::Online(server, name, Goal::Create { rules, clock, seat, public: false, bot: None })
            }
            Purpose::Join => {
                let place = self.fields.iter().position(|field| field.id == FieldId::Invite).unwrap_or(0);
                let invite: Invite =
                    self.text(FieldId::Invite).parse().map_err(|error| (place, FieldError::Invite(error)))?;
                Plan::Online(invite.server.unwrap_or(server), name, Goal::Join(invite.room))
            }
            Purpose::Local | Purpose::Bot => {
                let side = |id, place| {
                    let side: Result<SideSpec, FieldError> = self.text(id).parse();
                    side.map_err(|error| (place, error))
                };
                let sides = [side(FieldId::First, 1)?, side(FieldId::Second, 2)?];
                if let Some(place) = sides.iter().position(|side| !side.can_play(&rules)) {
                    return Err((place + 1, FieldError::Unknown));
                }
                let (sides, lot) = match self.text(FieldId::Lot) {
                    "second" => {
                        let [first, second] = sides;
                        ([second, first], Lot::AsGiven)
                    }
                    "random" => (sides, Lot::Random),
                    _ => (sides, Lot::AsGiven),
                };
                Plan::Here(Setup { rules, sides, lot })
            }
            Purpose::Settings => Plan::Settings(self.changes(&before)),
        })
    }

    /// The settings that stand here otherwise than they are.
    fn changes(&self, before: &Settings) -> Vec<(Setting, Option<String>)> {
        let as_it_was = Form::new(self.purpose, before);
        let changed = self.fields.iter().filter_map(|field| {
            let text = self.text(field.id);
            let setting = setting(field.id).filter(|_| text != as_it_was.text(field.id))?;
            let none = field.id == FieldId::Clock && text.eq_ignore_ascii_case(CLOCKS[0]);
            Some((setting, (!none).then(|| text.to_owned())))
        });
        changed.collect()
    }
}

/// The setting that a field chooses.
fn setting(id: FieldId) -> Option<Setting> {
    match id {
        FieldId::Server => Some(Setting::Server),
        FieldId::Name => Some(Setting::Name),
        FieldId::Rules => Some(Setting::Rules),
        FieldId::Clock => Some(Setting::Clock),
        FieldId::Keys => Some(Setting::Digits),
        FieldId::Lang => Some(Setting::Lang),
        FieldId::Theme => Some(Setting::Theme),
        FieldId::Glyphs => Some(Setting::Glyphs),
        FieldId::Bell => Some(Setting::Bell),
        FieldId::Seat | FieldId::Invite | FieldId::First | FieldId::Second | FieldId::Lot => None,
    }
}

fn field(id: FieldId, purpose: Purpose, settings: &Settings) -> Field {
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
            let options = [DigitOrder::Reading, DigitOrder::Numpad].map(|order| order.as_str().to_owned());
            (settings.keys.as_str().to_owned(), options.into(), false)
        }
        FieldId::Lang => (settings.lang.to_string(), Lang::ALL.map(|lang| lang.to_string()).into(), false),
        FieldId::Theme => (look::name_of(&settings.theme), look::names::<Theme>(), false),
        FieldId::Glyphs => (look::name_of(&settings.glyphs), look::names::<Glyphs>(), false),
        FieldId::Bell => (look::name_of(&settings.bell), look::names::<Bell>(), false),
    };
    Field { id, edit: Edit::new(text), options, free }
}

/// Keeps the text of a field that was checked.
fn keep(settings: &mut Settings, id: FieldId, text: &str) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        crate::update::tests::settings()
    }

    fn fill(form: &mut Form, id: FieldId, text: &str) {
        form.fields.iter_mut().find(|field| field.id == id).unwrap().edit.set(text);
    }

    #[test]
    fn a_filled_form_is_a_plan_and_is_remembered() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Quick, &settings);
        fill(&mut form, FieldId::Rules, "7x6:4+gravity");
        fill(&mut form, FieldId::Clock, "5+3");
        fill(&mut form, FieldId::Seat, "o");
        let Ok(Plan::Online(_, _, Goal::Seek { rules, clock, seat })) = form.finish(&mut settings) else {
            panic!("a plan")
        };
        assert_eq!((rules.name(), clock.is_some(), seat), (Some("connect4"), true, Some(Seat::O)));
        let again = Form::new(Purpose::Private, &settings);
        assert_eq!(again.text(FieldId::Rules), "connect4");
        assert_eq!(again.text(FieldId::Clock), "5+3");
    }

    #[test]
    fn the_first_wrong_field_is_named() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Quick, &settings);
        fill(&mut form, FieldId::Clock, "fast");
        fill(&mut form, FieldId::Name, "");
        assert!(matches!(form.finish(&mut settings), Err((1, FieldError::Clock(_)))));
        fill(&mut form, FieldId::Clock, "none");
        assert!(matches!(form.finish(&mut settings), Err((3, FieldError::Name(_)))));
    }

    #[test]
    fn options_go_round_and_take_typed_texts_in() {
        let mut field = field(FieldId::Clock, Purpose::Quick, &settings());
        field.turn(false);
        assert_eq!(field.edit.text(), "30+0");
        field.edit.set("7+7");
        field.turn(true);
        assert_eq!(field.edit.text(), "none");
    }

    #[test]
    fn an_invitation_may_name_its_server() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Join, &settings);
        assert!(matches!(form.finish(&mut settings), Err((0, FieldError::Invite(_)))));
        fill(&mut form, FieldId::Invite, "ws://example.org/ws#k7qf3mzx");
        let Ok(Plan::Online(server, _, Goal::Join(room))) = form.finish(&mut settings) else {
            panic!("a plan")
        };
        assert_eq!((server.host(), room.to_string().as_str()), ("example.org", "k7qf3mzx"));
    }

    #[test]
    fn settings_come_to_what_was_changed_and_nothing_else() {
        let mut settings = settings();
        let mut form = Form::new(Purpose::Settings, &settings);
        fill(&mut form, FieldId::Name, " Zoe ");
        fill(&mut form, FieldId::Theme, "high-contrast");
        let Ok(Plan::Settings(changes)) = form.finish(&mut settings) else { panic!("a plan") };
        let expected = [(Setting::Name, "Zoe"), (Setting::Theme, "high-contrast")];
        assert_eq!(changes, expected.map(|(setting, value)| (setting, Some(value.to_owned()))));
        assert_eq!((settings.name.to_string().as_str(), settings.theme), ("Zoe", Theme::HighContrast));
        // No clock is no setting.
        settings.clock = Some("5+3".parse().unwrap());
        let mut form = Form::new(Purpose::Settings, &settings);
        fill(&mut form, FieldId::Clock, "none");
        let Ok(Plan::Settings(changes)) = form.finish(&mut settings) else { panic!("a plan") };
        assert_eq!(changes, [(Setting::Clock, None)]);
    }

    #[test]
    fn every_choice_of_the_settings_is_one_that_the_file_takes() {
        let form = Form::new(Purpose::Settings, &settings());
        for field in &form.fields {
            let setting = setting(field.id).expect("a setting");
            for option in field.options.iter().filter(|option| *option != CLOCKS[0]) {
                assert_eq!(setting.check(option), Ok(()), "{option}");
            }
        }
    }
}
