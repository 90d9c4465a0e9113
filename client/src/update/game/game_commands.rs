//! The player's commands in a game, which are sent to the server or decided locally, and the moves of bots in a local
//! game.

use noughts_protocol::wire::{
    Claim, Phrase, Reject, RejectCode, RequestBody, RoomCommand, SessionRequest,
};
use noughts_protocol::{Cell, Event, Game, Offer, Outcome, Phase, Seat, Seq, Status};

use crate::engine::Level;
use crate::engines::player_engine::BestMove;
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::{Failure, Notification, PendingRequest, Unavailable};
use crate::model::local_game::{
    self, LocalGame, LocalPlayer, LocalSetup, SearchId, SeatAssignment, decide,
};
use crate::model::{GameHost, GameView, Mode, Model, PendingMove, Screen, Stage};
use crate::puzzle::{PuzzleGame, PuzzleProgress};
use crate::update::game::event_effects;
use crate::update::message::{Effect, Effects};

/// Plays a move, or reports why it is illegal. The check uses the client's copy of the game. The board changes when the
/// event arrives. The cursor moves to the cell.
pub(in crate::update) fn play_move(model: &mut Model, cell: Cell, out: &mut Effects) {
    if let Some(view) = model.game_view_mut() {
        view.cursor = cell;
    }
    match check_move(model, cell) {
        Ok((seat, cell, seq)) => {
            execute_command(
                model,
                seat,
                RoomCommand::Move { cell, seq },
                PendingRequest::Move(cell),
                out,
            );
        }
        Err(notification) => out.notify(model, *notification),
    }
}

/// Returns the seat, the cell where the stone comes to rest, and the number of the last event.
fn check_move(model: &Model, cell: Cell) -> Result<(Seat, Cell, Seq), Box<Notification>> {
    let unavailable = |reason| Box::new(Notification::Unavailable(reason));
    let view = model
        .game_view()
        .ok_or_else(|| unavailable(Unavailable::NoBoard))?;
    let seat = view
        .acting_seat()
        .ok_or_else(|| unavailable(Unavailable::Watching))?;
    if view.pending_move.is_some() {
        return Err(unavailable(Unavailable::Pending));
    }
    if let GameHost::Local(local) = &view.host
        && view.game.phase() == Phase::Playing
        && *local.player(view.game.position().turn()) != LocalPlayer::Person
    {
        return Err(unavailable(Unavailable::BotMoves));
    }
    let to_notification = |illegal| {
        Box::new(Notification::Illegal {
            reject: Reject::from(illegal),
            cell: model.cell_name(view.game.rules(), cell),
        })
    };
    let landing = view.game.check_move(seat, cell).map_err(to_notification)?;
    Ok((seat, landing, view.game.seq()))
}

/// Resigns. Before both players have moved, a person on a server instead ends the game without a result.
pub(in crate::update) fn resign(model: &mut Model, out: &mut Effects) {
    if model.can_abort() {
        abort(model, out);
    } else {
        send_as_acting_seat(model, RoomCommand::Resign, PendingRequest::Resign, out);
    }
}

/// Ends a game before both players have moved.
pub(in crate::update) fn abort(model: &mut Model, out: &mut Effects) {
    send_as_acting_seat(model, RoomCommand::Abort, PendingRequest::Abort, out);
}

/// Makes an offer. If the opponent has made the same offer, accepts it.
pub(in crate::update) fn offer(model: &mut Model, offer: Offer, out: &mut Effects) {
    if let Some(notification) = check_bot_accepts(model, offer) {
        out.notify(model, notification);
        return;
    }
    send_as_acting_seat(
        model,
        RoomCommand::Offer { offer },
        PendingRequest::Offer(offer),
        out,
    );
}

/// Returns a notification if a local bot declines the offer.
fn check_bot_accepts(model: &Model, offer: Offer) -> Option<Notification> {
    let view = model.game_view()?;
    let GameHost::Local(local) = &view.host else {
        return None;
    };
    let bot = view.own_seat()?.other();
    if local.puzzle().is_some() {
        return Some(Notification::Unavailable(Unavailable::InPuzzle));
    }
    (offer == Offer::Draw && view.game.phase() == Phase::Playing && !local.would_accept_draw(bot))
        .then_some(Notification::Unavailable(Unavailable::BotPlaysOn))
}

/// Accepts this offer, or the only offer. After a game, offers or accepts a rematch.
pub(in crate::update) fn accept(model: &mut Model, which: Option<Offer>, out: &mut Effects) {
    if let Some(view) = model.game_view()
        && view.game.phase() == Phase::Over
        && which.is_none_or(|which| which == Offer::Rematch)
    {
        offer(model, Offer::Rematch, out);
        return;
    }
    match pending_offer(model, which) {
        Ok(offer) => {
            send_as_acting_seat(
                model,
                RoomCommand::Accept { offer },
                PendingRequest::Accept(offer),
                out,
            );
        }
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Declines this offer, or the only offer. If there is nothing to decline, withdraws the player's own offer.
pub(in crate::update) fn decline(model: &mut Model, which: Option<Offer>, out: &mut Effects) {
    let own_offer = model.game_view().and_then(|view| {
        let seat = view.own_seat()?;
        Offer::ALL
            .into_iter()
            .find(|&offer| view.game.offered_by(offer) == Some(seat))
    });
    match pending_offer(model, which).or_else(|reason| own_offer.ok_or(reason)) {
        Ok(offer) => {
            send_as_acting_seat(
                model,
                RoomCommand::Decline { offer },
                PendingRequest::Decline(offer),
                out,
            );
        }
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Returns the opponent's offer that matches `which`.
fn pending_offer(model: &Model, which: Option<Offer>) -> Result<Offer, Unavailable> {
    let view = model.game_view().ok_or(Unavailable::NoBoard)?;
    let opponent = view.opponent().ok_or(Unavailable::NoOffer)?;
    let mut pending = Offer::ALL.into_iter().filter(|&offer| {
        view.game.offered_by(offer) == Some(opponent) && which.is_none_or(|which| which == offer)
    });
    match (pending.next(), pending.next()) {
        (Some(offer), None) => Ok(offer),
        (Some(_), Some(_)) => Err(Unavailable::WhichOffer),
        (None, _) => Err(Unavailable::NoOffer),
    }
}

/// Claims a result in a game that the opponent has abandoned.
pub(in crate::update) fn claim(model: &mut Model, result: Claim, out: &mut Effects) {
    let online = model.game_view().is_some_and(|view| view.room().is_some());
    if online {
        send_as_acting_seat(
            model,
            RoomCommand::Claim { result },
            PendingRequest::Claim,
            out,
        );
    } else {
        out.notify(model, Notification::Unavailable(Unavailable::NotClaimable));
    }
}

/// Reports to the server that the opponent's time is up.
pub(in crate::update) fn flag(model: &mut Model, out: &mut Effects) {
    send_as_acting_seat(model, RoomCommand::Flag, PendingRequest::Flag, out);
}

/// Starts a bot that joins the room of the waiting player.
pub(in crate::update) fn invite_bot(model: &mut Model, level: Option<Level>, out: &mut Effects) {
    let level = level.unwrap_or(model.settings.level);
    if model.absent_opponent().is_some() {
        return event_effects::request_substitute(model, level, out);
    }
    let waiting = |view: &&GameView| view.game.phase() == Phase::Waiting;
    let room = model
        .game_view()
        .filter(waiting)
        .and_then(GameView::room)
        .map(|room| room.room_ref());
    match (room, &model.session) {
        (Some(room), Some(session)) => {
            out.push(Effect::InviteBot {
                server: session.server.clone(),
                room,
                level,
            });
            if let Some(room) = model.game_view_mut().and_then(GameView::room_mut) {
                room.has_own_bot = true;
            }
            out.notify(model, Notification::BotInvited { level });
        }
        (None, _) | (Some(_), None) => {
            out.notify(model, Notification::Unavailable(Unavailable::NotWaiting));
        }
    }
}

/// Says a phrase to the other members of the room.
pub(in crate::update) fn say(model: &mut Model, phrase: Phrase, out: &mut Effects) {
    if !model.can_say() {
        return out.notify(model, Notification::Unavailable(Unavailable::OnlyOnAServer));
    }
    let request = RequestBody::Session(SessionRequest::Say { phrase });
    out.send(request, Some(PendingRequest::Say));
}

/// Copies the link or the command that lets a friend join the player's room.
pub(in crate::update) fn copy_invite(model: &mut Model, as_command: bool, out: &mut Effects) {
    let room = model
        .game_view()
        .and_then(GameView::room)
        .map(|room| room.room_ref());
    let (Some(room), Some(session)) = (room, &model.session) else {
        return out.notify(model, Notification::Unavailable(Unavailable::OnlyOnAServer));
    };
    let (texts, server) = (model.lang().texts(), session.invite_server());
    let text = if as_command {
        texts.join_command(server, room)
    } else {
        texts.room_link(server, room)
    };
    out.push(Effect::Copy(text));
    out.notify(model, Notification::Copied);
}

/// Shows or hides the QR code of the player's room.
pub(in crate::update) fn toggle_qr(model: &mut Model) {
    if let Some(room) = model.game_view_mut().and_then(|view| view.room_mut()) {
        room.is_qr_shown = !room.is_qr_shown;
    }
}

/// Hides or shows the other players' phrases in this room.
pub(in crate::update) fn toggle_mute(model: &mut Model, out: &mut Effects) {
    let room = model.game_view_mut().and_then(|view| view.room_mut());
    let Some(room) = room else {
        return out.notify(model, Notification::Unavailable(Unavailable::OnlyOnAServer));
    };
    room.is_muted = !room.is_muted;
    let is_muted = room.is_muted;
    out.notify(model, Notification::Muted { on: is_muted });
}

/// Executes a command for the seat that may give it.
fn send_as_acting_seat(
    model: &mut Model,
    command: RoomCommand,
    request: PendingRequest,
    out: &mut Effects,
) {
    let seat = match model.game_view() {
        None => Err(Unavailable::NoBoard),
        Some(view) => seat_for_command(view, command).ok_or(Unavailable::Watching),
    };
    match seat {
        Ok(seat) => execute_command(model, seat, command, request, out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Returns the seat that gives a command. With two people at one terminal, the side that has just moved takes back, and
/// the side to move offers a rematch.
fn seat_for_command(view: &GameView, command: RoomCommand) -> Option<Seat> {
    let is_two_player_terminal =
        matches!(&view.host, GameHost::Local(local) if local.sole_person().is_none());
    let turn = view.game.position().turn();
    match command {
        RoomCommand::Offer {
            offer: Offer::Takeback,
        } if is_two_player_terminal => view.acting_seat().map(Seat::other),
        RoomCommand::Offer {
            offer: Offer::Rematch,
        } if is_two_player_terminal => Some(turn),
        RoomCommand::Offer { .. }
        | RoomCommand::Move { .. }
        | RoomCommand::Resign
        | RoomCommand::Accept { .. }
        | RoomCommand::Decline { .. }
        | RoomCommand::Claim { .. }
        | RoomCommand::Flag
        | RoomCommand::Abort => view.acting_seat(),
    }
}

fn execute_command(
    model: &mut Model,
    seat: Seat,
    command: RoomCommand,
    request: PendingRequest,
    out: &mut Effects,
) {
    let is_offline =
        matches!(&model.session, Some(session) if matches!(session.stage, Stage::Terminated(_)));
    let Some(view) = model.game_view_mut() else {
        return;
    };
    match &view.host {
        GameHost::Server(_) if is_offline => {
            out.notify(model, Notification::Unavailable(Unavailable::Offline));
        }
        GameHost::Server(room) if room.gone_since.is_some() => {
            out.notify(
                model,
                Notification::Rejected {
                    asked: Some(request),
                    reject: RejectCode::UnknownRoom.into(),
                },
            );
        }
        GameHost::Server(_) => {
            if let RoomCommand::Move { cell, .. } = command {
                view.pending_move = Some(PendingMove { cell });
            }
            out.send(RequestBody::Command(command), Some(request));
        }
        GameHost::Local(local) if !is_right_move(local, &view.game, command) => {
            on_puzzle_mistake(model, out);
        }
        GameHost::Local(_) => match decide(&view.game, seat, command) {
            Ok(events) => apply_events(model, events, out),
            Err(reject) => out.notify(
                model,
                Notification::Rejected {
                    asked: Some(request),
                    reject,
                },
            ),
        },
    }
}

/// Delay of a bot's move on the full screen in milliseconds, so that the player sees the move appear.
const BOT_MOVE_DELAY_MS: u64 = 250;
/// Delay of a bot's move in a game between two bots, in milliseconds.
const BOT_GAME_MOVE_DELAY_MS: u64 = 700;

/// Starts a local game.
pub(in crate::update) fn open_local_game(model: &mut Model, setup: &LocalSetup, out: &mut Effects) {
    let swap = match setup.seat_assignment {
        SeatAssignment::AsGiven => false,
        SeatAssignment::Random => model.next_random() >> 63 == 1,
    };
    let (game, local) = LocalGame::open(setup, swap, model.lang(), model.now);
    let view = GameView::new(game, GameHost::Local(local));
    let notification = event_effects::started_notification(&view);
    model.screen = Screen::Game(Box::new(view));
    model.notification = None;
    if let Some(notification) = notification {
        out.notify(model, notification);
    }
    event_effects::notify_hint(model, out);
    continue_game(model, out);
}

/// Starts the puzzle of the day.
pub(in crate::update) fn open_puzzle(model: &mut Model, out: &mut Effects) {
    let puzzle = model.puzzle_of_today();
    let task = Notification::Puzzle(puzzle.task());
    let own = model.settings.name.clone();
    let (game, local) = LocalGame::open_puzzle(puzzle, own, model.lang(), model.now);
    let mut view = GameView::new(game, GameHost::Local(local));
    // A puzzle is not stored, because own games are games between two players.
    view.is_kept = true;
    model.screen = Screen::Game(Box::new(view));
    model.notification = None;
    out.notify(model, task);
    event_effects::notify_hint(model, out);
    event_effects::print_board(model, out);
}

/// Returns whether a move keeps the win of the puzzle. Every command is right outside a puzzle.
fn is_right_move(local: &LocalGame, game: &Game, command: RoomCommand) -> bool {
    match (local.puzzle(), command) {
        (Some(PuzzleGame { puzzle, .. }), RoomCommand::Move { cell, .. }) => {
            puzzle.is_right(game.position(), cell)
        }
        _ => true,
    }
}

/// Counts a wrong move of a puzzle. The position does not change.
fn on_puzzle_mistake(model: &mut Model, out: &mut Effects) {
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let ply = view.game.position().ply();
    let GameHost::Local(local) = &mut view.host else {
        return;
    };
    if let Some(PuzzleGame { puzzle, progress }) = local.puzzle_mut() {
        progress.on_mistake();
        let (progress, moves) = (*progress, puzzle.moves_left(ply));
        keep_progress(model, progress, out);
        out.notify(model, Notification::PuzzleMistake { moves });
    }
}

/// Records the end of a puzzle and reports it.
fn on_puzzle_end(model: &mut Model, out: &mut Effects) {
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let winner = view.game.outcome().and_then(Outcome::winner);
    if let GameHost::Local(local) = &mut view.host
        && let Some(game) = local.puzzle_mut()
    {
        if winner == Some(game.puzzle.seat()) {
            game.progress.on_solved();
        } else {
            game.progress.on_given_up();
        }
    }
    let ended = model.game_view().and_then(GameView::puzzle).map(|game| {
        let name = |cell| model.cell_name(&game.puzzle.rules, cell);
        (game.progress, game.result(name))
    });
    if let Some((progress, result)) = ended {
        keep_progress(model, progress, out);
        out.notify(model, Notification::PuzzleOver(result));
    }
}

fn keep_progress(model: &mut Model, progress: PuzzleProgress, out: &mut Effects) {
    model.last_choices.puzzle = Some(progress);
    out.push(Effect::SavePuzzleProgress(progress));
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
        // The searched position is out of date.
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
        event_effects::on_event(model, &event, out);
    }
    continue_game(model, out);
}

/// Starts a search if a bot is to move. After the end of the game, offers a rematch.
fn continue_game(model: &mut Model, out: &mut Effects) {
    let seed = model.next_random();
    let (now, mode) = (model.now, model.mode);
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let GameHost::Local(local) = &mut view.host else {
        return;
    };
    let (turn, ply) = (view.game.position().turn(), view.game.position().ply());
    match view.game.phase() {
        Phase::Playing if *local.player(turn) == LocalPlayer::Puzzle && !local.is_thinking() => {
            let reply = local
                .puzzle()
                .and_then(|game| game.puzzle.line_move(ply))
                // In misère the line ends before the last reply: each reply completes a line.
                .or_else(|| view.game.position().legal_moves().next());
            if let Some(reply) = reply {
                local.choose_reply(reply, now + reply_delay(mode));
                play_scheduled_move(model, out);
            }
        }
        Phase::Over if local.puzzle().is_some() => on_puzzle_end(model, out),
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

/// Returns the delay of the reply of a puzzle.
fn reply_delay(mode: Mode) -> u64 {
    match mode {
        Mode::Full => 2 * BOT_MOVE_DELAY_MS,
        Mode::Line { .. } | Mode::Json => 0,
    }
}

/// Schedules the move that a bot's search has found. A bot resigns if its engine has failed.
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
            out.notify(
                model,
                Notification::Failed(Failure::Engine { detail: error }),
            );
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

/// Plays a bot's scheduled move if it is due.
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
