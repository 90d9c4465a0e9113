//! Turns game events into notifications, and updates the view of the game. Handles single events, events that did not
//! reach the client (from the snapshots before and after them), and the state of a room that the player enters.
//!
//! The player's turn is signalled while the terminal is not focused. A terminal that has not reported its focus, such
//! as a terminal in tmux, counts as focused until the player has pressed no key for some seconds. Otherwise such a
//! terminal would ring at every move. Only the full screen requests focus reports.
//!
//! In a public room, a waiting bot of the server may take an absent opponent's seat immediately. A bot of this program
//! would only race with the server's bot, so this program starts its bot only if no other bot has come.

use noughts_protocol::wire::{RejectCode, RequestBody, SessionRequest};
use noughts_protocol::{Event, Game, Phase, Seat, Status};

use crate::engine::Level;
use crate::facts::{Ending, NextMove, Notification, PendingRequest, Unavailable};
use crate::model::{GameView, Mode, Model, Motion, RoomView, Session, SessionGoal, SubstituteCall};
use crate::settings::{BellMode, BoardPrinting};
use crate::update::game::queries;
use crate::update::message::{Effect, Effects};

/// Reports that an invited bot failed while the player still waits for it.
pub(in crate::update) fn on_bot_exited(model: &mut Model, failed: bool, out: &mut Effects) {
    if on_own_bot_exited(model, out) {
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
            Notification::BotInvited { .. }
            | Notification::SubstituteCalled
            | Notification::BotFailed,
        ) = model.notification
    {
        // The bot has arrived, so the status line about its invitation is out of date.
        model.notification = None;
    }
    if let Event::Moved { .. } = event
        && let Some(
            Notification::Illegal { .. }
            | Notification::Unavailable(_)
            | Notification::PuzzleMistake { .. }
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
    let (now, has_motion) = (model.now, model.has_motion());
    let Some(view) = model.game_view_mut() else {
        return;
    };
    // Either a mark falls, or a line lights up. Both at the same time would hide the mark that completes the line.
    let moves = match event {
        Event::Moved { .. } => view.game.rules().gravity(),
        Event::Ended { outcome, .. } => outcome.line().is_some() && !view.game.rules().gravity(),
        Event::Opened { .. }
        | Event::Seated { .. }
        | Event::Started { .. }
        | Event::Offered { .. }
        | Event::Declined { .. }
        | Event::TakenBack { .. }
        | Event::Closed { .. } => false,
    };
    if let Event::Moved { .. }
    | Event::Ended { .. }
    | Event::TakenBack { .. }
    | Event::Started { .. } = event
    {
        view.motion = (moves && has_motion).then(|| Motion::start(now));
    }
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
        end_substitute_call(room);
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

/// Prints the board in line mode, if the player wants it: at each turn of a person at this terminal, at the end of a
/// game, and for spectators after each move.
pub(in crate::update) fn print_board(model: &mut Model, out: &mut Effects) {
    if model.settings.board != BoardPrinting::Always || !matches!(model.mode, Mode::Line { .. }) {
        return;
    }
    let Some(view) = model.game_view() else {
        return;
    };
    let is_finished = view.game.position().status() != Status::Ongoing;
    let is_wanted = match view.game.phase() {
        // The end of the game follows immediately.
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

/// Returns the notification for an event; `None` for events that the player has caused or already knows.
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
            cell: rules.cell_text(*cell),
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
        Event::Ended { outcome, .. } => Some(Notification::Over {
            ending: Ending {
                outcome: outcome.clone(),
                rules,
            },
            players: view.players()?,
            score: view.game.score(),
        }),
        Event::Closed { reason } => Some(Notification::Closed { reason: *reason }),
    }
}

pub(in crate::update) fn started_notification(view: &GameView) -> Option<Notification> {
    Some(Notification::Started {
        game: view.game.number(),
        rules: *view.game.rules(),
        players: view.players()?,
        next: next_move(view),
    })
}

/// Returns the side to move. After the move that ends the game, no side is to move, although its `Ended` event comes
/// later.
pub(super) fn next_move(view: &GameView) -> NextMove {
    match view.game.position().status() {
        Status::Ongoing => view.next_move(),
        Status::Won(_) | Status::Drawn => NextMove::Other,
    }
}

/// Updates the view of the game that has replaced `before`. Reports the difference as its events would have been
/// reported.
pub(in crate::update) fn report(model: &mut Model, before: &Game, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let is_next_game = view.game.number() != before.number();
    if is_next_game {
        view.on_game_started();
        if let Some(room) = view.room_mut() {
            room.lag = [None; 2];
        }
    }
    let ended = view
        .game
        .outcome()
        .filter(|_| is_next_game || before.outcome().is_none())
        .cloned();
    if let Some(outcome) = &ended {
        view.on_game_ended(outcome, now);
    }
    let notifications = notifications(before, view);
    if notifications.is_empty() {
        return;
    }
    if view.game.phase() != Phase::Playing || is_next_game {
        // An answer would be about another game.
        model.close_question();
    }
    for notification in notifications {
        out.notify(model, notification);
    }
    print_board(model, out);
    if ended.is_some()
        && model
            .game_view()
            .is_some_and(|view| view.own_seat().is_some() && !view.has_opponent_left())
    {
        out.notify(model, Notification::PlayAgain);
    }
}

fn notifications(before: &Game, view: &GameView) -> Vec<Notification> {
    let game = &view.game;
    let (rules, is_next_game) = (*game.rules(), game.number() != before.number());
    let (old, moves) = (before.position().moves(), game.position().moves());
    let common = old
        .iter()
        .zip(moves)
        .take_while(|(old, new)| old == new)
        .count();
    let known = if is_next_game { 0 } else { common };
    // Only the last report names the player to move.
    let next_after = |ply: usize| {
        if ply == moves.len() {
            next_move(view)
        } else {
            NextMove::Other
        }
    };
    let mut notifications = Vec::new();
    if is_next_game {
        let started = view.players().map(|players| Notification::Started {
            game: game.number(),
            rules,
            players,
            next: next_after(0),
        });
        notifications.extend(started);
    } else {
        let is_new = |seat: &Seat| game.player(*seat) != before.player(*seat);
        let players = Seat::ALL
            .into_iter()
            .filter(is_new)
            .filter_map(|seat| view.player_ref(seat));
        notifications.extend(players.filter(|who| !who.you).map(Notification::Seated));
        if known < old.len() {
            let plies = u8::try_from(old.len() - known).unwrap_or(u8::MAX);
            notifications.push(Notification::TakenBack {
                plies,
                next: next_after(known),
            });
        }
    }
    notifications.extend(
        moves
            .iter()
            .enumerate()
            .skip(known)
            .filter_map(|(ply, &cell)| {
                let who = view.player_ref(Seat::ALL[ply % 2])?;
                Some(Notification::Moved {
                    who,
                    cell: rules.cell_text(cell),
                    next: next_after(ply + 1),
                })
            }),
    );
    let outcome = game
        .outcome()
        .filter(|_| is_next_game || before.outcome().is_none());
    notifications.extend(outcome.zip(view.players()).map(|(outcome, players)| {
        Notification::Over {
            ending: Ending {
                outcome: outcome.clone(),
                rules,
            },
            players,
            score: game.score(),
        }
    }));
    let close_reason = game
        .close_reason()
        .filter(|_| before.close_reason().is_none());
    notifications.extend(close_reason.map(|reason| Notification::Closed { reason }));
    notifications
}

pub(in crate::update) fn is_own_turn(model: &Model) -> bool {
    model
        .game_view()
        .is_some_and(|view| view.own_seat().is_some() && view.can_move())
}

/// Removes the report that it is not the player's turn when the turn has come.
pub(in crate::update) fn clear_turn_report(model: &mut Model) {
    let is_about_turn = match &model.notification {
        Some(Notification::Illegal { reject, .. } | Notification::Rejected { reject, .. }) => {
            reject.code == RejectCode::NotYourTurn
        }
        Some(Notification::Unavailable(reason)) => *reason == Unavailable::BotMoves,
        Some(_) | None => false,
    };
    if is_about_turn && is_own_turn(model) {
        model.notification = None;
    }
}

/// Time after a key press, in milliseconds, while a terminal that has not reported its focus counts as focused.
const IDLE_MS: u64 = 10_000;

/// Signals the player's turn if the terminal is not focused. Called when it may have become the player's turn.
pub(in crate::update) fn ring_if_unfocused(model: &Model, out: &mut Effects) {
    let bell = model.settings.bell;
    let is_idle = model.now >= model.last_input_at + IDLE_MS;
    let is_focused = model.focused.unwrap_or(!is_idle);
    if model.mode == Mode::Full && !is_focused && bell != BellMode::Off && is_own_turn(model) {
        out.push(Effect::RingBell(bell));
    }
}

/// Reports the displayed room when the player enters it.
pub(in crate::update) fn notify_arrival(model: &mut Model, out: &mut Effects) {
    let (Some(view), Some(session)) = (model.game_view(), &model.session) else {
        return;
    };
    for notification in arrival_notifications(view, session) {
        out.notify(model, notification);
    }
}

/// Returns the notifications when the player enters a room.
fn arrival_notifications(view: &GameView, session: &Session) -> Vec<Notification> {
    let game = &view.game;
    let (rules, clock) = (*game.rules(), game.control());
    let waiting_for_a_bot = matches!(session.goal, SessionGoal::Create { bot: Some(_), .. });
    match (game.phase(), view.room()) {
        // The bot's invitation is reported next.
        (Phase::Waiting, Some(_)) if waiting_for_a_bot => Vec::new(),
        (Phase::Waiting, Some(room)) if room.seat.is_some() => {
            vec![Notification::Invite {
                server: session.invite_server().clone(),
                room: room.room_ref(),
                rules,
                clock,
            }]
        }
        (Phase::Playing, Some(room)) if game.position().ply() == 0 && room.seat.is_some() => {
            started_notification(view).into_iter().collect()
        }
        (Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed, room) => {
            let players = Seat::ALL.map(|seat| game.player(seat).cloned());
            let seat = room.and_then(|room| room.seat);
            let mut notifications = vec![Notification::Joined {
                rules,
                clock,
                players,
                seat,
                next: view.next_move(),
            }];
            // A player who returns to a finished game needs its result. The room may close before a spectator has
            // looked.
            if let Some((outcome, players)) = game.outcome().zip(view.players()) {
                notifications.push(Notification::Over {
                    ending: Ending {
                        outcome: outcome.clone(),
                        rules,
                    },
                    players,
                    score: game.score(),
                });
            }
            notifications
        }
    }
}

/// Time for a waiting bot of the server to take the seat, in milliseconds.
const RESIDENT_BOT_WAIT_MS: u64 = 2000;

/// Asks the server to open the absent opponent's seat to bots. The server decides.
pub(in crate::update) fn request_substitute(model: &mut Model, level: Level, out: &mut Effects) {
    let call = model
        .game_view()
        .and_then(GameView::room)
        .and_then(|room| room.substitute);
    match call {
        // The seat is already open.
        Some(call) => notify_substitute_call(model, call, out),
        None => {
            let request = RequestBody::Session(SessionRequest::Substitute { end: false });
            out.send(request, Some(PendingRequest::Bot(level)));
        }
    }
}

/// Waits for a bot to take the absent opponent's seat, which the server has opened. The server's bots only know public
/// rooms.
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
        notify_substitute_call(model, call, out);
    }
    start_own_bot_if_due(model, out);
}

fn notify_substitute_call(model: &mut Model, call: SubstituteCall, out: &mut Effects) {
    let notification = match call.own_bot_at {
        Some(_) => Notification::SubstituteCalled,
        None => Notification::BotInvited { level: call.level },
    };
    out.notify(model, notification);
}

/// Starts a bot of this program when the time for a bot of the server is over.
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
    room.has_own_bot = true;
    let Some(session) = &model.session else {
        return;
    };
    out.push(Effect::InviteBot {
        server: session.server.clone(),
        room: reference,
        level,
    });
    out.notify(model, Notification::BotInvited { level });
}

/// Ends the wait for a substitute, because the seat is taken, its player is back, or the game is over.
pub(in crate::update) fn end_substitute_call(room: &mut RoomView) {
    room.substitute = None;
}

/// Closes the seat again if the bot of this program has ended before it took the seat. Returns `false` if no such bot
/// was expected.
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

#[cfg(test)]
mod tests {
    use crate::input::{Input, Key};
    use crate::model::Mode;
    use crate::settings::BellMode;
    use crate::update::tests::{SCRIPT, TestPlayer, TestRoom};
    use crate::update::{Effect, Msg};

    /// Plays a game until it has been X's turn twice, and checks the number of signals.
    fn check(mode: Mode, bell: BellMode, focus: &[bool], expected: usize) {
        let mut host = TestRoom::in_game("3x3:3", None);
        let mut player = TestPlayer::seated(mode, &host);
        player.model.settings.bell = bell;
        for &focused in focus {
            player.feed(Msg::Input(Input::Focus(focused)));
        }
        player.receive_moves(&mut host, &["b2", "a1", "c1", "b1"]);
        let signals = player.count_effects(|effect| matches!(effect, Effect::RingBell(_)));
        assert_eq!(signals, expected, "{mode:?} {bell:?} {focus:?}");
    }

    #[test]
    fn only_an_unfocused_full_screen_rings() {
        check(Mode::Full, BellMode::TerminalBell, &[false], 2);
        check(Mode::Full, BellMode::Notify, &[false], 2);
        check(Mode::Full, BellMode::Off, &[false], 0);
        check(Mode::Full, BellMode::TerminalBell, &[false, true], 0);
        // A terminal that does not report its focus counts as focused while the player presses keys.
        check(Mode::Full, BellMode::TerminalBell, &[], 0);
        check(SCRIPT, BellMode::TerminalBell, &[false], 0);
    }

    #[test]
    fn a_terminal_without_reports_rings_after_some_seconds_without_a_key() {
        let mut host = TestRoom::in_game("3x3:3", None);
        let mut player = TestPlayer::seated(Mode::Full, &host);
        player.receive_message(host.play("b2"));
        for (idle_ms, signals) in [(9_000, 0), (10_000, 1)] {
            player.press(&[Key::Up]);
            player.advance(idle_ms);
            player.receive_moves(
                &mut host,
                if signals == 0 { &["a1", "c1"] } else { &["a3"] },
            );
            let rung = player.count_effects(|effect| matches!(effect, Effect::RingBell(_)));
            assert_eq!(rung, signals, "{idle_ms} ms");
        }
    }
}
