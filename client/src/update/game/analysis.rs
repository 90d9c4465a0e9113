//! Analysis that the player requests: evaluations of the free cells, and reviews of finished games.

use noughts_protocol::{Phase, Record};

use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::facts::{Exit, Notification, Unavailable};
use crate::model::{GameHost, Mode, Model};
use crate::update::effect::{Effect, Effects};

/// Evaluates the free cells. Not available in an online game in progress, where it would be unfair.
pub(in crate::update) fn request_values(model: &mut Model, out: &mut Effects) {
    let in_game = model.screen.as_game().map(|view| match (&view.host, view.game.phase()) {
        (GameHost::Local(_), Phase::Playing) => Ok(view.game.position().clone()),
        (GameHost::Server(_), Phase::Playing) => Err(Unavailable::LocalOnly),
        (GameHost::Local(_) | GameHost::Server(_), Phase::Waiting | Phase::Over | Phase::Closed) => {
            Err(Unavailable::NoGame)
        }
    });
    let in_replay = model.screen.as_replay().map(|replay| Ok(replay.position.clone()));
    let position = in_game.or(in_replay).unwrap_or(Err(Unavailable::NoBoard));
    match position {
        Ok(position) => start_analysis(model, AnalysisRequest::Values(position), out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Evaluates each move of a finished game.
pub(in crate::update) fn request_review(model: &mut Model, out: &mut Effects) {
    let in_game = model.screen.as_game().map(|view| match view.game.phase() {
        Phase::Over | Phase::Closed => view.game.record().ok_or(Unavailable::NoGame),
        Phase::Playing => Err(Unavailable::GameInProgress),
        Phase::Waiting => Err(Unavailable::NoGame),
    });
    let in_replay = model.screen.as_replay().map(|replay| Ok(replay.record.clone()));
    let record = in_game.or(in_replay).unwrap_or(Err(Unavailable::NoBoard));
    match record {
        Ok(record) => start_review(model, record, out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

pub(in crate::update) fn start_review(model: &mut Model, record: Record, out: &mut Effects) {
    start_analysis(model, AnalysisRequest::Review(Box::new(record)), out);
}

fn start_analysis(model: &mut Model, request: AnalysisRequest, out: &mut Effects) {
    model.is_analyzing = true;
    out.notify(model, Notification::AnalysisStarted);
    out.push(Effect::Analyze(request));
}

pub(in crate::update) fn on_analysis_done(model: &mut Model, result: AnalysisResult, out: &mut Effects) {
    model.is_analyzing = false;
    model.notification = None;
    match result {
        // The game is over, so there is no cell to evaluate.
        AnalysisResult::Values(None) => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
        AnalysisResult::Values(Some(values)) => {
            model.values = Some(values.clone());
            // The position on the screen may have changed since the request.
            if model.values().is_some() {
                out.notify(model, Notification::Values(values));
            }
        }
        AnalysisResult::Review(review) => {
            // The full screen shows the position after the losing move.
            if let (Mode::Full, Some(index), Some(replay)) =
                (model.mode, review.losing_move(), model.screen.as_replay_mut())
            {
                replay.go_to(index + 1);
            }
            out.notify(model, Notification::Review(review));
            if model.screen.as_replay().is_some() && model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
    }
}
