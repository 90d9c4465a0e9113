//! Folds messages into the model and returns effects. Only this code changes the model. It does no I/O, and the time is
//! in the model.
//!
//! [`update`] is the same fold for one game and for several games. A watched game is in a
//! [`GameSlot`](crate::model::GameSlot) with its own model. [`Msg::ForGame`] is folded into the model of the slot with
//! that index as if it were the only model. The effects of that fold are returned as [`Effect::ForGame`] with the same
//! index. Keys and input lines go to the focused slot.
//!
//! Calls go in one direction: `player_input` interprets keys and lines, and `server` interprets messages. Both call
//! `multi_watch` and the modules of `screens`, and these call `game`. No module calls back.

mod game;
mod message;
mod multi_watch;
mod player_input;
mod preview;
mod screens;
mod server;
#[cfg(test)]
pub(crate) mod tests;

use crate::facts::{Exit, Failure, Notification, PendingRequest};
use crate::model::{FormResult, Mode, Model, SessionGoal};

use game::{event_effects, game_commands, queries};
use message::Effects;
pub(crate) use message::{Effect, GameEffect, InitialAction, Msg};
use player_input::{actions, line_mode};
use screens::{menus, own_games, profile, quit, saved_game};
use server::background_session;

/// Returns the first effects of a program that starts with `action`.
pub(crate) fn initial_effects(model: &mut Model, action: InitialAction) -> Vec<Effect> {
    let mut out = Effects::new(update);
    match action {
        InitialAction::Home => screens::open_home(model, &mut out),
        InitialAction::Form(form) => screens::open_form(model, form, &mut out),
        InitialAction::Apply(form_result) => {
            let lists_saved_games = !matches!(
                form_result,
                FormResult::Local(_)
                    | FormResult::Settings(_)
                    | FormResult::Server(_, _, SessionGoal::List)
            );
            menus::apply_form_result(model, form_result, &mut out);
            if lists_saved_games {
                out.push(Effect::ListSavedGames);
            }
        }
        InitialAction::Analysis(record) => {
            screens::open_record(model, record.clone(), &mut out);
            if model.mode == Mode::Full {
                queries::start_review(model, record, &mut out);
            } else {
                out.push(Effect::Quit(Exit::Done));
            }
        }
        InitialAction::Review(record) => {
            screens::open_record(model, record.clone(), &mut out);
            queries::start_review(model, record, &mut out);
        }
        InitialAction::Puzzle => game_commands::open_puzzle(model, &mut out),
        InitialAction::Continue(game) => saved_game::resume(game, &mut out),
        InitialAction::Tv(server, games) => multi_watch::open_tv(model, server, games, &mut out),
        InitialAction::Watch(games) => multi_watch::open(model, games, &mut out),
    }
    out.list
}

/// Folds one message into the model, and returns what the loop has to do.
pub(crate) fn update(model: &mut Model, msg: Msg) -> Vec<Effect> {
    let mut out = Effects::new(update);
    let was_own_turn = event_effects::is_own_turn(model);
    let menu_before = actions::after_game_entries(model);
    if model
        .notification_until
        .is_some_and(|until| until <= model.now)
    {
        (model.notification, model.notification_until) = (None, None);
    }
    if let Some(msg) = multi_watch::route(model, msg, &mut out) {
        dispatch(model, msg, &mut out);
    }
    multi_watch::replace_finished_games(model, &mut out);
    if !model.in_multi_watch {
        preview::sync(model, &mut out);
    }
    // The finished game is stored before the resumable game is deleted.
    own_games::keep_finished(model, &mut out);
    saved_game::sync_saved_game(model, &mut out);
    line_mode::process_queued_lines(model, &mut out);
    actions::keep_after_game_selection(model, menu_before.as_deref());
    queries::sync_values(model, &mut out);
    model.sync_watched_games();
    if !was_own_turn {
        event_effects::clear_turn_report(model);
        event_effects::ring_if_unfocused(model, &mut out);
    }
    out.list
}

/// Handles a message that does not belong to a watched game.
fn dispatch(model: &mut Model, msg: Msg, out: &mut Effects) {
    match msg {
        Msg::Input(input) => player_input::on_input(model, input, out),
        // Without a session in the background, this calls `server::on_connection_event`.
        Msg::Connection(event) => background_session::on_connection_event(model, *event, out),
        Msg::HomeConnection(event) => menus::on_home_connection(model, &event, out),
        Msg::Sent { request, id } => {
            if let Some(session) = &mut model.session {
                session.track(id, request);
            }
        }
        Msg::SendFailed { request, error } => {
            if let (Some(PendingRequest::Move(_)), Some(view)) = (request, model.game_view_mut()) {
                view.pending_move = None;
            }
            out.notify(model, Notification::Unavailable(error.into()));
        }
        Msg::SearchDone { search_id, result } => {
            game_commands::on_search_done(model, search_id, result, out);
        }
        Msg::AnalysisDone(result) => queries::on_analysis_done(model, result, out),
        Msg::ServerStarted(result) => menus::on_server_started(model, result, out),
        Msg::BotExited { failed } => event_effects::on_bot_exited(model, failed, out),
        Msg::FileSaved { path, result } => queries::on_file_saved(model, path, result, out),
        Msg::SavedGamesListed(list) => saved_game::on_list_loaded(model, list, out),
        Msg::SavedGameLocked(result) => saved_game::on_resumed(model, result, out),
        Msg::SettingsChanged(result) => {
            let notification = match result {
                Ok(path) => Notification::SettingsSaved { path },
                Err(error) => Notification::Failed(Failure::SettingsNotSaved(error)),
            };
            out.notify(model, notification);
        }
        Msg::SaveGameFailed(error) => out.notify(
            model,
            Notification::Failed(Failure::NotKept { detail: error }),
        ),
        Msg::IdentityFailed(failure) => out.notify(model, Notification::Failed(failure)),
        Msg::OtherAddress { address, server } => {
            out.notify(model, Notification::OtherAddress { address, server });
        }
        Msg::GameKept(result) => own_games::on_kept(model, result, out),
        Msg::OwnGamesListed(result) => own_games::on_listed(model, result, out),
        Msg::ArchiveAnswered {
            server,
            question,
            answer,
        } => profile::on_answer(model, &server, question, answer, out),
        Msg::Tick => {
            game_commands::play_scheduled_move(model, out);
            event_effects::start_own_bot_if_due(model, out);
            let is_waiting = model.screen.is_waiting();
            let session = model.session.as_mut().filter(|_| is_waiting);
            if session.is_some_and(|session| session.take_advice(model.now)) {
                out.notify(model, Notification::NobodyCame);
            }
        }
        // `multi_watch::route` has handled it.
        Msg::ForGame { .. } => {}
        // Ctrl-C in line mode. The full screen receives it as a key.
        Msg::Signal(quit::SIGINT) if model.mode != Mode::Full => quit::interrupt(model, out),
        Msg::Signal(number) => quit::quit(model, Exit::Signal(number), out),
    }
}
