//! What the player wants to know of a game: asked for, and told when it is found out.

use noughts_protocol::{Phase, Record};

use super::{Effect, Out};
use crate::model::{Exit, Mode, Model, NotNow, Note, Place, Screen};
use crate::study::{Findings, Study};

/// The player wants to know the value of each free cell. On a server that would be unfair to the other.
pub(super) fn ask_values(model: &mut Model, out: &mut Out) {
    let position = match &model.screen {
        Screen::Replay(replay) => Ok(replay.position.clone()),
        Screen::Table(table) => match (&table.place, table.game.phase()) {
            (Place::Here(_), Phase::Playing) => Ok(table.game.position().clone()),
            (Place::Online(_), Phase::Playing) => Err(NotNow::LocalOnly),
            (Place::Here(_) | Place::Online(_), Phase::Waiting | Phase::Over | Phase::Closed) => {
                Err(NotNow::NoGame)
            }
        },
        Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => {
            Err(NotNow::NoBoard)
        }
    };
    match position {
        Ok(position) => begin(model, Study::Values(position), out),
        Err(why) => out.tell(model, Note::NotNow(why)),
    }
}

/// The player wants to know what each move of a finished game was worth.
pub(super) fn ask_review(model: &mut Model, out: &mut Out) {
    let record = match &model.screen {
        Screen::Replay(replay) => Ok(replay.record.clone()),
        Screen::Table(table) => match table.game.phase() {
            Phase::Over | Phase::Closed => table.game.record().ok_or(NotNow::NoGame),
            Phase::Playing => Err(NotNow::GameOn),
            Phase::Waiting => Err(NotNow::NoGame),
        },
        Screen::Home { .. } | Screen::Form(_) | Screen::Waiting | Screen::Lobby(_) | Screen::Grid(_) => {
            Err(NotNow::NoBoard)
        }
    };
    match record {
        Ok(record) => review(model, record, out),
        Err(why) => out.tell(model, Note::NotNow(why)),
    }
}

/// Begins the review of a record.
pub(super) fn review(model: &mut Model, record: Record, out: &mut Out) {
    begin(model, Study::Review(Box::new(record)), out);
}

fn begin(model: &mut Model, study: Study, out: &mut Out) {
    model.studies = true;
    out.tell(model, Note::Studying);
    out.push(Effect::Study(study));
}

/// Something was found out.
pub(super) fn found(model: &mut Model, findings: Findings, out: &mut Out) {
    model.studies = false;
    model.notice = None;
    match findings {
        // The game is over: there is no cell to value.
        Findings::Values(None) => out.tell(model, Note::NotNow(NotNow::NoGame)),
        Findings::Values(Some(values)) => {
            model.values = Some(values.clone());
            // What is on the board now may be another position.
            if model.values().is_some() {
                out.tell(model, Note::Values(values));
            }
        }
        Findings::Review(review) => {
            out.tell(model, Note::Review(review));
            if matches!(model.screen, Screen::Replay(_)) && model.mode != Mode::Full {
                out.push(Effect::Quit(Exit::Done));
            }
        }
    }
}
