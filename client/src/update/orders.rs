//! Orders of a program: objects in JSON mode. Each is answered as things are when it comes.

use super::{Out, desk, leave, lines};
use crate::input::object::{self, Ordered};
use crate::model::{Model, NotNow, Note, Screen};

/// Carries an order out, or says why not.
pub(super) fn take(model: &mut Model, line: &str, out: &mut Out) {
    match object::parse(line, leave::rules(model).as_ref(), model.settings.keys) {
        Ok(Ordered::Typed(typed)) => lines::typed(model, typed, out),
        Ok(Ordered::At(ply, typed)) => {
            if model.table().is_some_and(|table| table.game.position().ply() != ply) {
                out.tell(model, Note::NotNow(NotNow::Moved));
            } else {
                lines::typed(model, typed, out);
            }
        }
        Ok(Ordered::Answer(text)) => match &model.screen {
            Screen::Form(_) => desk::answer_field(model, &text, out),
            Screen::Home { .. }
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Table(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => nothing_asked(model, out),
        },
        Ok(Ordered::Choose { number, watch }) => choose(model, number, watch, out),
        Ok(Ordered::Refresh) => match &model.screen {
            Screen::Lobby(_) => desk::refresh(model, out),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Table(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => nothing_asked(model, out),
        },
        Ok(Ordered::WatchAll) => match &model.screen {
            Screen::Lobby(_) => desk::watch_all(model, out),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Table(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => nothing_asked(model, out),
        },
        Err(error) => out.tell(model, Note::Unreadable { text: line.to_owned(), error }),
    }
}

fn choose(model: &mut Model, number: usize, watch: bool, out: &mut Out) {
    match &mut model.screen {
        Screen::Home { .. } if !watch => match desk::entry(model, number) {
            Some(entry) => desk::choose(model, entry, out),
            None => out.tell(model, Note::NotNow(NotNow::Number)),
        },
        Screen::Lobby(lobby) => match number.checked_sub(1) {
            Some(at) => {
                lobby.at = at;
                desk::take_room(model, watch, out);
            }
            None => out.tell(model, Note::NotNow(NotNow::Number)),
        },
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Table(_)
        | Screen::Replay(_)
        | Screen::Grid(_) => {
            nothing_asked(model, out);
        }
    }
}

fn nothing_asked(model: &mut Model, out: &mut Out) {
    out.tell(model, Note::NotNow(NotNow::NothingAsked));
}
