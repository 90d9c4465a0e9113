//! Before a game: the home screen, forms, and the list of rooms.

use noughts_protocol::{Phase, RoomRef, Rules};

use super::{Effect, Out, carry_out, form, grid, keep, leave};
use crate::model::{
    Ask, Entry, Exit, Form, Glyphs, Goal, Lobby, MAX_GAMES, Mode, Model, NotNow, Note, Plan, Purpose, Screen,
    Session, Settings, Stage,
};
use crate::preferences::Setting;
use crate::ui;

/// How long a list of rooms is shown before it is fetched again, in milliseconds: a fiftieth of what a server
/// lets one send.
pub(super) const LOOK_AGAIN: u64 = 5000;

/// Shows the home screen, once it is known what there is to continue.
pub(super) fn go_home(model: &mut Model, out: &mut Out) {
    model.home = true;
    model.exit = Exit::Done;
    model.screen = Screen::Home { at: 0 };
    out.push(Effect::FindUnfinished);
}

/// The entry of the home screen with this number, from 1.
pub(super) fn entry(model: &Model, number: usize) -> Option<Entry> {
    model.entries().get(number.checked_sub(1)?).copied()
}

/// An entry of the home screen was chosen.
pub(super) fn choose(model: &mut Model, entry: Entry, out: &mut Out) {
    match entry {
        Entry::Continue(place) => {
            if let Some(game) = model.unfinished.get(place) {
                keep::take_up(game.clone(), out);
            }
        }
        Entry::Quick => open_form(model, form(model, Purpose::Quick), out),
        Entry::Private => open_form(model, form(model, Purpose::Private), out),
        Entry::Join => open_form(model, form(model, Purpose::Join), out),
        Entry::Local => open_form(model, form(model, Purpose::Local), out),
        Entry::Bot => open_form(model, form(model, Purpose::Bot), out),
        Entry::Watch => {
            let (server, name) = (model.settings.server.clone(), model.settings.name.clone());
            carry_out(model, Plan::Online(server, name, Goal::Browse), out);
        }
        Entry::Settings => open_form(model, form(model, Purpose::Settings), out),
        Entry::Quit => leave::quit(model, Exit::Done, out),
    }
}

/// Shows a form; line mode asks its first field.
pub(super) fn open_form(model: &mut Model, form: Form, out: &mut Out) {
    model.screen = Screen::Form(form);
    model.notice = None;
    ask_field(model, out);
}

/// Line mode asks the field that is to be filled in now.
pub(super) fn ask_field(model: &mut Model, out: &mut Out) {
    if let (Mode::Line { .. } | Mode::Json, Screen::Form(form)) = (model.mode, &model.screen) {
        let note = Note::Asked { purpose: form.purpose, field: form.field().clone() };
        out.tell(model, note);
    }
}

/// Closes a form.
pub(super) fn close_form(model: &mut Model, out: &mut Out) {
    leave::leave(model, out);
}

/// All fields are filled in.
pub(super) fn finish_form(model: &mut Model, out: &mut Out) {
    let Screen::Form(form) = &mut model.screen else { return };
    match form.finish(&mut model.settings) {
        Ok(plan) => carry_out(model, plan, out),
        Err((place, error)) => {
            form.at = place;
            form.error = Some(error);
            out.tell(model, Note::Field(error));
            ask_field(model, out);
        }
    }
}

/// Has other settings from now on, and for good. They are in the model already; what was made of them follows.
pub(super) fn change_settings(model: &mut Model, changes: Vec<(Setting, Option<String>)>, out: &mut Out) {
    let Settings { lang, theme, glyphs, .. } = model.settings;
    model.speak(lang);
    model.look.theme = theme;
    model.look.unicode = match glyphs {
        Glyphs::Unicode => true,
        Glyphs::Ascii => false,
        // The terminal was asked at the start, or will be at the next.
        Glyphs::Auto => model.look.unicode,
    };
    leave::leave(model, out);
    if !changes.is_empty() {
        out.push(Effect::ChangeSettings(changes));
    }
}

/// Line mode: a field was answered. An empty line takes what stands there.
pub(super) fn answer_field(model: &mut Model, line: &str, out: &mut Out) {
    let Screen::Form(form) = &mut model.screen else { return };
    let before = form.field().clone();
    if !line.trim().is_empty() {
        form.field_mut().edit.set(line.trim());
    }
    if let Err(error) = form.field().check() {
        *form.field_mut() = before;
        out.tell(model, Note::Field(error));
        ask_field(model, out);
    } else if form.at + 1 < form.fields.len() {
        form.at += 1;
        ask_field(model, out);
    } else {
        finish_form(model, out);
    }
}

/// Takes a room from the list: its free seat if it has one, else to watch.
pub(super) fn take_room(model: &mut Model, watch: bool, out: &mut Out) {
    let Screen::Lobby(lobby) = &model.screen else { return };
    let Some(listing) = lobby.rooms.as_ref().and_then(|rooms| rooms.get(lobby.at)) else {
        out.tell(model, Note::NotNow(NotNow::Number));
        return;
    };
    let (room, free) = (RoomRef::Id(listing.room), listing.phase == Phase::Waiting);
    ask_goal(model, if free && !watch { Goal::Join(room) } else { Goal::Watch(room) }, out);
}

/// Watches the games that are on, as many as there is room for.
pub(super) fn watch_all(model: &mut Model, out: &mut Out) {
    let there = model.is_there();
    let (Screen::Lobby(lobby), Some(session)) = (&model.screen, &model.session) else { return };
    let rooms = lobby.rooms.iter().flatten().filter(|listing| listing.phase == Phase::Playing);
    let (games, rules): (Vec<_>, Vec<Rules>) = rooms
        .take(MAX_GAMES)
        .map(|listing| ((session.server.clone(), RoomRef::Id(listing.room)), listing.rules))
        .unzip();
    if !there {
        out.tell(model, Note::NotNow(NotNow::Offline));
    } else if games.is_empty() {
        out.tell(model, Note::NotNow(NotNow::NoGame));
    } else {
        let fit = if model.mode == Mode::Full { ui::games_that_fit(model, &rules) } else { MAX_GAMES };
        model.notice = None;
        grid::open(model, games.into_iter().take(fit).collect(), out);
    }
}

/// Fetches the list again.
pub(super) fn refresh(model: &mut Model, out: &mut Out) {
    out.send(Goal::Browse.request(), Some(Ask::List));
    model.notice = None;
}

/// The list of rooms is fetched again by itself on the full screen. Lines would be repeated unasked.
pub(super) fn look_again(model: &mut Model, out: &mut Out) {
    let (now, there, full) = (model.now, model.is_there(), model.mode == Mode::Full);
    let Screen::Lobby(lobby) = &mut model.screen else { return };
    if full && there && lobby.due <= now {
        lobby.due = now.saturating_add(LOOK_AGAIN);
        out.send(Goal::Browse.request(), Some(Ask::List));
    }
}

/// Asks the server for a goal on the line that is open.
pub(super) fn ask_goal(model: &mut Model, goal: Goal, out: &mut Out) {
    if let Some(session) = &mut model.session {
        let request = goal.request();
        session.goal = goal;
        session.stage = Stage::Asked;
        out.send(request, Some(Ask::Goal));
    }
}

/// Shows a list that has come.
pub(super) fn show_rooms(model: &mut Model, lobby: Lobby, out: &mut Out) {
    let goal = model.session.as_ref().map(|session: &Session| session.goal.clone());
    let (rooms, seeks) = (lobby.rooms.clone().unwrap_or_default(), lobby.seeks.clone());
    let note = Note::Rooms { rooms, seeks, to_choose: goal != Some(Goal::List) };
    match (&mut model.screen, goal) {
        (_, Some(Goal::List)) => {
            out.tell(model, note);
            leave::leave(model, out);
        }
        (Screen::Lobby(old), _) => {
            // The same room stays selected, wherever it stands now.
            let selected = old.rooms.as_ref().and_then(|rooms| rooms.get(old.at)).map(|listing| listing.room);
            let rooms = lobby.rooms.as_deref().unwrap_or_default();
            let same = rooms.iter().position(|listing| Some(listing.room) == selected);
            let at = same.unwrap_or_else(|| old.at.min(rooms.len().saturating_sub(1)));
            *old = Lobby { at, ..lobby };
            out.tell(model, note);
        }
        (Screen::Waiting, Some(Goal::Browse)) => {
            model.screen = Screen::Lobby(lobby);
            out.tell(model, note);
        }
        // The answer came after the player had gone on to a room.
        (
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Table(_)
            | Screen::Replay(_)
            | Screen::Grid(_),
            _,
        ) => {}
    }
}

/// The goal was refused: back to where it was chosen, or out of the program.
pub(super) fn goal_refused(model: &mut Model, note: Note, exit: Exit, out: &mut Out) {
    // From the list of rooms one can choose another.
    if let (Screen::Lobby(_), Some(session)) = (&model.screen, &mut model.session)
        && session.stage == Stage::Asked
    {
        session.stage = Stage::There;
        session.goal = Goal::Browse;
        out.tell(model, note);
        return;
    }
    model.exit = exit;
    if model.session.take().is_some() {
        out.push(Effect::Disconnect);
    }
    if model.home {
        go_home(model, out);
        out.tell(model, note);
    } else {
        out.tell(model, note);
        out.push(Effect::Quit(exit));
    }
}
