//! User interfaces, as pure functions of the model. [`draw`] renders the full screen. `line_mode` and `json` format
//! lines. This module does not change the model and does no I/O.
//!
//! Modules depend on each other in one direction: this module uses `screens` and `footer`, which use `widgets`, which
//! use `drawing` and `theme`. `text_rows` has the rows that the full screen and line mode share.

mod drawing;
mod footer;
pub(crate) mod json;
pub(crate) mod line_mode;
mod screens;
#[cfg(test)]
mod tests;
mod text_rows;
mod theme;
mod widgets;
mod window_title;

use noughts_protocol::wire::RejectCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::connection::{DisconnectReason, TerminationReason};
use crate::facts::{MenuItem, Notification, PendingRequest, QueryAnswer, Unavailable};
use crate::i18n::wrap_text;
use crate::input::{Action, KeyContext};
use crate::model::layout::{self, is_too_small};
use crate::model::{Model, Overlay, Screen};
use drawing::{last_columns, put_text};
use screens::{analysis, form, game, home, lobby, multi_watch, overlays, own_games, waiting};
use widgets::panel;

pub(crate) use screens::overlays::help_scroll_extent;
pub(crate) use widgets::ClickTarget;
pub(crate) use widgets::room_invitation::{can_show_qr, qr_rows};
pub(crate) use window_title::window_title;

/// Draws the whole screen. While text is edited, returns the position of the terminal's cursor.
pub(crate) fn draw(model: &Model, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if let Screen::MultiWatch(grid) = &model.screen
        && let Some(opened) = grid.open_model()
    {
        return draw(opened, area, buf);
    }
    if is_too_small(area) {
        let texts = model.lang().texts();
        let mut lines = texts.too_small(area.width, area.height).to_vec();
        if model
            .game_view()
            .is_some_and(|view| view.own_seat().is_some() && view.can_move())
        {
            lines.extend([String::new(), texts.your_move().to_owned()]);
        }
        for (y, line) in (0..area.height).zip(lines) {
            put_text(buf, area.x, area.y + y, area.width, &line, Style::new());
        }
        return None;
    }
    let areas = layout::screen_areas(model, area);
    if let Some(Overlay::Help(top)) = model.overlay {
        overlays::draw_help(model, top, areas, buf);
        footer::draw(model, areas.hints, buf);
        return None;
    }
    let mut cursor = match &model.screen {
        Screen::Home { selected } => home::draw(model, *selected, areas, buf),
        Screen::Form(form) => form::draw(model, form, areas, buf),
        Screen::Waiting => waiting::draw(model, areas, buf),
        Screen::Lobby(lobby) => lobby::draw(model, lobby, areas, buf),
        Screen::OwnGames(games) => own_games::draw(model, games, areas, buf),
        Screen::Game(game_view) => game::draw(model, game_view, area, buf),
        Screen::Analysis(analysis) => analysis::draw(model, analysis, area, buf),
        Screen::MultiWatch(grid) => multi_watch::draw(model, grid, area, areas, buf),
    };
    match model.overlay {
        Some(Overlay::Say(selected)) => overlays::draw_phrases(model, selected, area, buf),
        Some(Overlay::Menu(selected)) => overlays::draw_game_menu(model, selected, area, buf),
        Some(Overlay::Help(_) | Overlay::Confirmation(_)) | None => {}
    }
    let has_question_box = matches!(model.overlay, Some(Overlay::Confirmation(_)))
        && model
            .game_view()
            .is_some_and(|view| game::has_question_box(model, view, area));
    if !has_question_box {
        cursor = draw_notification(model, area, areas.notice, buf).or(cursor);
    }
    footer::draw(model, areas.hints, buf);
    if model.overlay.is_some() {
        None
    } else {
        cursor
    }
}

/// Returns what a click at a position on the screen means, in the layout of [`draw`].
pub(crate) fn click_target(model: &Model, column: u16, row: u16) -> Option<ClickTarget> {
    let (area, at) = (
        Rect::new(0, 0, model.size.0, model.size.1),
        Position::new(column, row),
    );
    if is_too_small(area) {
        return None;
    }
    let areas = layout::screen_areas(model, area);
    if let Some(action) = footer::action_at(model, areas.hints, at) {
        return Some(ClickTarget::Action(action));
    }
    match (model.overlay, &model.screen) {
        (Some(Overlay::Help(_)), _) => None,
        (Some(Overlay::Say(selected)), _) => {
            overlays::phrase_at(model, selected, area, at).map(ClickTarget::Phrase)
        }
        (Some(Overlay::Menu(selected)), _) => {
            overlays::game_menu_action_at(model, selected, area, at).map(ClickTarget::Action)
        }
        (_, Screen::Game(game_view)) => game::target_at(model, game_view, area, at),
        (Some(Overlay::Confirmation(_)), _) => None,
        (None, Screen::Home { selected }) => home::target_at(model, *selected, areas, at),
        (None, Screen::Form(form)) => form::target_at(model, form, areas.body, at),
        (None, Screen::Waiting) => waiting::target_at(model, areas, at),
        (None, Screen::Lobby(lobby)) => lobby::target_at(model, lobby, areas, at),
        (None, Screen::OwnGames(games)) => own_games::target_at(model, games, areas, at),
        (None, Screen::Analysis(analysis)) => analysis::target_at(model, analysis, area, at),
        (None, Screen::MultiWatch(_)) => None,
    }
}

/// Draws the row above the hints: a question, the command line or the last notification.
fn draw_notification(
    model: &Model,
    screen: Rect,
    area: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    if let Some(Overlay::Confirmation(question)) = model.overlay {
        let text = model.lang().texts().confirmation(question);
        let area = wrapped_area(model, text, screen, area);
        draw_wrapped_above(text, model.appearance.alert(), area, buf);
        return None;
    }
    if let Some(prompt) = &model.prompt {
        // The end of a long text stays visible.
        let available = area.width.saturating_sub(2);
        let before = last_columns(prompt.text_before_cursor(), available);
        let x = put_text(
            buf,
            area.x,
            area.y,
            area.width,
            &format!(":{before}"),
            Style::new(),
        );
        let after = &prompt.text()[prompt.text_before_cursor().len()..];
        put_text(
            buf,
            x,
            area.y,
            (area.x + area.width).saturating_sub(x),
            after,
            Style::new(),
        );
        return Some(Position::new(x.min(area.x + area.width - 1), area.y));
    }
    let notification = model.notification.as_ref();
    if let Some(notification) = notification.filter(|shown| !is_in_panel(model, shown, screen)) {
        let text = notification_text(model, notification);
        let area = wrapped_area(model, &text, screen, area);
        draw_wrapped_above(&text, model.appearance.notice(), area, buf);
    }
    None
}

/// Returns whether the panel beside the board shows the contents of a notification: a phrase in a game, or in an
/// analysis the mistake of the displayed move.
fn is_in_panel(model: &Model, notification: &Notification, screen: Rect) -> bool {
    let Some((panel, _)) = layout::panel_beside_board(model, screen) else {
        return false;
    };
    match (notification, model.screen.as_analysis()) {
        (Notification::Phrase { .. }, None) => model
            .game_view()
            .is_some_and(|view| panel::shows_phrase(model, view, panel)),
        (Notification::Review(review), Some(analysis)) => {
            // The panel judges each displayed move.
            review.losing_move().is_some() && analysis.shown_move().is_some()
        }
        (_, _) => false,
    }
}

/// Returns the row for the last line of a text: `notice`, or its columns below the panel if the lines above would
/// otherwise cover the board and the panel has room for them.
fn wrapped_area(model: &Model, text: &str, screen: Rect, notice: Rect) -> Rect {
    let rows = |width: u16| u16::try_from(wrap_text(text, width).len()).unwrap_or(u16::MAX);
    match layout::panel_beside_board(model, screen) {
        Some((panel, free_rows))
            if rows(notice.width) > free_rows + 1
                && rows(panel.width) <= panel.height.saturating_add(1) =>
        {
            Rect {
                x: panel.x,
                width: panel.width,
                ..notice
            }
        }
        Some(_) | None => notice,
    }
}

/// Returns the text of a notification. It is empty for the board and for the list of commands, which need several rows.
fn notification_text(model: &Model, notification: &Notification) -> String {
    let texts = model.lang().texts();
    let unreachable = if let Notification::Ended {
        reason: TerminationReason::CannotConnect(DisconnectReason::Io(_)),
        server,
    } = notification
    {
        Some(server)
    } else {
        let is_entry_dead = matches!(
            notification,
            Notification::Unavailable(Unavailable::NoServer)
        );
        is_entry_dead.then_some(&model.settings.server)
    };
    if let (true, Some(server)) = (model.screen.is_home(), unreachable) {
        // On the home screen, the text names the keys of that screen rather than shell commands.
        let number = |item| {
            let index = model.menu_items().iter().position(|known| *known == item);
            let number = index.and_then(|index| model.menu_number(index));
            number.map_or_else(String::new, |number| number.to_string())
        };
        let key = model.keymap.letter_key(KeyContext::Home, Action::InviteBot);
        return texts.no_server_at_home(
            key.map_or_else(String::new, |key| texts.key(key).into_owned()),
            server.short(),
            number(MenuItem::Settings),
        );
    }
    if let Notification::Rejected {
        asked: Some(PendingRequest::Say),
        reject,
    } = notification
        && reject.code == RejectCode::RateLimited
    {
        return texts.said_too_often().to_owned();
    }
    if let Notification::Review(review) = notification {
        let losing = review.losing_move();
        let text = losing.and_then(|index| texts.verdict(review, index, model.settings.digits));
        return text.unwrap_or_else(|| texts.no_losing_move().to_owned());
    }
    let has_board = matches!(
        notification,
        Notification::QueryAnswer(QueryAnswer::Board { .. } | QueryAnswer::Help { .. })
    );
    if has_board {
        String::new()
    } else {
        texts.notification(notification)
    }
}

/// Draws a wrapped text with its last line in this row. The text covers the rows above, so that it is complete.
fn draw_wrapped_above(text: &str, style: Style, area: Rect, buf: &mut Buffer) {
    let lines = wrap_text(text, area.width);
    let rows = u16::try_from(lines.len())
        .unwrap_or(u16::MAX)
        .min(area.y - buf.area.y + 1);
    for (y, line) in (area.y + 1 - rows..=area.y).zip(&lines) {
        put_text(
            buf,
            area.x,
            y,
            area.width,
            &" ".repeat(usize::from(area.width)),
            Style::reset(),
        );
        put_text(buf, area.x, y, area.width, line, style);
    }
}
