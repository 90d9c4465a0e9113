//! Local games: applying the decisions of the authority, and the moves of the bots.

use noughts_protocol::wire::RoomCommand;
use noughts_protocol::{Event, Phase, Status};

use super::event_notes;
use crate::engines::player_engine::BestMove;
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::Notification;
use crate::model::local_game::{
    self, LocalGame, LocalPlayer, LocalSetup, SearchId, SeatAssignment,
};
use crate::model::{GameHost, GameView, Mode, Model, Screen};
use crate::update::effect::{Effect, Effects};

/// Delay of a bot's move on the full screen, so that the player sees it appear.
const BOT_MOVE_DELAY_MS: u64 = 250;
/// The same in a game between two bots.
const BOT_GAME_MOVE_DELAY_MS: u64 = 700;

/// Starts a local game.
pub(in crate::update) fn open(model: &mut Model, setup: &LocalSetup, out: &mut Effects) {
    let swap = match setup.seat_assignment {
        SeatAssignment::AsGiven => false,
        SeatAssignment::Random => model.next_random() >> 63 == 1,
    };
    let (game, local) = LocalGame::open(setup, swap, model.lang(), model.now);
    let view = GameView::new(game, GameHost::Local(local));
    let notification = event_notes::started_notification(&view);
    model.screen = Screen::Game(Box::new(view));
    model.notification = None;
    if let Some(notification) = notification {
        out.notify(model, notification);
    }
    event_notes::notify_hint(model, out);
    continue_game(model, out);
}

/// Applies the events of a decision and continues the game.
pub(in crate::update) fn apply_events(model: &mut Model, events: Vec<Event>, out: &mut Effects) {
    let now = model.now;
    for event in events {
        let Some(view) = model.game_view_mut() else {
            return;
        };
        let GameHost::Local(local) = &mut view.host else {
            return;
        };
        // The position of the search is out of date.
        if local.is_thinking() {
            local.cancel_search();
            out.push(Effect::StopSearch);
        }
        if !local_game::apply(&mut view.game, event.clone(), now) {
            return;
        }
        if matches!(event, Event::Started { .. }) {
            local.swap_seats();
        }
        event_notes::on_event(model, &event, out);
    }
    continue_game(model, out);
}

/// Starts a search if a bot is to move; offers a rematch after the end.
fn continue_game(model: &mut Model, out: &mut Effects) {
    let seed = model.next_random();
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let GameHost::Local(local) = &mut view.host else {
        return;
    };
    match view.game.phase() {
        Phase::Playing if view.game.position().status() == Status::Ongoing => {
            if let LocalPlayer::Bot(engine) = local.player(view.game.position().turn())
                && !local.is_thinking()
            {
                let (position, engine) = (view.game.position().clone(), engine.clone());
                out.push(Effect::Search {
                    search_id: local.start_search(),
                    position,
                    engine,
                    seed,
                });
            }
        }
        Phase::Over => out.notify(model, Notification::PlayAgain),
        Phase::Waiting | Phase::Playing | Phase::Closed => {}
    }
}

/// Schedules the move that a bot has found. A bot whose engine failed resigns.
pub(in crate::update) fn on_search_done(
    model: &mut Model,
    search_id: SearchId,
    result: Result<BestMove, EngineError>,
    out: &mut Effects,
) {
    let (now, mode) = (model.now, model.mode);
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let GameHost::Local(local) = &mut view.host else {
        return;
    };
    if !local.is_current_search(search_id) {
        return;
    }
    let seat = view.game.position().turn();
    let choice = match result {
        Ok(choice) => choice,
        Err(error) => {
            local.cancel_search();
            let events = local_game::decide(&view.game, seat, RoomCommand::Resign);
            out.notify(model, Notification::EngineFailed(error));
            return apply_events(model, events.unwrap_or_default(), out);
        }
    };
    let delay_ms = match mode {
        Mode::Full if local.has_person() => BOT_MOVE_DELAY_MS,
        Mode::Full => BOT_GAME_MOVE_DELAY_MS,
        Mode::Line { .. } | Mode::Json => 0,
    };
    // The delay counts from the last move, so it includes the search time.
    let play_at = now.max(view.game.last_event_at().saturating_add(delay_ms));
    if local.on_search_result(search_id, seat, &choice, play_at) {
        play_scheduled_move(model, out);
    }
}

/// Plays the scheduled move of a bot if it is due.
pub(in crate::update) fn play_scheduled_move(model: &mut Model, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let GameHost::Local(local) = &mut view.host else {
        return;
    };
    let Some(cell) = local.take_due_move(now) else {
        return;
    };
    let command = RoomCommand::Move {
        cell,
        seq: view.game.seq(),
    };
    if let Ok(events) = local_game::decide(&view.game, view.game.position().turn(), command) {
        apply_events(model, events, out);
    }
}
