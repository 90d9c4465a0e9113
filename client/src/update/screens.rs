//! Opens screens and starts sessions. The other modules of `update` call this module.

pub(super) mod confirmation;
pub(super) mod menus;
pub(super) mod own_games;
pub(super) mod profile;
pub(super) mod quit;
pub(super) mod saved_game;

use noughts_protocol::{Name, Record};

use super::message::{Effect, Effects};
use crate::connection::server_url::ServerUrl;
use crate::facts::{Exit, Notification, PendingRequest};
use crate::i18n::lang::Lang;
use crate::model::{Analysis, Form, Mode, Model, Screen, Session, SessionGoal, Stage};

/// Opens the home menu, and reads the resumable games for it.
pub(super) fn open_home(model: &mut Model, out: &mut Effects) {
    model.return_home = true;
    model.exit = Exit::Done;
    model.lobby = None;
    model.screen = Screen::Home { selected: 0 };
    out.push(Effect::ListSavedGames);
}

/// Opens a form. Line mode asks for its first field.
pub(super) fn open_form(model: &mut Model, form: Form, out: &mut Effects) {
    model.screen = Screen::Form(form);
    model.notification = None;
    prompt_field(model, out);
}

/// Asks for the focused field of the form in line mode.
pub(super) fn prompt_field(model: &mut Model, out: &mut Effects) {
    if let (Mode::Line { .. } | Mode::Json, Some(form)) = (model.mode, model.screen.as_form()) {
        let notification = Notification::Asked {
            form: form.kind,
            field: form.field().clone(),
            choices: form.choice_labels(model.lang().texts(), form.field()),
        };
        out.notify(model, notification);
    }
}

/// Opens a record at its last position. Line mode prints the whole record.
pub(super) fn open_record(model: &mut Model, record: Record, out: &mut Effects) {
    let mut analysis = Analysis::new(record);
    analysis.go_to(usize::MAX);
    if model.mode != Mode::Full {
        let Record {
            players, outcome, ..
        } = analysis.record.clone();
        out.notify(
            model,
            Notification::Record {
                players,
                position: analysis.position.clone(),
                outcome,
            },
        );
    }
    model.screen = Screen::Analysis(Box::new(analysis));
}

/// Connects to a server for a goal, and shows that the player waits.
pub(super) fn start_session(
    model: &mut Model,
    server: ServerUrl,
    name: Name,
    goal: SessionGoal,
    out: &mut Effects,
) {
    model.screen = Screen::Waiting;
    let mut session = Session::new(server.clone(), name, goal);
    session.ended_seek = model.ended_seek;
    model.session = Some(session);
    out.push(Effect::Connect);
    out.notify(model, Notification::Connecting { server });
}

/// Requests a goal over the open connection.
pub(super) fn request_goal(model: &mut Model, goal: SessionGoal, out: &mut Effects) {
    let request = model.request_for(&goal);
    if let Some(session) = &mut model.session {
        session.goal = goal;
        session.stage = Stage::GoalRequested;
        out.send(request, Some(PendingRequest::Goal));
    }
}

/// Fetches the room list again.
pub(super) fn refresh_list(model: &mut Model, out: &mut Effects) {
    if model.session.is_some() {
        let request = model.request_for(&SessionGoal::Browse);
        out.send(request, Some(PendingRequest::Refresh));
    }
    model.notification = None;
}

/// Changes the language. A generated default name changes with it.
pub(super) fn set_lang(model: &mut Model, lang: Lang) {
    let before = std::mem::replace(&mut model.settings.lang, lang);
    if model.settings.name == before.texts().first_player() {
        model.settings.name = lang.texts().first_player();
    }
}
