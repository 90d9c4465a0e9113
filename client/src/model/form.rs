//! Forms and the results of their submission. Line mode asks for the same fields one after the other.

mod field;

use std::num::NonZeroU16;

use noughts_protocol::Name;

use super::{SessionGoal, Settings};
use crate::connection::server_url::{Invite, ServerUrl};
use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::input::TextInput;
use crate::model::local_game::{LocalPlayerSpec, LocalSetup, SeatAssignment};
use crate::settings::Setting;

use field::{CLOCK_OPTIONS, store_field_value};
pub(crate) use field::{GameEntry, GamePicker};

/// A form with one focused field.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub kind: FormKind,
    pub fields: Vec<FormField>,
    /// Index of the focused field.
    pub focus: usize,
    /// The error of the focused field.
    pub error: Option<FormFieldError>,
    /// The list of games, while it covers the form.
    pub picker: Option<GamePicker>,
}

/// Action after a form is submitted.
#[derive(Clone, Debug)]
pub(crate) enum FormResult {
    /// A session with a server.
    Server(ServerUrl, Name, SessionGoal),
    /// A server on this computer, with this port, and a room on it.
    Host(NonZeroU16, Name, SessionGoal),
    /// A local game.
    Local(LocalSetup),
    /// Changed settings; `None` removes a value.
    Settings(Vec<(Setting, Option<String>)>),
}

impl Form {
    /// Creates a form, filled in with the current settings.
    pub(crate) fn new(kind: FormKind, settings: &Settings) -> Form {
        let ids: &[FieldId] = match kind {
            FormKind::Quick | FormKind::Private => &[
                FieldId::Rules,
                FieldId::Clock,
                FieldId::Seat,
                FieldId::Name,
                FieldId::Server,
            ],
            FormKind::Host => &[
                FieldId::Rules,
                FieldId::Clock,
                FieldId::Seat,
                FieldId::Name,
                FieldId::Port,
            ],
            FormKind::Join => &[FieldId::Invite, FieldId::Name, FieldId::Server],
            FormKind::Local | FormKind::Bot => &[
                FieldId::Rules,
                FieldId::FirstPlayer,
                FieldId::SecondPlayer,
                FieldId::SeatAssignment,
            ],
            FormKind::Settings => &[
                FieldId::Name,
                FieldId::Lang,
                FieldId::Server,
                FieldId::Rules,
                FieldId::Clock,
                FieldId::DigitOrder,
                FieldId::Theme,
                FieldId::Glyphs,
                FieldId::Bell,
                FieldId::Phrases,
            ],
        };
        let fields = ids
            .iter()
            .map(|&id| FormField::new(id, kind, settings))
            .collect();
        Form {
            kind,
            fields,
            focus: 0,
            error: None,
            picker: None,
        }
    }

    /// The focused field.
    pub(crate) fn field(&self) -> &FormField {
        &self.fields[self.focus]
    }

    pub(crate) fn field_mut(&mut self) -> &mut FormField {
        &mut self.fields[self.focus]
    }

    /// The text input that receives keys and pasted text.
    pub(crate) fn input_mut(&mut self) -> &mut TextInput {
        match &mut self.picker {
            Some(picker) => &mut picker.filter,
            None => &mut self.fields[self.focus].input,
        }
    }

    /// Moves the focus down or up, and around the ends.
    pub(crate) fn move_focus(&mut self, down: bool) {
        let count = self.fields.len();
        self.focus = (self.focus + if down { 1 } else { count - 1 }) % count;
    }

    fn text(&self, id: FieldId) -> &str {
        self.fields
            .iter()
            .find(|field| field.id == id)
            .map_or("", |field| field.input.text().trim())
    }

    /// Submits the form, and stores its values in `settings`.
    ///
    /// # Errors
    /// Returns the index of the first invalid field, and its error.
    pub(crate) fn submit(
        &self,
        settings: &mut Settings,
    ) -> Result<FormResult, (usize, FormFieldError)> {
        for (index, field) in self.fields.iter().enumerate() {
            field.check().map_err(|error| (index, error))?;
        }
        let mut new_settings = settings.clone();
        for field in &self.fields {
            store_field_value(&mut new_settings, field.id, field.input.text().trim());
        }
        let Settings {
            server,
            name,
            rules,
            clock,
            seat,
            ..
        } = new_settings.clone();
        let previous = std::mem::replace(settings, new_settings);
        Ok(match self.kind {
            FormKind::Quick => {
                FormResult::Server(server, name, SessionGoal::Seek { rules, clock, seat })
            }
            FormKind::Private => FormResult::Server(
                server,
                name,
                SessionGoal::Create {
                    rules,
                    clock,
                    seat,
                    public: false,
                    bot: None,
                },
            ),
            FormKind::Host => {
                let port = self
                    .text(FieldId::Port)
                    .parse()
                    .map_err(|_| (4, FormFieldError::BadPort))?;
                let goal = SessionGoal::Create {
                    rules,
                    clock,
                    seat,
                    public: false,
                    bot: None,
                };
                FormResult::Host(port, name, goal)
            }
            FormKind::Join => {
                let index = self
                    .fields
                    .iter()
                    .position(|field| field.id == FieldId::Invite)
                    .unwrap_or(0);
                let invite: Invite = self
                    .text(FieldId::Invite)
                    .parse()
                    .map_err(|error| (index, FormFieldError::BadInvite(error)))?;
                FormResult::Server(
                    invite.server.unwrap_or(server),
                    name,
                    SessionGoal::Join(invite.room),
                )
            }
            FormKind::Local | FormKind::Bot => {
                let side = |id, index| {
                    let side: Result<LocalPlayerSpec, FormFieldError> = self.text(id).parse();
                    side.map_err(|error| (index, error))
                };
                let sides = [
                    side(FieldId::FirstPlayer, 1)?,
                    side(FieldId::SecondPlayer, 2)?,
                ];
                if let Some(index) = sides.iter().position(|side| !side.can_play(&rules)) {
                    return Err((index + 1, FormFieldError::UnknownGame));
                }
                let (sides, seat_assignment) = match self.text(FieldId::SeatAssignment) {
                    "second" => {
                        let [first, second] = sides;
                        ([second, first], SeatAssignment::AsGiven)
                    }
                    "random" => (sides, SeatAssignment::Random),
                    _ => (sides, SeatAssignment::AsGiven),
                };
                FormResult::Local(LocalSetup {
                    rules,
                    players: sides,
                    seat_assignment,
                })
            }
            FormKind::Settings => FormResult::Settings(self.changed_settings(&previous)),
        })
    }

    /// The fields whose values differ from the previous settings.
    fn changed_settings(&self, previous: &Settings) -> Vec<(Setting, Option<String>)> {
        let unchanged_form = Form::new(self.kind, previous);
        let changed = self.fields.iter().filter_map(|field| {
            let text = self.text(field.id);
            let setting = setting(field.id).filter(|_| text != unchanged_form.text(field.id))?;
            let is_unset =
                field.id == FieldId::Clock && text.eq_ignore_ascii_case(CLOCK_OPTIONS[0]);
            Some((setting, (!is_unset).then(|| text.to_owned())))
        });
        changed.collect()
    }
}

/// The setting of a field; `None` for a field without one.
fn setting(id: FieldId) -> Option<Setting> {
    match id {
        FieldId::Server => Some(Setting::Server),
        FieldId::Name => Some(Setting::Name),
        FieldId::Rules => Some(Setting::Rules),
        FieldId::Clock => Some(Setting::Clock),
        FieldId::DigitOrder => Some(Setting::Digits),
        FieldId::Lang => Some(Setting::Lang),
        FieldId::Theme => Some(Setting::Theme),
        FieldId::Glyphs => Some(Setting::Glyphs),
        FieldId::Bell => Some(Setting::Bell),
        FieldId::Phrases => Some(Setting::Phrases),
        FieldId::Port
        | FieldId::Seat
        | FieldId::Invite
        | FieldId::FirstPlayer
        | FieldId::SecondPlayer
        | FieldId::SeatAssignment => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{PhraseDisplay, Theme};
    use noughts_protocol::Seat;

    fn settings() -> Settings {
        crate::update::tests::settings()
    }

    fn fill(form: &mut Form, id: FieldId, text: &str) {
        form.fields
            .iter_mut()
            .find(|field| field.id == id)
            .unwrap()
            .input
            .set(text);
    }

    #[test]
    fn a_submitted_form_stores_its_values_in_the_settings() {
        let mut settings = settings();
        let mut form = Form::new(FormKind::Quick, &settings);
        fill(&mut form, FieldId::Rules, "7x6:4+gravity");
        fill(&mut form, FieldId::Clock, "5+3");
        fill(&mut form, FieldId::Seat, "o");
        let Ok(FormResult::Server(_, _, SessionGoal::Seek { rules, clock, seat })) =
            form.submit(&mut settings)
        else {
            panic!("unexpected form result")
        };
        assert_eq!(
            (rules.name(), clock.is_some(), seat),
            (Some("connect4"), true, Some(Seat::O))
        );
        let again = Form::new(FormKind::Private, &settings);
        assert_eq!(again.text(FieldId::Rules), "connect4");
        assert_eq!(again.text(FieldId::Clock), "5+3");
    }

    #[test]
    fn submit_reports_the_first_invalid_field() {
        let mut settings = settings();
        let mut form = Form::new(FormKind::Quick, &settings);
        fill(&mut form, FieldId::Clock, "fast");
        fill(&mut form, FieldId::Name, "");
        assert!(matches!(
            form.submit(&mut settings),
            Err((1, FormFieldError::BadClock(_)))
        ));
        fill(&mut form, FieldId::Clock, "none");
        assert!(matches!(
            form.submit(&mut settings),
            Err((3, FormFieldError::BadName(_)))
        ));
    }

    #[test]
    fn options_cycle_and_replace_typed_text() {
        let mut field = FormField::new(FieldId::Clock, FormKind::Quick, &settings());
        field.cycle_option(false);
        assert_eq!(field.input.text(), "30+0");
        field.input.set("7+7");
        field.cycle_option(true);
        assert_eq!(field.input.text(), "none");
    }

    #[test]
    fn an_invite_can_name_its_server() {
        let mut settings = settings();
        let mut form = Form::new(FormKind::Join, &settings);
        assert!(matches!(
            form.submit(&mut settings),
            Err((0, FormFieldError::BadInvite(_)))
        ));
        fill(&mut form, FieldId::Invite, "ws://example.org/ws#k7qf3mzx");
        let Ok(FormResult::Server(server, _, SessionGoal::Join(room))) = form.submit(&mut settings)
        else {
            panic!("unexpected form result")
        };
        assert_eq!(
            (server.host(), room.to_string().as_str()),
            ("example.org", "k7qf3mzx")
        );
    }

    #[test]
    fn the_settings_form_returns_only_changes() {
        let mut settings = settings();
        let mut form = Form::new(FormKind::Settings, &settings);
        fill(&mut form, FieldId::Name, " Zoe ");
        fill(&mut form, FieldId::Theme, "high-contrast");
        fill(&mut form, FieldId::Phrases, "hide");
        let Ok(FormResult::Settings(changes)) = form.submit(&mut settings) else {
            panic!("unexpected form result")
        };
        let expected = [
            (Setting::Name, "Zoe"),
            (Setting::Theme, "high-contrast"),
            (Setting::Phrases, "hide"),
        ];
        assert_eq!(
            changes,
            expected.map(|(setting, value)| (setting, Some(value.to_owned())))
        );
        assert_eq!(
            (settings.name.to_string().as_str(), settings.theme),
            ("Zoe", Theme::HighContrast)
        );
        assert_eq!(settings.phrases, PhraseDisplay::Hide);
        // "none" removes the clock from the settings.
        settings.clock = Some("5+3".parse().unwrap());
        let mut form = Form::new(FormKind::Settings, &settings);
        fill(&mut form, FieldId::Clock, "none");
        let Ok(FormResult::Settings(changes)) = form.submit(&mut settings) else {
            panic!("unexpected form result")
        };
        assert_eq!(changes, [(Setting::Clock, None)]);
    }

    #[test]
    fn every_option_of_the_settings_form_is_valid_in_the_file() {
        let form = Form::new(FormKind::Settings, &settings());
        for field in &form.fields {
            let setting = setting(field.id).expect("the field has a setting");
            for option in field
                .options
                .iter()
                .filter(|option| *option != CLOCK_OPTIONS[0])
            {
                assert_eq!(setting.check(option), Ok(()), "{option}");
            }
        }
    }
}
