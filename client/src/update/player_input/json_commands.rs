//! Commands of JSON mode. They are executed at once and never wait for the player's turn.

use super::text_commands;
use crate::facts::{Notification, Unavailable};
use crate::input::json_command::{self, ParsedJsonCommand};
use crate::model::Model;
use crate::update::effect::Effects;
use crate::update::screens::{self, menus};

/// Executes one JSON command, or reports why it is not possible.
pub(in crate::update) fn execute_json_line(model: &mut Model, line: &str, out: &mut Effects) {
    let has_lobby = model.screen.as_lobby().is_some();
    match json_command::parse(
        line,
        screens::board_rules(model).as_ref(),
        model.settings.digit_order,
    ) {
        Ok(ParsedJsonCommand::Command(command)) => text_commands::execute(model, command, out),
        Ok(ParsedJsonCommand::CommandAtPly(ply, command)) => {
            if model
                .game_view()
                .is_some_and(|view| view.game.position().ply() != ply)
            {
                out.notify(
                    model,
                    Notification::Unavailable(Unavailable::PositionChanged),
                );
            } else {
                text_commands::execute(model, command, out);
            }
        }
        Ok(ParsedJsonCommand::FillInField(text)) if model.screen.as_form().is_some() => {
            menus::fill_in_field(model, &text, out);
        }
        Ok(ParsedJsonCommand::Choose { number, watch }) => choose_number(model, number, watch, out),
        Ok(ParsedJsonCommand::Refresh) if has_lobby => screens::refresh_list(model, out),
        Ok(ParsedJsonCommand::WatchAll) if has_lobby => menus::watch_all(model, out),
        Ok(
            ParsedJsonCommand::FillInField(_)
            | ParsedJsonCommand::Refresh
            | ParsedJsonCommand::WatchAll,
        ) => {
            out.notify(
                model,
                Notification::Unavailable(Unavailable::NothingPrompted),
            );
        }
        Err(error) => out.notify(
            model,
            Notification::InvalidCommand {
                text: line.to_owned(),
                error,
            },
        ),
    }
}

/// Chooses an item of the home menu or a room of the list, counted from 1.
fn choose_number(model: &mut Model, number: usize, watch: bool, out: &mut Effects) {
    let unavailable = if let Some(lobby) = model.screen.as_lobby_mut() {
        if let Some(index) = number.checked_sub(1) {
            lobby.select_room(index);
            return menus::enter_selected_room(model, watch, out);
        }
        Unavailable::NumberRequired
    } else if model.screen.is_home() && !watch {
        if let Some(item) = menus::menu_item(model, number) {
            return menus::choose_menu_item(model, item, out);
        }
        Unavailable::NumberRequired
    } else {
        Unavailable::NothingPrompted
    };
    out.notify(model, Notification::Unavailable(unavailable));
}
