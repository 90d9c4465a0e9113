//! Before a game: the home screen, forms, and the list of rooms.

use noughts_protocol::{Phase, RoomRef, Rules};

use super::{Effect, Effects, apply_form_result, multi_watch, new_form, quit, saved_game};
use crate::facts::{Exit, FormKind, MenuItem, Notification, PendingRequest, Unavailable};
use crate::model::{
    Form, FormResult, GlyphSet, LobbyScreen, MAX_GAMES, Mode, Model, Screen, Session, SessionGoal, Settings,
    Stage,
};
use crate::settings::Setting;
use crate::ui;

/// How long a list of rooms is shown before it is fetched again, in milliseconds: a fiftieth of what a server
/// lets one send.
pub(super) const LIST_REFRESH_INTERVAL_MS: u64 = 5000;

/// Shows the home screen, once it is known what there is to continue.
pub(super) fn go_home(model: &mut Model, out: &mut Effects) {
    model.return_home = true;
    model.exit = Exit::Done;
    model.screen = Screen::Home { selected: 0 };
    out.push(Effect::ListSavedGames);
}

/// The entry of the home screen with this number, from 1.
pub(super) fn menu_item(model: &Model, number: usize) -> Option<MenuItem> {
    model.menu_items().get(number.checked_sub(1)?).copied()
}

/// An entry of the home screen was chosen.
pub(super) fn choose_menu_item(model: &mut Model, item: MenuItem, out: &mut Effects) {
    match item {
        MenuItem::Continue(index) => {
            if let Some(game) = model.saved_games.get(index) {
                saved_game::resume(game.clone(), out);
            }
        }
        MenuItem::Quick => open_form(model, new_form(model, FormKind::Quick), out),
        MenuItem::Private => open_form(model, new_form(model, FormKind::Private), out),
        MenuItem::Join => open_form(model, new_form(model, FormKind::Join), out),
        MenuItem::Local => open_form(model, new_form(model, FormKind::Local), out),
        MenuItem::Bot => open_form(model, new_form(model, FormKind::Bot), out),
        MenuItem::Watch => {
            let (server, name) = (model.settings.server.clone(), model.settings.name.clone());
            apply_form_result(model, FormResult::Server(server, name, SessionGoal::Browse), out);
        }
        MenuItem::Settings => open_form(model, new_form(model, FormKind::Settings), out),
        MenuItem::Quit => quit::quit(model, Exit::Done, out),
    }
}

/// Shows a form; line mode asks its first field.
pub(super) fn open_form(model: &mut Model, form: Form, out: &mut Effects) {
    model.screen = Screen::Form(form);
    model.notification = None;
    prompt_field(model, out);
}

/// Line mode asks the field that is to be filled in now.
pub(super) fn prompt_field(model: &mut Model, out: &mut Effects) {
    if let (Mode::Line { .. } | Mode::Json, Screen::Form(form)) = (model.mode, &model.screen) {
        let notification = Notification::FieldPrompt { kind: form.kind, field: form.field().clone() };
        out.notify(model, notification);
    }
}

/// Closes a form.
pub(super) fn close_form(model: &mut Model, out: &mut Effects) {
    quit::leave(model, out);
}

/// All fields are filled in.
pub(super) fn submit_form(model: &mut Model, out: &mut Effects) {
    let Screen::Form(form) = &mut model.screen else { return };
    match form.submit(&mut model.settings) {
        Ok(form_result) => apply_form_result(model, form_result, out),
        Err((index, error)) => {
            form.focus = index;
            form.error = Some(error);
            out.notify(model, Notification::FieldInvalid(error));
            prompt_field(model, out);
        }
    }
}

/// Has other settings from now on, and for good. They are in the model already; what was made of them follows.
pub(super) fn apply_settings(model: &mut Model, changes: Vec<(Setting, Option<String>)>, out: &mut Effects) {
    let Settings { lang, theme, glyphs, .. } = model.settings;
    model.set_lang(lang);
    model.appearance.theme = theme;
    model.appearance.unicode = match glyphs {
        GlyphSet::Unicode => true,
        GlyphSet::Ascii => false,
        // The terminal was asked at the start, or will be at the next.
        GlyphSet::Auto => model.appearance.unicode,
    };
    quit::leave(model, out);
    if !changes.is_empty() {
        out.push(Effect::ChangeSettings(changes));
    }
}

/// Line mode: a field was answered. An empty line takes what stands there.
pub(super) fn fill_in_field(model: &mut Model, line: &str, out: &mut Effects) {
    let Screen::Form(form) = &mut model.screen else { return };
    let previous = form.field().clone();
    if !line.trim().is_empty() {
        form.field_mut().input.set(line.trim());
    }
    if let Err(error) = form.field().check() {
        *form.field_mut() = previous;
        out.notify(model, Notification::FieldInvalid(error));
        prompt_field(model, out);
    } else if form.focus + 1 < form.fields.len() {
        form.focus += 1;
        prompt_field(model, out);
    } else {
        submit_form(model, out);
    }
}

/// Takes a room from the list: its free seat if it has one, else to watch.
pub(super) fn enter_selected_room(model: &mut Model, watch: bool, out: &mut Effects) {
    let Screen::Lobby(lobby) = &model.screen else { return };
    let Some(listing) = lobby.rooms.as_ref().and_then(|rooms| rooms.get(lobby.selected)) else {
        out.notify(model, Notification::Unavailable(Unavailable::NumberRequired));
        return;
    };
    let (room, free) = (RoomRef::Id(listing.room), listing.phase == Phase::Waiting);
    request_goal(model, if free && !watch { SessionGoal::Join(room) } else { SessionGoal::Watch(room) }, out);
}

/// Watches the games that are on, as many as there is room for.
pub(super) fn watch_all(model: &mut Model, out: &mut Effects) {
    let is_ready = model.is_server_ready();
    let (Screen::Lobby(lobby), Some(session)) = (&model.screen, &model.session) else { return };
    let rooms = lobby.rooms.iter().flatten().filter(|listing| listing.phase == Phase::Playing);
    let (games, rules): (Vec<_>, Vec<Rules>) = rooms
        .take(MAX_GAMES)
        .map(|listing| ((session.server.clone(), RoomRef::Id(listing.room)), listing.rules))
        .unzip();
    if !is_ready {
        out.notify(model, Notification::Unavailable(Unavailable::Offline));
    } else if games.is_empty() {
        out.notify(model, Notification::Unavailable(Unavailable::NoGame));
    } else {
        let fit = if model.mode == Mode::Full { ui::max_visible_games(model, &rules) } else { MAX_GAMES };
        model.notification = None;
        multi_watch::open(model, games.into_iter().take(fit).collect(), out);
    }
}

/// Fetches the list again.
pub(super) fn refresh_list(model: &mut Model, out: &mut Effects) {
    out.send(SessionGoal::Browse.request(), Some(PendingRequest::List));
    model.notification = None;
}

/// The list of rooms is fetched again by itself on the full screen. Lines would be repeated unasked.
pub(super) fn refresh_list_if_due(model: &mut Model, out: &mut Effects) {
    let (now, is_ready, is_full_screen) = (model.now, model.is_server_ready(), model.mode == Mode::Full);
    let Screen::Lobby(lobby) = &mut model.screen else { return };
    if is_full_screen && is_ready && lobby.refresh_at <= now {
        lobby.refresh_at = now.saturating_add(LIST_REFRESH_INTERVAL_MS);
        out.send(SessionGoal::Browse.request(), Some(PendingRequest::List));
    }
}

/// Asks the server for a goal on the line that is open.
pub(super) fn request_goal(model: &mut Model, goal: SessionGoal, out: &mut Effects) {
    if let Some(session) = &mut model.session {
        let request = goal.request();
        session.goal = goal;
        session.stage = Stage::GoalRequested;
        out.send(request, Some(PendingRequest::Goal));
    }
}

/// Shows a list that has come.
pub(super) fn on_room_list(model: &mut Model, lobby: LobbyScreen, out: &mut Effects) {
    let goal = model.session.as_ref().map(|session: &Session| session.goal.clone());
    let (rooms, seeks) = (lobby.rooms.clone().unwrap_or_default(), lobby.seeks.clone());
    let notification = Notification::Rooms { rooms, seeks, is_selectable: goal != Some(SessionGoal::List) };
    match (&mut model.screen, goal) {
        (_, Some(SessionGoal::List)) => {
            out.notify(model, notification);
            quit::leave(model, out);
        }
        (Screen::Lobby(old), _) => {
            // The same room stays selected, wherever it stands now.
            let selected_room =
                old.rooms.as_ref().and_then(|rooms| rooms.get(old.selected)).map(|listing| listing.room);
            let rooms = lobby.rooms.as_deref().unwrap_or_default();
            let new_index = rooms.iter().position(|listing| Some(listing.room) == selected_room);
            let selected = new_index.unwrap_or_else(|| old.selected.min(rooms.len().saturating_sub(1)));
            *old = LobbyScreen { selected, ..lobby };
            out.notify(model, notification);
        }
        (Screen::Waiting, Some(SessionGoal::Browse)) => {
            model.screen = Screen::Lobby(lobby);
            out.notify(model, notification);
        }
        // The answer came after the player had gone on to a room.
        (
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Game(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_),
            _,
        ) => {}
    }
}

/// The goal was refused: back to where it was chosen, or out of the program.
pub(super) fn on_goal_failed(model: &mut Model, notification: Notification, exit: Exit, out: &mut Effects) {
    // From the list of rooms one can choose another.
    if let (Screen::Lobby(_), Some(session)) = (&model.screen, &mut model.session)
        && session.stage == Stage::GoalRequested
    {
        session.stage = Stage::Ready;
        session.goal = SessionGoal::Browse;
        out.notify(model, notification);
        return;
    }
    model.exit = exit;
    if model.session.take().is_some() {
        out.push(Effect::Disconnect);
    }
    if model.return_home {
        go_home(model, out);
        out.notify(model, notification);
    } else {
        out.notify(model, notification);
        out.push(Effect::Quit(exit));
    }
}
