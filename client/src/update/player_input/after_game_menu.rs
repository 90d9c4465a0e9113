//! The menu after a game. Its entries come and go with the opponent, so the selection is an entry and not a row.

use crate::input::{Action, KeyContext};
use crate::model::Model;

/// The entries of the menu, while it is on the screen.
pub(in crate::update) fn entries(model: &Model) -> Option<Vec<Action>> {
    (model.screen_key_context() == KeyContext::GameOver).then(|| model.after_game_actions())
}

/// Keeps the same entry selected after an update that has changed the entries, and lets no key run one for a moment: the
/// player has pressed it for the menu before. Called after every message.
pub(in crate::update) fn follow_change(model: &mut Model, before: Option<&[Action]>) {
    let (Some(before), Some(after)) = (before, entries(model)) else {
        return;
    };
    let now = model.now;
    if let Some(view) = model.game_view_mut().filter(|_| before != after) {
        view.menu_selection = view.menu_selection.or(before.first().copied());
        view.menu_changed_at = Some(now);
    }
}

/// Selects the next or the previous entry.
pub(super) fn move_menu_selection(model: &mut Model, down: bool) {
    let (actions, selected) = (
        model.after_game_actions(),
        model.selected_after_game_action(),
    );
    let index = actions
        .iter()
        .position(|action| Some(*action) == selected)
        .unwrap_or(0);
    let index = if down {
        (index + 1).min(actions.len().saturating_sub(1))
    } else {
        index.saturating_sub(1)
    };
    if let Some(view) = model.game_view_mut() {
        view.menu_selection = actions.get(index).copied();
    }
}
