//! Analysis that the player requests: evaluations of the free cells, and reviews of finished games.

use noughts_protocol::{Phase, Record};

use crate::engines::analysis::{AnalysisRequest, AnalysisResult};
use crate::facts::{Exit, Notification, Unavailable};
use crate::model::{GameHost, Mode, Model, Replay};
use crate::update::effect::{Effect, Effects};

/// Evaluates the free cells. Not available in an online game in progress, where it would be unfair.
pub(in crate::update) fn request_values(model: &mut Model, out: &mut Effects) {
    let in_replay = model
        .screen
        .as_replay()
        .map(|replay| Ok(replay.position.clone()));
    let in_game = model
        .screen
        .as_game()
        .map(|view| match (&view.host, view.game.phase()) {
            (GameHost::Local(_), Phase::Playing) => Ok(view.game.position().clone()),
            (GameHost::Server(_), Phase::Playing) => Err(Unavailable::LocalOnly),
            (
                GameHost::Local(_) | GameHost::Server(_),
                Phase::Waiting | Phase::Over | Phase::Closed,
            ) => Err(Unavailable::NoGame),
        });
    let position = in_replay.or(in_game).unwrap_or(Err(Unavailable::NoBoard));
    match position {
        Ok(position) => start_analysis(model, AnalysisRequest::Values(position), out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Evaluates each move of a finished game.
pub(in crate::update) fn request_review(model: &mut Model, out: &mut Effects) {
    let in_replay = model
        .screen
        .as_replay()
        .map(|replay| Ok(replay.record.clone()));
    let in_game = model.screen.as_game().map(|view| match view.game.phase() {
        Phase::Over | Phase::Closed => view.game.record().ok_or(Unavailable::NoGame),
        Phase::Playing => Err(Unavailable::GameInProgress),
        Phase::Waiting => Err(Unavailable::NoGame),
    });
    let record = in_replay.or(in_game).unwrap_or(Err(Unavailable::NoBoard));
    match record {
        Ok(record) => start_review(model, record, out),
        Err(reason) => out.notify(model, Notification::Unavailable(reason)),
    }
}

/// Opens the analysis of the finished game on the screen, or of the record; in an analysis, shows the next mistake.
pub(in crate::update) fn open_analysis(model: &mut Model, out: &mut Effects) {
    if model.mode != Mode::Full {
        request_review(model, out);
        return;
    }
    if let Some(replay) = model
        .screen
        .as_replay_mut()
        .filter(|replay| replay.is_analysis)
    {
        match replay.next_mistake() {
            Some(ply) => replay.go_to(ply),
            None if replay.review.is_some() => {
                let review = replay.review.clone();
                model.notification = review.map(Notification::Review);
            }
            None => request_review(model, out),
        }
        return;
    }
    if let Some(replay) = model.screen.as_replay_mut() {
        replay.is_analysis = true;
        replay.next_move_at = None;
        request_review(model, out);
        return;
    }
    let finished = model
        .game_view_mut()
        .filter(|view| matches!(view.game.phase(), Phase::Over | Phase::Closed));
    match finished.and_then(|view| Some((view.game.record()?, view))) {
        Some((record, view)) => {
            let mut replay = Replay::new(record);
            replay.is_analysis = true;
            replay.go_to(usize::MAX);
            view.analysis = Some(Box::new(replay));
            request_review(model, out);
        }
        None => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
    }
}

/// Leaves the moves that the player tries, or else the analysis. Returns false if there is no analysis.
pub(in crate::update) fn close_analysis(model: &mut Model, is_whole: bool) -> bool {
    let Some(replay) = model
        .screen
        .as_replay_mut()
        .filter(|replay| replay.is_analysis)
    else {
        return false;
    };
    if !is_whole && replay.leave_branch() {
        return true;
    }
    replay.leave_branch();
    replay.is_analysis = false;
    if let Some(view) = model.game_view_mut() {
        view.analysis = None;
    }
    true
}

pub(in crate::update) fn start_review(model: &mut Model, record: Record, out: &mut Effects) {
    start_analysis(model, AnalysisRequest::Review(Box::new(record)), out);
}

fn start_analysis(model: &mut Model, request: AnalysisRequest, out: &mut Effects) {
    model.is_analyzing = true;
    out.notify(model, Notification::AnalysisStarted);
    out.push(Effect::Analyze(request));
}

pub(in crate::update) fn on_analysis_done(
    model: &mut Model,
    result: AnalysisResult,
    out: &mut Effects,
) {
    model.is_analyzing = false;
    model.notification = None;
    match result {
        // The game is over, so there is no cell to evaluate.
        AnalysisResult::Values(None) => {
            out.notify(model, Notification::Unavailable(Unavailable::NoGame))
        }
        AnalysisResult::Values(Some(values)) => {
            model.values = Some(values.clone());
            // The position on the screen may have changed since the request.
            if model.values().is_some() {
                out.notify(model, Notification::Values(values));
            }
        }
        AnalysisResult::Review(review) => {
            // The full screen shows the position after the losing move.
            if let (Mode::Full, Some(replay)) = (model.mode, model.screen.as_replay_mut()) {
                if let Some(index) = review.losing_move().filter(|_| replay.branch_ply.is_none()) {
                    replay.go_to(index + 1);
                }
                replay.review = Some(review.clone());
            }
            out.notify(model, Notification::Review(review));
            if model.screen.as_replay().is_some() && model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
    }
}
