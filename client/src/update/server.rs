//! Handles connection events and messages from the server.

use std::time::Duration;

use noughts_protocol::wire::{Message, Notice, OwnRole, Presence, Reject, RejectCode};
use noughts_protocol::{EventRecord, FoldError, Game, Phase, RequestId, RoomId, Seat, Snapshot};

use super::effect::{Effect, Effects};
use super::game::{event_notes, game_commands};
use super::screens::{self, menus, quit, saved_game};
use crate::connection::{ConnectionEvent, TerminationReason, Welcome};
use crate::facts::{EngineEvaluation, Exit, Notification, PendingRequest};
use crate::model::{
    GameHost, GameView, LobbyScreen, Mode, Model, PlayerPresence, RoomView, Screen, Session, SessionGoal,
    Stage,
};

pub(super) fn on_connection_event(model: &mut Model, event: ConnectionEvent, out: &mut Effects) {
    match event {
        ConnectionEvent::Connecting { attempt } => on_connecting(model, attempt),
        ConnectionEvent::Connected { welcome } => on_connected(model, welcome, out),
        ConnectionEvent::Disconnected { attempt, retry_in, reason } => {
            let at = model.now.saturating_add(millis(retry_in));
            if let Some(session) = &mut model.session {
                session.stage = Stage::Reconnecting { attempt, retry_at: at };
            }
            // The header shows further failed attempts.
            if attempt <= 1 {
                out.notify(model, Notification::Disconnected { reason, retry_in });
            }
        }
        ConnectionEvent::Message(message) => self::on_message(model, message, out),
        ConnectionEvent::RequestLost(id) => on_request_lost(model, id),
        ConnectionEvent::Terminated(ended) => on_terminated(model, ended, out),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn on_connecting(model: &mut Model, attempt: u32) {
    let now = model.now;
    if let Some(Session { stage: stage @ Stage::Reconnecting { .. }, .. }) = &mut model.session {
        *stage = Stage::Reconnecting { attempt, retry_at: now };
    }
}

fn on_connected(model: &mut Model, welcome: Welcome, out: &mut Effects) {
    let Some(session) = &mut model.session else { return };
    session.name = welcome.name.clone();
    if !std::mem::replace(&mut session.was_welcomed, true) {
        let goal = session.goal.clone();
        let notification = Notification::Connected { server: session.server.clone(), name: welcome.name };
        out.notify(model, notification);
        screens::request_goal(model, goal, out);
        return;
    }
    session.stage = Stage::Ready;
    // The connection rejoins a room by itself; other goals have to be requested again.
    let goal_to_repeat = match &model.screen {
        Screen::Lobby(_) => Some(SessionGoal::Browse),
        Screen::Waiting => model.session.as_ref().map(|session| session.goal.clone()),
        Screen::Game(_)
        | Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Replay(_)
        | Screen::MultiWatch(_) => None,
    };
    if let Some(Notification::Restarting { .. }) = model.notification {
        model.notification = None;
    }
    out.notify(model, Notification::Reconnected);
    if let Some(goal) = goal_to_repeat {
        screens::request_goal(model, goal, out);
    }
}

fn on_request_lost(model: &mut Model, id: RequestId) {
    let Some(session) = &mut model.session else { return };
    if let Some(PendingRequest::Move(_)) = session.resolve(id)
        && let Some(view) = model.game_view_mut()
    {
        view.pending_move = None;
    }
}

fn on_terminated(model: &mut Model, reason: TerminationReason, out: &mut Effects) {
    let exit = Exit::from(&reason);
    let Some(session) = &mut model.session else { return };
    let notification = Notification::Terminated { reason: reason.clone(), server: session.server.clone() };
    session.stage = Stage::Terminated(reason);
    let saved_game = session.saved_game.clone();
    model.exit = exit;
    match (&mut model.screen, model.mode) {
        // The watched games have connections of their own.
        (Screen::MultiWatch(_), _) => {
            model.session = None;
            out.push(Effect::Disconnect);
        }
        // The full screen keeps showing the board.
        (Screen::Game(view), Mode::Full) => {
            view.pending_move = None;
            out.notify(model, notification);
        }
        (Screen::Game(_), Mode::Line { .. } | Mode::Json) if !model.return_home => {
            out.notify(model, notification);
            if let Some(game) = saved_game {
                out.notify(model, Notification::SavedGameAvailable(Box::new(game)));
            }
            quit::quit(model, exit, out);
        }
        (
            Screen::Game(_)
            | Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Replay(_),
            _,
        ) => menus::on_goal_failed(model, notification, exit, out),
    }
}

fn on_message(model: &mut Model, message: Message, out: &mut Effects) {
    match message {
        // The connection reports it as `ConnectionEvent::Connected`.
        Message::Welcome { .. } => {}
        Message::Done { re, .. } => match resolve_request(model, re) {
            Some(PendingRequest::Goal) => on_seek_accepted(model, out),
            Some(PendingRequest::Move(_)) => {
                if let Some(view) = model.game_view_mut() {
                    view.pending_move = None;
                }
            }
            Some(
                PendingRequest::Resign
                | PendingRequest::Offer(_)
                | PendingRequest::Accept(_)
                | PendingRequest::Decline(_)
                | PendingRequest::Claim
                | PendingRequest::Flag
                | PendingRequest::Sync
                | PendingRequest::List,
            )
            | None => {}
        },
        Message::Reject { re, reject } => on_reject(model, re, reject, out),
        Message::Snapshot { re, room, role: you, state } => {
            if let Some(re) = re {
                resolve_request(model, re);
            }
            on_snapshot(model, room, you, &state, out);
        }
        Message::Events { re, room, events } => {
            if let Some(re) = re {
                resolve_request(model, re);
            }
            self::on_events(model, room, &events, out);
        }
        Message::Notice { room, notice } => self::on_notice(model, room, notice, out),
        Message::Rooms { re, rooms, seeks } => {
            resolve_request(model, re);
            if let Some(session) = &mut model.session {
                session.stage = Stage::Ready;
            }
            let refresh_at = model.now.saturating_add(menus::LIST_REFRESH_INTERVAL_MS);
            menus::on_room_list(
                model,
                LobbyScreen { rooms: Some(rooms), seeks, selected: 0, refresh_at },
                out,
            );
        }
        Message::Restarting { retry_after_ms: back_in_ms } => {
            out.notify(model, Notification::Restarting { back_in: Duration::from_millis(back_in_ms) });
        }
    }
}

fn resolve_request(model: &mut Model, id: RequestId) -> Option<PendingRequest> {
    model.session.as_mut().and_then(|session| session.resolve(id))
}

fn on_seek_accepted(model: &mut Model, out: &mut Effects) {
    let Some(session) = &mut model.session else { return };
    if let SessionGoal::Seek { rules, clock, .. } = session.goal {
        session.stage = Stage::Seeking;
        out.notify(model, Notification::Seeking { rules, clock });
    }
}

fn on_reject(model: &mut Model, re: Option<RequestId>, reject: Reject, out: &mut Effects) {
    let request = re.and_then(|re| resolve_request(model, re));
    match request {
        Some(PendingRequest::Goal) => {
            let is_resuming =
                matches!(&model.session, Some(session) if matches!(session.goal, SessionGoal::Continue(_)));
            let notification = if is_resuming && reject.code == RejectCode::UnknownRoom {
                saved_game::delete(model, out);
                Notification::NoSavedGame
            } else {
                Notification::Rejected { request, reject }
            };
            menus::on_goal_failed(model, notification, Exit::Refused, out);
            return;
        }
        Some(PendingRequest::Move(_)) => {
            if let Some(view) = model.game_view_mut() {
                view.pending_move = None;
            }
        }
        // The rejected request is the connection's own request to resume.
        None if reject.code == RejectCode::UnknownRoom => return on_room_unavailable(model, out),
        Some(
            PendingRequest::Resign
            | PendingRequest::Offer(_)
            | PendingRequest::Accept(_)
            | PendingRequest::Decline(_)
            | PendingRequest::Claim
            | PendingRequest::Flag
            | PendingRequest::Sync
            | PendingRequest::List,
        )
        | None => {}
    }
    out.notify(model, Notification::Rejected { request, reject });
}

/// Handles the loss of the room. The full screen keeps showing its board.
fn on_room_unavailable(model: &mut Model, out: &mut Effects) {
    let now = model.now;
    let Some(room) = model.game_view_mut().and_then(GameView::room_mut) else { return };
    room.gone_since = Some(now);
    model.exit = Exit::ConnectionLost;
    out.notify(model, Notification::RoomUnavailable);
    if model.mode != Mode::Full {
        quit::leave(model, out);
    }
}

/// Handles the snapshot of a room: of the room on the screen, or of one that the client has entered.
fn on_snapshot(model: &mut Model, room: RoomId, you: OwnRole, state: &Snapshot, out: &mut Effects) {
    let now = model.now;
    let Ok(game) = Game::from_snapshot(state) else {
        // The snapshot is inconsistent: keep the state.
        return;
    };
    let Some(session) = &mut model.session else { return };
    session.stage = Stage::Ready;
    let goal = session.goal.clone();
    if let Screen::Game(view) = &mut model.screen
        && let GameHost::Server(room_view) = &mut view.host
        && room_view.id == room
    {
        room_view.seat = you.seat.or(room_view.seat);
        room_view.code = you.code.or(room_view.code);
        room_view.token = you.token.or(room_view.token);
        room_view.clock_offset_ms = 0;
        if view.game.number() != game.number() || view.game.position() != game.position() {
            view.pending_move = None;
        }
        view.game = game;
        view.sync_clock(now, state.at);
        return;
    }
    let mut room_view = RoomView::new(room, you.seat, you.code);
    room_view.token = you.token;
    if let SessionGoal::Join(reference) | SessionGoal::Watch(reference) = goal
        && let noughts_protocol::RoomRef::Code(code) = reference
    {
        room_view.code = room_view.code.or(Some(code));
    }
    let mut view = GameView::new(game, GameHost::Server(room_view));
    view.sync_clock(now, state.at);
    let notifications = arrival_notifications(&view, session);
    model.screen = Screen::Game(Box::new(view));
    model.notification = None;
    for notification in notifications {
        out.notify(model, notification);
    }
    if model.game_view().is_some_and(|view| view.game.phase() == Phase::Playing) {
        event_notes::notify_hint(model, out);
    }
    if let SessionGoal::Create { bot: Some(level), .. } = goal {
        game_commands::invite_bot(model, Some(level), out);
    }
}

/// The notifications on entering a room.
fn arrival_notifications(view: &GameView, session: &Session) -> Vec<Notification> {
    let game = &view.game;
    let (rules, clock) = (*game.rules(), game.control());
    let waiting_for_a_bot = matches!(session.goal, SessionGoal::Create { bot: Some(_), .. });
    match (game.phase(), view.room()) {
        // The invitation of the bot is reported next.
        (Phase::Waiting, Some(_)) if waiting_for_a_bot => Vec::new(),
        (Phase::Waiting, Some(room)) if room.seat.is_some() => {
            vec![Notification::Invite { server: session.server.clone(), room: room.room_ref(), rules, clock }]
        }
        (Phase::Playing, Some(room)) if game.position().ply() == 0 && room.seat.is_some() => {
            event_notes::started_notification(view).into_iter().collect()
        }
        (Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed, room) => {
            let players = Seat::ALL.map(|seat| game.player(seat).cloned());
            let you = room.and_then(|room| room.seat);
            let mut notifications =
                vec![Notification::Joined { rules, clock, players, you, next: view.next_move() }];
            // A player who returns to a finished game needs its result.
            if let (Some(_), Some(outcome), Some(players)) = (you, game.outcome(), view.players()) {
                notifications.push(Notification::GameOver {
                    outcome: outcome.clone(),
                    rules,
                    players,
                    score: game.score(),
                });
            }
            notifications
        }
    }
}

fn on_events(model: &mut Model, room: RoomId, events: &[EventRecord], out: &mut Effects) {
    let now = model.now;
    for stamped in events {
        let Some(view) = model.game_view_mut() else { return };
        if view.room().is_none_or(|here| here.id != room) {
            return;
        }
        if let Some(by) = stamped.request
            && Some(by.seat) == view.own_seat()
        {
            resolve_request(model, by.id);
        }
        let Some(view) = model.game_view_mut() else { return };
        if let Err(error) = view.game.apply(stamped) {
            let is_duplicate = matches!(error, FoldError::Gap { expected, got } if got < expected);
            if !is_duplicate {
                request_sync(model, out);
                return;
            }
            continue;
        }
        view.sync_clock(now, stamped.at);
        if let noughts_protocol::Event::Started { game: 2.. } = stamped.event
            && let Some(room) = view.room_mut()
        {
            room.seat = room.seat.map(Seat::other);
            room.presence.swap(0, 1);
            room.lag.swap(0, 1);
        }
        event_notes::on_event(model, &stamped.event, out);
        if let noughts_protocol::Event::Ended { .. } = stamped.event
            && model.game_view().is_some_and(|view| view.own_seat().is_some())
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
        let body =
            noughts_protocol::wire::RequestBody::Lobby(noughts_protocol::wire::LobbyRequest::Sync { seq });
        out.push(Effect::Send { body, request: Some(PendingRequest::Sync) });
    }
}

fn on_notice(model: &mut Model, room: RoomId, notice: Notice, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else { return };
    let (own, rules) = (view.own_seat(), *view.game.rules());
    let Some(room_view) = view.room_mut().filter(|here| here.id == room) else { return };
    let notification = match notice {
        Notice::Presence { seat, presence, claim_in_ms } => {
            let claim_at = claim_in_ms.map(|claim_in| now.saturating_add(claim_in));
            let previous = std::mem::replace(
                &mut room_view.presence[seat.index()],
                PlayerPresence { presence, claim_at },
            );
            let changed = previous.presence != presence;
            let claimable = presence != Presence::Connected && claim_in_ms == Some(0);
            let claim_in = claim_in_ms.map(Duration::from_millis);
            match view.player_ref(seat) {
                Some(who) if own != Some(seat) && claimable => Some(Notification::Claimable(who)),
                Some(who) if own != Some(seat) && changed => {
                    Some(Notification::Presence { who, presence, claim_in })
                }
                Some(_) | None => None,
            }
        }
        Notice::Lag { ms } => {
            room_view.lag = ms;
            None
        }
        Notice::Spectators { spectators: watching } => {
            let previous = std::mem::replace(&mut room_view.spectators, watching);
            (previous != watching).then_some(Notification::SpectatorCount(watching))
        }
        Notice::Remark { seat, evaluation: score, pv: mut line, .. } => {
            line.retain(|cell| cell.index() < rules.cells());
            let evaluation = EngineEvaluation { score, pv: line };
            room_view.evaluations[seat.index()] = Some(evaluation.clone());
            view.player_ref(seat).map(|who| Notification::Evaluation { who, evaluation, rules })
        }
    };
    if let Some(notification) = notification {
        out.notify(model, notification);
    }
}
