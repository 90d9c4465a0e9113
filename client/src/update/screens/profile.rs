//! Profiles of players, and finished games that only a server has.

use noughts_protocol::Record;
use noughts_protocol::wire::{GameId, PlayerProfile, RejectCode};

use crate::connection::server_url::ServerUrl;
use crate::facts::archive::{ArchiveAnswer, ArchiveFailure, ArchiveQuestion};
use crate::facts::{Failure, Notification, Unavailable};
use crate::model::{Mode, Model, OwnGamesScreen, Screen};
use crate::update::message::{Effect, Effects};
use crate::update::screens::own_games;

/// Opens the profile of the opponent: of the selected game, or of the finished game on the screen. Line mode and JSON
/// mode keep a game on the screen, and print the profile.
pub(in crate::update) fn open(model: &mut Model, out: &mut Effects) {
    let is_covered = model.background.is_some() && model.game_view().is_some();
    let Some(subject) = model.profile_subject().filter(|_| !is_covered) else {
        return out.notify(model, Notification::Unavailable(Unavailable::NoProfile));
    };
    out.push(Effect::AskArchive {
        server: subject.server.clone(),
        question: ArchiveQuestion::Profile(subject.identity),
    });
    model.notification = None;
    if model.screen.as_own_games().is_none() && model.mode != Mode::Full {
        return;
    }
    let covered = std::mem::replace(&mut model.screen, Screen::Waiting);
    let back = if let Screen::OwnGames(list) = covered {
        Some(Box::new(list))
    } else {
        model.background = Some(Box::new(covered));
        None
    };
    model.screen = Screen::OwnGames(OwnGamesScreen::of_player(subject, back));
}

/// Opens the profile of the opponent in the game with this one-based number in the list.
pub(in crate::update) fn open_number(model: &mut Model, number: Option<usize>, out: &mut Effects) {
    if let (Some(number), Some(games)) = (number, model.screen.as_own_games_mut()) {
        let index = number
            .checked_sub(1)
            .filter(|&index| index < games.row_count());
        let Some(index) = index else {
            return out.notify(model, Notification::Unavailable(Unavailable::Number));
        };
        games.select(index);
    }
    open(model, out);
}

/// Returns from a profile to the list that it was opened from. Returns `false` on any other screen.
pub(in crate::update) fn try_return(model: &mut Model) -> bool {
    let games = model.screen.as_own_games_mut();
    let profile = games.and_then(|games| games.profile.as_mut());
    let Some(list) = profile.and_then(|profile| profile.back.take()) else {
        return false;
    };
    model.screen = Screen::OwnGames(*list);
    model.notification = None;
    true
}

/// Shows the response of a server. If the player has left the screen that requested it, drops a list of games, a
/// record, and on the full screen a profile.
pub(in crate::update) fn on_answer(
    model: &mut Model,
    server: &ServerUrl,
    question: ArchiveQuestion,
    answer: Result<ArchiveAnswer, ArchiveFailure>,
    out: &mut Effects,
) {
    match (question, answer) {
        (ArchiveQuestion::OwnGames, Ok(ArchiveAnswer::OwnGames(games, player))) => {
            let Some(screen) = own_list_mut(&mut model.screen) else {
                return;
            };
            if let Some(player) = player {
                screen.set_server_games(server, games, player);
            }
            let first_number = Some(screen.games().len() + 1);
            let games = screen.on_server.clone();
            if !games.is_empty() {
                let listed = Notification::ServerGames {
                    games,
                    first_number,
                };
                out.notify(model, listed);
            }
        }
        // A server that keeps no games, or is not there, adds nothing to the games that this computer keeps.
        (ArchiveQuestion::OwnGames, Err(failure)) => {
            tracing::debug!(?failure, "cannot list games of the server");
        }
        (ArchiveQuestion::Profile(_), Ok(ArchiveAnswer::Profile(profile))) => {
            on_profile(model, server, profile, out);
        }
        (ArchiveQuestion::Game(game), Ok(ArchiveAnswer::Game(record))) => {
            on_record(model, server, game, *record, out);
        }
        (ArchiveQuestion::Profile(_) | ArchiveQuestion::Game(_), Err(failure)) => {
            on_failure(model, server, failure, out);
        }
        (question, Ok(answer)) => {
            tracing::warn!(?question, ?answer, "response does not match its request");
        }
    }
}

/// Returns the list of the player's own games, which a profile may cover.
fn own_list_mut(screen: &mut Screen) -> Option<&mut OwnGamesScreen> {
    let games = screen.as_own_games_mut()?;
    if games.profile.is_none() {
        return Some(games);
    }
    games.profile.as_mut()?.back.as_deref_mut()
}

fn on_profile(
    model: &mut Model,
    server: &ServerUrl,
    profile: Box<PlayerProfile>,
    out: &mut Effects,
) {
    let player = profile.player.identity;
    let games = model.screen.as_own_games_mut();
    let shown = games.filter(|games| {
        let view = games.profile.as_ref();
        view.is_some_and(|view| {
            view.subject.server == *server && Some(view.subject.identity) == player
        })
    });
    let is_selectable = shown.is_some();
    match (shown, player) {
        (Some(games), Some(player)) => {
            games.set_server_games(server, profile.games.clone(), player);
            if let Some(view) = &mut games.profile {
                view.profile = Some(profile.clone());
            }
        }
        (Some(_) | None, _) if model.mode == Mode::Full => return,
        (Some(_) | None, _) => {}
    }
    let notification = Notification::Profile {
        server: server.clone(),
        profile,
        is_selectable,
    };
    out.notify(model, notification);
}

/// Opens the analysis of the selected game.
fn on_record(
    model: &mut Model,
    server: &ServerUrl,
    game: GameId,
    record: Record,
    out: &mut Effects,
) {
    let games = model.screen.as_own_games();
    let Some(games) = games.filter(|games| games.has_selected(server, game)) else {
        return;
    };
    // The analysis shows the board from the side of the player, also in a profile of an opponent.
    let seat = games.selected_server_game().map(|game| game.seat);
    let seat = seat.filter(|_| games.profile.is_none());
    own_games::analyse_record(model, record, seat, out);
}

fn on_failure(model: &mut Model, server: &ServerUrl, failure: ArchiveFailure, out: &mut Effects) {
    let notification = match failure {
        ArchiveFailure::Rejected(reject) if reject.code != RejectCode::Unavailable => {
            Notification::Rejected {
                asked: None,
                reject,
            }
        }
        ArchiveFailure::Rejected(_) | ArchiveFailure::NoAnswer => {
            Notification::Failed(Failure::NoAnswer {
                server: server.clone(),
            })
        }
    };
    out.notify(model, notification);
}
