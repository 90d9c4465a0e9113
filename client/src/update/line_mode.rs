//! Typed commands, and in line mode the lines that wait to be carried out.
//!
//! A person is answered at once. The lines of a script are taken in order, and a move waits until it can
//! be made, so that a script may write everything ahead. When no more lines come, the player leaves as
//! soon as there is something to say and nobody to say it.

use noughts_protocol::{Offer, Phase};

use super::{Effects, analysis, game_commands, json_commands, keys, menus, multi_watch, queries, quit};
use crate::facts::{Notification, Unavailable};
use crate::i18n::lang::Lang;
use crate::input::{DigitOrder, TextCommand, TextCommandError, json_command, text_command};
use crate::model::{GameView, MAX_QUEUED_LINES, Mode, Model, Overlay, Screen, SessionGoal, Stage};

/// A line came in. The loop reads no more than fit.
pub(super) fn queue_line(model: &mut Model, line: String) {
    if model.queued_lines.len() < MAX_QUEUED_LINES {
        model.queued_lines.push_back(line);
    }
}

/// Carries out what can be, and leaves when nothing can be any more. Called after whatever happens.
pub(super) fn process_queued_lines(model: &mut Model, out: &mut Effects) {
    let closed = model.game_view().is_some_and(|view| view.game.phase() == Phase::Closed);
    if model.mode != Mode::Full && closed && !is_quitting(out) {
        // Nothing will happen here again, and there is no board to look at.
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
        if model.game_view().is_some_and(|view| view.game.phase() == Phase::Playing) {
            out.notify(model, Notification::InputEnded);
        }
        model.return_home = false;
        multi_watch::discard_lobby(model);
        quit::leave(model, out);
    }
}

fn is_quitting(out: &Effects) -> bool {
    matches!(out.0.last(), Some(super::Effect::Quit(_)))
}

/// Whether a script's line must wait for something to happen first.
fn must_wait(model: &Model, line: &str) -> bool {
    if !model.mode.is_script() || is_json_command(model, line) {
        return false;
    }
    let parsed = parse(model, line);
    match &model.screen {
        Screen::Waiting => parsed != Ok(TextCommand::Leave),
        Screen::Game(view) => {
            let is_move = matches!(parsed, Ok(TextCommand::Move(_)) | Err(TextCommandError::InvalidCell(_)));
            view.pending_move.is_some() || (is_move && is_own_turn_expected(view))
        }
        Screen::Home { .. } | Screen::Form(_) | Screen::Lobby(_) | Screen::Replay(_) => false,
        // The lines of the game that they are about are taken in order too.
        Screen::MultiWatch(grid) => !grid.focused().model.queued_lines.is_empty(),
    }
}

/// Whether it is not this player's turn, but will be.
fn is_own_turn_expected(view: &GameView) -> bool {
    match view.game.phase() {
        Phase::Waiting => view.acting_seat().is_some(),
        Phase::Playing => view.acting_seat().is_some() && !view.can_move(),
        Phase::Over => view.own_seat().is_some_and(|own| view.game.offered_by(Offer::Rematch) == Some(own)),
        Phase::Closed => false,
    }
}

/// Whether nothing can come of staying when no more lines come: the next word would be ours.
fn is_idle(model: &Model) -> bool {
    // A person who ends the input means to go.
    if !model.mode.is_script() {
        return true;
    }
    match &model.screen {
        Screen::Home { .. } | Screen::Form(_) | Screen::Lobby(_) => true,
        Screen::Replay(_) => !model.is_analyzing,
        // Until every game has ended.
        Screen::MultiWatch(_) => false,
        Screen::Waiting => match &model.session {
            // Whether the server is there at all, and takes us, is worth knowing.
            Some(session) if matches!(session.stage, Stage::Connecting | Stage::GoalRequested) => false,
            Some(session) => match session.goal {
                SessionGoal::Seek { .. }
                | SessionGoal::Join(_)
                | SessionGoal::Browse
                | SessionGoal::Continue(_) => true,
                // The bot that comes plays first, if it has X.
                SessionGoal::Create { bot, .. } => bot.is_none(),
                SessionGoal::Watch(_) | SessionGoal::List => false,
            },
            None => true,
        },
        Screen::Game(view) => {
            let ended =
                matches!(&model.session, Some(session) if matches!(session.stage, Stage::Terminated(_)));
            let is_bot_expected = matches!(&model.session, Some(session) if matches!(session.goal, SessionGoal::Create { bot: Some(_), .. }));
            let seated = view.acting_seat().is_some();
            match view.game.phase() {
                Phase::Waiting => seated && !is_bot_expected,
                Phase::Playing => ended || (seated && view.can_move() && view.pending_move.is_none()),
                Phase::Over => (seated || view.room().is_none()) && !model.is_analyzing,
                Phase::Closed => true,
            }
        }
    }
}

/// Whether a line is an object: a program means it as things are, and so it is answered at once.
fn is_json_command(model: &Model, line: &str) -> bool {
    model.mode == Mode::Json && json_command::is_object(line)
}

fn parse(model: &Model, line: &str) -> Result<TextCommand, TextCommandError> {
    text_command::parse(line, quit::board_rules(model).as_ref(), model.settings.digit_order)
}

/// Carries a line out, whatever it is about.
fn execute_line(model: &mut Model, line: &str, out: &mut Effects) {
    if is_json_command(model, line) && !matches!(model.screen, Screen::MultiWatch(_)) {
        json_commands::execute_line(model, line, out);
        return;
    }
    let parsed = parse(model, line);
    if matches!(model.overlay, Some(Overlay::Confirmation(_))) {
        match parsed {
            Ok(TextCommand::Accept(None)) => keys::answer_confirmation(model, true, out),
            Ok(TextCommand::Decline(None)) => keys::answer_confirmation(model, false, out),
            Ok(_) | Err(_) => out.notify(model, Notification::Unavailable(Unavailable::ConfirmationRequired)),
        }
        return;
    }
    if let (Ok(TextCommand::Lang(lang)), Screen::Home { .. } | Screen::Lobby(_)) = (&parsed, &model.screen) {
        set_lang(model, *lang, out);
        return;
    }
    match &model.screen {
        Screen::Form(_) if parsed != Ok(TextCommand::Leave) => menus::fill_in_field(model, line, out),
        Screen::Home { .. } => on_home_line(model, line, parsed, out),
        Screen::Lobby(_) => on_lobby_line(model, line, parsed, out),
        Screen::MultiWatch(_) => multi_watch::on_line(model, line, out),
        Screen::Form(_) | Screen::Waiting | Screen::Game(_) | Screen::Replay(_) => match parsed {
            Ok(parsed) => execute_command(model, parsed, out),
            // An empty line is no command and no mistake.
            Err(TextCommandError::Empty) => {}
            Err(error) => out.notify(model, Notification::InvalidCommand { text: line.to_owned(), error }),
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
            out.notify(model, Notification::Menu { saved_games });
        }
        None => out.notify(model, Notification::Unavailable(Unavailable::NumberRequired)),
    }
}

/// A number takes the room with it; `w` before it watches; `g` watches several; `r` fetches the list again.
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
        menus::refresh_list(model, out);
    } else if line == "g" {
        menus::watch_all(model, out);
    } else if let (Ok(number @ 1..), Screen::Lobby(lobby)) = (number.parse::<usize>(), &mut model.screen) {
        lobby.selected = number - 1;
        menus::enter_selected_room(model, watch, out);
    } else {
        out.notify(model, Notification::Unavailable(Unavailable::NumberRequired));
    }
}

/// Carries a command out: from the command line of the full screen, or a line.
pub(super) fn execute_command(model: &mut Model, command: TextCommand, out: &mut Effects) {
    match command {
        TextCommand::Move(cell) => game_commands::play_move(model, cell, out),
        TextCommand::Board => queries::query_board(model, out),
        TextCommand::Scan(scan) => queries::query_scan(model, scan, out),
        TextCommand::Marks => queries::query_marks(model, out),
        TextCommand::Last => queries::query_last_move(model, out),
        TextCommand::Clocks => queries::query_clocks(model, out),
        TextCommand::Opponent => queries::query_opponent(model, out),
        TextCommand::Help => keys::show_help(model, out),
        TextCommand::Resign if model.mode == Mode::Full => keys::confirm_resign(model),
        TextCommand::Resign => game_commands::resign(model, out),
        TextCommand::Offer(offer) => game_commands::offer(model, offer, out),
        TextCommand::Accept(offer) => game_commands::accept(model, offer, out),
        TextCommand::Decline(offer) => decline_or_leave(model, offer, out),
        TextCommand::Claim(result) => game_commands::claim(model, result, out),
        TextCommand::Flag => game_commands::flag(model, out),
        TextCommand::InviteBot(level) => game_commands::invite_bot(model, level, out),
        TextCommand::Values => analysis::request_values(model, out),
        TextCommand::Review => analysis::request_review(model, out),
        TextCommand::DigitOrder(order) => set_digit_order(model, order, out),
        TextCommand::Lang(lang) => set_lang(model, lang, out),
        TextCommand::Save(path) => queries::save_record(model, path, out),
        TextCommand::Leave => quit::request_leave(model, out),
    }
}

/// After a game, when nothing is proposed, no means not to play again.
fn decline_or_leave(model: &mut Model, which: Option<Offer>, out: &mut Effects) {
    let over = model.game_view().is_some_and(|view| {
        let has_offer = Offer::ALL.into_iter().any(|offer| view.game.offered_by(offer).is_some());
        view.game.phase() == Phase::Over && !has_offer
    });
    if over && which.is_none() {
        quit::request_leave(model, out);
    } else {
        game_commands::decline(model, which, out);
    }
}

fn set_digit_order(model: &mut Model, order: DigitOrder, out: &mut Effects) {
    model.settings.digit_order = order;
    out.notify(model, Notification::DigitOrderChanged(order));
}

/// From now on everything is in this language.
fn set_lang(model: &mut Model, lang: Lang, out: &mut Effects) {
    model.set_lang(lang);
    out.notify(model, Notification::LanguageChanged);
}

/// Line mode tells the question that has been opened; the full screen shows it.
pub(super) fn notify_leave_confirmation(model: &mut Model, out: &mut Effects) {
    if model.mode != Mode::Full {
        out.notify(model, Notification::Unavailable(Unavailable::LeaveConfirmation));
    }
}
