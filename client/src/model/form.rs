//! Forms, and the results of their submission. Line mode asks for the same fields one after another.

mod field;

use std::num::NonZeroU16;

use noughts_protocol::{Name, PlayerKind, Seat};

use super::SessionGoal;
use crate::connection::server_url::{Invite, ServerUrl};
use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::i18n::Texts;
use crate::input::TextInput;
use crate::io::last_choices::LastGame;
use crate::model::local_game::{LocalPlayerSpec, LocalSetup, SeatAssignment};
use crate::settings::{Setting, Settings};

pub(crate) use field::{GameEntry, GamePicker};
use field::{parse_opponent, store_field_value};

/// A form with one focused field.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub kind: FormKind,
    pub fields: Vec<FormField>,
    /// Index of the focused field.
    pub focus: usize,
    pub error: Option<FormFieldError>,
    /// The list of games, while it covers the form.
    pub picker: Option<GamePicker>,
}

/// Action after a form was submitted.
#[derive(Clone, Debug)]
pub(crate) enum FormResult {
    /// A session on a server.
    Server(ServerUrl, Name, SessionGoal),
    /// A server on this computer with this port, and a room on it.
    Host(NonZeroU16, Name, SessionGoal),
    /// A local game.
    Local(LocalSetup),
    /// Changed settings.
    Settings(Vec<(Setting, String)>),
}

/// Returns what to remember about a game that a form has started; `None` if it is not offered again.
pub(crate) fn last_game(result: &FormResult) -> Option<LastGame> {
    match result {
        FormResult::Server(
            _,
            _,
            SessionGoal::Seek {
                rules,
                clock,
                seat,
                opponents: _,
            },
        ) => Some(LastGame::Seek {
            rules: *rules,
            clock: *clock,
            seat: *seat,
        }),
        FormResult::Server(
            _,
            _,
            SessionGoal::Create {
                rules,
                clock,
                seat,
                public,
                bot,
            },
        ) => Some(LastGame::Create {
            rules: *rules,
            clock: *clock,
            seat: *seat,
            public: *public,
            bot: bot.map(|level| level.to_string()),
        }),
        FormResult::Local(setup) => Some(LastGame::Local {
            rules: setup.rules,
            players: setup.players.each_ref().map(LocalPlayerSpec::to_string),
            is_random: setup.seat_assignment == SeatAssignment::Random,
        }),
        FormResult::Server(..) | FormResult::Host(..) | FormResult::Settings(_) => None,
    }
}

/// Returns the submitted form that starts an earlier game again, with the current name and server. In a local game with
/// one person, the person gets the current name. Returns `None` if a player cannot be parsed.
pub(super) fn start_of(game: &LastGame, settings: &Settings) -> Option<FormResult> {
    let goal = match game {
        LastGame::Local {
            rules,
            players,
            is_random,
        } => {
            let [x, o] = players.each_ref().map(|text| text.parse().ok());
            let mut players: [LocalPlayerSpec; 2] = [x?, o?];
            let is_person =
                |player: &&mut LocalPlayerSpec| matches!(player, LocalPlayerSpec::Person(_));
            let mut people: Vec<_> = players.iter_mut().filter(is_person).collect();
            if let [person] = people.as_mut_slice() {
                **person = LocalPlayerSpec::Person(settings.name.clone());
            }
            return Some(FormResult::Local(LocalSetup {
                rules: *rules,
                players,
                seat_assignment: match is_random {
                    true => SeatAssignment::Random,
                    false => SeatAssignment::AsGiven,
                },
            }));
        }
        LastGame::Seek { rules, clock, seat } => SessionGoal::Seek {
            rules: *rules,
            clock: *clock,
            seat: *seat,
            opponents: Some(PlayerKind::Person),
        },
        LastGame::Create {
            rules,
            clock,
            seat,
            public,
            bot,
        } => SessionGoal::Create {
            rules: *rules,
            clock: *clock,
            seat: *seat,
            public: *public,
            bot: bot.as_ref().and_then(|level| level.parse().ok()),
        },
    };
    let (server, name) = (settings.server.clone(), settings.name.clone());
    Some(FormResult::Server(server, name, goal))
}

impl Form {
    /// Creates a form that is filled in with the current settings.
    pub(crate) fn new(kind: FormKind, settings: &Settings) -> Form {
        const RULES: FieldId = FieldId::Setting(Setting::Rules);
        const CLOCK: FieldId = FieldId::Setting(Setting::Clock);
        const NAME: FieldId = FieldId::Setting(Setting::Name);
        const SERVER: FieldId = FieldId::Setting(Setting::Server);
        let ids = match kind {
            FormKind::Quick | FormKind::Private => vec![RULES, CLOCK, FieldId::Seat, NAME, SERVER],
            FormKind::Host => vec![RULES, CLOCK, FieldId::Seat, NAME, FieldId::Port],
            FormKind::Join => vec![FieldId::Invite, NAME, SERVER],
            FormKind::Bot => vec![RULES, FieldId::Opponent, FieldId::Seat, NAME],
            FormKind::Local => vec![
                RULES,
                FieldId::FirstPlayer,
                FieldId::SecondPlayer,
                FieldId::SeatAssignment,
            ],
            FormKind::Settings => {
                let settings = Setting::ALL.iter().copied();
                let shown = settings.filter(|setting| setting.entry().is_in_form);
                shown.map(FieldId::Setting).collect()
            }
        };
        let fields = ids
            .into_iter()
            .map(|id| FormField::new(id, kind, settings))
            .collect();
        Form {
            kind,
            fields,
            focus: 0,
            error: None,
            picker: None,
        }
    }

    pub(crate) fn field(&self) -> &FormField {
        &self.fields[self.focus]
    }

    pub(crate) fn field_mut(&mut self) -> &mut FormField {
        &mut self.fields[self.focus]
    }

    /// Returns the text input that receives keys and pasted text.
    pub(crate) fn input_mut(&mut self) -> &mut TextInput {
        match &mut self.picker {
            Some(picker) => &mut picker.filter,
            None => &mut self.fields[self.focus].input,
        }
    }

    /// Moves the focus down or up. At an end, it continues at the other end.
    pub(crate) fn move_focus(&mut self, down: bool) {
        let count = self.fields.len();
        self.focus = (self.focus + if down { 1 } else { count - 1 }) % count;
    }

    /// Names a choice of a field; `None` for a choice without a special name.
    pub(crate) fn choice_label(
        &self,
        texts: Texts,
        field: &FormField,
        choice: &str,
    ) -> Option<String> {
        let player = match (field.id, choice) {
            (FieldId::SeatAssignment, "first") => FieldId::FirstPlayer,
            (FieldId::SeatAssignment, "second") => FieldId::SecondPlayer,
            _ => return texts.choice_label(field.id, choice),
        };
        let name = self.text(player);
        Some(
            texts
                .choice_label(player, name)
                .unwrap_or_else(|| name.to_owned()),
        )
    }

    /// Names the choices of a field.
    pub(crate) fn choice_labels(&self, texts: Texts, field: &FormField) -> Vec<String> {
        let label = |choice: &String| {
            self.choice_label(texts, field, choice)
                .unwrap_or_else(|| choice.clone())
        };
        field.options.iter().map(label).collect()
    }

    /// Names the value of a field, if it is an option with a name. The player does not edit the name, because typing
    /// replaces it.
    pub(crate) fn value_name(&self, texts: Texts, field: &FormField) -> Option<String> {
        let value = field.input.text();
        let is_option = field.options.iter().any(|option| option == value);
        self.choice_label(texts, field, value)
            .filter(|_| is_option || !field.is_free_text)
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
    /// Returns the index of the first invalid field and its error.
    pub(crate) fn submit(
        &self,
        settings: &mut Settings,
    ) -> Result<FormResult, (usize, FormFieldError)> {
        let mut new_settings = settings.clone();
        for (index, field) in self.fields.iter().enumerate() {
            field
                .check()
                .and_then(|()| {
                    store_field_value(&mut new_settings, field.id, field.input.text().trim())
                })
                .map_err(|error| (index, error))?;
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
        let create = SessionGoal::Create {
            rules,
            clock,
            seat,
            public: false,
            bot: None,
        };
        Ok(match self.kind {
            FormKind::Quick => {
                let opponents = Some(PlayerKind::Person);
                let goal = SessionGoal::Seek {
                    rules,
                    clock,
                    seat,
                    opponents,
                };
                FormResult::Server(server, name, goal)
            }
            FormKind::Private => FormResult::Server(server, name, create),
            FormKind::Host => {
                let port = self.text(FieldId::Port).parse();
                let port = port.map_err(|_| (4, FormFieldError::BadPort))?;
                FormResult::Host(port, name, create)
            }
            FormKind::Join => {
                let invite = self.text(FieldId::Invite).parse::<Invite>();
                let invite = invite.map_err(|error| (0, FormFieldError::BadInvite(error)))?;
                let server = invite.server.unwrap_or(server);
                FormResult::Server(server, name, SessionGoal::Join(invite.room))
            }
            FormKind::Bot => {
                let bot =
                    parse_opponent(self.text(FieldId::Opponent)).map_err(|error| (1, error))?;
                if !bot.can_play(&rules) {
                    return Err((1, FormFieldError::UnknownGame));
                }
                let person = LocalPlayerSpec::Person(name);
                FormResult::Local(LocalSetup {
                    rules,
                    players: match seat {
                        Some(Seat::O) => [bot, person],
                        Some(Seat::X) | None => [person, bot],
                    },
                    seat_assignment: match seat {
                        Some(_) => SeatAssignment::AsGiven,
                        None => SeatAssignment::Random,
                    },
                })
            }
            FormKind::Local => {
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
            FormKind::Settings => {
                let changes = changes(&previous, settings);
                // The fold applies the language, which also changes a generated name.
                settings.lang = previous.lang;
                FormResult::Settings(changes)
            }
        })
    }
}

/// Returns the settings that have changed, with their new values.
fn changes(previous: &Settings, settings: &Settings) -> Vec<(Setting, String)> {
    let text = |settings, setting: &Setting| (setting.entry().text)(settings);
    let changed = Setting::ALL
        .iter()
        .filter(|setting| text(previous, setting) != text(settings, setting));
    changed
        .map(|setting| (*setting, text(settings, setting)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        fill(&mut form, FieldId::Setting(Setting::Rules), "7x6:4+gravity");
        fill(&mut form, FieldId::Setting(Setting::Clock), "5+3");
        fill(&mut form, FieldId::Seat, "o");
        let Ok(FormResult::Server(
            _,
            _,
            SessionGoal::Seek {
                rules,
                clock,
                seat,
                opponents: Some(PlayerKind::Person),
            },
        )) = form.submit(&mut settings)
        else {
            panic!("unexpected form result")
        };
        assert_eq!(
            (rules.name(), clock.is_some(), seat),
            (Some("connect4"), true, Some(Seat::O))
        );
        let again = Form::new(FormKind::Private, &settings);
        assert_eq!(again.text(FieldId::Setting(Setting::Rules)), "connect4");
        assert_eq!(again.text(FieldId::Setting(Setting::Clock)), "5+3");
    }

    #[test]
    fn submit_reports_the_first_invalid_field() {
        let mut settings = settings();
        let mut form = Form::new(FormKind::Quick, &settings);
        fill(&mut form, FieldId::Setting(Setting::Clock), "fast");
        fill(&mut form, FieldId::Setting(Setting::Name), "");
        assert!(matches!(
            form.submit(&mut settings),
            Err((1, FormFieldError::BadClock(_)))
        ));
        fill(&mut form, FieldId::Setting(Setting::Clock), "none");
        assert!(matches!(
            form.submit(&mut settings),
            Err((3, FormFieldError::BadName(_)))
        ));
    }

    #[test]
    fn options_cycle_and_replace_typed_text() {
        let mut field = FormField::new(
            FieldId::Setting(Setting::Clock),
            FormKind::Quick,
            &settings(),
        );
        field.cycle_option(false);
        assert_eq!(field.input.text(), "10+0");
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
    fn the_computer_has_the_chosen_level_and_the_other_seat() {
        let mut settings = settings();
        for (seat, level, expected) in [
            ("X", "bot:medium", ["Ann", "bot:medium"]),
            ("O", "3", ["bot:casual", "Ann"]),
        ] {
            let mut form = Form::new(FormKind::Bot, &settings);
            fill(&mut form, FieldId::Seat, seat);
            fill(&mut form, FieldId::Opponent, level);
            let Ok(FormResult::Local(setup)) = form.submit(&mut settings) else {
                panic!("unexpected form result")
            };
            assert_eq!(setup.players.map(|player| player.to_string()), expected);
        }
        // The next form begins with the last choice.
        let form = Form::new(FormKind::Bot, &settings);
        assert_eq!(form.text(FieldId::Opponent), "bot:casual");
        let texts = settings.lang.texts();
        let label = form.choice_label(texts, &form.fields[1], "bot:casual");
        assert_eq!(label.as_deref(), Some("computer, level 3 of 8: casual"));
    }

    #[test]
    fn the_choice_of_x_names_the_players() {
        let form = Form::new(FormKind::Local, &settings());
        let labels = form.choice_labels(settings().lang.texts(), &form.fields[3]);
        assert_eq!(labels, ["Ann", "Guest", "random"]);
    }

    #[test]
    fn the_settings_form_returns_only_changes() {
        let mut settings = settings();
        settings.clock = Some("5+3".parse().unwrap());
        let mut form = Form::new(FormKind::Settings, &settings);
        let changes = [
            (Setting::Name, " Zoe ", "Zoe"),
            (Setting::Lang, "zh-TW", "zh-Hant"),
            (Setting::Clock, "None", "none"),
        ];
        for (setting, typed, _) in changes {
            fill(&mut form, FieldId::Setting(setting), typed);
        }
        let Ok(FormResult::Settings(changed)) = form.submit(&mut settings) else {
            panic!("unexpected form result")
        };
        assert_eq!(
            changed,
            changes.map(|(setting, _, value)| (setting, value.to_owned()))
        );
        assert_eq!((settings.name.as_str(), settings.clock), ("Zoe", None));
    }
}
