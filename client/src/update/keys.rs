//! Keys, clicks and pasted text on the full screen. Lines go to `lines`.

use noughts_protocol::wire::Claim;
use noughts_protocol::{Cell, Rules};

use super::{Effect, Out, act, answer, desk, grid, leave, lines, study};
use crate::input::{Action, Context, Input, Key, TypedError, typed};
use crate::model::{Edit, Entry, Exit, Glyphs, Mode, Model, Note, Overlay, Question, Replay, Screen};
use crate::ui;

/// The signal of a lost terminal.
const SIGHUP: u8 = 1;

/// Folds in what the player did.
pub(super) fn input(model: &mut Model, input: Input, out: &mut Out) {
    match input {
        Input::Key(key) => press(model, key, out),
        Input::Click(column, row) => click(model, column, row, out),
        Input::Paste(text) => {
            if let Some(edit) = open_edit(model) {
                edit.insert(&text);
            }
        }
        Input::Resize(columns, rows) => model.size = (columns, rows),
        Input::Narrow(narrow) if model.settings.glyphs == Glyphs::Auto => model.look.unicode = narrow,
        // The player has chosen meanwhile.
        Input::Narrow(_) => {}
        Input::Focus(focused) => model.focused = focused,
        Input::Line(line) => lines::line(model, line),
        Input::End => model.input_ended = true,
        Input::Gone => leave::quit(model, Exit::Signal(SIGHUP), out),
    }
}

/// The text that keys go into, if one is being typed.
fn open_edit(model: &mut Model) -> Option<&mut Edit> {
    if model.overlay.is_some() {
        return None;
    }
    if model.prompt.is_some() {
        return model.prompt.as_mut();
    }
    match &mut model.screen {
        Screen::Form(form) => Some(&mut form.field_mut().edit),
        Screen::Home { .. }
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::Table(_)
        | Screen::Replay(_)
        | Screen::Grid(_) => None,
    }
}

fn press(model: &mut Model, key: Key, out: &mut Out) {
    let context = model.context();
    // What was told has been seen by now.
    model.notice = None;
    if model.prompt.is_some() && model.overlay.is_none() && !matches!(key, Key::Ctrl('c' | 'z' | 'l')) {
        prompt(model, key, out);
        return;
    }
    match model.keymap.action(context, key) {
        Some(action) => act_on(model, context, action, out),
        None if context == Context::Form => type_into_field(model, key),
        None => {}
    }
}

fn type_into_field(model: &mut Model, key: Key) {
    let words = model.words;
    let Screen::Form(form) = &mut model.screen else { return };
    form.error = None;
    let field = form.field_mut();
    if !field.free {
        // The first letter of an option chooses it, as it is written or as it is shown.
        if let Key::Char(letter) = key {
            let first = letter.to_lowercase().to_string();
            let begins = |text: &str| text.to_lowercase().starts_with(&first);
            let chosen =
                |option: &&String| begins(option) || words.choice(field.id, option).is_some_and(begins);
            let option = field.options.iter().find(chosen).cloned();
            field.edit.set(option.unwrap_or_else(|| field.edit.text().to_owned()));
        }
        return;
    }
    edit(&mut field.edit, key);
}

/// Edits a text by a key, if the key means anything to it.
fn edit(edit: &mut Edit, key: Key) {
    match key {
        Key::Char(letter) => edit.insert(letter.encode_utf8(&mut [0; 4])),
        Key::Backspace => edit.backspace(),
        Key::Delete => edit.delete(),
        Key::Left => edit.left(),
        Key::Right => edit.right(),
        Key::Home | Key::Ctrl('a') => edit.home(),
        Key::End | Key::Ctrl('e') => edit.end(),
        Key::Ctrl('u') => edit.cut(),
        Key::Ctrl(_)
        | Key::Up
        | Key::Down
        | Key::Enter
        | Key::Esc
        | Key::Tab
        | Key::BackTab
        | Key::PageUp
        | Key::PageDown => {}
    }
}

/// The command line is open.
fn prompt(model: &mut Model, key: Key, out: &mut Out) {
    let Some(line) = &mut model.prompt else { return };
    // Deleting the colon itself closes the line, as editors have it.
    let closes = key == Key::Esc || (key == Key::Backspace && line.text().is_empty());
    if closes {
        model.prompt = None;
    } else if key == Key::Enter {
        let text = line.text().to_owned();
        model.prompt = None;
        match typed::parse(&text, leave::rules(model).as_ref(), model.settings.keys) {
            Ok(typed) => lines::typed(model, typed, out),
            Err(TypedError::Empty) => {}
            Err(error) => out.tell(model, Note::Unreadable { text, error }),
        }
    } else {
        edit(line, key);
    }
}

fn act_on(model: &mut Model, context: Context, action: Action, out: &mut Out) {
    match action {
        Action::Interrupt => leave::quit(model, Exit::Signal(leave::SIGINT), out),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Redraw => out.push(Effect::Redraw),
        Action::Leave => leave::leave_asking(model, out),
        Action::Close => close(model, context, out),
        Action::Help => model.overlay = Some(Overlay::Help(0)),
        Action::Command => model.prompt = Some(Edit::default()),
        Action::Yes | Action::No => answer_question(model, action == Action::Yes, out),
        Action::Step(right, down) if context == Context::Grid => grid::step(model, right, down),
        Action::Step(right, down) => step(model, [right, down, 0, 0]),
        Action::Layer(by) => step(model, [0, 0, by, 0]),
        Action::Deep(by) => step(model, deep(leave::rules(model).as_ref(), by)),
        Action::Place => {
            let cell = model.cursor();
            act::mark(model, cell, out);
        }
        Action::Digit(digit) => {
            let cell =
                leave::rules(model).and_then(|rules| typed::digit_cell(&rules, model.settings.keys, digit));
            if let Some(cell) = cell {
                put_cursor(model, cell);
                act::mark(model, cell, out);
            }
        }
        Action::Guide => {
            if let Some(table) = model.table_mut() {
                table.guide = !table.guide;
            }
        }
        Action::Values => study::ask_values(model, out),
        Action::Review => study::ask_review(model, out),
        Action::Accept => act::accept(model, None, out),
        Action::Decline => act::decline(model, None, out),
        Action::Again => act::accept(model, Some(noughts_protocol::Offer::Rematch), out),
        Action::Bot if context == Context::Home => desk::choose(model, Entry::Bot, out),
        Action::Bot => act::invite_bot(model, None, out),
        Action::Claim => act::claim(model, Claim::Win, out),
        Action::Previous | Action::Next | Action::Less | Action::More if context == Context::Help => {
            scroll_help(model, action);
        }
        Action::Previous => go(model, false),
        Action::Next => go(model, true),
        Action::First | Action::Last => jump(model, action == Action::Last),
        Action::Less | Action::More => {
            if let Screen::Form(form) = &mut model.screen {
                form.error = None;
                let (forward, field) = (action == Action::More, form.field_mut());
                if !field.options.is_empty() {
                    field.turn(forward);
                } else if forward {
                    field.edit.right();
                } else {
                    field.edit.left();
                }
            }
        }
        Action::Choose => choose(model, out),
        Action::Watch => desk::take_room(model, true, out),
        Action::WatchAll => desk::watch_all(model, out),
        Action::Refresh if context == Context::Grid => grid::again(model, out),
        Action::Refresh => desk::refresh(model, out),
    }
}

fn close(model: &mut Model, context: Context, out: &mut Out) {
    match context {
        Context::Help => model.overlay = None,
        Context::Form => desk::close_form(model, out),
        Context::Home
        | Context::Lobby
        | Context::Waiting
        | Context::OwnRoom
        | Context::Playing
        | Context::Over
        | Context::Watching
        | Context::Replay
        | Context::Grid
        | Context::Question => leave::leave_asking(model, out),
    }
}

fn choose(model: &mut Model, out: &mut Out) {
    match &mut model.screen {
        Screen::Home { at } => {
            let at = *at;
            let entries = model.entries();
            let entry = entries[at.min(entries.len() - 1)];
            desk::choose(model, entry, out);
        }
        Screen::Form(_) => desk::finish_form(model, out),
        Screen::Lobby(_) => desk::take_room(model, false, out),
        Screen::Grid(grid) => grid.open(),
        Screen::Waiting | Screen::Table(_) | Screen::Replay(_) => {}
    }
}

/// Answers the question that is open.
pub(super) fn answer_question(model: &mut Model, yes: bool, out: &mut Out) {
    let Some(Overlay::Question(question)) = model.overlay.take() else { return };
    if yes {
        match question {
            Question::Leave => leave::leave(model, out),
            Question::Resign => act::resign(model, out),
        }
    }
}

/// Up or down in what is on the screen.
fn go(model: &mut Model, down: bool) {
    let by = |at: usize, count: usize| match (down, count) {
        (_, 0) => 0,
        (true, _) => (at + 1).min(count - 1),
        (false, _) => at.saturating_sub(1),
    };
    let entries = model.entries().len();
    match &mut model.screen {
        Screen::Home { at } => *at = by(*at, entries),
        Screen::Form(form) => {
            form.error = None;
            form.step(down);
        }
        Screen::Lobby(lobby) => lobby.at = by(lobby.at, lobby.rooms.as_ref().map_or(0, Vec::len)),
        Screen::Replay(replay) if down => {
            play_on(replay);
        }
        Screen::Replay(replay) => {
            replay.position.undo();
        }
        Screen::Table(table) => {
            let ply = table.shown().ply();
            table.look_at(if down { ply + 1 } else { ply.saturating_sub(1) });
        }
        Screen::Grid(grid) => grid.turn(down),
        Screen::Waiting => {}
    }
}

fn jump(model: &mut Model, to_last: bool) {
    match &mut model.screen {
        Screen::Replay(replay) if to_last => while play_on(replay) {},
        Screen::Replay(replay) => while replay.position.undo().is_some() {},
        Screen::Table(table) => table.look_at(if to_last { usize::MAX } else { 0 }),
        Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => {}
    }
}

/// A line or a screenful of the help, as far as there is more.
fn scroll_help(model: &mut Model, action: Action) {
    let Some(Overlay::Help(top)) = model.overlay else { return };
    let (page, furthest) = ui::help::scrolling(model);
    let by = if matches!(action, Action::Less | Action::More) { page } else { 1 };
    let down = matches!(action, Action::Next | Action::More);
    let to = if down { top + by } else { top.saturating_sub(by) };
    model.overlay = Some(Overlay::Help(to.min(furthest)));
}

/// Plays the next move of a record. False when there is none.
fn play_on(replay: &mut Replay) -> bool {
    let next = replay.record.moves.get(replay.position.ply()).copied();
    next.is_some_and(|cell| replay.position.play(cell).is_ok())
}

/// The step along the fourth dimension, or the third where that is the last.
fn deep(rules: Option<&Rules>, by: i8) -> [i8; 4] {
    match rules {
        Some(rules) if rules.dimensions() == 4 => [0, 0, 0, by],
        Some(_) | None => [0, 0, by, 0],
    }
}

/// Moves the cursor; at an edge it stays.
fn step(model: &mut Model, by: [i8; 4]) {
    let Some(table) = model.table_mut() else { return };
    let rules = *table.game.rules();
    let Some(mut at) = rules.coordinates(table.cursor) else { return };
    for (axis, side) in rules.sides().iter().enumerate() {
        at[axis] = at[axis].saturating_add_signed(by[axis]).min(side - 1);
    }
    if let Some(cell) = rules.cell_at(&at[..rules.dimensions()]) {
        table.cursor = cell;
    }
}

fn put_cursor(model: &mut Model, cell: Cell) {
    if let Some(table) = model.table_mut() {
        table.cursor = cell;
    }
}

/// A click marks a cell when one may be marked, and else only moves the cursor there. Among several games it lays
/// the focus on one, and the next click there opens it.
fn click(model: &mut Model, column: u16, row: u16, out: &mut Out) {
    if model.mode != Mode::Full || !model.wants_mouse() {
        return;
    }
    model.notice = None;
    if let Some(place) = ui::game_at(model, column, row) {
        grid::point(model, place);
        return;
    }
    let Some(cell) = ui::cell_at(model, column, row) else { return };
    put_cursor(model, cell);
    if model.context() == Context::Playing {
        act::mark(model, cell, out);
    }
}

/// Asks before giving up, on the full screen.
pub(super) fn ask_resign(model: &mut Model) {
    model.overlay = Some(Overlay::Question(Question::Resign));
}

/// What the answers on the full screen are shown as.
pub(super) fn show_help(model: &mut Model, out: &mut Out) {
    match model.mode {
        Mode::Full => model.overlay = Some(Overlay::Help(0)),
        Mode::Line { .. } | Mode::Json => answer::help(model, out),
    }
}
