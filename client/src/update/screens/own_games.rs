//! The player's own games: stores each finished game, and handles the list where the player can analyse and delete
//! them.

use noughts_protocol::{Outcome, Record, Seat};

use crate::connection::server_url::ServerUrl;
use crate::facts::archive::ArchiveQuestion;
use crate::facts::{Confirmation, Failure, Notification, Unavailable};
use crate::io::io_error::LocalizableIoError;
use crate::io::own_games::{FinishedOwnGame, OwnGame, OwnGameList};
use crate::model::{GameView, Mode, Model, Overlay, OwnGamesScreen, Screen, Session};
use crate::update::game::queries;
use crate::update::message::{Effect, Effects};
use crate::update::screens;

/// Stores the displayed game, or the session's game behind a local game, once it has ended. Called after every message.
pub(in crate::update) fn keep_finished(model: &mut Model, out: &mut Effects) {
    let session = model.session.as_ref();
    let screens = [Some(&mut model.screen), model.background.as_deref_mut()];
    for view in screens
        .into_iter()
        .flatten()
        .filter_map(Screen::as_game_mut)
    {
        if view.is_kept {
            continue;
        }
        if let Some(mut game) = finished_game(view, view.game.outcome()) {
            view.is_kept = true;
            game.server = game.room.and_then(|_| session_server(session));
            out.push(Effect::KeepGame(Box::new(game)));
        }
    }
}

/// Stores the game that the player resigns by leaving, because the server's message about its end no longer arrives.
pub(in crate::update) fn keep_resigned(model: &mut Model, out: &mut Effects) {
    if model.can_abort() {
        return;
    }
    let server = session_server(model.session.as_ref());
    let view = model.game_view_mut();
    let own = view.as_ref().and_then(|view| view.own_seat());
    let (Some(view), Some(own)) = (view, own) else {
        return;
    };
    let resigned = Outcome::Resigned {
        winner: own.other(),
    };
    if let Some(mut game) = finished_game(view, Some(&resigned)).filter(|_| !view.is_kept) {
        view.is_kept = true;
        game.server = server;
        out.push(Effect::KeepGame(Box::new(game)));
    }
}

/// Returns the session's server, with the address that works in a link.
fn session_server(session: Option<&Session>) -> Option<ServerUrl> {
    session.map(|session| session.invite_server().clone())
}

/// Returns the game with this outcome if a person at this terminal has played it. A game that was aborted before
/// both players had moved is not kept.
fn finished_game(view: &GameView, outcome: Option<&Outcome>) -> Option<FinishedOwnGame> {
    let is_begun = view.game.position().ply() >= 2;
    let outcome = outcome.filter(|outcome| is_begun || **outcome != Outcome::Aborted)?;
    view.acting_seat()?;
    let mut record = view.game.record()?;
    record.outcome = Some(outcome.clone());
    Some(FinishedOwnGame {
        record,
        seat: view.own_seat(),
        server: None,
        room: view.room().map(|room| (room.id, view.game.number())),
    })
}

/// Remembers the stored game. The program names it when it ends.
pub(in crate::update) fn on_kept(
    model: &mut Model,
    result: Result<Box<OwnGame>, LocalizableIoError>,
    out: &mut Effects,
) {
    match result {
        Ok(game) => model.kept_game = Some(game),
        Err(error) => {
            model.kept_game = None;
            out.notify(model, Notification::Failed(Failure::GameNotKept { error }));
        }
    }
}

/// Opens the list of the player's own games.
pub(in crate::update) fn open(model: &mut Model, out: &mut Effects) {
    model.screen = Screen::OwnGames(OwnGamesScreen::default());
    model.notification = None;
    out.push(Effect::ListOwnGames);
    ask_for_own_games(model, out);
}

/// Asks for the games of the player that only the server of the settings has.
fn ask_for_own_games(model: &Model, out: &mut Effects) {
    out.push(Effect::AskArchive {
        server: model.settings.server.clone(),
        question: ArchiveQuestion::OwnGames,
    });
}

/// Asks for the record of the selected game that only a server has. Returns whether there is one.
fn try_ask_for_selected_game(model: &Model, out: &mut Effects) -> bool {
    let games = model.screen.as_own_games();
    let Some(game) = games.and_then(OwnGamesScreen::selected_server_game) else {
        return false;
    };
    out.push(Effect::AskArchive {
        server: game.server.clone(),
        question: ArchiveQuestion::Game(game.listing.game),
    });
    true
}

/// Shows the player's own games that were read.
pub(in crate::update) fn on_listed(
    model: &mut Model,
    result: Result<OwnGameList, LocalizableIoError>,
    out: &mut Effects,
) {
    let list = match result {
        Ok(list) => list,
        Err(error) => {
            return out.notify(model, Notification::Failed(Failure::OwnGames { error }));
        }
    };
    let Some(screen) = model.screen.as_own_games_mut() else {
        return;
    };
    let listed = Notification::OwnGames {
        games: list.games.clone(),
        is_selectable: true,
    };
    let damage = Notification::damaged_games(&list);
    screen.set_list(list);
    for notification in [Some(listed), damage].into_iter().flatten() {
        out.notify(model, notification);
    }
}

/// Opens the analysis of the selected game. The record of a game that only a server has is requested first.
pub(in crate::update) fn analyse_selected(model: &mut Model, out: &mut Effects) {
    if try_ask_for_selected_game(model, out) {
        return;
    }
    let games = model.screen.as_own_games();
    let selected = games.and_then(OwnGamesScreen::selected_game);
    if let Some((record, seat)) = selected.map(|game| (game.record.clone(), game.seat)) {
        analyse_record(model, record, seat, out);
    }
}

/// Opens the analysis of a game in the list. Line mode prints the game and stays in the list.
pub(in crate::update) fn analyse_record(
    model: &mut Model,
    record: Record,
    own_seat: Option<Seat>,
    out: &mut Effects,
) {
    let list = std::mem::replace(&mut model.screen, Screen::Waiting);
    screens::open_record(model, record.clone(), out);
    if model.mode == Mode::Full {
        if let Screen::OwnGames(games) = list {
            model.own_games = Some(games);
        }
        if let Some(analysis) = model.screen.as_analysis_mut() {
            analysis.own_seat = own_seat;
        }
        queries::start_review(model, record, out);
    } else {
        model.screen = list;
    }
}

/// Returns from the analysis of one of the player's own games to the list. Returns `false` on any other screen.
pub(in crate::update) fn try_return(model: &mut Model) -> bool {
    let Some(games) = model.own_games.take() else {
        return false;
    };
    model.screen = Screen::OwnGames(games);
    model.notification = None;
    true
}

/// Opens the game with this one-based number in the list, or asks whether to delete it. For a script, deletes the game
/// without a question.
pub(in crate::update) fn choose_number(
    model: &mut Model,
    number: usize,
    deletes: bool,
    out: &mut Effects,
) {
    let count = model
        .screen
        .as_own_games()
        .map_or(0, |games| match deletes {
            true => games.games().len(),
            false => games.row_count(),
        });
    let index = number.checked_sub(1).filter(|&index| index < count);
    let (Some(index), Some(games)) = (index, model.screen.as_own_games_mut()) else {
        return out.notify(model, Notification::Unavailable(Unavailable::Number));
    };
    games.select(index);
    if !deletes {
        analyse_selected(model, out);
    } else if model.mode.is_script() {
        delete_selected(model, out);
    } else {
        model.overlay = Some(Overlay::Confirmation(Confirmation::DeleteGame));
        out.notify(
            model,
            Notification::Unavailable(Unavailable::DeleteQuestion),
        );
    }
}

/// Deletes the selected game, and shows the others.
pub(in crate::update) fn delete_selected(model: &mut Model, out: &mut Effects) {
    let selected = model
        .screen
        .as_own_games()
        .and_then(OwnGamesScreen::selected_game);
    if let Some(game) = selected {
        out.push(Effect::DeleteOwnGame(game.path.clone()));
    }
}
