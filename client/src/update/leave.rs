//! Going away: from a game, to the home screen, out of the program.

use noughts_protocol::wire::{Body, Lobby};
use noughts_protocol::{Phase, Rules};

use super::{Effect, Out, desk, grid, keep};
use crate::model::{Exit, Model, Overlay, Place, Question, Screen, Stage};

/// The signal of Ctrl-C.
pub(super) const SIGINT: u8 = 2;

/// The player wants to go: asks first while a game is on.
pub(super) fn leave_asking(model: &mut Model, out: &mut Out) {
    if model.among {
        out.push(Effect::Back);
    } else if matches!(model.screen, Screen::Home { .. }) {
        leave_home(model, out);
    } else if game_is_on(model) && asks(model) {
        model.overlay = Some(Overlay::Question(Question::Leave));
        super::lines::tell_question(model, out);
    } else {
        leave(model, out);
    }
}

/// A script is not asked: it has written what it means.
fn asks(model: &Model) -> bool {
    !model.mode.is_script()
}

/// Whether leaving would leave somebody, or something begun, behind.
fn game_is_on(model: &Model) -> bool {
    let ended = matches!(&model.session, Some(session) if matches!(session.stage, Stage::Ended(_)));
    model.table().is_some_and(|table| {
        let begun = match &table.place {
            Place::Online(room) => room.gone.is_none() && !ended,
            Place::Here(_) => table.game.position().ply() > 0,
        };
        begun && table.acting_seat().is_some() && table.game.phase() == Phase::Playing
    })
}

/// Goes: to the home screen if the player came from there, else out of the program.
pub(super) fn leave(model: &mut Model, out: &mut Out) {
    if grid::back_to_list(model, out) {
        return;
    }
    part(model, true, out);
    if model.home {
        desk::go_home(model, out);
    } else {
        let exit = model.exit;
        out.push(Effect::Quit(exit));
    }
}

/// Leaves the home screen: there is nothing behind it.
pub(super) fn leave_home(model: &mut Model, out: &mut Out) {
    quit(model, Exit::Done, out);
}

/// Ends the program, wherever it is. Ctrl-C is the player's word to go. That the terminal is gone or the
/// system goes down is not: then the seat is only left alone, for the next program to continue.
pub(super) fn quit(model: &mut Model, exit: Exit, out: &mut Out) {
    let on_purpose = !matches!(exit, Exit::Signal(number) if number != SIGINT);
    part(model, on_purpose, out);
    out.push(Effect::Quit(exit));
}

/// Says goodbye to server and bots. On purpose means for good: the seat is given up, if there is a line to
/// say so. What nobody is told of is not given up, and can be continued.
pub(super) fn part(model: &mut Model, on_purpose: bool, out: &mut Out) {
    grid::part(model, on_purpose, out);
    let room = model.table().and_then(|table| table.room());
    let (in_room, gone) = (room.is_some(), room.is_some_and(|room| room.gone.is_some()));
    let online = matches!(&model.session, Some(session) if match session.stage {
        Stage::Asked | Stage::Seeking | Stage::There => true,
        Stage::Connecting | Stage::Offline { .. } | Stage::Ended(_) => false,
    });
    let leaves = online && in_room && !gone && on_purpose;
    if leaves || gone {
        keep::forget(model, out);
    }
    if leaves {
        out.send(Body::Lobby(Lobby::Leave), None);
    }
    if model.session.take().is_some() {
        out.push(Effect::Disconnect);
    }
    if matches!(model.table(), Some(table) if table.room().is_none()) {
        out.push(Effect::StopThinking);
    }
    model.overlay = None;
    model.prompt = None;
}

/// The rules of the board on the screen, for reading cells.
pub(super) fn rules(model: &Model) -> Option<Rules> {
    match &model.screen {
        Screen::Table(table) => Some(*table.game.rules()),
        Screen::Replay(replay) => Some(replay.record.rules),
        Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => None,
    }
}
