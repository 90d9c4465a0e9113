//! Messages from the room that the client is in: snapshots, events and notices.

use noughts_protocol::wire::{Notice, OwnRole, Presence, RequestBody, SessionRequest};
use noughts_protocol::{
    Event, EventRecord, FoldError, Game, Phase, RoomId, RoomRef, Seat, Snapshot,
};

use crate::facts::{EngineEvaluation, Exit, Notification, PendingRequest};
use crate::model::{
    GameHost, GameView, Mode, Model, PlayerPresence, RoomView, Screen, Session, SessionGoal, Stage,
};
use crate::settings::PhraseDisplay;
use crate::update::game::{event_effects, game_commands};
use crate::update::message::Effects;
use crate::update::screens::{confirmation, quit};

/// Handles the loss of the room. The full screen keeps showing the board.
pub(super) fn on_room_unavailable(model: &mut Model, out: &mut Effects) {
    let now = model.now;
    let Some(room) = model.game_view_mut().and_then(GameView::room_mut) else {
        return;
    };
    room.gone_since = Some(now);
    model.close_question();
    model.exit = Exit::ConnectionLost;
    out.notify(model, Notification::RoomGone);
    if model.mode != Mode::Full {
        quit::leave(model, out);
    }
}

/// Handles the snapshot of a room: of the displayed room, or of a room that the client has entered.
pub(super) fn on_snapshot(
    model: &mut Model,
    room: RoomId,
    role: OwnRole,
    state: &Snapshot,
    out: &mut Effects,
) {
    let now = model.now;
    let Ok(game) = Game::from_snapshot(state) else {
        // The snapshot is inconsistent, so the state stays.
        return;
    };
    let Some(session) = &mut model.session else {
        return;
    };
    session.stage = Stage::Ready;
    session.seeking_since = None;
    session.withdrawn = None;
    if session.lobby.take().is_some() {
        // Ends the subscription, because a room does not show the lobby.
        out.send(
            RequestBody::Session(SessionRequest::Lobby { end: true }),
            None,
        );
    }
    let session: &Session = session;
    let goal = session.goal.clone();
    if let Screen::Game(view) = &mut model.screen
        && let GameHost::Server(room_view) = &mut view.host
        && room_view.id == room
    {
        room_view.seat = role.seat.or(room_view.seat);
        room_view.code = role.code.or(room_view.code);
        room_view.token = role.token.or(room_view.token);
        room_view.clock_offset_ms = 0;
        if view.game.number() != game.number() || view.game.position() != game.position() {
            view.pending_move = None;
        }
        let before = std::mem::replace(&mut view.game, game);
        view.sync_clock(now, state.at);
        event_effects::report(model, &before, out);
        return;
    }
    let mut room_view = RoomView::new(room, role.seat, role.code);
    room_view.is_muted = model.settings.phrases == PhraseDisplay::Hide;
    room_view.token = role.token;
    if let SessionGoal::Join(reference) | SessionGoal::Watch(reference) = goal
        && let RoomRef::Code(code) = reference
    {
        room_view.code = room_view.code.or(Some(code));
    }
    let mut view = GameView::new(game, GameHost::Server(room_view));
    view.sync_clock(now, state.at);
    if !model.mode.is_script() {
        model.keep_lobby();
    }
    model.screen = Screen::Game(Box::new(view));
    model.notification = None;
    confirmation::close_question_about_search(model);
    event_effects::notify_arrival(model, out);
    if model
        .game_view()
        .is_some_and(|view| view.game.phase() == Phase::Playing)
    {
        event_effects::notify_hint(model, out);
    }
    if let SessionGoal::Create {
        bot: Some(level), ..
    } = goal
    {
        game_commands::invite_bot(model, Some(level), out);
    }
}

pub(super) fn on_events(
    model: &mut Model,
    room: RoomId,
    events: &[EventRecord],
    out: &mut Effects,
) {
    let now = model.now;
    for record in events {
        let Some(view) = model.game_view_mut() else {
            return;
        };
        if view.room().is_none_or(|here| here.id != room) {
            return;
        }
        let own_request = record
            .by
            .filter(|request| Some(request.seat) == view.own_seat());
        if let (Some(request), Some(session)) = (own_request, &mut model.session) {
            session.resolve(request.id);
        }
        let Some(view) = model.game_view_mut() else {
            return;
        };
        if let Err(error) = view.game.apply(record) {
            let is_duplicate = matches!(error, FoldError::Gap { expected, got } if got < expected);
            if !is_duplicate {
                request_sync(model, out);
                return;
            }
            continue;
        }
        view.sync_clock(now, record.at);
        if let Event::Started { game: 2.. } = record.event
            && let Some(room) = view.room_mut()
        {
            room.seat = room.seat.map(Seat::other);
            room.presence.swap(0, 1);
            room.lag.swap(0, 1);
        }
        event_effects::on_event(model, &record.event, out);
        if let Event::Ended { .. } = record.event
            && model
                .game_view()
                .is_some_and(|view| view.own_seat().is_some() && !view.has_opponent_left())
        {
            out.notify(model, Notification::PlayAgain);
        }
    }
}

/// Requests missing events, unless a request is pending.
fn request_sync(model: &mut Model, out: &mut Effects) {
    let seq = model.game_view().map(|view| view.game.seq());
    if let (Some(session), Some(seq)) = (&model.session, seq)
        && !session.is_pending(PendingRequest::Sync)
    {
        out.send(
            RequestBody::Session(SessionRequest::Sync { seq }),
            Some(PendingRequest::Sync),
        );
    }
}

pub(super) fn on_notice(model: &mut Model, room: RoomId, notice: Notice, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let (own, rules) = (view.own_seat(), *view.game.rules());
    let Some(room_view) = view.room_mut().filter(|here| here.id == room) else {
        return;
    };
    let notification = match notice {
        Notice::Presence {
            seat,
            presence,
            claim_in_ms,
        } => {
            let claim_at = claim_in_ms.map(|claim_in| now.saturating_add(claim_in));
            let previous = std::mem::replace(
                &mut room_view.presence[seat.index()],
                PlayerPresence { presence, claim_at },
            );
            if presence == Presence::Connected && own == Some(seat.other()) {
                event_effects::end_substitute_call(room_view);
            }
            let changed = previous.presence != presence;
            let claimable = presence != Presence::Connected && claim_in_ms == Some(0);
            match view.player_ref(seat) {
                Some(who) if own != Some(seat) && claimable => Some(Notification::Claimable(who)),
                Some(who) if own != Some(seat) && changed => Some(Notification::Presence {
                    who,
                    presence,
                    claim_in_ms,
                }),
                Some(_) | None => None,
            }
        }
        Notice::Lag { ms } => {
            room_view.lag = ms;
            None
        }
        Notice::Spectators { count } => {
            let previous = std::mem::replace(&mut room_view.spectators, count);
            (previous != count).then_some(Notification::Spectators { count })
        }
        Notice::Phrase { seat, phrase } => {
            let is_shown = own == Some(seat) || !room_view.is_muted;
            let who = view.player_ref(seat).filter(|_| is_shown);
            if let (Some(who), Some(room)) = (&who, view.room_mut()) {
                room.add_phrase(who.clone(), phrase);
            }
            who.map(|who| Notification::Phrase { who, phrase })
        }
        Notice::Remark {
            seat,
            evaluation: score,
            mut pv,
            ..
        } => {
            pv.retain(|cell| cell.index() < rules.cells());
            let evaluation = EngineEvaluation { score, pv };
            room_view.evaluations[seat.index()] = Some(evaluation.clone());
            view.player_ref(seat).map(|who| Notification::Remark {
                who,
                evaluation,
                rules,
            })
        }
    };
    if let Some(notification) = notification {
        out.notify(model, notification);
    }
}
