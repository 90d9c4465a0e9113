//! Interprets the player's input. This module handles keys and clicks. Its submodules handle input lines, commands
//! typed as text or sent as JSON, and the resulting actions.

pub(super) mod actions;
pub(super) mod line_mode;

use noughts_protocol::Cell;

use crate::facts::{Exit, FormField, Notification};
use crate::input::{Action, Input, Key, KeyContext, TextInput, text_command};
use crate::model::{Form, Mode, Model, Screen, layout};
use crate::settings::GlyphSet;
use crate::ui::{self, ClickTarget};
use crate::update::message::Effects;
use crate::update::multi_watch;
use crate::update::screens::{menus, quit};
use actions::{on_action, play_cell, say_phrase, set_cursor, step_to};

/// Number of the signal for a closed terminal.
const SIGHUP: u8 = 1;

pub(in crate::update) fn on_input(model: &mut Model, input: Input, out: &mut Effects) {
    if matches!(
        input,
        Input::Key(_) | Input::Click(..) | Input::Wheel { .. }
    ) {
        model.last_input_at = model.now;
    }
    match input {
        Input::Key(key) => on_key(model, key, out),
        Input::Click(column, row) => on_click(model, column, row, out),
        Input::Wheel { down } => on_wheel(model, down, out),
        Input::Paste(text) => {
            if let Some(edit) = focused_input(model) {
                edit.insert(&text);
            }
            if let Some(picker) = model
                .screen
                .as_form_mut()
                .and_then(|form| form.picker.as_mut())
            {
                picker.selected = 0;
            }
        }
        Input::Resize(columns, rows) => model.size = (columns, rows),
        Input::NarrowGlyphs(narrow) if model.settings.glyphs == GlyphSet::Auto => {
            model.appearance.unicode = narrow;
        }
        // The player has chosen the characters, so the result of the probe does not matter.
        Input::NarrowGlyphs(_) => {}
        Input::LightBackground(is_light) => model.appearance.has_light_background = is_light,
        Input::Focus(focused) => model.focused = Some(focused),
        Input::Line(line) => line_mode::queue_line(model, line),
        Input::Eof => model.input_ended = true,
        Input::Hangup => quit::quit(model, Exit::Signal(SIGHUP), out),
    }
}

/// Returns the text input that receives keys and pasted text.
fn focused_input(model: &mut Model) -> Option<&mut TextInput> {
    if model.overlay.is_some() {
        return None;
    }
    if model.prompt.is_some() {
        return model.prompt.as_mut();
    }
    let form = model.screen.as_form_mut();
    // Only a choice can be the value of a field with fixed choices.
    form.filter(|form| form.picker.is_some() || form.field().is_free_text)
        .map(Form::input_mut)
}

fn on_key(model: &mut Model, key: Key, out: &mut Effects) {
    let context = model.key_context();
    // A key press dismisses the status line and ends an animation.
    model.notification = None;
    if let Some(view) = model.game_view_mut() {
        view.motion = None;
    }
    if model.prompt.is_some()
        && model.overlay.is_none()
        && !matches!(key, Key::Ctrl('c' | 'z' | 'l'))
    {
        on_prompt_key(model, key, out);
        return;
    }
    match model
        .keymap
        .action(context, key)
        .or_else(|| menu_entry(model, key))
    {
        Some(action) => on_action(model, context, action, out),
        None if menus::is_game_field(model) => type_into_game_field(model, key),
        None if context == KeyContext::Form => type_into_field(model, key),
        None if context == KeyContext::GamePicker => {
            if let Some(picker) = model
                .screen
                .as_form_mut()
                .and_then(|form| form.picker.as_mut())
            {
                picker.edit_filter(|input| edit_text(input, key));
            }
        }
        None => {}
    }
}

/// Returns the entry of the open menu that has this key during the game.
fn menu_entry(model: &Model, key: Key) -> Option<Action> {
    let action = model.keymap.action(KeyContext::Playing, key)?;
    let is_entry =
        model.key_context() == KeyContext::Menu && model.game_menu_actions().contains(&action);
    is_entry.then_some(action)
}

/// Opens the list of games when the player types a name or sizes.
fn type_into_game_field(model: &mut Model, key: Key) {
    if let Key::Char(letter) = key {
        menus::open_game_picker(model, true);
        if let Some(picker) = model
            .screen
            .as_form_mut()
            .and_then(|form| form.picker.as_mut())
        {
            picker.edit_filter(|input| {
                input.set("");
                input.insert(letter.encode_utf8(&mut [0; 4]));
            });
        }
    }
}

fn type_into_field(model: &mut Model, key: Key) {
    let texts = model.lang().texts();
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    form.error = None;
    let is_named = form.value_name(texts, form.field()).is_some();
    let labels = form.choice_labels(texts, form.field());
    let field = form.field_mut();
    if !field.is_free_text {
        if let Key::Char(letter) = key {
            choose_option(field, &labels, letter);
        }
    } else if !is_named {
        edit_text(&mut field.input, key);
    } else if key == Key::Char(' ') {
        field.cycle_option(true);
    } else if matches!(key, Key::Char(_) | Key::Backspace | Key::Delete) {
        // The name of a choice is replaced as a whole.
        field.input.set("");
        edit_text(&mut field.input, key);
    }
}

/// Selects the next option with Space, an option by its number, or an option by the first letter of its value or label.
fn choose_option(field: &mut FormField, labels: &[String], letter: char) {
    if letter == ' ' {
        field.cycle_option(true);
        return;
    }
    let first = letter.to_lowercase().to_string();
    let has_prefix = |text: &str| text.to_lowercase().starts_with(&first);
    let mut options = field.options.iter().zip(labels).enumerate();
    let chosen = options.find(|(index, (option, label))| {
        first == (index + 1).to_string() || has_prefix(option) || has_prefix(label)
    });
    if let Some((index, _)) = chosen {
        let option = field.options[index].clone();
        field.input.set(option);
    }
}

/// Applies an editing key. Other keys do nothing.
fn edit_text(input: &mut TextInput, key: Key) {
    match key {
        Key::Char(letter) => input.insert(letter.encode_utf8(&mut [0; 4])),
        Key::Backspace => input.backspace(),
        Key::Delete => input.delete(),
        Key::Left => input.move_left(),
        Key::Right => input.move_right(),
        Key::Home | Key::Ctrl('a') => input.move_to_start(),
        Key::End | Key::Ctrl('e') => input.move_to_end(),
        Key::Ctrl('u') => input.delete_to_start(),
        Key::Ctrl(_)
        | Key::Up
        | Key::Down
        | Key::Enter
        | Key::Esc
        | Key::Tab
        | Key::BackTab
        | Key::PageUp
        | Key::PageDown
        | Key::F1 => {}
    }
}

/// Handles a key while the command line is open.
fn on_prompt_key(model: &mut Model, key: Key, out: &mut Effects) {
    let Some(input) = &mut model.prompt else {
        return;
    };
    // Backspace in an empty command line closes it, as in vi.
    let should_close = key == Key::Esc || (key == Key::Backspace && input.text().is_empty());
    if should_close {
        model.prompt = None;
    } else if key == Key::Enter {
        let text = input.text().to_owned();
        model.prompt = None;
        let (rules, order) = (model.board_rules(), model.settings.digits);
        match text_command::parse_move(&text, rules.as_ref(), order) {
            Ok(cell) => play_cell(model, cell, out),
            Err(_) if text.trim().is_empty() => {}
            Err(error) => out.notify(model, Notification::InvalidCommand { text, error }),
        }
    } else {
        edit_text(input, key);
    }
}

/// Activates the target under the mouse: a key in the footer, an entry, a move in the list, a watched game or a cell.
fn on_click(model: &mut Model, column: u16, row: u16, out: &mut Effects) {
    // The command line stays open until a key closes it.
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

/// Opens an entry of the home menu. Elsewhere, the first click selects an entry and the second click activates it.
fn on_entry(model: &mut Model, index: usize, out: &mut Effects) {
    let is_game_picked = menus::is_game_field(model);
    let was_selected = match &mut model.screen {
        Screen::Home { selected } => {
            *selected = index;
            true
        }
        Screen::Lobby(lobby) => lobby.select(index),
        Screen::OwnGames(games) => games.select(index),
        Screen::Form(form) => match &mut form.picker {
            Some(picker) => std::mem::replace(&mut picker.selected, index) == index,
            None => {
                form.error = None;
                let was_focused = std::mem::replace(&mut form.focus, index) == index;
                if was_focused && !is_game_picked {
                    // A second click on a field changes its value.
                    form.field_mut().cycle_option(true);
                }
                was_focused && is_game_picked
            }
        },
        Screen::Waiting => model.session.as_mut().is_some_and(|session| {
            let clicked = session.other_seeks().get(index).map(|seek| seek.seek);
            let selected = session.selected_seek().map(|seek| seek.seek);
            session.selected_seek = clicked;
            clicked.is_some() && clicked == selected
        }),
        Screen::Game(_) | Screen::Analysis(_) | Screen::MultiWatch(_) => false,
    };
    if was_selected {
        on_action(model, model.key_context(), Action::Choose, out);
    }
}

/// Plays a move on the clicked cell. On a board with small cells, the first click only moves the cursor there, so that
/// a slip does not cost the game.
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

/// Moves through the entries of a list, or steps through the moves of a game.
fn on_wheel(model: &mut Model, down: bool, out: &mut Effects) {
    if model.mode != Mode::Full || model.prompt.is_some() {
        return;
    }
    let context = model.key_context();
    let is_list = matches!(
        context,
        KeyContext::Home
            | KeyContext::GamePicker
            | KeyContext::Waiting
            | KeyContext::Lobby
            | KeyContext::OwnGames
            | KeyContext::Menu
            | KeyContext::Say
            | KeyContext::Help
    );
    let has_moves = matches!(
        context,
        KeyContext::Playing | KeyContext::GameOver | KeyContext::Watching | KeyContext::Analysis
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
