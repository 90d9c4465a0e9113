//! Leaving a game or a list, and ending the program.

use noughts_protocol::Phase;
use noughts_protocol::wire::{RequestBody, SessionRequest};

use super::{own_games, profile, saved_game};
use crate::facts::{Confirmation, Exit, LeaveEffect, Notification, Unavailable};
use crate::model::{GameHost, Mode, Model, Overlay, Screen, SessionGoal, Stage};
use crate::update::game::{event_effects, game_commands, queries};
use crate::update::message::{Effect, Effects};
use crate::update::multi_watch::game_effects;
use crate::update::screens;

/// Number of the signal for Ctrl-C.
pub(in crate::update) const SIGINT: u8 = 2;

/// Leaves the screen. While a game is in progress, a person has to confirm, but a script does not.
pub(in crate::update) fn request_leave(model: &mut Model, out: &mut Effects) {
    if model.in_multi_watch {
        out.push(Effect::ReturnToMultiWatch);
    } else if model.waiting_opponent().is_some() {
        return_to_background(model, out);
    } else if model.screen.is_home() {
        leave_home(model, out);
    } else if is_game_in_progress(model) && !model.mode.is_script() {
        let effect = leave_effect(model);
        model.overlay = Some(Overlay::Confirmation(Confirmation::Leave { effect }));
        if model.mode != Mode::Full {
            out.notify(
                model,
                Notification::Unavailable(Unavailable::LeaveQuestion(effect)),
            );
        }
    } else {
        leave(model, out);
    }
}

/// Handles Ctrl-C from a person. During a game, asks first. A second Ctrl-C ends the program immediately and keeps the
/// seat, so that the player can resume the game.
pub(in crate::update) fn interrupt(model: &mut Model, out: &mut Effects) {
    let exit = Exit::Signal(SIGINT);
    if model.waiting_opponent().is_some() && !model.mode.is_script() {
        // The question is about the game on the server rather than the local game in front of it.
        return_to_background(model, out);
    }
    if model.mode.is_script() || !is_game_in_progress(model) {
        quit(model, exit, out);
    } else if let Some(Overlay::Confirmation(Confirmation::Leave { .. })) = model.overlay {
        keep_game(model);
        disconnect(model, false, out);
        out.push(Effect::Quit(exit));
    } else {
        request_leave(model, out);
    }
}

/// Ends the program and keeps the seat, so that the game can be resumed. This is an answer to the question whether to
/// leave.
pub(in crate::update) fn keep_seat(model: &mut Model, out: &mut Effects) {
    if let Some(Overlay::Confirmation(Confirmation::Leave { effect })) = model.overlay
        && effect.is_final()
        && model.can_keep_seat()
    {
        keep_game(model);
        disconnect(model, false, out);
        out.push(Effect::Quit(Exit::Done));
    }
}

/// Makes the program say at its end how the game can be resumed.
fn keep_game(model: &mut Model) {
    let session = model.session.as_ref();
    if let Some(game) = session.and_then(|session| session.saved_game.clone()) {
        model.notification = Some(Notification::MayContinue(Box::new(game)));
    }
}

/// Leaves a game with the effect that the player has confirmed. Leaving an online game in progress ends it, so that the
/// opponent does not wait. If leaving would now do more than the question said, keeps the seat or asks again.
pub(in crate::update) fn leave_game(model: &mut Model, confirmed: LeaveEffect, out: &mut Effects) {
    match (confirmed, leave_effect(model)) {
        // Both players have moved since the question was asked.
        (LeaveEffect::Aborts, LeaveEffect::Resigns) => return request_leave(model, out),
        (
            LeaveEffect::Aborts | LeaveEffect::Resigns,
            LeaveEffect::Aborts | LeaveEffect::Resigns,
        ) => {
            own_games::keep_resigned(model, out);
            game_commands::resign(model, out);
        }
        (LeaveEffect::Nothing, _) | (_, LeaveEffect::Nothing) => {}
    }
    leave_to_menu(model, confirmed.is_final(), out);
    if model.mode == Mode::Full && confirmed.is_final() {
        // Reports the result, because the screen with the result is gone.
        model.notification = Some(Notification::GameLeft(confirmed));
        model.notification_until = None;
    }
}

/// Returns the effect that leaving would have on the game.
fn leave_effect(model: &Model) -> LeaveEffect {
    if !is_game_in_progress(model) || !is_seat_given_up_on_leave(model) {
        LeaveEffect::Nothing
    } else if model.can_abort() {
        LeaveEffect::Aborts
    } else {
        LeaveEffect::Resigns
    }
}

/// Returns whether leaving would abandon an opponent or a local game that has begun.
fn is_game_in_progress(model: &Model) -> bool {
    let ended =
        matches!(&model.session, Some(session) if matches!(session.stage, Stage::Terminated(_)));
    model.game_view().is_some_and(|view| {
        let has_begun = match &view.host {
            GameHost::Server(room) => room.gone_since.is_none() && !ended,
            GameHost::Local(_) => view.game.position().ply() > 0,
        };
        has_begun && view.acting_seat().is_some() && view.game.phase() == Phase::Playing
    })
}

/// Returns whether leaving sends `leave` to the server. Without a connection, the seat stays and the game can be
/// resumed.
fn is_seat_given_up_on_leave(model: &Model) -> bool {
    let is_connected = matches!(&model.session, Some(session) if match session.stage {
        Stage::GoalRequested | Stage::Seeking | Stage::Ready => true,
        Stage::Connecting | Stage::Reconnecting { .. } | Stage::Terminated(_) => false,
    });
    let room = model.game_view().and_then(|view| view.room());
    is_connected && room.is_some_and(|room| room.gone_since.is_none())
}

/// Drops the local game, and returns to the search or to the opponent who was found.
pub(in crate::update) fn show_background(model: &mut Model, out: &mut Effects) {
    let Some(background) = model.background.take() else {
        return;
    };
    model.screen = *background;
    model.own_games = None;
    model.overlay = None;
    model.prompt = None;
    model.notification = None;
    // The values and the search belong to the local game.
    model.values = None;
    out.push(Effect::StopSearch);
}

/// Returns to the search or to the opponent, and makes line mode print where the player is.
fn return_to_background(model: &mut Model, out: &mut Effects) {
    show_background(model, out);
    if model.mode == Mode::Full {
        return;
    }
    if model.game_view().is_some() {
        event_effects::notify_arrival(model, out);
        queries::query_board(model, out);
    } else if let Some(SessionGoal::Seek { rules, clock, .. }) =
        model.session.as_ref().map(|session| session.goal.clone())
    {
        out.notify(model, Notification::Seeking { rules, clock });
    }
}

/// Leaves the screen: for the search behind a local game, or for the list or the home menu that the player came from.
/// Otherwise ends the program.
pub(in crate::update) fn leave(model: &mut Model, out: &mut Effects) {
    leave_to_menu(model, true, out);
}

fn leave_to_menu(model: &mut Model, gives_up_seat: bool, out: &mut Effects) {
    if profile::try_return(model) || own_games::try_return(model) {
        return;
    }
    if model.background.is_some() {
        return_to_background(model, out);
        return;
    }
    if model.screen.as_lobby().is_some() && model.is_seeking() {
        model.screen = Screen::Waiting;
        return;
    }
    if try_return_to_lobby(model, gives_up_seat, out) {
        return;
    }
    disconnect(model, gives_up_seat, out);
    if model.return_home {
        screens::open_home(model, out);
    } else {
        let exit = model.exit;
        out.push(Effect::Quit(exit));
    }
}

/// Leaves the home menu, which ends the program.
pub(in crate::update) fn leave_home(model: &mut Model, out: &mut Effects) {
    quit(model, Exit::Done, out);
}

/// Ends the program from any screen. SIGINT gives up the seat, as every deliberate end does. Other signals (closed
/// terminal, system shutdown) keep the seat, so that the game can be resumed.
pub(in crate::update) fn quit(model: &mut Model, exit: Exit, out: &mut Effects) {
    let is_deliberate = !matches!(exit, Exit::Signal(number) if number != SIGINT);
    if !is_deliberate && model.can_keep_seat() {
        keep_game(model);
    }
    disconnect(model, is_deliberate, out);
    out.push(Effect::Quit(exit));
}

/// Disconnects from the server and stops the bots, then the player's own server. A deliberate disconnect gives up the
/// seat if the client is connected to the server. Otherwise the game stays saved and can be resumed, unless it was on
/// the player's own server.
pub(in crate::update) fn disconnect(model: &mut Model, is_deliberate: bool, out: &mut Effects) {
    let is_deliberate = is_deliberate || !model.can_keep_seat();
    disconnect_session(model, is_deliberate, out);
    stop_own_server(model, out);
}

/// Stops the player's own server, if it runs.
pub(in crate::update) fn stop_own_server(model: &mut Model, out: &mut Effects) {
    if model.hosting.take().is_some() {
        out.push(Effect::StopServer);
    }
}

/// Gives up the seat and disconnects, before another session on the same server.
pub(in crate::update) fn disconnect_for_next_session(model: &mut Model, out: &mut Effects) {
    disconnect_session(model, true, out);
}

fn disconnect_session(model: &mut Model, is_deliberate: bool, out: &mut Effects) {
    disconnect_watched_games(model, is_deliberate, out);
    // Shows the session's game if it is in the background.
    show_background(model, out);
    let room = model.game_view().and_then(|view| view.room());
    let is_room_gone = room.is_some_and(|room| room.gone_since.is_some());
    let should_send_leave = is_deliberate && is_seat_given_up_on_leave(model);
    if should_send_leave || is_room_gone || !model.can_keep_seat() {
        saved_game::delete(model, out);
    }
    if should_send_leave {
        out.send(RequestBody::Session(SessionRequest::Leave), None);
    }
    if let Some(session) = model.session.take() {
        model.ended_seek = session.own_seek();
        out.push(Effect::Disconnect);
    }
    if matches!(model.game_view(), Some(view) if view.room().is_none()) {
        out.push(Effect::StopSearch);
    }
    model.overlay = None;
    model.prompt = None;
}

/// Disconnects all watched games. The first failed game determines the exit status and the status line.
fn disconnect_watched_games(model: &mut Model, is_deliberate: bool, out: &mut Effects) {
    let Some(grid) = model.screen.as_multi_watch_mut() else {
        return;
    };
    let mut failed = None;
    for index in 0..grid.games.len() {
        let game = &mut grid.games[index];
        if game.model.exit != Exit::Done && failed.is_none() {
            failed = Some((game.model.exit, game.exit_reason.clone()));
        }
        let mut effects = Effects::new(out.update_game);
        disconnect(&mut game.model, is_deliberate, &mut effects);
        game_effects::forward(&mut grid.games[index], index, effects.list, out);
    }
    if let Some((exit, reason)) = failed {
        model.exit = exit;
        model.notification = reason;
    }
}

/// Shows the kept lobby again. Returns `false` if no lobby was kept, or if the connection has ended for good.
fn try_return_to_lobby(model: &mut Model, gives_up_seat: bool, out: &mut Effects) -> bool {
    let session = model.session.as_ref();
    let has_ended = session.is_some_and(|session| matches!(session.stage, Stage::Terminated(_)));
    let (Some((server, lobby)), false) = (model.lobby.take(), has_ended) else {
        return false;
    };
    if model.screen.as_multi_watch().is_none() {
        let name = model.settings.name.clone();
        disconnect(model, gives_up_seat, out);
        screens::start_session(model, server, name, SessionGoal::Browse, out);
        model.notification = None;
    } else if model.session.is_some() {
        disconnect_watched_games(model, true, out);
        screens::refresh_list(model, out);
    } else {
        return false;
    }
    model.exit = Exit::Done;
    model.screen = Screen::Lobby(lobby);
    true
}
