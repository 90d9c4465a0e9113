//! Input lines: the queue of lines, the meaning of a line on each screen, and the execution of commands that were typed
//! on the command line or in line mode, or sent as JSON.
//!
//! A person's line and a JSON command are executed immediately. The lines of a script are executed in order, and a move
//! waits for its turn, so that a script can write all its input in advance. After the end of the input, the program
//! leaves as soon as it would be the player's turn to act.

use noughts_protocol::{Offer, Phase};

use crate::facts::{Notification, Unavailable};
use crate::input::json_command;
use crate::input::{TextCommand, TextCommandError, text_command};
use crate::model::{
    GameView, MAX_QUEUED_LINES, Mode, Model, Overlay, Screen, Session, SessionGoal, Stage,
};
use crate::update::game::{game_commands, queries};
use crate::update::message::{Effect, Effects};
use crate::update::multi_watch;
use crate::update::screens::{self, confirmation, menus, own_games, profile, quit};

/// Queues an input line. The loop stops reading when the queue is full.
pub(in crate::update) fn queue_line(model: &mut Model, line: String) {
    if model.queued_lines.len() < MAX_QUEUED_LINES {
        model.queued_lines.push_back(line);
    }
}

/// Executes the queued lines that need not wait. Leaves when the room has closed or the input has ended. Called after
/// every message.
pub(in crate::update) fn process_queued_lines(model: &mut Model, out: &mut Effects) {
    let closed = model
        .game_view()
        .is_some_and(|view| view.game.phase() == Phase::Closed);
    if model.mode != Mode::Full && closed && !is_quitting(out) {
        // The room is closed, and line mode has no board to look at.
        quit::leave(model, out);
        return;
    }
    while let Some(line) = model.queued_lines.front() {
        if must_wait(model, line) || is_quitting(out) {
            return;
        }
        let line = model.queued_lines.pop_front().unwrap_or_default();
        execute_line(model, &line, out);
    }
    if model.input_ended && !is_quitting(out) && is_idle(model) {
        model.input_ended = false;
        if model
            .game_view()
            .is_some_and(|view| view.game.phase() == Phase::Playing)
        {
            out.notify(model, Notification::InputEnded);
        }
        model.return_home = false;
        multi_watch::discard_lobby(model);
        quit::leave(model, out);
    }
}

fn is_quitting(out: &Effects) -> bool {
    matches!(out.list.last(), Some(Effect::Quit(_)))
}

/// Returns whether a script's line must wait for a message, for example for the opponent's move.
fn must_wait(model: &Model, line: &str) -> bool {
    if !model.mode.is_script() || is_json_command(model, line) {
        return false;
    }
    let parsed = parse(model, line);
    if let Some(view) = model.game_view() {
        let is_move = matches!(
            parsed,
            Ok(TextCommand::Move(_)) | Err(TextCommandError::BadCell(_))
        );
        let needs_game = matches!(
            parsed,
            Ok(TextCommand::Resign
                | TextCommand::Abort
                | TextCommand::Offer(_)
                | TextCommand::Claim(_)
                | TextCommand::Flag)
        );
        let must_start =
            needs_game && view.game.phase() == Phase::Waiting && view.acting_seat().is_some();
        view.pending_move.is_some() || must_start || (is_move && is_own_turn_expected(view))
    } else if let Some(grid) = model.screen.as_multi_watch() {
        // The lines of the focused game are executed in order too.
        !grid.focused().model.queued_lines.is_empty()
    } else {
        model.screen.is_waiting() && parsed != Ok(TextCommand::Leave)
    }
}

/// Returns whether the player's turn is still to come.
fn is_own_turn_expected(view: &GameView) -> bool {
    match view.game.phase() {
        Phase::Waiting => view.acting_seat().is_some(),
        Phase::Playing => view.acting_seat().is_some() && !view.can_move(),
        Phase::Over => view
            .own_seat()
            .is_some_and(|own| view.game.offered_by(Offer::Rematch) == Some(own)),
        Phase::Closed => false,
    }
}

/// Returns whether the program can leave after the end of the input, because nothing happens without the player's
/// action.
fn is_idle(model: &Model) -> bool {
    // A person ends the input in order to leave.
    if !model.mode.is_script() {
        return true;
    }
    if let Some(view) = model.game_view() {
        is_game_idle(model, view)
    } else if model.screen.is_waiting() {
        model.session.as_ref().is_none_or(is_session_idle)
    } else if model.screen.as_analysis().is_some() {
        model.running_analysis.is_none()
    } else {
        // Several watched games continue until all of them have ended.
        model.screen.as_multi_watch().is_none()
    }
}

/// Returns whether nothing happens in a game without the player's action.
fn is_game_idle(model: &Model, view: &GameView) -> bool {
    let session = model.session.as_ref();
    let is_terminated =
        session.is_some_and(|session| matches!(session.stage, Stage::Terminated(_)));
    let is_bot_expected = session
        .is_some_and(|session| matches!(session.goal, SessionGoal::Create { bot: Some(_), .. }));
    let is_seated = view.acting_seat().is_some();
    match view.game.phase() {
        Phase::Waiting => is_seated && !is_bot_expected,
        Phase::Playing => {
            is_terminated || (is_seated && view.can_move() && view.pending_move.is_none())
        }
        Phase::Over => (is_seated || view.room().is_none()) && model.running_analysis.is_none(),
        Phase::Closed => true,
    }
}

/// Returns whether the session only waits for other players. The results of connecting and of watching do not depend on
/// other players.
fn is_session_idle(session: &Session) -> bool {
    if matches!(session.stage, Stage::Connecting | Stage::GoalRequested) {
        return false;
    }
    match session.goal {
        SessionGoal::Seek { .. }
        | SessionGoal::AcceptSeek { .. }
        | SessionGoal::Join(_)
        | SessionGoal::Browse
        | SessionGoal::Continue(_)
        | SessionGoal::Return(_) => true,
        // The invited bot may have the first move.
        SessionGoal::Create { bot, .. } => bot.is_none(),
        SessionGoal::Watch(_) | SessionGoal::List => false,
    }
}

/// Returns whether a line is a JSON command. A JSON command never waits.
fn is_json_command(model: &Model, line: &str) -> bool {
    model.mode == Mode::Json && json_command::is_object(line)
}

fn parse(model: &Model, line: &str) -> Result<TextCommand, TextCommandError> {
    text_command::parse(line, model.board_rules().as_ref(), model.settings.digits)
}

/// Executes one line on the current screen.
fn execute_line(model: &mut Model, line: &str, out: &mut Effects) {
    if is_json_command(model, line) && model.screen.as_multi_watch().is_none() {
        execute_json_line(model, line, out);
        return;
    }
    let parsed = parse(model, line);
    if matches!(model.overlay, Some(Overlay::Confirmation(_))) {
        match parsed {
            Ok(TextCommand::Accept(None)) => confirmation::answer(model, true, out),
            Ok(TextCommand::Decline(None)) => confirmation::answer(model, false, out),
            Ok(_) | Err(_) => out.notify(model, Notification::Unavailable(Unavailable::YesOrNo)),
        }
        return;
    }
    match &model.screen {
        Screen::Form(_) if parsed != Ok(TextCommand::Leave) => {
            menus::fill_in_field(model, line, out);
        }
        Screen::Home { .. } => on_home_line(model, line, parsed, out),
        Screen::Lobby(_) => on_lobby_line(model, line, parsed, out),
        Screen::OwnGames(_) => on_own_games_line(model, line, parsed, out),
        Screen::MultiWatch(_) => multi_watch::on_line(model, line, out),
        Screen::Form(_) | Screen::Waiting | Screen::Game(_) | Screen::Analysis(_) => match parsed {
            Ok(parsed) => execute(model, parsed, out),
            // An empty line is ignored.
            Err(TextCommandError::Empty) => {}
            Err(error) => out.notify(
                model,
                Notification::InvalidCommand {
                    text: line.to_owned(),
                    error,
                },
            ),
        },
    }
}

fn on_home_line(
    model: &mut Model,
    line: &str,
    parsed: Result<TextCommand, TextCommandError>,
    out: &mut Effects,
) {
    let number = line.trim().parse::<usize>().ok();
    match number.and_then(|number| menus::menu_item(model, number)) {
        Some(item) => menus::choose_menu_item(model, item, out),
        None if parsed == Ok(TextCommand::Leave) => quit::leave_home(model, out),
        None if line.trim().is_empty() => {
            let saved_games = model.saved_games.clone();
            out.notify(model, Notification::menu(saved_games));
        }
        None => out.notify(model, Notification::Unavailable(Unavailable::Number)),
    }
}

/// Executes a line in the room list. A number enters that room, `w` and a number watches it, `g` watches several games,
/// and `r` refreshes the list.
fn on_lobby_line(
    model: &mut Model,
    line: &str,
    parsed: Result<TextCommand, TextCommandError>,
    out: &mut Effects,
) {
    let line = line.trim();
    let (watch, number) = match line.strip_prefix("w ") {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    if parsed == Ok(TextCommand::Leave) {
        quit::leave(model, out);
    } else if line == "r" {
        screens::refresh_list(model, out);
    } else if line == "g" {
        menus::watch_all(model, out);
    } else if let (Ok(number @ 1..), Screen::Lobby(lobby)) =
        (number.parse::<usize>(), &mut model.screen)
    {
        lobby.select_room(number - 1);
        menus::enter_selected_room(model, watch, out);
    } else {
        out.notify(model, Notification::Unavailable(Unavailable::Number));
    }
}

/// Executes a line in the list of the player's own games. A number prints that game, and `d` and a number deletes it.
/// The commands for a link or a file use the game that was printed last.
fn on_own_games_line(
    model: &mut Model,
    line: &str,
    parsed: Result<TextCommand, TextCommandError>,
    out: &mut Effects,
) {
    let line = line.trim();
    let (deletes, number) = match line.strip_prefix("d ") {
        Some(rest) => (true, rest.trim()),
        None => (false, line),
    };
    match (parsed, number.parse::<usize>()) {
        (Ok(TextCommand::Leave), _) => quit::leave(model, out),
        (
            Ok(
                command @ (TextCommand::Link
                | TextCommand::Save(_)
                | TextCommand::Help
                | TextCommand::Profile(_)),
            ),
            _,
        ) => {
            execute(model, command, out);
        }
        (_, Ok(number)) => own_games::choose_number(model, number, deletes, out),
        (_, Err(_)) => out.notify(model, Notification::Unavailable(Unavailable::Number)),
    }
}

pub(in crate::update) fn execute(model: &mut Model, command: TextCommand, out: &mut Effects) {
    match command {
        TextCommand::Move(cell) => game_commands::play_move(model, cell, out),
        TextCommand::Board => queries::query_board(model, out),
        TextCommand::Scan(scan) => queries::query_scan(model, scan, out),
        TextCommand::Marks => queries::query_marks(model, out),
        TextCommand::Last => queries::query_last_move(model, out),
        TextCommand::Clocks => queries::query_clocks(model, out),
        TextCommand::Opponent => queries::query_opponent(model, out),
        TextCommand::Invite => queries::query_invite(model, out),
        TextCommand::Link => queries::query_game_link(model, out),
        TextCommand::Help => queries::query_help(model, out),
        TextCommand::Resign => game_commands::resign(model, out),
        TextCommand::Abort => game_commands::abort(model, out),
        TextCommand::Offer(offer) => game_commands::offer(model, offer, out),
        TextCommand::Accept(offer) => game_commands::accept(model, offer, out),
        TextCommand::Decline(offer) => decline_or_leave(model, offer, out),
        TextCommand::Claim(result) => game_commands::claim(model, result, out),
        TextCommand::Flag => game_commands::flag(model, out),
        TextCommand::Say(phrase) => game_commands::say(model, phrase, out),
        TextCommand::Mute => game_commands::toggle_mute(model, out),
        TextCommand::InviteBot(None) if is_search_of_person(model) => {
            menus::play_bot_instead(model, out);
        }
        TextCommand::InviteBot(level) => game_commands::invite_bot(model, level, out),
        TextCommand::Values => queries::request_values(model, out),
        TextCommand::Review => queries::request_review(model, out),
        TextCommand::Profile(number) => profile::open_number(model, number, out),
        TextCommand::Save(path) => queries::save_record(model, path, out),
        TextCommand::Leave => quit::request_leave(model, out),
        TextCommand::Answer(text) if model.screen.as_form().is_some() => {
            menus::fill_in_field(model, &text, out);
        }
        TextCommand::Choose { number, watch } => choose_number(model, number, watch, out),
        TextCommand::Delete(number) if model.screen.as_own_games().is_some() => {
            own_games::choose_number(model, number, true, out);
        }
        TextCommand::Refresh if model.screen.as_lobby().is_some() => {
            screens::refresh_list(model, out);
        }
        TextCommand::WatchAll if model.screen.as_lobby().is_some() => menus::watch_all(model, out),
        TextCommand::Answer(_)
        | TextCommand::Delete(_)
        | TextCommand::Refresh
        | TextCommand::WatchAll => {
            out.notify(model, Notification::Unavailable(Unavailable::NothingAsked));
        }
    }
}

/// Returns whether a person waits to be paired and could play against the computer meanwhile.
fn is_search_of_person(model: &Model) -> bool {
    model.is_seeking() && model.screen.is_waiting() && !model.mode.is_script()
}

/// Declines an offer. After a game without an offer, "no" declines a rematch and leaves.
fn decline_or_leave(model: &mut Model, which: Option<Offer>, out: &mut Effects) {
    let over = model.game_view().is_some_and(|view| {
        let has_offer = Offer::ALL
            .into_iter()
            .any(|offer| view.game.offered_by(offer).is_some());
        view.game.phase() == Phase::Over && !has_offer
    });
    if over && which.is_none() {
        quit::request_leave(model, out);
    } else {
        game_commands::decline(model, which, out);
    }
}

/// Executes a JSON command, or reports why it is not possible.
pub(in crate::update) fn execute_json_line(model: &mut Model, line: &str, out: &mut Effects) {
    match json_command::parse(line, model.board_rules().as_ref(), model.settings.digits) {
        Ok((command, ply)) => {
            let view = model.game_view();
            if ply.is_some_and(|ply| view.is_some_and(|view| view.game.position().ply() != ply)) {
                out.notify(model, Notification::Unavailable(Unavailable::Stale));
            } else {
                execute(model, command, out);
            }
        }
        Err(error) => out.notify(
            model,
            Notification::InvalidCommand {
                text: line.to_owned(),
                error,
            },
        ),
    }
}

/// Activates an item of the home menu or a listed room by its one-based number.
fn choose_number(model: &mut Model, number: usize, watch: bool, out: &mut Effects) {
    let unavailable = if let Some(lobby) = model.screen.as_lobby_mut() {
        if let Some(index) = number.checked_sub(1) {
            lobby.select_room(index);
            return menus::enter_selected_room(model, watch, out);
        }
        Unavailable::Number
    } else if model.screen.as_own_games().is_some() && !watch {
        return own_games::choose_number(model, number, false, out);
    } else if model.screen.is_home() && !watch {
        if let Some(item) = menus::menu_item(model, number) {
            return menus::choose_menu_item(model, item, out);
        }
        Unavailable::Number
    } else {
        Unavailable::NothingAsked
    };
    out.notify(model, Notification::Unavailable(unavailable));
}
