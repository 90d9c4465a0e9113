//! Orders of a program: objects in JSON mode. Each is answered as things are when it comes.

use super::{Effects, line_mode, menus, quit};
use crate::facts::{Notification, Unavailable};
use crate::input::json_command::{self, ParsedJsonCommand};
use crate::model::{Model, Screen};

/// Carries an order out, or says why not.
pub(super) fn execute_line(model: &mut Model, line: &str, out: &mut Effects) {
    match json_command::parse(line, quit::board_rules(model).as_ref(), model.settings.digit_order) {
        Ok(ParsedJsonCommand::Command(command)) => line_mode::execute_command(model, command, out),
        Ok(ParsedJsonCommand::CommandAtPly(ply, command)) => {
            if model.game_view().is_some_and(|view| view.game.position().ply() != ply) {
                out.notify(model, Notification::Unavailable(Unavailable::PositionChanged));
            } else {
                line_mode::execute_command(model, command, out);
            }
        }
        Ok(ParsedJsonCommand::FillInField(text)) => match &model.screen {
            Screen::Form(_) => menus::fill_in_field(model, &text, out),
            Screen::Home { .. }
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Game(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => notify_nothing_prompted(model, out),
        },
        Ok(ParsedJsonCommand::Choose { number, watch }) => choose_number(model, number, watch, out),
        Ok(ParsedJsonCommand::Refresh) => match &model.screen {
            Screen::Lobby(_) => menus::refresh_list(model, out),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Game(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => notify_nothing_prompted(model, out),
        },
        Ok(ParsedJsonCommand::WatchAll) => match &model.screen {
            Screen::Lobby(_) => menus::watch_all(model, out),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Game(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => notify_nothing_prompted(model, out),
        },
        Err(error) => out.notify(model, Notification::InvalidCommand { text: line.to_owned(), error }),
    }
}

fn choose_number(model: &mut Model, number: usize, watch: bool, out: &mut Effects) {
    match &mut model.screen {
        Screen::Home { .. } if !watch => match menus::menu_item(model, number) {
            Some(item) => menus::choose_menu_item(model, item, out),
            None => out.notify(model, Notification::Unavailable(Unavailable::NumberRequired)),
        },
        Screen::Lobby(lobby) => match number.checked_sub(1) {
            Some(at) => {
                lobby.selected = at;
                menus::enter_selected_room(model, watch, out);
            }
            None => out.notify(model, Notification::Unavailable(Unavailable::NumberRequired)),
        },
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Game(_)
        | Screen::Replay(_)
        | Screen::MultiWatch(_) => {
            notify_nothing_prompted(model, out);
        }
    }
}

fn notify_nothing_prompted(model: &mut Model, out: &mut Effects) {
    out.notify(model, Notification::Unavailable(Unavailable::NothingPrompted));
}
