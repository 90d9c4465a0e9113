//! Several games of others, side by side. What concerns one of them is folded as if it were the only one, and
//! what that wants of the world bears its place. Nobody sits at these tables, so nothing but the wish to watch,
//! to be told what was missed and to go is ever sent.

use noughts_protocol::RoomRef;

use super::{Effect, Effects, GameEffect, Msg, apply_form_result, menus, quit, update};
use crate::facts::{Exit, Notification, Unavailable};
use crate::input::json_command::{self, ParsedJsonCommand};
use crate::input::{Input, Key, TextCommand, text_command};
use crate::model::{FormResult, GameSlot, MAX_GAMES, Mode, Model, MultiWatch, Screen, SessionGoal};
use crate::server_url::ServerUrl;
use crate::ui;

/// Begins to watch games: one at least.
pub(super) fn open(model: &mut Model, games: Vec<(ServerUrl, RoomRef)>, out: &mut Effects) {
    let lobby = match std::mem::replace(&mut model.screen, Screen::Waiting) {
        Screen::Lobby(lobby) => Some(lobby),
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Game(_)
        | Screen::Replay(_)
        | Screen::MultiWatch(_) => None,
    };
    let mut grid = MultiWatch { games: Vec::new(), focus: 0, is_open: false, lobby };
    for (server, room) in games.into_iter().take(MAX_GAMES) {
        grid.games.push(GameSlot::new(model.new_watched_model(), server, room));
    }
    if model.mode != Mode::Full {
        out.notify(model, Notification::WatchingSeveral(grid.games.len()));
    }
    for index in 0..grid.games.len() {
        connect_game(&mut grid, index, out);
    }
    model.screen = Screen::MultiWatch(Box::new(grid));
}

/// Goes to the server for a game.
fn connect_game(grid: &mut MultiWatch, index: usize, out: &mut Effects) {
    let GameSlot { model, server, room, .. } = &mut grid.games[index];
    let plan = FormResult::Server(server.clone(), model.settings.name.clone(), SessionGoal::Watch(*room));
    let mut game_effects = Effects::default();
    apply_form_result(model, plan, &mut game_effects);
    forward_effects(grid, index, game_effects.0, out);
}

/// Takes what concerns one of the games; everything else comes back.
pub(super) fn route(model: &mut Model, msg: Msg, out: &mut Effects) -> Option<Msg> {
    let Screen::MultiWatch(grid) = &model.screen else {
        // Nothing is heard of a game that is watched no more.
        return (!matches!(msg, Msg::ForGame { .. })).then_some(msg);
    };
    let (at, open) = (grid.focus, grid.is_open);
    match msg {
        Msg::ForGame { index, msg } => update_game(model, index, *msg, out),
        msg @ (Msg::FileSaved { .. } | Msg::AnalysisDone(_)) => update_game(model, at, msg, out),
        // It ends the program, not a game.
        msg @ Msg::Input(Input::Key(Key::Ctrl('c'))) => return Some(msg),
        msg @ Msg::Input(Input::Key(_) | Input::Click(..) | Input::Paste(_)) if open => {
            update_game(model, at, msg, out);
        }
        msg @ (Msg::Input(_)
        | Msg::Connection(_)
        | Msg::Sent { .. }
        | Msg::SendFailed { .. }
        | Msg::SearchDone { .. }
        | Msg::BotExited { .. }
        | Msg::SavedGamesListed(_)
        | Msg::SavedGameLocked(_)
        | Msg::SettingsChanged(_)
        | Msg::SaveGameFailed(_)
        | Msg::Tick
        | Msg::Signal(_)) => return Some(msg),
    }
    None
}

/// Folds something into one of the games.
fn update_game(model: &mut Model, index: usize, msg: Msg, out: &mut Effects) {
    model.sync_watched_games();
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let Some(game) = grid.games.get_mut(index) else { return };
    let effects = update(&mut game.model, msg);
    let lang = game.model.texts.lang();
    let wants_list = forward_effects(grid, index, effects, out);
    let all_ended = grid.games.iter().all(|game| game.exit.is_some());
    if wants_list {
        grid.is_open = false;
    }
    if lang != model.texts.lang() {
        model.set_lang(lang);
    }
    // Without a screen there is nothing to go back to, and nothing to look at any more.
    if model.mode != Mode::Full && (wants_list || all_ended) {
        quit::leave(model, out);
    }
}

/// Passes on what a game wants. True when the player wants to go back to all of them.
fn forward_effects(grid: &mut MultiWatch, index: usize, effects: Vec<Effect>, out: &mut Effects) -> bool {
    let game = &mut grid.games[index];
    let mut wants_list = false;
    let mut last = None;
    for effect in effects {
        let game_effect = match effect {
            Effect::Notify(notification) => {
                last = Some(notification.clone());
                GameEffect::Notify { room: game.label(index), notification }
            }
            Effect::Connect => {
                let Some(session) = &game.model.session else { continue };
                GameEffect::Connect { server: session.server.clone(), name: session.name.clone() }
            }
            Effect::Send { body, request } => GameEffect::Send { body, request },
            Effect::Disconnect => GameEffect::Disconnect,
            // The others go on.
            Effect::Quit(exit) => {
                game.exit = Some(exit);
                game.exit_reason = last.take();
                continue;
            }
            Effect::ReturnToMultiWatch => {
                wants_list = true;
                continue;
            }
            // These are about the program as a whole, whichever game they come from.
            effect @ (Effect::ForGame { .. }
            | Effect::InviteBot { .. }
            | Effect::Search { .. }
            | Effect::StopSearch
            | Effect::Analyze(_)
            | Effect::SaveFile { .. }
            | Effect::ChangeSettings(_)
            | Effect::RingBell(_)
            | Effect::ListSavedGames
            | Effect::LockSavedGame(_)
            | Effect::SaveGame(_)
            | Effect::DeleteSavedGame
            | Effect::Suspend
            | Effect::Redraw) => {
                out.push(effect);
                continue;
            }
        };
        out.push(Effect::ForGame { index, effect: game_effect });
    }
    wants_list
}

/// Lays the focus on the game to the right or left, above or below, if there is one.
pub(super) fn move_focus(model: &mut Model, right: i8, down: i8) {
    let across = ui::games_per_row(model);
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let by = isize::from(right) + isize::from(down) * isize::try_from(across).unwrap_or(1);
    if let Some(at) = grid.focus.checked_add_signed(by).filter(|at| *at < grid.games.len()) {
        grid.focus = at;
    }
}

/// The player points at a game: that lays the focus on it, or opens it.
pub(super) fn select_or_open(model: &mut Model, index: usize) {
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    if grid.focus == index {
        grid.open_focused();
    }
    grid.focus = index;
}

/// Tries again to watch the game under the focus, if its line is gone for good.
pub(super) fn reconnect_focused(model: &mut Model, out: &mut Effects) {
    let new_model = model.new_watched_model();
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let (at, game) = (grid.focus, &mut grid.games[grid.focus]);
    if !game.has_ended() {
        return;
    }
    let mut game_effects = Effects::default();
    quit::disconnect(&mut game.model, false, &mut game_effects);
    *game = GameSlot::new(new_model, game.server.clone(), game.room);
    forward_effects(grid, at, game_effects.0, out);
    connect_game(grid, at, out);
}

/// A line of a program that names its room is about that game, whichever was chosen.
fn try_route_to_room(model: &mut Model, line: &str, out: &mut Effects) -> bool {
    let Some((room, command)) = json_command::split_room(line) else { return false };
    let keys = model.settings.digit_order;
    let Screen::MultiWatch(grid) = &mut model.screen else { return false };
    let index = grid.games.iter().enumerate().position(|(place, game)| game.label(place) == room);
    match index {
        Some(index) if grid.games[index].exit.is_none() => {
            if matches!(
                json_command::parse(&command, None, keys),
                Ok(ParsedJsonCommand::Command(TextCommand::Leave))
            ) {
                stop_watching(model, index, out);
            } else {
                update_game(model, index, Msg::Input(Input::Line(command)), out);
            }
        }
        Some(_) => out.notify(model, Notification::Unavailable(Unavailable::NoBoard)),
        None => out.notify(model, Notification::Unavailable(Unavailable::UnknownRoom)),
    }
    true
}

/// Watches one of them no more; the others go on.
fn stop_watching(model: &mut Model, index: usize, out: &mut Effects) {
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let mut game_effects = Effects::default();
    quit::disconnect(&mut grid.games[index].model, true, &mut game_effects);
    forward_effects(grid, index, game_effects.0, out);
    grid.games[index].exit = Some(Exit::Done);
    if grid.games.iter().all(|game| game.exit.is_some()) {
        quit::leave(model, out);
    }
}

/// A line was typed: a number chooses the game that the others are about.
pub(super) fn on_line(model: &mut Model, line: &str, out: &mut Effects) {
    if try_route_to_room(model, line, out) {
        return;
    }
    let keys = model.settings.digit_order;
    let number = if json_command::is_object(line) {
        match json_command::parse(line, None, keys) {
            Ok(ParsedJsonCommand::Choose { number, .. }) => Some(number),
            Ok(ParsedJsonCommand::Command(TextCommand::Leave)) => return quit::leave(model, out),
            Ok(
                ParsedJsonCommand::Command(_)
                | ParsedJsonCommand::CommandAtPly(..)
                | ParsedJsonCommand::FillInField(_)
                | ParsedJsonCommand::Refresh
                | ParsedJsonCommand::WatchAll,
            )
            | Err(_) => None,
        }
    } else if text_command::parse(line, None, keys) == Ok(TextCommand::Leave) {
        return quit::leave(model, out);
    } else {
        line.trim().parse().ok()
    };
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let mut line = line;
    if let Some(number) = number {
        let Some(at) = usize::checked_sub(number, 1).filter(|at| *at < grid.games.len()) else {
            return out.notify(model, Notification::Unavailable(Unavailable::NumberRequired));
        };
        grid.focus = at;
        // Its board is the answer.
        line = "board";
    }
    let at = grid.focus;
    if grid.focused().exit.is_some() {
        return out.notify(model, Notification::Unavailable(Unavailable::NoBoard));
    }
    update_game(model, at, Msg::Input(Input::Line(line.to_owned())), out);
}

/// Says goodbye to the servers of all games. How the first that failed did so stays to be told.
pub(super) fn disconnect_all(model: &mut Model, is_deliberate: bool, out: &mut Effects) {
    let Screen::MultiWatch(grid) = &mut model.screen else { return };
    let mut failed = None;
    for index in 0..grid.games.len() {
        let game = &mut grid.games[index];
        if game.model.exit != Exit::Done && failed.is_none() {
            failed = Some((game.model.exit, game.exit_reason.clone()));
        }
        let mut game_effects = Effects::default();
        quit::disconnect(&mut game.model, is_deliberate, &mut game_effects);
        forward_effects(grid, index, game_effects.0, out);
    }
    if let Some((exit, reason)) = failed {
        model.exit = exit;
        model.notification = reason;
    }
}

/// Goes back to the list that the games were chosen from. False when there is none.
pub(super) fn try_return_to_lobby(model: &mut Model, out: &mut Effects) -> bool {
    let Screen::MultiWatch(grid) = &mut model.screen else { return false };
    let (Some(lobby), Some(_)) = (grid.lobby.take(), &model.session) else { return false };
    disconnect_all(model, true, out);
    model.exit = Exit::Done;
    model.screen = Screen::Lobby(lobby);
    menus::refresh_list(model, out);
    true
}

/// Whoever ends the input does not go back to a list.
pub(super) fn discard_lobby(model: &mut Model) {
    if let Screen::MultiWatch(grid) = &mut model.screen {
        grid.lobby = None;
    }
}
