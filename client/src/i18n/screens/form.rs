//! Texts of the forms and the list of games.

use noughts_protocol::Rules;

use crate::engine::Level;
use crate::facts::{FieldId, FormField, FormFieldError, FormKind};
use crate::i18n::lang::Lang;
use crate::i18n::messages::{CHOICE, FIELD, FIELD_HELP, FIELD_NOTE, FLAG, FORM_TITLE};
use crate::i18n::{Texts, word};
use crate::settings::Setting;

impl Texts {
    pub fn form_title(self, form: FormKind) -> &'static str {
        self.keyed(&FORM_TITLE, &word(&form))
    }

    pub fn field_label(self, id: FieldId) -> &'static str {
        self.keyed(&FIELD, &word(&id))
    }

    /// Describes the valid values of a field. A field without its own text has the explanation of its flag.
    pub fn field_help(self, id: FieldId) -> &'static str {
        let word = word(&id);
        let help = self.find(&FIELD_HELP, &word);
        help.unwrap_or_else(|| self.keyed(&FLAG, &word))
    }
}

impl Texts {
    /// Names a choice of a field; `None` for a choice without a special name.
    pub fn choice_label(self, id: FieldId, choice: &str) -> Option<String> {
        match id {
            FieldId::Setting(Setting::Lang) => {
                let lang = choice.parse().ok().map(Lang::own_name);
                lang.map(str::to_owned)
            }
            FieldId::FirstPlayer | FieldId::SecondPlayer | FieldId::Opponent => {
                let level = choice.strip_prefix("bot:")?.parse().ok()?;
                Some(self.computer_level(level))
            }
            FieldId::Setting(_)
            | FieldId::Port
            | FieldId::Seat
            | FieldId::Invite
            | FieldId::SeatAssignment => {
                let label = self.find(&CHOICE, &format!("{}_{choice}", word(&id)));
                label.map(str::to_owned)
            }
        }
    }

    /// Names the computer player of a level.
    pub fn computer_level(self, level: Level) -> String {
        let number = Level::ALL.iter().position(|known| *known == level);
        let (count, number) = (Level::ALL.len(), number.map_or(1, |index| index + 1));
        self.computer_of_level(count, self.level(level), number)
    }

    /// Describes a field on the full screen. For a field with fixed choices, lists their names.
    pub fn field_description(self, field: &FormField, choices: &[String]) -> String {
        let note = self.find(&FIELD_NOTE, &word(&field.id));
        if field.is_free_text || field.id == FieldId::Opponent {
            return note.unwrap_or_else(|| self.field_help(field.id)).to_owned();
        }
        let choices = self.join_list(choices);
        match (field.id, note) {
            (FieldId::Seat | FieldId::SeatAssignment, _) => self.side_description(choices),
            (_, Some(note)) => self.noted_choices(choices, note),
            (_, None) => choices,
        }
    }
}

impl Texts {
    /// Says why no game is listed.
    pub fn no_game_matches(self, typed: &str) -> String {
        match typed.trim().parse::<Rules>() {
            Err(error)
                if typed
                    .trim()
                    .starts_with(|letter: char| letter.is_ascii_digit()) =>
            {
                self.field_error(FormFieldError::BadRules(error))
            }
            Ok(_) | Err(_) => self.no_such_game().to_owned(),
        }
    }

    /// Describes a game below the list: the board, how to move, and how to win.
    pub fn game_details(self, rules: &Rules) -> [String; 3] {
        let (line, first) = (self.rule_line(rules), self.first_to_move());
        let line = self.with_period(line);
        let typed = rules.to_string();
        let board = self.rules_typed(first, typed);
        [
            crate::i18n::errors::capitalize(&line),
            self.how_to_move(rules).to_owned(),
            board,
        ]
    }

    fn first_to_move(self) -> &'static str {
        self.x_moves_first()
    }

    fn how_to_move(self, rules: &Rules) -> &'static str {
        match (rules.gravity(), rules.dimensions()) {
            (true, _) => self.how_to_move_column(),
            (false, 0..=2) => self.how_to_move_flat(),
            (false, _) => self.how_to_move_layers(),
        }
    }
}
