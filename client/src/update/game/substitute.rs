//! A bot in the seat of an absent opponent. A bot that waits on the server may take the seat of a public room at once. A bot
//! of this program would only race with it, so it is started when none has come.

use noughts_protocol::wire::{RequestBody, SessionRequest};

use crate::engine::Level;
use crate::facts::{Notification, PendingRequest};
use crate::model::{GameView, Model, RoomView, SubstituteCall};
use crate::update::effect::{Effect, Effects};

/// Time for a bot that waits on the server to take the seat, in milliseconds.
const RESIDENT_BOT_WAIT_MS: u64 = 2000;

/// Asks the server to open the seat of the absent opponent to bots. The server decides.
pub(in crate::update) fn request(model: &mut Model, level: Level, out: &mut Effects) {
    let call = model
        .game_view()
        .and_then(GameView::room)
        .and_then(|room| room.substitute);
    match call {
        // The seat is open already.
        Some(call) => notify_call(model, call, out),
        None => {
            let request = RequestBody::Session(SessionRequest::Substitute { end: false });
            out.send(request, Some(PendingRequest::Substitute(level)));
        }
    }
}

/// Waits for a bot in the seat of the absent opponent, which the server has opened. Only bots of the server know of a
/// public room.
pub(in crate::update) fn on_seat_opened(model: &mut Model, level: Level, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let wait_ms = if view.game.is_public() {
        RESIDENT_BOT_WAIT_MS
    } else {
        0
    };
    let call = SubstituteCall {
        level,
        own_bot_at: Some(now.saturating_add(wait_ms)),
    };
    let Some(room) = view.room_mut() else { return };
    room.substitute = Some(call);
    if wait_ms > 0 {
        notify_call(model, call, out);
    }
    start_own_bot_if_due(model, out);
}

fn notify_call(model: &mut Model, call: SubstituteCall, out: &mut Effects) {
    let notification = match call.own_bot_at {
        Some(_) => Notification::SubstituteCalled,
        None => Notification::BotInvited(call.level),
    };
    out.notify(model, notification);
}

/// Starts a bot of this program when the time for a bot of the server has passed.
pub(in crate::update) fn start_own_bot_if_due(model: &mut Model, out: &mut Effects) {
    let now = model.now;
    let Some(room) = model.game_view_mut().and_then(GameView::room_mut) else {
        return;
    };
    let reference = room.room_ref();
    let due = room
        .substitute
        .as_mut()
        .filter(|call| call.own_bot_at.is_some_and(|at| at <= now));
    let Some(call) = due else { return };
    call.own_bot_at = None;
    let level = call.level;
    let Some(session) = &model.session else {
        return;
    };
    out.push(Effect::InviteBot {
        server: session.server.clone(),
        room: reference,
        level,
    });
    out.notify(model, Notification::BotInvited(level));
}

/// Ends the wait: the seat is taken, its player is back, or the game is over.
pub(in crate::update) fn on_settled(room: &mut RoomView) {
    room.substitute = None;
}

/// Closes the seat again if the bot of this program has ended before it took the seat. Returns false if no such bot was
/// expected.
pub(in crate::update) fn on_own_bot_exited(model: &mut Model, out: &mut Effects) -> bool {
    let room = model.game_view_mut().and_then(GameView::room_mut);
    let call = room.and_then(|room| room.substitute.take_if(|call| call.own_bot_at.is_none()));
    if call.is_some() {
        out.send(
            RequestBody::Session(SessionRequest::Substitute { end: true }),
            None,
        );
        out.notify(model, Notification::BotFailed);
    }
    call.is_some()
}
