//! Saving the game in progress, and resuming a saved game after a crash.

use noughts_protocol::Phase;

use crate::facts::{Exit, Failure, Notification};
use crate::io::saved_games::{SavedGame, SavedGameError, SavedGameList};
use crate::model::{GameView, Model, Session, SessionGoal, Stage};
use crate::update::message::{Effect, Effects};
use crate::update::screens;

/// Updates or deletes the saved game if it differs from the game in progress. Called after every message.
pub(in crate::update) fn sync_saved_game(model: &mut Model, out: &mut Effects) {
    if !model.can_keep_seat() {
        // The player's own server ends with this program.
        return;
    }
    if model.background.is_some() {
        // The session's game is in the background. It is saved when a message changes it.
        return;
    }
    let (Some(view), Some(session)) = (model.screen.as_game(), &mut model.session) else {
        return;
    };
    // After the connection has ended, the seat may become available again, so the saved game stays.
    if matches!(session.stage, Stage::Terminated(_)) {
        return;
    }
    let state = state_to_save(session, view);
    if state == session.saved_game {
        return;
    }
    out.push(state.clone().map_or(Effect::DeleteSavedGame, |game| {
        Effect::SaveGame(Box::new(game))
    }));
    session.saved_game = state;
}

/// Returns what to save about the game in progress; `None` if there is nothing to resume.
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
        // A room before its first game already counts as game 1.
        number: game.number().max(1),
        opponent: game.player(seat.other()).map(|player| player.name.clone()),
    })
}

/// Deletes the saved form of the game in progress.
pub(in crate::update) fn delete(model: &mut Model, out: &mut Effects) {
    if let Some(session) = &mut model.session
        && session.saved_game.take().is_some()
    {
        out.push(Effect::DeleteSavedGame);
    }
}

/// Lists the saved games on the home menu. On other screens, mentions the first saved game.
pub(in crate::update) fn on_list_loaded(model: &mut Model, list: SavedGameList, out: &mut Effects) {
    if list.corrupt > 0 {
        out.notify(
            model,
            Notification::Damaged {
                files: list.corrupt,
            },
        );
    }
    if model.screen.is_home() {
        model.saved_games = list.games;
        model.held_rooms = list.held;
        let saved_games = model.saved_games.clone();
        out.notify(model, Notification::menu(saved_games));
    } else if let Some(game) = list.games.into_iter().next() {
        out.notify(model, Notification::MayContinue(Box::new(game)));
    }
}

/// Resumes a saved game. Locks it first, so that two processes do not resume the same game.
pub(in crate::update) fn resume(game: SavedGame, out: &mut Effects) {
    out.push(Effect::LockSavedGame(Box::new(game)));
}

/// Connects to the server of a saved game that was locked, or reports why it could not be locked.
pub(in crate::update) fn on_resumed(
    model: &mut Model,
    result: Result<Box<SavedGame>, SavedGameError>,
    out: &mut Effects,
) {
    match result {
        Ok(game) => {
            let goal = SessionGoal::Continue(game.clone());
            screens::start_session(model, game.server.clone(), game.name.clone(), goal, out);
            if let Some(session) = &mut model.session {
                session.saved_game = Some(*game);
            }
        }
        Err(error) => {
            let notification = Notification::Failed(Failure::NotContinued { detail: error });
            if model.return_home {
                screens::open_home(model, out);
                out.notify(model, notification);
            } else {
                out.notify(model, notification);
                out.push(Effect::Quit(Exit::Usage));
            }
        }
    }
}
