//! Handles connection events and messages from the server. `room_messages` handles the messages from a room.

pub(super) mod background_session;
mod room_messages;

use std::time::Duration;

use noughts_protocol::RequestId;
use noughts_protocol::wire::{CloseCode, Message, Reject, RejectCode};

use super::game::event_effects;
use super::message::{Effect, Effects};
use super::multi_watch;
use super::screens::{self, menus, quit, saved_game};
use crate::connection::{ConnectionEvent, TerminationReason, Welcome};
use crate::facts::{Exit, Notification, PendingRequest, Unavailable};
use crate::model::{
    ADVICE_AFTER_MS, GameView, LobbyScreen, Mode, Model, PushedLobby, Session, SessionGoal, Stage,
};

pub(super) fn on_connection_event(model: &mut Model, event: ConnectionEvent, out: &mut Effects) {
    match event {
        ConnectionEvent::Connecting { attempt } => on_connecting(model, attempt),
        ConnectionEvent::Connected { welcome } => on_connected(model, welcome, out),
        ConnectionEvent::Disconnected {
            attempt,
            retry_in,
            reason,
        } => {
            let retry_in_ms = millis(retry_in);
            let retry_at = model.now.saturating_add(retry_in_ms);
            if let Some(session) = &mut model.session {
                session.stage = Stage::Reconnecting { attempt, retry_at };
            }
            // A report about the last command says nothing about the connection.
            if !matches!(model.notification, Some(Notification::Restarting { .. })) {
                model.notification = None;
            }
            // The header shows further failed attempts.
            if attempt <= 1 {
                out.notify(
                    model,
                    Notification::Offline {
                        reason,
                        retry_in_ms,
                    },
                );
            }
        }
        ConnectionEvent::Message(message) => on_message(model, message, out),
        ConnectionEvent::RequestLost(id) => {
            settle_request(model, id);
        }
        ConnectionEvent::Terminated(ended) => on_terminated(model, ended, out),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn on_connecting(model: &mut Model, attempt: u32) {
    let now = model.now;
    if let Some(Session {
        stage: stage @ Stage::Reconnecting { .. },
        ..
    }) = &mut model.session
    {
        *stage = Stage::Reconnecting {
            attempt,
            retry_at: now,
        };
    }
}

fn on_connected(model: &mut Model, welcome: Welcome, out: &mut Effects) {
    if let Some(room) = model.game_view_mut().and_then(GameView::room_mut) {
        // After a resume the server names only absent players: without a notice a player is connected.
        room.presence = Default::default();
    }
    let Some(session) = &mut model.session else {
        return;
    };
    session.name = welcome.name.clone();
    session.address = welcome.address;
    session.lobby = None;
    if !std::mem::replace(&mut session.was_welcomed, true) {
        let goal = session.goal.clone();
        let notification = Notification::Connected {
            server: session.server.clone(),
            name: welcome.name,
        };
        out.notify(model, notification);
        screens::request_goal(model, goal, out);
        multi_watch::leave_if_all_ended(model, out);
        return;
    }
    session.stage = Stage::Ready;
    session.restore_seek();
    // The connection rejoins a room automatically. Other goals have to be requested again.
    let is_seek = matches!(session.goal, SessionGoal::Seek { .. });
    let goal_to_repeat = if model.screen.as_lobby().is_some() && !is_seek {
        Some(SessionGoal::Browse)
    } else if is_seek && model.screen.as_lobby().is_some() {
        // The player looks at the list during a search.
        Some(session.goal.clone())
    } else {
        model.screen.is_waiting().then(|| session.goal.clone())
    };
    if let Some(Notification::Restarting { .. }) = model.notification {
        model.notification = None;
    }
    out.notify(model, Notification::Back);
    let needs_lobby = |has_list: bool| model.is_tv || (model.mode == Mode::Full && has_list);
    if model.screen.as_multi_watch().is_some() && needs_lobby(model.lobby.is_some()) {
        // Running games in the lobby replace finished games.
        screens::refresh_list(model, out);
    }
    if let Some(goal) = goal_to_repeat {
        screens::request_goal(model, goal, out);
    }
}

fn on_terminated(model: &mut Model, reason: TerminationReason, out: &mut Effects) {
    let is_server_closed = reason == TerminationReason::Final(CloseCode::ServerClosed);
    let is_game_over = model
        .game_view()
        .is_some_and(|view| view.game.outcome().is_some());
    let exit = if is_server_closed && is_game_over {
        Exit::Done
    } else {
        Exit::from(&reason)
    };
    let Some(session) = &mut model.session else {
        return;
    };
    let notification = Notification::Ended {
        reason: reason.clone(),
        server: session.server.clone(),
    };
    session.stage = Stage::Terminated(reason);
    model.close_question();
    if is_server_closed {
        // The server's rooms are gone.
        saved_game::delete(model, out);
        let now = model.now;
        if let Some(room) = model.game_view_mut().and_then(GameView::room_mut) {
            room.gone_since = Some(now);
        }
    }
    let saved_game = model
        .session
        .as_ref()
        .and_then(|session| session.saved_game.clone());
    model.exit = exit;
    if model.screen.as_multi_watch().is_some() {
        // The watched games have their own connections.
        model.session = None;
        out.push(Effect::Disconnect);
        multi_watch::leave_if_all_ended(model, out);
        return;
    }
    let (keeps_board, returns_home) = (model.mode == Mode::Full, model.return_home);
    match model.game_view_mut() {
        Some(view) if keeps_board => {
            view.pending_move = None;
            out.notify(model, notification);
        }
        Some(_) if !returns_home => {
            out.notify(model, notification);
            if let Some(game) = saved_game {
                out.notify(model, Notification::MayContinue(Box::new(game)));
            }
            quit::quit(model, exit, out);
        }
        Some(_) | None => menus::on_goal_failed(model, notification, exit, out),
    }
}

fn on_message(model: &mut Model, message: Message, out: &mut Effects) {
    match message {
        // The connection reports this message as `ConnectionEvent::Connected`.
        Message::Welcome { .. } => {}
        Message::Done { re, .. } => match settle_request(model, re) {
            Some(PendingRequest::Goal) => on_seek_accepted(model, re, out),
            Some(PendingRequest::Withdraw) => menus::on_seek_withdrawn(model, out),
            Some(PendingRequest::Bot(level)) => {
                event_effects::on_seat_opened(model, level, out);
            }
            Some(_) | None => {}
        },
        Message::Reject { re, reject } => on_reject(model, re, reject, out),
        Message::Snapshot {
            re,
            room,
            role,
            state,
        } => {
            if let (Some(re), Some(session)) = (re, &mut model.session) {
                session.resolve(re);
            }
            room_messages::on_snapshot(model, room, role, &state, out);
        }
        Message::Events { re, room, events } => {
            if let (Some(re), Some(session)) = (re, &mut model.session) {
                session.resolve(re);
            }
            room_messages::on_events(model, room, &events, out);
        }
        Message::Notice { room, notice } => room_messages::on_notice(model, room, notice, out),
        Message::Rooms { re, rooms, seeks } => {
            if let Some(session) = &mut model.session {
                session.resolve(re);
                session.stage = Stage::Ready;
            }
            menus::on_room_list(model, LobbyScreen::requested(rooms, seeks), out);
        }
        // The session does not ask for finished games.
        Message::Games { .. } | Message::Game { .. } | Message::Profile { .. } => {}
        Message::Lobby { re, at, view } => {
            let received_at = model.now;
            let Some(session) = &mut model.session else {
                return;
            };
            if re.and_then(|re| session.resolve(re)) == Some(PendingRequest::Goal) {
                session.stage = Stage::Ready;
            }
            session.lobby = Some(PushedLobby {
                view,
                at,
                received_at,
            });
            show_lobby(model, out);
        }
        Message::LobbyChanged { at, change } => {
            let received_at = model.now;
            let lobby = model
                .session
                .as_mut()
                .and_then(|session| session.lobby.as_mut());
            if let Some(lobby) = lobby {
                lobby.view.apply(change);
                (lobby.at, lobby.received_at) = (at, received_at);
                show_lobby(model, out);
            }
        }
        Message::Announcement { text } => {
            out.notify(model, Notification::Announcement { text });
        }
        Message::Restarting { retry_after_ms } => {
            out.notify(model, Notification::Restarting { retry_after_ms });
        }
    }
}

/// Shows the pushed lobby, if the player is in it.
fn show_lobby(model: &mut Model, out: &mut Effects) {
    if model.is_tv {
        return multi_watch::start_tv(model, out);
    }
    let is_shown = model.screen.as_lobby().is_some()
        || (model.screen.is_waiting()
            && model
                .session
                .as_ref()
                .is_some_and(|session| session.goal == SessionGoal::Browse));
    let lobby = model
        .session
        .as_ref()
        .and_then(|session| session.lobby.as_ref());
    if let Some(lobby) = lobby.filter(|_| is_shown) {
        let mut screen = lobby.to_screen();
        let ended = model
            .session
            .as_ref()
            .and_then(|session| session.ended_seek);
        screen
            .seeks
            .retain(|seek| ended.is_none() || seek.number != ended);
        menus::on_room_list(model, screen, out);
    }
}

/// Removes and returns the purpose of a request that was accepted, rejected or lost. If the request was a move, the
/// move stops being pending.
fn settle_request(model: &mut Model, id: RequestId) -> Option<PendingRequest> {
    let request = model.session.as_mut()?.resolve(id);
    if let (Some(PendingRequest::Move(_)), Some(view)) = (request, model.game_view_mut()) {
        view.pending_move = None;
    }
    request
}

fn on_seek_accepted(model: &mut Model, re: RequestId, out: &mut Effects) {
    let Some(session) = &mut model.session else {
        return;
    };
    if let SessionGoal::Seek { rules, clock, .. } = session.goal {
        session.stage = Stage::Seeking;
        session.open_seek = Some(re);
        // A search that continues after a reconnect gives its advice once.
        if session.seeking_since.is_none() {
            session.seeking_since = Some(model.now);
            session.advice_at = matches!(model.mode, Mode::Line { interactive: true })
                .then(|| model.now.saturating_add(ADVICE_AFTER_MS));
        }
        // Subscribes to the lobby, which the waiting screen shows.
        if model.mode == Mode::Full {
            out.send(
                model.request_for(&SessionGoal::Browse),
                Some(PendingRequest::Refresh),
            );
        }
        out.notify(model, Notification::Seeking { rules, clock });
    }
}

/// Drops the player's own seek if this is its request. Returns whether the client waited to be paired through this
/// seek.
fn end_open_seek(model: &mut Model, id: RequestId) -> bool {
    let session = model.session.as_mut();
    session.is_some_and(|session| {
        let is_open = session.open_seek.take_if(|open| *open == id).is_some();
        is_open && session.stage == Stage::Seeking
    })
}

fn on_reject(model: &mut Model, re: Option<RequestId>, reject: Reject, out: &mut Effects) {
    let request = re.and_then(|re| settle_request(model, re));
    // An open seek is over if no room can be opened for its pair, or if no node has the lobby.
    let is_seek_over = re.is_some_and(|re| end_open_seek(model, re));
    let request = request.or_else(|| is_seek_over.then_some(PendingRequest::Goal));
    let is_room_unknown = reject.code == RejectCode::UnknownRoom;
    // A displayed room is a goal that was reached. A message about another room does not end it.
    let is_in_room = model.game_view().is_some_and(|view| view.room().is_some());
    if request == Some(PendingRequest::Withdraw) {
        if reject.code == RejectCode::NotSeeking {
            // An opponent came before the request to withdraw.
            return;
        }
        // The seek is still open.
        if let Some(session) = &mut model.session
            && session.restore_seek()
        {
            session.stage = Stage::Seeking;
        }
        let asked = request;
        out.notify(model, Notification::Rejected { asked, reject });
    } else if request == Some(PendingRequest::Goal) && !is_in_room {
        let is_resuming = matches!(&model.session, Some(session) if matches!(session.goal, SessionGoal::Continue(_) | SessionGoal::Return(_)));
        let is_answer = matches!(&model.session, Some(session) if matches!(session.goal, SessionGoal::AcceptSeek { .. }));
        // A guest cannot be recognised in a room without the token of its seat.
        let lacks_identity = reject.code == RejectCode::BadField
            && matches!(&model.session, Some(session) if matches!(session.goal, SessionGoal::Return(_)));
        let notification = if is_resuming && (is_room_unknown || lacks_identity) {
            let game = model.session.as_ref();
            let game = game.and_then(|session| session.saved_game.clone());
            saved_game::delete(model, out);
            Notification::NothingToContinue {
                game: game.map(Box::new),
            }
        } else if is_answer && reject.code == RejectCode::NoOffer {
            Notification::Unavailable(Unavailable::SeekGone)
        } else {
            Notification::Rejected {
                asked: request,
                reject,
            }
        };
        if let Some(Session {
            server,
            goal: SessionGoal::Join(room),
            ..
        }) = &model.session
        {
            let is_usual = *server == model.settings.server;
            model.rejected_invite = Some(if is_usual {
                room.to_string()
            } else {
                format!("{}#{room}", server.short())
            });
        }
        menus::on_goal_failed(model, notification, Exit::Rejected, out);
    } else if request.is_none() && is_room_unknown {
        // The rejected request is the connection's own resume request.
        room_messages::on_room_unavailable(model, out);
    } else {
        out.notify(
            model,
            Notification::Rejected {
                asked: request,
                reject,
            },
        );
    }
}
