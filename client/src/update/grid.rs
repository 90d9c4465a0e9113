//! Several games of others, side by side. What concerns one of them is folded as if it were the only one, and
//! what that wants of the world bears its place. Nobody sits at these tables, so nothing but the wish to watch,
//! to be told what was missed and to go is ever sent.

use noughts_protocol::RoomRef;

use super::{Effect, Errand, Msg, Out, carry_out, desk, leave, update};
use crate::input::object::{self, Ordered};
use crate::input::{Input, Key, Typed, typed};
use crate::model::{Exit, Goal, Grid, MAX_GAMES, Mode, Model, NotNow, Note, Plan, Screen, Watched};
use crate::server_url::ServerUrl;
use crate::ui;

/// Begins to watch games: one at least.
pub(super) fn open(model: &mut Model, games: Vec<(ServerUrl, RoomRef)>, out: &mut Out) {
    let behind = match std::mem::replace(&mut model.screen, Screen::Waiting) {
        Screen::Lobby(lobby) => Some(lobby),
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Table(_)
        | Screen::Replay(_)
        | Screen::Grid(_) => None,
    };
    let mut grid = Grid { games: Vec::new(), at: 0, open: false, behind };
    for (server, room) in games.into_iter().take(MAX_GAMES) {
        grid.games.push(Watched::new(model.for_one_of_several(), server, room));
    }
    if model.mode != Mode::Full {
        out.tell(model, Note::Several(grid.games.len()));
    }
    for place in 0..grid.games.len() {
        begin(&mut grid, place, out);
    }
    model.screen = Screen::Grid(Box::new(grid));
}

/// Goes to the server for a game.
fn begin(grid: &mut Grid, place: usize, out: &mut Out) {
    let Watched { model, server, room, .. } = &mut grid.games[place];
    let plan = Plan::Online(server.clone(), model.settings.name.clone(), Goal::Watch(*room));
    let mut own = Out::default();
    carry_out(model, plan, &mut own);
    hand_on(grid, place, own.0, out);
}

/// Takes what concerns one of the games; everything else comes back.
pub(super) fn take(model: &mut Model, msg: Msg, out: &mut Out) -> Option<Msg> {
    let Screen::Grid(grid) = &model.screen else {
        // Nothing is heard of a game that is watched no more.
        return (!matches!(msg, Msg::Of { .. })).then_some(msg);
    };
    let (at, open) = (grid.at, grid.open);
    match msg {
        Msg::Of { place, msg } => fold(model, place, *msg, out),
        msg @ (Msg::Saved { .. } | Msg::Found(_)) => fold(model, at, msg, out),
        // It ends the program, not a game.
        msg @ Msg::Input(Input::Key(Key::Ctrl('c'))) => return Some(msg),
        msg @ Msg::Input(Input::Key(_) | Input::Click(..) | Input::Paste(_)) if open => {
            fold(model, at, msg, out);
        }
        msg @ (Msg::Input(_)
        | Msg::News(_)
        | Msg::Sent { .. }
        | Msg::Unsent { .. }
        | Msg::Thought { .. }
        | Msg::BotGone { .. }
        | Msg::Unfinished(_)
        | Msg::TakenUp(_)
        | Msg::SettingsChanged(_)
        | Msg::NotKept(_)
        | Msg::Tick
        | Msg::Signal(_)) => return Some(msg),
    }
    None
}

/// Folds something into one of the games.
fn fold(model: &mut Model, place: usize, msg: Msg, out: &mut Out) {
    model.align_games();
    let Screen::Grid(grid) = &mut model.screen else { return };
    let Some(game) = grid.games.get_mut(place) else { return };
    let effects = update(&mut game.model, msg);
    let lang = game.model.words.lang();
    let back = hand_on(grid, place, effects, out);
    let all_over = grid.games.iter().all(|game| game.over.is_some());
    if back {
        grid.open = false;
    }
    if lang != model.words.lang() {
        model.speak(lang);
    }
    // Without a screen there is nothing to go back to, and nothing to look at any more.
    if model.mode != Mode::Full && (back || all_over) {
        leave::leave(model, out);
    }
}

/// Passes on what a game wants. True when the player wants to go back to all of them.
fn hand_on(grid: &mut Grid, place: usize, effects: Vec<Effect>, out: &mut Out) -> bool {
    let game = &mut grid.games[place];
    let mut back = false;
    let mut last = None;
    for effect in effects {
        let errand = match effect {
            Effect::Tell(note) => {
                last = Some(note.clone());
                Errand::Tell { room: game.label(place), note }
            }
            Effect::Connect => {
                let Some(session) = &game.model.session else { continue };
                Errand::Connect { server: session.server.clone(), name: session.name.clone() }
            }
            Effect::Send { body, ask } => Errand::Send { body, ask },
            Effect::Disconnect => Errand::Disconnect,
            // The others go on.
            Effect::Quit(exit) => {
                game.over = Some(exit);
                game.reason = last.take();
                continue;
            }
            Effect::Back => {
                back = true;
                continue;
            }
            // These are about the program as a whole, whichever game they come from.
            effect @ (Effect::Of { .. }
            | Effect::InviteBot { .. }
            | Effect::Think { .. }
            | Effect::StopThinking
            | Effect::Study(_)
            | Effect::Save { .. }
            | Effect::ChangeSettings(_)
            | Effect::Ring(_)
            | Effect::FindUnfinished
            | Effect::TakeUp(_)
            | Effect::Keep(_)
            | Effect::Forget
            | Effect::Suspend
            | Effect::Redraw) => {
                out.push(effect);
                continue;
            }
        };
        out.push(Effect::Of { place, errand });
    }
    back
}

/// Lays the focus on the game to the right or left, above or below, if there is one.
pub(super) fn step(model: &mut Model, right: i8, down: i8) {
    let across = ui::games_across(model);
    let Screen::Grid(grid) = &mut model.screen else { return };
    let by = isize::from(right) + isize::from(down) * isize::try_from(across).unwrap_or(1);
    if let Some(at) = grid.at.checked_add_signed(by).filter(|at| *at < grid.games.len()) {
        grid.at = at;
    }
}

/// The player points at a game: that lays the focus on it, or opens it.
pub(super) fn point(model: &mut Model, place: usize) {
    let Screen::Grid(grid) = &mut model.screen else { return };
    if grid.at == place {
        grid.open();
    }
    grid.at = place;
}

/// Tries again to watch the game under the focus, if its line is gone for good.
pub(super) fn again(model: &mut Model, out: &mut Out) {
    let fresh = model.for_one_of_several();
    let Screen::Grid(grid) = &mut model.screen else { return };
    let (at, game) = (grid.at, &mut grid.games[grid.at]);
    if !game.has_ended() {
        return;
    }
    let mut own = Out::default();
    leave::part(&mut game.model, false, &mut own);
    *game = Watched::new(fresh, game.server.clone(), game.room);
    hand_on(grid, at, own.0, out);
    begin(grid, at, out);
}

/// A line of a program that names its room is about that game, whichever was chosen.
fn named(model: &mut Model, line: &str, out: &mut Out) -> bool {
    let Some((room, order)) = object::of_room(line) else { return false };
    let keys = model.settings.keys;
    let Screen::Grid(grid) = &mut model.screen else { return false };
    let place = grid.games.iter().enumerate().position(|(place, game)| game.label(place) == room);
    match place {
        Some(place) if grid.games[place].over.is_none() => {
            if matches!(object::parse(&order, None, keys), Ok(Ordered::Typed(Typed::Leave))) {
                drop_one(model, place, out);
            } else {
                fold(model, place, Msg::Input(Input::Line(order)), out);
            }
        }
        Some(_) => out.tell(model, Note::NotNow(NotNow::NoBoard)),
        None => out.tell(model, Note::NotNow(NotNow::NoRoom)),
    }
    true
}

/// Watches one of them no more; the others go on.
fn drop_one(model: &mut Model, place: usize, out: &mut Out) {
    let Screen::Grid(grid) = &mut model.screen else { return };
    let mut own = Out::default();
    leave::part(&mut grid.games[place].model, true, &mut own);
    hand_on(grid, place, own.0, out);
    grid.games[place].over = Some(Exit::Done);
    if grid.games.iter().all(|game| game.over.is_some()) {
        leave::leave(model, out);
    }
}

/// A line was typed: a number chooses the game that the others are about.
pub(super) fn line(model: &mut Model, line: &str, out: &mut Out) {
    if named(model, line, out) {
        return;
    }
    let keys = model.settings.keys;
    let number = if object::is_object(line) {
        match object::parse(line, None, keys) {
            Ok(Ordered::Choose { number, .. }) => Some(number),
            Ok(Ordered::Typed(Typed::Leave)) => return leave::leave(model, out),
            Ok(
                Ordered::Typed(_)
                | Ordered::At(..)
                | Ordered::Answer(_)
                | Ordered::Refresh
                | Ordered::WatchAll,
            )
            | Err(_) => None,
        }
    } else if typed::parse(line, None, keys) == Ok(Typed::Leave) {
        return leave::leave(model, out);
    } else {
        line.trim().parse().ok()
    };
    let Screen::Grid(grid) = &mut model.screen else { return };
    let mut line = line;
    if let Some(number) = number {
        let Some(at) = usize::checked_sub(number, 1).filter(|at| *at < grid.games.len()) else {
            return out.tell(model, Note::NotNow(NotNow::Number));
        };
        grid.at = at;
        // Its board is the answer.
        line = "board";
    }
    let at = grid.at;
    if grid.focused().over.is_some() {
        return out.tell(model, Note::NotNow(NotNow::NoBoard));
    }
    fold(model, at, Msg::Input(Input::Line(line.to_owned())), out);
}

/// Says goodbye to the servers of all games. How the first that failed did so stays to be told.
pub(super) fn part(model: &mut Model, on_purpose: bool, out: &mut Out) {
    let Screen::Grid(grid) = &mut model.screen else { return };
    let mut failed = None;
    for place in 0..grid.games.len() {
        let game = &mut grid.games[place];
        if game.model.exit != Exit::Done && failed.is_none() {
            failed = Some((game.model.exit, game.reason.clone()));
        }
        let mut own = Out::default();
        leave::part(&mut game.model, on_purpose, &mut own);
        hand_on(grid, place, own.0, out);
    }
    if let Some((exit, reason)) = failed {
        model.exit = exit;
        model.notice = reason;
    }
}

/// Goes back to the list that the games were chosen from. False when there is none.
pub(super) fn back_to_list(model: &mut Model, out: &mut Out) -> bool {
    let Screen::Grid(grid) = &mut model.screen else { return false };
    let (Some(lobby), Some(_)) = (grid.behind.take(), &model.session) else { return false };
    part(model, true, out);
    model.exit = Exit::Done;
    model.screen = Screen::Lobby(lobby);
    desk::refresh(model, out);
    true
}

/// Whoever ends the input does not go back to a list.
pub(super) fn forget_list(model: &mut Model) {
    if let Screen::Grid(grid) = &mut model.screen {
        grid.behind = None;
    }
}
