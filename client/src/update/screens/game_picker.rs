//! The list of games, which covers a form of the full screen.

use noughts_protocol::Rules;

use super::quit;
use crate::facts::FieldId;
use crate::model::{GameEntry, GamePicker, Mode, Model};
use crate::update::effect::Effects;

/// Whether the focused field of the form is the game, which is chosen from the list.
pub(in crate::update) fn is_game_field(model: &Model) -> bool {
    let form = model.screen.as_form().filter(|_| model.mode == Mode::Full);
    form.is_some_and(|form| form.picker.is_none() && form.field().id == FieldId::Rules)
}

/// Opens the list over the form. A form without a game stays as it is.
pub(in crate::update) fn open(model: &mut Model, returns_to_form: bool) {
    let rules = model.settings.rules;
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    let Some(index) = form
        .fields
        .iter()
        .position(|field| field.id == FieldId::Rules)
    else {
        return;
    };
    form.focus = index;
    form.error = None;
    let current = form
        .field()
        .input
        .text()
        .trim()
        .parse::<Rules>()
        .unwrap_or(rules);
    form.picker = Some(GamePicker::new(&current, returns_to_form));
}

/// Takes the selected game into the form. The entry for own sizes puts an example into the filter instead.
pub(in crate::update) fn choose(model: &mut Model) {
    let texts = model.lang().texts();
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    let Some(picker) = &mut form.picker else {
        return;
    };
    match picker.selected_entry(texts) {
        Some(GameEntry::Game(rules)) => {
            let text = rules
                .name()
                .map_or_else(|| rules.to_string(), str::to_owned);
            form.picker = None;
            form.field_mut().input.set(text);
            form.move_focus(true);
        }
        Some(GameEntry::OwnSizes) => picker.suggest_sizes(),
        None => {}
    }
}

/// Closes the list; a form that the player has not seen is left as well.
pub(in crate::update) fn close(model: &mut Model, out: &mut Effects) {
    let picker = model
        .screen
        .as_form_mut()
        .and_then(|form| form.picker.take());
    if picker.is_some_and(|picker| !picker.returns_to_form) {
        quit::leave(model, out);
    }
}
