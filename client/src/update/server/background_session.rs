//! A local game against the bot while the client looks for an opponent.
//!
//! The session's screen is in the background. Connection events are folded into it as if it were displayed. The local
//! game stays displayed until the player goes to the opponent or leaves.

use noughts_protocol::Phase;

use crate::connection::ConnectionEvent;
use crate::facts::Notification;
use crate::model::{GameView, Mode, Model};
use crate::settings::BellMode;
use crate::update::message::{Effect, Effects};
use crate::update::screens::{quit, saved_game};
use crate::update::server;

fn is_in_progress(view: &GameView) -> bool {
    view.game.phase() == Phase::Playing
}

/// Folds a connection event into the screen in the background, if any.
pub(in crate::update) fn on_connection_event(
    model: &mut Model,
    event: ConnectionEvent,
    out: &mut Effects,
) {
    let Some(mut background) = model.background.take() else {
        return server::on_connection_event(model, event, out);
    };
    let was_waiting = background.is_waiting();
    std::mem::swap(&mut model.screen, &mut background);
    let (overlay, prompt) = (model.overlay.take(), model.prompt.take());
    let (shown, exit) = (model.notification.take(), model.exit);
    let first = out.list.len();
    server::on_connection_event(model, event, out);
    saved_game::sync_saved_game(model, out);
    std::mem::swap(&mut model.screen, &mut background);
    (model.overlay, model.prompt) = (overlay, prompt);
    if model.session.is_none() {
        // The search has failed. This ends neither the program nor the local game.
        let ends = |effect: &Effect| matches!(effect, Effect::Quit(_) | Effect::ListSavedGames);
        let rest = out.list.split_off(first);
        out.list
            .extend(rest.into_iter().filter(|effect| !ends(effect)));
        model.exit = exit;
        return;
    }
    if model.mode != Mode::Full {
        // Line mode prints the state of the other game when the player goes there.
        let rest = out.list.split_off(first);
        out.list.extend(
            rest.into_iter()
                .filter(|effect| !matches!(effect, Effect::Notify(_))),
        );
    }
    if model.covers_game() && background.as_game().is_some_and(is_in_progress) {
        // The rematch has begun.
        model.background = Some(background);
        return quit::show_background(model, out);
    }
    let has_opponent = was_waiting && background.as_game().is_some();
    model.background = Some(background);
    model.notification = model.notification.take().or(shown);
    if has_opponent && let Some(name) = model.waiting_opponent().cloned() {
        out.notify(model, Notification::OpponentFound(name));
        if model.mode == Mode::Full && model.settings.bell != BellMode::Off {
            out.push(Effect::RingBell(model.settings.bell));
        }
    }
}
