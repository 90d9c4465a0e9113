//! The screens before a game: the home menu, the forms with the list of games, and the room list.

use noughts_protocol::wire::{Message, OpenSeek, RequestBody, SessionRequest};
use noughts_protocol::{Phase, PlayerKind, RoomId, RoomRef, Rules, Seat};

use crate::connection::ConnectionEvent;
use crate::connection::server_url::ServerUrl;
use crate::engines::player_engine::EngineSpec;
use crate::facts::{
    Confirmation, Exit, FieldId, FormKind, HostError, MenuItem, Notification, PendingRequest,
    Unavailable,
};
use crate::model::local_game::{LocalPlayerSpec, LocalSetup, SeatAssignment};
use crate::model::{
    Form, FormResult, GameEntry, GamePicker, HomeServer, LobbyScreen, MAX_GAMES, Mode, Model,
    Overlay, Screen, Session, SessionGoal, Stage, last_game, layout,
};
use crate::settings::{GlyphSet, Setting, Settings};
use crate::update::game::game_commands;
use crate::update::message::{Effect, Effects};
use crate::update::multi_watch;
use crate::update::screens::{self, own_games, quit, saved_game};

/// Returns the item of the home menu with this one-based number.
pub(in crate::update) fn menu_item(model: &Model, number: usize) -> Option<MenuItem> {
    model.menu_items().get(number.checked_sub(1)?).copied()
}

/// Activates the item of the home menu that has this digit on the full screen.
pub(in crate::update) fn choose_menu_number(model: &mut Model, number: usize, out: &mut Effects) {
    let items = model.menu_items();
    let index = (0..items.len()).find(|&index| model.menu_number(index) == Some(number));
    if let Some(index) = index {
        model.screen = Screen::Home { selected: index };
        choose_menu_item(model, items[index], out);
    }
}

pub(in crate::update) fn choose_menu_item(model: &mut Model, item: MenuItem, out: &mut Effects) {
    match item {
        MenuItem::Continue(index) => {
            if let Some(game) = model.saved_games.get(index) {
                saved_game::resume(game.clone(), out);
            }
        }
        MenuItem::Return(index) => {
            if let Some(&room) = model.rooms_to_return().get(index) {
                let (server, name) = (model.settings.server.clone(), model.settings.name.clone());
                screens::start_session(model, server, name, SessionGoal::Return(room), out);
            }
        }
        item if model.screen.is_home() && model.lacks_server(item) => {
            out.notify(model, Notification::Unavailable(Unavailable::NoServer));
        }
        MenuItem::Again => {
            if let Some(start) = model.last_start() {
                apply_form_result(model, start, out);
            }
        }
        MenuItem::Quick => open_new_form(model, FormKind::Quick, out),
        MenuItem::Private => open_new_form(model, FormKind::Private, out),
        MenuItem::Host => open_new_form(model, FormKind::Host, out),
        MenuItem::Join => open_new_form(model, FormKind::Join, out),
        MenuItem::Local => open_new_form(model, FormKind::Local, out),
        MenuItem::Bot => open_new_form(model, FormKind::Bot, out),
        MenuItem::Watch => {
            let (server, name) = (model.settings.server.clone(), model.settings.name.clone());
            screens::start_session(model, server, name, SessionGoal::Browse, out);
        }
        MenuItem::Puzzle => game_commands::open_puzzle(model, out),
        MenuItem::OwnGames => own_games::open(model, out),
        MenuItem::Settings => open_new_form(model, FormKind::Settings, out),
        MenuItem::Quit => quit::quit(model, Exit::Done, out),
    }
}

/// Opens a form that is filled in with the current settings.
fn open_new_form(model: &mut Model, kind: FormKind, out: &mut Effects) {
    let mut form = Form::new(kind, &model.settings);
    if kind == FormKind::Join
        && let Some(invite) = model.rejected_invite.take()
    {
        form.input_mut().insert(&invite);
    }
    screens::open_form(model, form, out);
    if model.mode == Mode::Full && kind != FormKind::Settings {
        open_game_picker(model, false);
    }
}

/// Submits the form. An invalid field gets the focus.
pub(in crate::update) fn submit_form(model: &mut Model, out: &mut Effects) {
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    match form.submit(&mut model.settings) {
        Ok(form_result) => apply_form_result(model, form_result, out),
        Err((index, error)) => {
            form.focus = index;
            form.error = Some(error);
            out.notify(model, Notification::FieldInvalid(error));
            screens::prompt_field(model, out);
        }
    }
}

/// Starts what a form or the command line asks for.
pub(in crate::update) fn apply_form_result(
    model: &mut Model,
    form_result: FormResult,
    out: &mut Effects,
) {
    if let Some(game) = last_game(&form_result).filter(|_| model.mode == Mode::Full) {
        model.last_choices.game = Some(game.clone());
        out.push(Effect::SaveLastGame(Box::new(game)));
    }
    match form_result {
        FormResult::Server(server, name, goal) => {
            screens::start_session(model, server, name, goal, out);
        }
        FormResult::Host(port, name, goal) => {
            model.hosting = Some((name, goal));
            out.push(Effect::StartServer(port));
        }
        FormResult::Local(setup) => game_commands::open_local_game(model, &setup, out),
        FormResult::Settings(changes) => apply_settings(model, changes, out),
    }
}

/// Handles an event on the home screen's connection. If no server answers, selects the first entry that needs no
/// server, unless the player has selected another entry.
pub(in crate::update) fn on_home_connection(
    model: &mut Model,
    event: &ConnectionEvent,
    out: &mut Effects,
) {
    if let ConnectionEvent::Message(Message::Announcement { text }) = event {
        let text = text.clone();
        out.notify(model, Notification::Announcement { text });
    }
    let was_unknown = model.home_server == HomeServer::Unknown;
    model.home_server.on_event(event, model.now);
    let own_rooms = match event {
        ConnectionEvent::Connected { welcome } => Some(welcome.own_rooms.clone()),
        ConnectionEvent::Terminated(_) => Some(Vec::new()),
        ConnectionEvent::Connecting { .. }
        | ConnectionEvent::Disconnected { .. }
        | ConnectionEvent::Message(_)
        | ConnectionEvent::RequestLost(_) => None,
    };
    if let Some(own_rooms) = own_rooms {
        set_own_rooms(model, own_rooms);
    }
    let items = model.menu_items();
    if let Screen::Home { selected } = &model.screen
        && let Some(&item) = items.get(*selected)
        && was_unknown
        && item == items[0]
        && model.lacks_server(item)
        && let Some(index) = items.iter().position(|item| *item == MenuItem::Bot)
    {
        model.screen = Screen::Home { selected: index };
    }
}

/// Changes the rooms of other devices. The selected entry of the menu stays selected.
fn set_own_rooms(model: &mut Model, own_rooms: Vec<RoomId>) {
    let before = model.menu_items();
    model.own_rooms = own_rooms;
    let items = model.menu_items();
    if let Screen::Home { selected } = &mut model.screen
        && let Some(item) = before.get(*selected)
    {
        *selected = items.iter().position(|known| known == item).unwrap_or(0);
    }
}

/// Opens the player's room on the player's own server. If the server does not run, reports why, and keeps the form
/// open.
pub(in crate::update) fn on_server_started(
    model: &mut Model,
    result: Result<ServerUrl, HostError>,
    out: &mut Effects,
) {
    match (result, model.hosting.clone()) {
        (Ok(server), Some((name, goal))) => screens::start_session(model, server, name, goal, out),
        // The player has left in the meantime.
        (Ok(_), None) => out.push(Effect::StopServer),
        (Err(error), _) => {
            model.hosting = None;
            out.notify(model, Notification::HostFailed(error));
            screens::prompt_field(model, out);
        }
    }
}

/// Applies and saves settings. The form has stored all values except the language.
fn apply_settings(model: &mut Model, changes: Vec<(Setting, String)>, out: &mut Effects) {
    let lang_change = changes
        .iter()
        .find(|(setting, _)| *setting == Setting::Lang);
    if let Some(lang) = lang_change.and_then(|(_, value)| value.parse().ok()) {
        screens::set_lang(model, lang);
    }
    let Settings { theme, glyphs, .. } = model.settings;
    model.appearance.theme = theme;
    model.appearance.unicode = match glyphs {
        GlyphSet::Unicode => true,
        GlyphSet::Ascii => false,
        // The terminal is probed only at the start of the program.
        GlyphSet::Auto => model.appearance.unicode,
    };
    quit::leave(model, out);
    if !changes.is_empty() {
        out.push(Effect::ChangeSettings(changes));
    }
}

/// Fills in the focused field from a line of text. An empty line keeps the current text.
pub(in crate::update) fn fill_in_field(model: &mut Model, line: &str, out: &mut Effects) {
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    let previous = form.field().clone();
    if !line.trim().is_empty() {
        let field = form.field_mut();
        let number = line.trim().parse::<usize>().ok();
        let choice = number
            .filter(|_| !field.is_free_text)
            .and_then(|number| field.options.get(number.checked_sub(1)?).cloned());
        field
            .input
            .set(choice.unwrap_or_else(|| line.trim().to_owned()));
    }
    if let Err(error) = form.field().check() {
        *form.field_mut() = previous;
        out.notify(model, Notification::FieldInvalid(error));
        screens::prompt_field(model, out);
    } else if form.focus + 1 < form.fields.len() {
        form.focus += 1;
        screens::prompt_field(model, out);
    } else {
        submit_form(model, out);
    }
}

/// Enters the selected room, as a player if a seat is free, otherwise as a spectator. If a seek is selected, accepts
/// the seek instead. Only one request is sent at a time, because a second request could abandon the game that the first
/// request opens. No request waits for the connection, because it would start a game that the player no longer expects.
///
/// The player's own seek leads back to the waiting screen. Watching a game ends a search, so the full screen asks
/// first.
pub(in crate::update) fn enter_selected_room(model: &mut Model, watch: bool, out: &mut Effects) {
    let Some(lobby) = model.screen.as_lobby() else {
        return;
    };
    let own_seek = model.session.as_ref().and_then(Session::own_seek);
    let selected = lobby.selected_seek().and_then(|seek| seek.number);
    if selected.is_some() && selected == own_seek {
        model.screen = Screen::Waiting;
        return;
    }
    let is_search = model.is_seeking() && model.mode == Mode::Full;
    if is_search && matches!(goal_of_selection(lobby, watch), Ok(SessionGoal::Watch(_))) {
        model.overlay = Some(Overlay::Confirmation(Confirmation::WatchInstead));
        return;
    }
    request_selection(model, watch, out);
}

/// After the question, watches the selected room instead of searching.
pub(in crate::update) fn watch_selected_room(model: &mut Model, out: &mut Effects) {
    request_selection(model, true, out);
}

fn request_selection(model: &mut Model, watch: bool, out: &mut Effects) {
    let Some(lobby) = model.screen.as_lobby() else {
        return;
    };
    let stage = model.session.as_ref().map(|session| &session.stage);
    let goal = match stage {
        Some(Stage::Ready | Stage::Seeking) => goal_of_selection(lobby, watch),
        Some(Stage::GoalRequested) => Err(Unavailable::RequestPending),
        Some(Stage::Connecting | Stage::Reconnecting { .. } | Stage::Terminated(_)) | None => {
            Err(Unavailable::Offline)
        }
    };
    match goal {
        Ok(goal) => {
            request_instead_of_seek(model, goal, out);
            if model.mode == Mode::Full {
                model.notification = Some(Notification::Unavailable(Unavailable::RequestPending));
            }
        }
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Returns the goal for the selected row of the lobby.
fn goal_of_selection(lobby: &LobbyScreen, watch: bool) -> Result<SessionGoal, Unavailable> {
    if let Some(seek) = lobby.selected_seek().filter(|_| !watch) {
        let OpenSeek {
            rules, clock, seat, ..
        } = seek.open;
        let player = &seek.open.player;
        return Ok(match seek.number {
            Some(seek) => SessionGoal::AcceptSeek { seek, rules, clock },
            None => SessionGoal::Seek {
                rules,
                clock,
                seat: seat.map(Seat::other),
                opponents: Some(player.kind),
            },
        });
    }
    if lobby.is_selection_gone {
        return Err(Unavailable::SelectionGone);
    }
    let listing = lobby.selected_room().ok_or(Unavailable::Number)?;
    let (room, has_free_seat) = (RoomRef::Id(listing.room), listing.phase == Phase::Waiting);
    Ok(if has_free_seat && !watch {
        SessionGoal::Join(room)
    } else {
        SessionGoal::Watch(room)
    })
}

/// Watches the games in progress. The full screen begins with as many games as fit together.
pub(in crate::update) fn watch_all(model: &mut Model, out: &mut Effects) {
    let is_ready = model.is_server_ready();
    let (Some(lobby), Some(session)) = (model.screen.as_lobby(), &model.session) else {
        return;
    };
    let running: Vec<_> = lobby
        .rooms
        .iter()
        .flatten()
        .filter(|listing| listing.phase == Phase::Playing)
        .collect();
    let order: Vec<usize> = if model.mode == Mode::Full {
        let boards: Vec<_> = running.iter().map(|listing| Some(listing.rules)).collect();
        layout::tile_pages(model, &boards).games().collect()
    } else {
        (0..running.len()).collect()
    };
    let games: Vec<_> = order
        .into_iter()
        .take(MAX_GAMES)
        .map(|index| (session.server.clone(), RoomRef::Id(running[index].room)))
        .collect();
    if model.is_seeking() {
        out.notify(model, Notification::Unavailable(Unavailable::Searching));
    } else if !is_ready {
        out.notify(model, Notification::Unavailable(Unavailable::Offline));
    } else if games.is_empty() {
        out.notify(model, Notification::Unavailable(Unavailable::NoGame));
    } else {
        model.notification = None;
        multi_watch::open(model, games, out);
    }
}

/// Shows the room list that the server sent.
pub(in crate::update) fn on_room_list(model: &mut Model, lobby: LobbyScreen, out: &mut Effects) {
    let goal = model
        .session
        .as_ref()
        .map(|session: &Session| session.goal.clone());
    let rooms = lobby.rooms.clone().unwrap_or_default();
    let seeks = lobby.seeks.iter().map(|seek| seek.open.clone()).collect();
    let notification = Notification::Rooms {
        rooms,
        seeks,
        is_selectable: goal != Some(SessionGoal::List),
    };
    if goal == Some(SessionGoal::List) {
        out.notify(model, notification);
        quit::leave(model, out);
    } else if let Some(old) = model.screen.as_lobby_mut() {
        let had_selection = !old.is_selection_gone;
        old.update(lobby);
        let is_selection_lost = had_selection && old.is_selection_gone;
        out.notify(model, notification);
        if is_selection_lost && model.mode == Mode::Full {
            out.notify(model, Notification::Unavailable(Unavailable::SelectionGone));
        }
    } else if model.screen.is_waiting() && goal == Some(SessionGoal::Browse) {
        model.lobby = None;
        model.screen = Screen::Lobby(lobby);
        out.notify(model, notification);
    }
    // Otherwise the player has entered a room in the meantime, and the list is not needed.
}

/// Plays against a bot of this program by the rules of the search for an opponent. For a person the search continues;
/// for a script it ends.
pub(in crate::update) fn play_bot_instead(model: &mut Model, out: &mut Effects) {
    let goal = model.session.as_ref().map(|session| session.goal.clone());
    let Some(SessionGoal::Seek { rules, .. }) = goal.filter(|_| model.screen.is_waiting()) else {
        return out.notify(model, Notification::Unavailable(Unavailable::NotWaiting));
    };
    let players = [
        LocalPlayerSpec::Person(model.settings.name.clone()),
        LocalPlayerSpec::Bot(EngineSpec::Level(model.settings.level)),
    ];
    if !model.mode.is_script() {
        model.background = Some(Box::new(std::mem::replace(
            &mut model.screen,
            Screen::Waiting,
        )));
    } else {
        quit::disconnect(model, true, out);
    }
    model.notification = None;
    let setup = LocalSetup {
        rules,
        players,
        seat_assignment: SeatAssignment::Random,
    };
    game_commands::open_local_game(model, &setup, out);
}

/// Opens the form of a menu item, and leaves the lobby or ends the search. If the player closes the form, the lobby
/// returns if it was open, otherwise the home menu.
pub(in crate::update) fn open_instead(model: &mut Model, item: MenuItem, out: &mut Effects) {
    // Keeps the server and the lobby, unless the player's own server stops here.
    if let Some(session) = model.session.as_ref().filter(|_| model.hosting.is_none()) {
        model.settings.server = session.server.clone();
        model.keep_lobby();
    }
    quit::disconnect(model, true, out);
    model.return_home = true;
    choose_menu_item(model, item, out);
}

/// Shows the lobby during a search for an opponent. Leaving the lobby leads back to the waiting screen.
pub(in crate::update) fn show_lobby_while_seeking(model: &mut Model) {
    let lobby = model
        .session
        .as_ref()
        .and_then(|session| session.lobby.as_ref());
    if let Some(lobby) = lobby.filter(|_| model.is_seeking()) {
        model.screen = Screen::Lobby(lobby.to_screen());
    }
}

/// Accepts the selected seek on the waiting screen.
pub(in crate::update) fn accept_selected_seek(model: &mut Model, out: &mut Effects) {
    let seek = model
        .session
        .as_ref()
        .filter(|_| model.is_seeking())
        .and_then(Session::selected_seek);
    if let Some(seek) = seek {
        let goal = SessionGoal::AcceptSeek {
            seek: seek.seek,
            rules: seek.open.rules,
            clock: seek.open.clock,
        };
        request_instead_of_seek(model, goal, out);
    }
}

/// Requests a goal. The player's own seek is withdrawn first, because a client that seeks cannot enter a room.
fn request_instead_of_seek(model: &mut Model, goal: SessionGoal, out: &mut Effects) {
    match &mut model.session {
        Some(session) if session.stage == Stage::Seeking => {
            session.ended_seek = session.own_seek();
            session.withdrawn = Some(std::mem::replace(&mut session.goal, goal.clone()));
            session.next_goal = Some(goal);
            session.stage = Stage::GoalRequested;
            let cancel = RequestBody::Session(SessionRequest::Cancel);
            out.send(cancel, Some(PendingRequest::Withdraw));
        }
        _ => screens::request_goal(model, goal, out),
    }
}

/// Requests what the player has chosen instead of the search.
pub(in crate::update) fn on_seek_withdrawn(model: &mut Model, out: &mut Effects) {
    let session = model.session.as_mut();
    if let Some(goal) = session.and_then(|session| session.next_goal.take()) {
        screens::request_goal(model, goal, out);
    }
}

/// Stops looking for an opponent, and opens a private room with the same game for a friend.
pub(in crate::update) fn invite_friend_instead(model: &mut Model, out: &mut Effects) {
    let Some(session) = model.session.as_ref().filter(|_| model.screen.is_waiting()) else {
        return;
    };
    let SessionGoal::Seek {
        rules, clock, seat, ..
    } = session.goal
    else {
        return out.notify(model, Notification::Unavailable(Unavailable::NotWaiting));
    };
    let (server, name) = (session.server.clone(), model.settings.name.clone());
    quit::disconnect_for_next_session(model, out);
    model.notification = None;
    let goal = SessionGoal::Create {
        rules,
        clock,
        seat,
        public: false,
        bot: None,
    };
    screens::start_session(model, server, name, goal, out);
}

/// Leaves a finished game on a server, and looks for another opponent for the same game.
pub(in crate::update) fn seek_next_opponent(model: &mut Model, out: &mut Effects) {
    let finished = model
        .game_view()
        .filter(|view| view.room().is_some() && view.has_ended() && !model.is_server_closed());
    let (Some(view), Some(session)) = (finished, &model.session) else {
        out.notify(model, Notification::Unavailable(Unavailable::NoOpponent));
        return;
    };
    let (seat, opponents) = match session.goal {
        SessionGoal::Seek {
            seat, opponents, ..
        } => (seat, opponents),
        SessionGoal::Create { .. }
        | SessionGoal::Join(_)
        | SessionGoal::AcceptSeek { .. }
        | SessionGoal::Watch(_)
        | SessionGoal::Continue(_)
        | SessionGoal::Return(_)
        | SessionGoal::List
        | SessionGoal::Browse => (None, Some(PlayerKind::Person)),
    };
    let goal = SessionGoal::Seek {
        rules: *view.game.rules(),
        clock: view.game.control(),
        seat,
        opponents,
    };
    let (server, name) = (session.server.clone(), model.settings.name.clone());
    quit::disconnect_for_next_session(model, out);
    model.exit = Exit::Done;
    model.notification = None;
    screens::start_session(model, server, name, goal, out);
}

/// Handles a rejected goal: stays in the room list, returns to the home menu, or ends the program.
pub(in crate::update) fn on_goal_failed(
    model: &mut Model,
    notification: Notification,
    exit: Exit,
    out: &mut Effects,
) {
    let withdrawn = model
        .session
        .as_mut()
        .filter(|session| session.stage == Stage::GoalRequested)
        .and_then(|session| session.withdrawn.take());
    if let Some(seek) = withdrawn {
        screens::request_goal(model, seek, out);
        out.notify(model, notification);
        return;
    }
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
    quit::stop_own_server(model, out);
    if model.return_home {
        screens::open_home(model, out);
        out.notify(model, notification);
    } else {
        out.notify(model, notification);
        out.push(Effect::Quit(exit));
    }
}

/// Returns whether the focused field of the form is the game, which is chosen from the list.
pub(in crate::update) fn is_game_field(model: &Model) -> bool {
    let form = model.screen.as_form().filter(|_| model.mode == Mode::Full);
    form.is_some_and(|form| {
        form.picker.is_none() && form.field().id == FieldId::Setting(Setting::Rules)
    })
}

/// Opens the list of games over the form. Does nothing for a form without a game.
pub(in crate::update) fn open_game_picker(model: &mut Model, returns_to_form: bool) {
    let rules = model.settings.rules;
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    let Some(index) = form
        .fields
        .iter()
        .position(|field| field.id == FieldId::Setting(Setting::Rules))
    else {
        return;
    };
    form.focus = index;
    form.error = None;
    let current = form
        .field()
        .input
        .text()
        .trim()
        .parse::<Rules>()
        .unwrap_or(rules);
    form.picker = Some(GamePicker::new(&current, returns_to_form));
}

/// Puts the selected game into the form. The entry for other sizes instead fills the filter with an example.
pub(in crate::update) fn choose_game(model: &mut Model) {
    let texts = model.lang().texts();
    let Some(form) = model.screen.as_form_mut() else {
        return;
    };
    let Some(picker) = &mut form.picker else {
        return;
    };
    match picker.selected_entry(texts) {
        Some(GameEntry::Game(rules)) => {
            let text = rules
                .name()
                .map_or_else(|| rules.to_string(), str::to_owned);
            form.picker = None;
            form.field_mut().input.set(text);
            form.move_focus(true);
        }
        Some(GameEntry::OwnSizes) => picker.suggest_sizes(),
        None => {}
    }
}

/// Closes the list of games. If the player has not seen the form, also leaves the form.
pub(in crate::update) fn close_game_picker(model: &mut Model, out: &mut Effects) {
    let picker = model
        .screen
        .as_form_mut()
        .and_then(|form| form.picker.take());
    if picker.is_some_and(|picker| !picker.returns_to_form) {
        quit::leave(model, out);
    }
}
