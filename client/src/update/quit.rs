//! Going away: from a game, to the home screen, out of the program.

use noughts_protocol::wire::{LobbyRequest, RequestBody};
use noughts_protocol::{Phase, Rules};

use super::{Effect, Effects, menus, multi_watch, saved_game};
use crate::facts::{Confirmation, Exit};
use crate::model::{GameHost, Model, Overlay, Screen, Stage};

/// The signal of Ctrl-C.
pub(super) const SIGINT: u8 = 2;

/// The player wants to go: asks first while a game is on.
pub(super) fn request_leave(model: &mut Model, out: &mut Effects) {
    if model.in_multi_watch {
        out.push(Effect::ReturnToMultiWatch);
    } else if matches!(model.screen, Screen::Home { .. }) {
        leave_home(model, out);
    } else if is_game_in_progress(model) && needs_confirmation(model) {
        model.overlay = Some(Overlay::Confirmation(Confirmation::Leave));
        super::line_mode::notify_leave_confirmation(model, out);
    } else {
        leave(model, out);
    }
}

/// A script is not asked: it has written what it means.
fn needs_confirmation(model: &Model) -> bool {
    !model.mode.is_script()
}

/// Whether leaving would leave somebody, or something begun, behind.
fn is_game_in_progress(model: &Model) -> bool {
    let ended = matches!(&model.session, Some(session) if matches!(session.stage, Stage::Terminated(_)));
    model.game_view().is_some_and(|view| {
        let has_begun = match &view.host {
            GameHost::Server(room) => room.gone_since.is_none() && !ended,
            GameHost::Local(_) => view.game.position().ply() > 0,
        };
        has_begun && view.acting_seat().is_some() && view.game.phase() == Phase::Playing
    })
}

/// Goes: to the home screen if the player came from there, else out of the program.
pub(super) fn leave(model: &mut Model, out: &mut Effects) {
    if multi_watch::try_return_to_lobby(model, out) {
        return;
    }
    disconnect(model, true, out);
    if model.return_home {
        menus::go_home(model, out);
    } else {
        let exit = model.exit;
        out.push(Effect::Quit(exit));
    }
}

/// Leaves the home screen: there is nothing behind it.
pub(super) fn leave_home(model: &mut Model, out: &mut Effects) {
    quit(model, Exit::Done, out);
}

/// Ends the program, wherever it is. Ctrl-C is the player's word to go. That the terminal is gone or the
/// system goes down is not: then the seat is only left alone, for the next program to continue.
pub(super) fn quit(model: &mut Model, exit: Exit, out: &mut Effects) {
    let is_deliberate = !matches!(exit, Exit::Signal(number) if number != SIGINT);
    disconnect(model, is_deliberate, out);
    out.push(Effect::Quit(exit));
}

/// Says goodbye to server and bots. On purpose means for good: the seat is given up, if there is a line to
/// say so. What nobody is told of is not given up, and can be continued.
pub(super) fn disconnect(model: &mut Model, is_deliberate: bool, out: &mut Effects) {
    multi_watch::disconnect_all(model, is_deliberate, out);
    let room = model.game_view().and_then(|view| view.room());
    let (in_room, is_room_gone) = (room.is_some(), room.is_some_and(|room| room.gone_since.is_some()));
    let is_connected = matches!(&model.session, Some(session) if match session.stage {
        Stage::GoalRequested | Stage::Seeking | Stage::Ready => true,
        Stage::Connecting | Stage::Reconnecting { .. } | Stage::Terminated(_) => false,
    });
    let should_send_leave = is_connected && in_room && !is_room_gone && is_deliberate;
    if should_send_leave || is_room_gone {
        saved_game::delete(model, out);
    }
    if should_send_leave {
        out.send(RequestBody::Lobby(LobbyRequest::Leave), None);
    }
    if model.session.take().is_some() {
        out.push(Effect::Disconnect);
    }
    if matches!(model.game_view(), Some(view) if view.room().is_none()) {
        out.push(Effect::StopSearch);
    }
    model.overlay = None;
    model.prompt = None;
}

/// The rules of the board on the screen, for reading cells.
pub(super) fn board_rules(model: &Model) -> Option<Rules> {
    match &model.screen {
        Screen::Game(view) => Some(*view.game.rules()),
        Screen::Replay(replay) => Some(replay.record.rules),
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::MultiWatch(_) => None,
    }
}
