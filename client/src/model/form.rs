//! Fields to fill in, and what they come to. Line mode asks the same fields one after the other.

mod field;

use noughts_protocol::Name;

use super::{Goal, Settings};
use crate::local::{Lot, Setup, SideSpec};
use crate::preferences::Setting;
use crate::server_url::{Invite, ServerUrl};

use field::{CLOCKS, keep};
pub use field::{Field, FieldError, FieldId};

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
        let fields = ids.iter().map(|&id| Field::new(id, purpose, settings)).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Theme;
    use noughts_protocol::Seat;

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
        let mut field = Field::new(FieldId::Clock, Purpose::Quick, &settings());
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
