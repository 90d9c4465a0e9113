//! Watching several games side by side.
//!
//! Routes messages to the games, and forwards their effects. A watched game has no seat, so it only sends requests to
//! watch, to fetch missing events and to leave.

pub(super) mod game_effects;

use std::cmp::Reverse;

use noughts_protocol::wire::RoomListing;
use noughts_protocol::{RoomId, RoomRef, Rules};

use super::message::Effects;
use super::message::Msg;
use super::preview;
use super::screens::{self, quit};
use crate::connection::server_url::ServerUrl;
use crate::facts::{Exit, Notification, Unavailable};
use crate::input::json_command;
use crate::input::{Input, Key, TextCommand, text_command};
use crate::model::layout;
use crate::model::layout::tiles::{TilePage, TilePages};
use crate::model::{
    GameSlot, MAX_GAMES, Mode, Model, MultiWatch, PREVIEW_INDEX, RESULT_DISPLAY_MS, Screen,
    SessionGoal,
};

/// Starts to watch several games. The list must not be empty.
pub(super) fn open(model: &mut Model, games: Vec<(ServerUrl, RoomRef)>, out: &mut Effects) {
    model.keep_lobby();
    let mut grid = MultiWatch {
        games: Vec::new(),
        focus: 0,
        is_held: false,
        is_open: false,
    };
    for (server, room) in games.into_iter().take(MAX_GAMES) {
        grid.games
            .push(GameSlot::new(model.new_watched_model(), server, room));
    }
    if model.mode != Mode::Full {
        out.notify(model, Notification::WatchingSeveral(grid.games.len()));
    }
    for index in 0..grid.games.len() {
        connect_game(&mut grid, index, out);
    }
    model.screen = Screen::MultiWatch(Box::new(grid));
}

/// Watches games. When they end, continues with the running games of a server. Without games, waits for the server's
/// first game.
pub(super) fn open_tv(
    model: &mut Model,
    server: ServerUrl,
    games: Vec<(ServerUrl, RoomRef)>,
    out: &mut Effects,
) {
    model.is_tv = true;
    let name = model.settings.name.clone();
    screens::start_session(model, server, name, SessionGoal::Browse, out);
    if !games.is_empty() {
        open(model, games, out);
    }
}

/// Starts with the running games that the server has pushed: on the full screen with as many as fit, in other modes
/// with one.
pub(super) fn start_tv(model: &mut Model, out: &mut Effects) {
    let Some(session) = model.session.as_ref().filter(|_| model.screen.is_waiting()) else {
        return;
    };
    let running: Vec<_> = model.unwatched_games().collect();
    let boards: Vec<_> = running.iter().map(|listing| Some(listing.rules)).collect();
    let pages = layout::tile_pages(model, &boards);
    let shown = pages.first().into_iter().flat_map(TilePage::games);
    let count = if model.mode == Mode::Full {
        MAX_GAMES
    } else {
        1
    };
    let games: Vec<_> = shown
        .take(count)
        .map(|index| (session.server.clone(), RoomRef::Id(running[index].room)))
        .collect();
    if !games.is_empty() {
        open(model, games, out);
    }
}

/// Switches between keeping finished games and replacing them.
pub(super) fn toggle_hold(model: &mut Model) {
    if let Some(grid) = model.screen.as_multi_watch_mut() {
        grid.is_held = !grid.is_held;
    }
}

/// Connects to the server of a game.
fn connect_game(grid: &mut MultiWatch, index: usize, out: &mut Effects) {
    let GameSlot {
        model,
        server,
        room,
        ..
    } = &mut grid.games[index];
    let (name, goal) = (model.settings.name.clone(), SessionGoal::Watch(*room));
    let mut effects = Effects::new(out.update_game);
    screens::start_session(model, server.clone(), name, goal, &mut effects);
    game_effects::forward(&mut grid.games[index], index, effects.list, out);
}

/// Handles a message that belongs to one of the games. Returns any other message.
pub(super) fn route(model: &mut Model, msg: Msg, out: &mut Effects) -> Option<Msg> {
    if let Msg::ForGame {
        index: PREVIEW_INDEX,
        msg,
    } = msg
    {
        preview::update(model, *msg, out);
        return None;
    }
    let Some(grid) = model.screen.as_multi_watch() else {
        // A late message for a closed game is dropped.
        return (!matches!(msg, Msg::ForGame { .. })).then_some(msg);
    };
    let (at, open) = (grid.focus, grid.is_open);
    match msg {
        Msg::ForGame { index, msg } => update_game(model, index, *msg, out),
        msg @ (Msg::FileSaved { .. } | Msg::AnalysisDone(_)) => update_game(model, at, msg, out),
        // Ctrl-C ends the program rather than a game.
        msg @ Msg::Input(Input::Key(Key::Ctrl('c'))) => return Some(msg),
        msg @ Msg::Input(
            Input::Key(_) | Input::Click(..) | Input::Wheel { .. } | Input::Paste(_),
        ) if open => {
            update_game(model, at, msg, out);
        }
        msg @ (Msg::Input(_)
        | Msg::Connection(_)
        | Msg::Sent { .. }
        | Msg::SendFailed { .. }
        | Msg::SearchDone { .. }
        | Msg::ServerStarted(_)
        | Msg::BotExited { .. }
        | Msg::SavedGamesListed(_)
        | Msg::GameKept(_)
        | Msg::OwnGamesListed(_)
        | Msg::ArchiveAnswered { .. }
        | Msg::SavedGameLocked(_)
        | Msg::SettingsChanged(_)
        | Msg::HomeConnection(_)
        | Msg::IdentityFailed(_)
        | Msg::OtherAddress { .. }
        | Msg::SaveGameFailed(_)
        | Msg::Tick
        | Msg::Signal(_)) => return Some(msg),
    }
    None
}

/// Updates the model of a game, and forwards the effects.
fn update_game(model: &mut Model, index: usize, msg: Msg, out: &mut Effects) {
    model.sync_watched_games();
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    let Some(game) = grid.games.get_mut(index) else {
        return;
    };
    let effects = (out.update_game)(&mut game.model, msg);
    let wants_list = game_effects::forward(&mut grid.games[index], index, effects, out);
    if wants_list {
        grid.is_open = false;
    }
    // Line mode has no screen with all games, so there is nothing to return to.
    if model.mode != Mode::Full && wants_list {
        quit::leave(model, out);
    } else {
        leave_if_all_ended(model, out);
    }
}

/// Leaves line mode when all games have ended and no game in the lobby can follow.
pub(super) fn leave_if_all_ended(model: &mut Model, out: &mut Effects) {
    let has_successors = model.is_tv && model.session.is_some();
    let grid = model
        .screen
        .as_multi_watch()
        .filter(|_| model.mode != Mode::Full && !has_successors);
    if grid.is_some_and(|grid| grid.games.iter().all(|game| game.exit.is_some())) {
        quit::leave(model, out);
    }
}

/// Moves the focus to the neighbouring game in this direction, if any.
pub(super) fn move_focus(model: &mut Model, right: i8, down: i8) {
    focus(model, |pages, game| pages.neighbor(game, right, down));
}

/// Moves the focus to the next or the previous game. The first game follows the last.
pub(super) fn cycle_focus(model: &mut Model, is_forward: bool) {
    focus(model, |pages, game| pages.next(game, is_forward));
}

fn focus(model: &mut Model, target: impl FnOnce(&TilePages, usize) -> Option<usize>) {
    let Some(grid) = model.screen.as_multi_watch() else {
        return;
    };
    let pages = layout::tile_pages(model, &layout::board_rules(grid));
    let target = target(&pages, grid.focus);
    if let Some((grid, target)) = model.screen.as_multi_watch_mut().zip(target) {
        grid.focus = target;
    }
}

/// Handles a click on a game: moves the focus to it, or opens it if it has the focus.
pub(super) fn select_or_open(model: &mut Model, index: usize) {
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    if grid.focus == index {
        grid.open_focused();
    }
    grid.focus = index;
}

/// Connects to the focused game again if its connection has ended.
pub(super) fn reconnect_focused(model: &mut Model, out: &mut Effects) {
    let new_model = model.new_watched_model();
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    let (at, game) = (grid.focus, &mut grid.games[grid.focus]);
    if !game.has_ended() {
        return;
    }
    let mut effects = Effects::new(out.update_game);
    quit::disconnect(&mut game.model, false, &mut effects);
    *game = GameSlot::new(new_model, game.server.clone(), game.room);
    game_effects::forward(&mut grid.games[at], at, effects.list, out);
    connect_game(grid, at, out);
}

/// Replaces games with the next running games in the pushed lobby when their results have been shown long enough. Adds
/// a game that fits beside the others. A game that covers the screen stays, as does a game without a successor.
pub(super) fn replace_finished_games(model: &mut Model, out: &mut Effects) {
    let (now, is_tv) = (model.now, model.is_tv);
    let replaces = model.follows_lobby();
    let Some(grid) = model
        .screen
        .as_multi_watch_mut()
        .filter(|grid| replaces && !grid.is_held)
    else {
        return;
    };
    let count = grid.games.len();
    for game in &mut grid.games {
        // If the player chose the games, a game that ended without a result stays. Otherwise it is replaced.
        game.result_until = if game.has_result() || (is_tv && game.has_ended()) {
            game.result_until
                .or(Some(now.saturating_add(RESULT_DISPLAY_MS)))
        } else {
            None
        };
    }
    for index in 0..count {
        let Some(room) = successor(model, index) else {
            continue;
        };
        let new_model = model.new_watched_model();
        let Some(grid) = model.screen.as_multi_watch_mut() else {
            return;
        };
        let game = &mut grid.games[index];
        let mut effects = Effects::new(out.update_game);
        quit::disconnect(&mut game.model, true, &mut effects);
        *game = GameSlot::new(new_model, game.server.clone(), RoomRef::Id(room));
        game_effects::forward(&mut grid.games[index], index, effects.list, out);
        connect_game(grid, index, out);
    }
    if let Some(room) = game_beside(model) {
        let new_model = model.new_watched_model();
        let Some(grid) = model.screen.as_multi_watch_mut() else {
            return;
        };
        let (index, server) = (grid.games.len(), grid.focused().server.clone());
        let game = GameSlot::new(new_model, server, RoomRef::Id(room));
        grid.games.push(game);
        connect_game(grid, index, out);
    }
}

/// Returns a running game from the lobby that fits beside all watched games on the full screen. The boards of the
/// watched games must have arrived, and finished games are replaced first.
fn game_beside(model: &Model) -> Option<RoomId> {
    let grid = model.screen.as_multi_watch()?;
    let mut boards = layout::board_rules(grid);
    let is_settled = boards.iter().all(Option::is_some)
        && grid
            .games
            .iter()
            .all(|game| game.result_until.is_none() && !game.has_ended());
    let has_room = boards.len() < MAX_GAMES && is_settled;
    if !has_room || grid.is_open || model.mode != Mode::Full {
        return None;
    }
    let mut too_large: Vec<Rules> = Vec::new();
    let fits = |listing: &&RoomListing| {
        if too_large.contains(&listing.rules) {
            return false;
        }
        boards.push(Some(listing.rules));
        let pages = layout::tile_pages(model, &boards);
        let shown = pages.first().map_or(0, |page| page.tiles().len());
        let fits = shown == boards.len();
        boards.pop();
        if !fits {
            too_large.push(listing.rules);
        }
        fits
    };
    let room = |listing: &RoomListing| listing.room;
    model.unwatched_games().find(fits).map(room)
}

/// Returns the room that replaces the game with this index; `None` before the time to replace the game. Chooses the
/// room that shares its page with the largest number of games. Among equal rooms, chooses the first in the lobby.
fn successor(model: &Model, index: usize) -> Option<RoomId> {
    let grid = model.screen.as_multi_watch()?;
    let is_covering = grid.is_open && grid.focus == index;
    grid.games
        .get(index)?
        .result_until
        .filter(|until| *until <= model.now && !is_covering)?;
    let mut boards = layout::board_rules(grid);
    let mut shown_beside = |rules: Rules| {
        boards[index] = Some(rules);
        let pages = layout::tile_pages(model, &boards);
        pages.page_of(index).map_or(0, |page| page.tiles().len())
    };
    let games = model.unwatched_games();
    games
        .min_by_key(|listing| Reverse(shown_beside(listing.rules)))
        .map(|listing| listing.room)
}

/// If a JSON command names a room, executes it in the game in that room. Returns `false` if it names no room.
fn try_route_to_room(model: &mut Model, line: &str, out: &mut Effects) -> bool {
    let Some((room, command)) = json_command::split_room(line) else {
        return false;
    };
    let keys = model.settings.digits;
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return false;
    };
    let index = grid
        .games
        .iter()
        .enumerate()
        .position(|(place, game)| game.label(place) == room);
    match index {
        Some(index) if grid.games[index].exit.is_none() => {
            if matches!(
                json_command::parse(&command, None, keys),
                Ok((TextCommand::Leave, _))
            ) {
                stop_watching(model, index, out);
            } else {
                update_game(model, index, Msg::Input(Input::Line(command)), out);
            }
        }
        Some(_) => out.notify(model, Notification::Unavailable(Unavailable::NoBoard)),
        None => out.notify(model, Notification::Unavailable(Unavailable::NoRoom)),
    }
    true
}

/// Stops watching one game. The other games continue.
fn stop_watching(model: &mut Model, index: usize, out: &mut Effects) {
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    let mut effects = Effects::new(out.update_game);
    quit::disconnect(&mut grid.games[index].model, true, &mut effects);
    game_effects::forward(&mut grid.games[index], index, effects.list, out);
    grid.games[index].exit = Some(Exit::Done);
    if grid.games.iter().all(|game| game.exit.is_some()) {
        quit::leave(model, out);
    }
}

/// Executes an input line. A number moves the focus to that game. Other commands go to the focused game.
pub(super) fn on_line(model: &mut Model, line: &str, out: &mut Effects) {
    if try_route_to_room(model, line, out) {
        return;
    }
    let keys = model.settings.digits;
    let number = if json_command::is_object(line) {
        match json_command::parse(line, None, keys) {
            Ok((TextCommand::Choose { number, .. }, _)) => Some(number),
            Ok((TextCommand::Leave, _)) => return quit::leave(model, out),
            Ok(_) | Err(_) => None,
        }
    } else if text_command::parse(line, None, keys) == Ok(TextCommand::Leave) {
        return quit::leave(model, out);
    } else {
        line.trim().parse().ok()
    };
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    let mut line = line;
    if let Some(number) = number {
        let Some(at) = usize::checked_sub(number, 1).filter(|at| *at < grid.games.len()) else {
            return out.notify(model, Notification::Unavailable(Unavailable::Number));
        };
        grid.focus = at;
        // The answer to the number is the board.
        line = "board";
    }
    let at = grid.focus;
    if grid.focused().exit.is_some() {
        return out.notify(model, Notification::Unavailable(Unavailable::NoBoard));
    }
    update_game(model, at, Msg::Input(Input::Line(line.to_owned())), out);
}

/// Drops the room list, because leaving ends the program after the end of the input.
pub(super) fn discard_lobby(model: &mut Model) {
    model.lobby = None;
}
