//! What the player wants to know of a game: asked for, and told when it is found out.

use noughts_protocol::{Phase, Record};

use super::{Effect, Effects};
use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::facts::{Exit, Notification, Unavailable};
use crate::model::{GameHost, Mode, Model, Screen};

/// The player wants to know the value of each free cell. On a server that would be unfair to the other.
pub(super) fn request_values(model: &mut Model, out: &mut Effects) {
    let position = match &model.screen {
        Screen::Replay(replay) => Ok(replay.position.clone()),
        Screen::Game(view) => match (&view.host, view.game.phase()) {
            (GameHost::Local(_), Phase::Playing) => Ok(view.game.position().clone()),
            (GameHost::Server(_), Phase::Playing) => Err(Unavailable::LocalOnly),
            (GameHost::Local(_) | GameHost::Server(_), Phase::Waiting | Phase::Over | Phase::Closed) => {
                Err(Unavailable::NoGame)
            }
        },
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::MultiWatch(_) => Err(Unavailable::NoBoard),
    };
    match position {
        Ok(position) => start_analysis(model, AnalysisRequest::Values(position), out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// The player wants to know what each move of a finished game was worth.
pub(super) fn request_review(model: &mut Model, out: &mut Effects) {
    let record = match &model.screen {
        Screen::Replay(replay) => Ok(replay.record.clone()),
        Screen::Game(view) => match view.game.phase() {
            Phase::Over | Phase::Closed => view.game.record().ok_or(Unavailable::NoGame),
            Phase::Playing => Err(Unavailable::GameInProgress),
            Phase::Waiting => Err(Unavailable::NoGame),
        },
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::MultiWatch(_) => Err(Unavailable::NoBoard),
    };
    match record {
        Ok(record) => start_review(model, record, out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Begins the review of a record.
pub(super) fn start_review(model: &mut Model, record: Record, out: &mut Effects) {
    start_analysis(model, AnalysisRequest::Review(Box::new(record)), out);
}

fn start_analysis(model: &mut Model, request: AnalysisRequest, out: &mut Effects) {
    model.is_analyzing = true;
    out.notify(model, Notification::AnalysisStarted);
    out.push(Effect::Analyze(request));
}

/// Something was found out.
pub(super) fn on_analysis_done(model: &mut Model, result: AnalysisResult, out: &mut Effects) {
    model.is_analyzing = false;
    model.notification = None;
    match result {
        // The game is over: there is no cell to value.
        AnalysisResult::Values(None) => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
        AnalysisResult::Values(Some(values)) => {
            model.values = Some(values.clone());
            // What is on the board now may be another position.
            if model.values().is_some() {
                out.notify(model, Notification::Values(values));
            }
        }
        AnalysisResult::Review(review) => {
            out.notify(model, Notification::Review(review));
            if matches!(model.screen, Screen::Replay(_)) && model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
    }
}
