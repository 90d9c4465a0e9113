//! Watches the game beside the menu or the lobby's list, over its own connection.

use noughts_protocol::RoomRef;

use super::message::{Effects, Msg};
use super::multi_watch::game_effects;
use super::screens::{self, quit};
use crate::model::{GameSlot, Model, PREVIEW_INDEX, RESULT_DISPLAY_MS, SessionGoal};

/// Time that a room must stay selected before the client watches it, in milliseconds.
const SELECTION_DELAY_MS: u64 = 300;

/// Folds a message for the watched game.
pub(super) fn update(model: &mut Model, msg: Msg, out: &mut Effects) {
    model.sync_watched_games();
    let Some(mut game) = model.preview.game.take() else {
        // A late message for a game that the client has stopped watching.
        return;
    };
    let effects = (out.update_game)(&mut game.model, msg);
    game_effects::forward(&mut game, PREVIEW_INDEX, effects, out);
    game.result_until = game
        .has_result()
        .then(|| game.result_until.unwrap_or(model.now + RESULT_DISPLAY_MS));
    model.preview.game = Some(game);
}

/// Connects to the room that belongs on the screen, and leaves the previous room. Called after every message.
/// Rooms that the selection only passes in the lobby are not watched.
pub(super) fn sync(model: &mut Model, out: &mut Effects) {
    let Some((server, room)) = model.previewed_room() else {
        model.preview.next = None;
        return close(model, out);
    };
    let game = model.preview.game.as_ref();
    if game.is_some_and(|game| game.is_in_room(room)) {
        model.preview.next = None;
        return;
    }
    let at = match model.preview.next {
        Some((next, at)) if next == room => at,
        Some(_) | None if model.screen.is_home() => model.now,
        Some(_) | None => model.now + SELECTION_DELAY_MS,
    };
    if at > model.now {
        model.preview.next = Some((room, at));
        return;
    }
    close(model, out);
    model.preview.next = None;
    let (watched, name) = (model.new_watched_model(), model.settings.name.clone());
    let mut game = Box::new(GameSlot::new(watched, server.clone(), RoomRef::Id(room)));
    let (goal, mut effects) = (
        SessionGoal::Watch(RoomRef::Id(room)),
        Effects::new(out.update_game),
    );
    screens::start_session(&mut game.model, server, name, goal, &mut effects);
    game_effects::forward(&mut game, PREVIEW_INDEX, effects.list, out);
    model.preview.game = Some(game);
}

fn close(model: &mut Model, out: &mut Effects) {
    if let Some(mut game) = model.preview.game.take() {
        let mut effects = Effects::new(out.update_game);
        quit::disconnect(&mut game.model, true, &mut effects);
        game_effects::forward(&mut game, PREVIEW_INDEX, effects.list, out);
    }
}
