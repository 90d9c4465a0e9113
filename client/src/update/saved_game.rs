//! The game that this program may be killed in: kept for the next one to continue, and forgotten when it is
//! over.

use noughts_protocol::Phase;

use super::{Effect, Effects, apply_form_result, menus};
use crate::facts::{Exit, Notification};
use crate::model::{FormResult, GameView, Model, Screen, Session, SessionGoal, Stage};
use crate::saved_games::{SavedGame, SavedGameError, SavedGameList};

/// After whatever has happened: what is kept follows what is played.
pub(super) fn sync_saved_game(model: &mut Model, out: &mut Effects) {
    let (Screen::Game(view), Some(session)) = (&model.screen, &mut model.session) else { return };
    // With the line gone for good the seat may be free all the same: the next program may ask.
    if matches!(session.stage, Stage::Terminated(_)) {
        return;
    }
    let state = state_to_save(session, view);
    if state == session.saved_game {
        return;
    }
    out.push(state.clone().map_or(Effect::DeleteSavedGame, |game| Effect::SaveGame(Box::new(game))));
    session.saved_game = state;
}

/// What is worth keeping now.
fn state_to_save(session: &Session, view: &GameView) -> Option<SavedGame> {
    let room = view.room().filter(|room| room.gone_since.is_none())?;
    let (seat, token) = room.seat.zip(room.token)?;
    let game = &view.game;
    let is_in_progress = match game.phase() {
        Phase::Waiting | Phase::Playing => true,
        Phase::Over | Phase::Closed => false,
    };
    is_in_progress.then(|| SavedGame {
        server: session.server.clone(),
        room: room.id,
        token,
        name: session.name.clone(),
        seat,
        rules: *game.rules(),
        opponent: game.player(seat.other()).map(|player| player.name.clone()),
    })
}

/// The game that is played is not to be continued.
pub(super) fn delete(model: &mut Model, out: &mut Effects) {
    if let Some(session) = &mut model.session
        && session.saved_game.take().is_some()
    {
        out.push(Effect::DeleteSavedGame);
    }
}

/// What there is to continue: the home screen shows it; elsewhere it is mentioned.
pub(super) fn on_list_loaded(model: &mut Model, list: SavedGameList, out: &mut Effects) {
    if list.corrupt > 0 {
        out.notify(model, Notification::CorruptFilesDeleted(list.corrupt));
    }
    if matches!(model.screen, Screen::Home { .. }) {
        model.saved_games = list.games;
        let saved_games = model.saved_games.clone();
        out.notify(model, Notification::Menu { saved_games });
    } else if let Some(game) = list.games.into_iter().next() {
        out.notify(model, Notification::SavedGameAvailable(Box::new(game)));
    }
}

/// A game is to be continued: first of all it must be nobody else's.
pub(super) fn resume(game: SavedGame, out: &mut Effects) {
    out.push(Effect::LockSavedGame(Box::new(game)));
}

/// It is ours, or not to be had.
pub(super) fn on_resumed(
    model: &mut Model,
    result: Result<Box<SavedGame>, SavedGameError>,
    out: &mut Effects,
) {
    match result {
        Ok(game) => {
            let form_result = FormResult::Server(
                game.server.clone(),
                game.name.clone(),
                SessionGoal::Continue(game.clone()),
            );
            apply_form_result(model, form_result, out);
            if let Some(session) = &mut model.session {
                session.saved_game = Some(*game);
            }
        }
        Err(error) => {
            let notification = Notification::ResumeFailed(error);
            if model.return_home {
                menus::go_home(model, out);
                out.notify(model, notification);
            } else {
                out.notify(model, notification);
                out.push(Effect::Quit(Exit::Usage));
            }
        }
    }
}
