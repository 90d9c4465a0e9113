//! Turns game events into notifications, and updates the view of the game.

use noughts_protocol::{Event, Phase, Status};

use crate::facts::{NextMove, Notification};
use crate::model::{BoardPrinting, GameView, Mode, Model};
use crate::update::effect::Effects;
use crate::update::game::{queries, substitute};

/// Reports the failure of an invited bot while the player still waits for it.
pub(in crate::update) fn on_bot_exited(model: &mut Model, failed: bool, out: &mut Effects) {
    if substitute::on_own_bot_exited(model, out) {
        return;
    }
    let is_waiting = model
        .game_view()
        .is_some_and(|view| view.game.phase() == Phase::Waiting);
    if failed && is_waiting {
        out.notify(model, Notification::BotFailed);
    }
}

/// Updates the view after an event was applied to the game, and reports the event.
pub(in crate::update) fn on_event(model: &mut Model, event: &Event, out: &mut Effects) {
    if let Event::Seated { .. } | Event::Started { .. } = event
        && let Some(
            Notification::BotInvited(_) | Notification::SubstituteCalled | Notification::BotFailed,
        ) = model.notification
    {
        // The bot has arrived, so the status line about its invitation is out of date.
        model.notification = None;
    }
    if let Event::Moved { .. } = event
        && let Some(
            Notification::Illegal { .. }
            | Notification::Unavailable(_)
            | Notification::Rejected { .. },
        ) = model.notification
    {
        // The report is about the position before this move.
        model.notification = None;
    }
    if let Event::Started { .. } | Event::Ended { .. } | Event::Closed { .. } = event {
        // An answer would be about another game.
        model.close_question();
    }
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    // These events confirm the pending move or make it obsolete.
    match event {
        Event::Moved { seat, .. } if view.own_seat().is_none_or(|own| own == *seat) => {
            view.pending_move = None;
        }
        Event::TakenBack { .. } | Event::Closed { .. } => view.pending_move = None,
        Event::Moved { .. }
        | Event::Opened { .. }
        | Event::Seated { .. }
        | Event::Started { .. }
        | Event::Offered { .. }
        | Event::Declined { .. }
        | Event::Ended { .. } => {}
    }
    if let Event::Seated { .. } | Event::Started { .. } | Event::Ended { .. } | Event::Closed { .. } =
        event
        && let Some(room) = view.room_mut()
    {
        substitute::on_settled(room);
    }
    match event {
        Event::Started { .. } => view.on_game_started(),
        Event::Ended { outcome, .. } => view.on_game_ended(outcome, now),
        Event::Opened { .. }
        | Event::Seated { .. }
        | Event::Moved { .. }
        | Event::Offered { .. }
        | Event::Declined { .. }
        | Event::TakenBack { .. }
        | Event::Closed { .. } => {}
    }
    if let Some(notification) = notification_for_event(view, event) {
        out.notify(model, notification);
    }
    if let Event::Started { game: 1 } = event {
        notify_hint(model, out);
    }
    if let Event::Started { .. }
    | Event::Moved { .. }
    | Event::TakenBack { .. }
    | Event::Ended { .. } = event
    {
        print_board(model, out);
    }
}

/// Prints the board in line mode, if the player wants that: at each turn of a person here, at the end of a game, and
/// for spectators after each move.
pub(in crate::update) fn print_board(model: &mut Model, out: &mut Effects) {
    if model.settings.board_printing != BoardPrinting::Always
        || !matches!(model.mode, Mode::Line { .. })
    {
        return;
    }
    let Some(view) = model.game_view() else {
        return;
    };
    let is_finished = view.game.position().status() != Status::Ongoing;
    let is_wanted = match view.game.phase() {
        // The end of the game follows at once.
        Phase::Playing => !is_finished && (view.can_move() || view.acting_seat().is_none()),
        Phase::Over => true,
        Phase::Waiting | Phase::Closed => false,
    };
    if is_wanted {
        queries::query_board(model, out);
    }
}

/// Prints the first instructions for a person in line mode.
pub(in crate::update) fn notify_hint(model: &mut Model, out: &mut Effects) {
    let can_act = model
        .game_view()
        .is_some_and(|view| view.acting_seat().is_some());
    if model.mode == (Mode::Line { interactive: true }) && can_act {
        out.notify(model, Notification::Hint);
    }
}

/// The notification for an event; `None` for events that the player has caused or knows.
fn notification_for_event(view: &GameView, event: &Event) -> Option<Notification> {
    let rules = *view.game.rules();
    match event {
        Event::Opened { .. } => None,
        Event::Seated { seat, .. } => view
            .player_ref(*seat)
            .filter(|who| !who.you)
            .map(Notification::Seated),
        Event::Started { .. } => started_notification(view),
        Event::Moved { seat, cell, .. } => Some(Notification::Moved {
            who: view.player_ref(*seat)?,
            cell: *cell,
            rules,
            next: next_move(view),
        }),
        Event::Offered { seat, offer } => Some(Notification::Offered {
            who: view.player_ref(*seat)?,
            offer: *offer,
        }),
        Event::Declined { seat, offer } => Some(Notification::Declined {
            who: view.player_ref(*seat)?,
            offer: *offer,
        }),
        Event::TakenBack { plies, .. } => Some(Notification::TakenBack {
            plies: *plies,
            next: next_move(view),
        }),
        Event::Ended { outcome, .. } => Some(Notification::GameOver {
            outcome: outcome.clone(),
            rules,
            players: view.players()?,
            score: view.game.score(),
        }),
        Event::Closed { reason } => Some(Notification::Closed(*reason)),
    }
}

pub(in crate::update) fn started_notification(view: &GameView) -> Option<Notification> {
    Some(Notification::Started {
        number: view.game.number(),
        rules: *view.game.rules(),
        players: view.players()?,
        next: next_move(view),
    })
}

/// The side to move. The move that ends the game is followed by no turn, although its `Ended` event comes later.
pub(super) fn next_move(view: &GameView) -> NextMove {
    match view.game.position().status() {
        Status::Ongoing => view.next_move(),
        Status::Won(_) | Status::Drawn => NextMove::Other,
    }
}
