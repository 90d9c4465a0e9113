//! Keys and clicks on the board of the screen: moves, the cursor, and steps through the moves.

use noughts_protocol::wire::RejectCode;
use noughts_protocol::{Cell, Rules};

use crate::facts::Notification;
use crate::input::TextInput;
use crate::input::cell_names::cell_name;
use crate::model::{Model, Replay, Screen};
use crate::update::effect::Effects;
use crate::update::game::game_commands;
use crate::update::screens;

/// Time between two moves of a record that steps by itself, in milliseconds.
const AUTOPLAY_INTERVAL_MS: u64 = 1000;

/// Plays a move, or tries it in an analysis. While an earlier position is shown, returns to the game instead.
pub(super) fn play_cell(model: &mut Model, cell: Cell, out: &mut Effects) {
    if let Some(replay) = model.screen.as_replay_mut() {
        replay.cursor = cell;
        if !replay.try_move(cell) {
            let rules = replay.record.rules;
            let reject = RejectCode::CellTaken.into();
            out.notify(
                model,
                Notification::Illegal {
                    reject,
                    cell: cell_name(&rules, cell),
                },
            );
        }
    } else if model
        .game_view()
        .is_some_and(|view| view.plies_back().is_some())
    {
        jump_to_end(model, true);
    } else {
        set_cursor(model, cell);
        game_commands::play_move(model, cell, out);
    }
}

/// Opens the command line with a command that saves the game; the player may change the name of the file.
pub(super) fn open_save_prompt(model: &mut Model) {
    let Some(view) = model.game_view() else {
        return;
    };
    let mut prompt = TextInput::default();
    prompt.insert(&format!("save game-{}.txt", view.game.number()));
    model.prompt = Some(prompt);
}

pub(super) fn jump_to_end(model: &mut Model, is_last: bool) {
    if let Some(replay) = model.screen.as_replay_mut() {
        replay.next_move_at = None;
        replay.go_to(if is_last { usize::MAX } else { 0 });
    } else if let Some(view) = model.game_view_mut() {
        view.step_to(if is_last { usize::MAX } else { 0 });
    } else if let Some(lobby) = model.screen.as_lobby_mut() {
        lobby.select(if is_last {
            lobby.row_count().saturating_sub(1)
        } else {
            0
        });
    } else if model.screen.is_home() {
        let last = model.menu_items().len() - 1;
        model.screen = Screen::Home {
            selected: if is_last { last } else { 0 },
        };
    }
}

/// Lets a record step by itself, from the first move if it is at its end; or stops that.
pub(super) fn toggle_autoplay(model: &mut Model) {
    let now = model.now;
    let Some(replay) = model.screen.as_replay_mut() else {
        return;
    };
    let is_playing = replay.next_move_at.take().is_some();
    if !is_playing && !replay.record.moves.is_empty() {
        if replay.position.ply() >= replay.record.moves.len() {
            replay.go_to(0);
        }
        replay.next_move_at = Some(now.saturating_add(AUTOPLAY_INTERVAL_MS));
    }
}

/// Shows the next move of a record that steps by itself. It stops at its end.
pub(in crate::update) fn step_by_itself(model: &mut Model) {
    let now = model.now;
    let Some(replay) = model.screen.as_replay_mut() else {
        return;
    };
    if replay.next_move_at.is_some_and(|at| at <= now) {
        let has_next = replay.try_play_next() && replay.position.ply() < replay.record.moves.len();
        replay.next_move_at = has_next.then(|| now.saturating_add(AUTOPLAY_INTERVAL_MS));
    }
}

/// Shows the position after this number of moves. In an analysis the record is shown again.
pub(super) fn step_to(model: &mut Model, ply: usize) {
    if let Some(replay) = model.screen.as_replay_mut() {
        replay.next_move_at = None;
        replay.go_to(ply);
    } else if let Some(view) = model.game_view_mut() {
        view.step_to(ply);
    }
}

pub(super) fn step_replay(replay: &mut Replay, forward: bool) {
    replay.next_move_at = None;
    if forward {
        replay.try_play_next();
    } else {
        replay.step_back();
    }
}

/// A step along the fourth dimension; in three dimensions, along the third.
pub(super) fn deep_step(rules: Option<&Rules>, by: i8) -> [i8; 4] {
    match rules {
        Some(rules) if rules.dimensions() == 4 => [0, 0, 0, by],
        Some(_) | None => [0, 0, by, 0],
    }
}

/// Moves the cursor; it stops at the edges.
pub(super) fn move_cursor(model: &mut Model, by: [i8; 4]) {
    let Some(rules) = screens::board_rules(model) else {
        return;
    };
    let Some(mut at) = rules.coordinates(model.cursor()) else {
        return;
    };
    for (axis, side) in rules.sides().iter().enumerate() {
        at[axis] = at[axis].saturating_add_signed(by[axis]).min(side - 1);
    }
    if let Some(cell) = rules.cell_at(&at[..rules.dimensions()]) {
        set_cursor(model, cell);
    }
}

pub(super) fn set_cursor(model: &mut Model, cell: Cell) {
    if let Some(replay) = model.screen.as_replay_mut() {
        replay.cursor = cell;
    } else if let Some(view) = model.game_view_mut() {
        view.cursor = cell;
    }
}
