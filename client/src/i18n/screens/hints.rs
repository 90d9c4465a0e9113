//! Hints in the footer, and the help about typed commands.

use noughts_protocol::Rules;

use crate::facts::FormKind;
use crate::i18n::Texts;
use crate::i18n::messages::{HINT, MENU_ACTION, TYPED_COMMAND};
use crate::input::text_command::digit_cell;
use crate::input::{Action, DigitOrder, KeyContext};

impl Texts {
    /// Labels the key that submits a form.
    pub fn submit_hint(self, form: FormKind) -> &'static str {
        match form {
            FormKind::Settings => self.submit_save(),
            FormKind::Join => self.submit_join(),
            FormKind::Quick
            | FormKind::Private
            | FormKind::Host
            | FormKind::Local
            | FormKind::Bot => self.submit_start(),
        }
    }

    /// Labels an action in the footer; empty for an action that the footer does not show.
    pub fn hint(self, action: Action, context: KeyContext) -> &'static str {
        self.find_action(&HINT, action, context).unwrap_or_default()
    }

    /// Names an entry in the menu of a game in progress or of a finished game.
    pub fn menu_action(self, action: Action, is_over: bool, has_lost: bool) -> &'static str {
        let word = if action == Action::Review && has_lost {
            "review_lost"
        } else if action == Action::CopyLink && is_over {
            "copy-link_over"
        } else {
            action.name()
        };
        self.find(&MENU_ACTION, word)
            .unwrap_or_else(|| self.action(action, KeyContext::GameOver))
    }
}

impl Texts {
    /// Describes a word that the player can type, by its preferred English name.
    pub fn command_description(self, name: &str) -> &'static str {
        self.keyed(&TYPED_COMMAND, name)
    }

    /// Describes how moves can be typed.
    pub fn moves_help(self, rules: Option<&Rules>) -> Vec<(&'static str, &'static str)> {
        let is_flat = |rules: &Rules| rules.dimensions() == 2;
        let has_digits = |rules: &Rules| digit_cell(rules, DigitOrder::Reading, 1).is_some();
        let mut moves = vec![("h8", self.move_help_cell())];
        if rules.is_none_or(is_flat) {
            moves.push(("1 3", self.move_help_coordinates()));
        }
        if rules.is_none_or(has_digits) {
            moves.push(("5", self.move_help_number()));
        }
        moves
    }

    /// Returns the headings of the rules and of the board's signs in the help.
    pub fn game_help_headings(self) -> [&'static str; 2] {
        [self.help_how_to_win(), self.help_signs()]
    }

    /// Returns the signs that a board with these rules has on a screen, and their meanings.
    pub fn board_signs(
        self,
        rules: &Rules,
        context: KeyContext,
    ) -> Vec<(&'static str, &'static str)> {
        let mut signs = vec![
            ("> <", self.sign_cursor()),
            ("[ ]", self.sign_last_move()),
            ("* *", self.sign_winning_line()),
        ];
        if context == KeyContext::Playing {
            signs.push(("( )", self.sign_pending()));
        }
        if context == KeyContext::Analysis {
            let [win, draw, loss] = self.value_names();
            signs.extend([
                (" ? ", self.legend_mistake()),
                ("( )", self.legend_better()),
                (" W ", win),
                (" = ", draw),
                (" L ", loss),
                ("1-9", self.value_ranks()),
            ]);
        }
        if rules.gravity() {
            signs.push((">x<", self.sign_falls()));
        }
        if !rules.has_edges() {
            signs.push((" ~ ", self.sign_wrapping_edge()));
        }
        if rules.dimensions() > 2 {
            signs.push((": :", self.sign_other_layers()));
        }
        signs
    }

    /// Returns the headings of the keys and of the typed cells in the help.
    pub fn help_headings(self) -> [&'static str; 3] {
        [
            self.help_keys(),
            self.help_more_keys(),
            self.help_commands(),
        ]
    }
}
