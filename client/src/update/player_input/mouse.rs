//! Clicks and the wheel of the mouse on the full screen.

use noughts_protocol::Cell;

use super::actions::{on_action, say_phrase};
use super::board_input::{play_cell, set_cursor, step_to};
use crate::input::{Action, KeyContext};
use crate::model::layout;
use crate::model::{Mode, Model, Screen};
use crate::ui::{self, ClickTarget};
use crate::update::effect::Effects;
use crate::update::multi_watch;
use crate::update::screens::game_picker;

/// Runs what lies under the mouse: a key of the footer, an entry, a move of the list, a watched game or a cell.
pub(super) fn on_click(model: &mut Model, column: u16, row: u16, out: &mut Effects) {
    // The command line stays until a key closes it.
    if model.mode != Mode::Full || !model.is_mouse_enabled() || model.prompt.is_some() {
        return;
    }
    model.notification = None;
    if let Some(target) = ui::click_target(model, column, row) {
        on_target(model, target, out);
    } else if model.overlay.is_some() {
        // The overlay covers all targets.
    } else if let Some(index) = layout::game_at(model, column, row) {
        multi_watch::select_or_open(model, index);
    } else if let Some(cell) = layout::cell_at(model, column, row) {
        on_cell(model, cell, out);
    }
}

fn on_target(model: &mut Model, target: ClickTarget, out: &mut Effects) {
    match target {
        ClickTarget::Action(action) => on_action(model, model.key_context(), action, out),
        ClickTarget::Entry(index) => on_entry(model, index, out),
        ClickTarget::Ply(ply) => step_to(model, ply),
        ClickTarget::Phrase(index) => say_phrase(model, index, out),
    }
}

/// Opens an entry of the home menu. Elsewhere the first click selects an entry and the second one chooses it.
fn on_entry(model: &mut Model, index: usize, out: &mut Effects) {
    let is_game_picked = game_picker::is_game_field(model);
    let was_selected = match &mut model.screen {
        Screen::Home { selected } => {
            *selected = index;
            true
        }
        Screen::Lobby(lobby) => lobby.select(index),
        Screen::Form(form) => match &mut form.picker {
            Some(picker) => std::mem::replace(&mut picker.selected, index) == index,
            None => {
                form.error = None;
                let was_focused = std::mem::replace(&mut form.focus, index) == index;
                if was_focused && !is_game_picked {
                    // The second click on a field changes its value.
                    form.field_mut().cycle_option(true);
                }
                was_focused && is_game_picked
            }
        },
        Screen::Waiting | Screen::Game(_) | Screen::Replay(_) | Screen::MultiWatch(_) => false,
    };
    if was_selected {
        on_action(model, model.key_context(), Action::Choose, out);
    }
}

/// Plays a move on the clicked cell. On a board with small cells the first click moves the cursor there, so that a slip
/// does not cost the game.
fn on_cell(model: &mut Model, cell: Cell, out: &mut Effects) {
    let is_selected = {
        let position = model.game_view().map(|view| view.game.position());
        let landing = |cell: Cell| position.and_then(|position| position.landing_cell(cell).ok());
        model.cursor() == cell
            || (landing(cell).is_some() && landing(cell) == landing(model.cursor()))
    };
    let can_play = matches!(
        model.key_context(),
        KeyContext::Playing | KeyContext::Analysis
    );
    if can_play && (is_selected || layout::has_large_cells(model)) {
        play_cell(model, cell, out);
    } else {
        set_cursor(model, cell);
    }
}

/// Moves through the entries of a list, or through the moves of a game.
pub(super) fn on_wheel(model: &mut Model, down: bool, out: &mut Effects) {
    if model.mode != Mode::Full || model.prompt.is_some() {
        return;
    }
    let context = model.key_context();
    let is_list = matches!(
        context,
        KeyContext::Home
            | KeyContext::GamePicker
            | KeyContext::Lobby
            | KeyContext::Say
            | KeyContext::Help
    );
    let has_moves = matches!(
        context,
        KeyContext::Playing
            | KeyContext::GameOver
            | KeyContext::Watching
            | KeyContext::Replay
            | KeyContext::Analysis
            | KeyContext::Moves
    );
    if is_list || has_moves {
        on_action(
            model,
            context,
            if down { Action::Next } else { Action::Previous },
            out,
        );
    }
}
