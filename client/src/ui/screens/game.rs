//! Game screen: the board with a panel.

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Outcome, Phase};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::layout::areas::Areas;
use crate::layout::split::{Split, choose_split};
use crate::model::{GameHost, GameView, Model, RoomView, Screen, Stage};
use crate::ui::screens::waiting;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::panel;
use crate::ui::{draw_header, put_text, theme};

pub(in crate::ui) fn draw(
    model: &Model,
    game_view: &GameView,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let (rules, control) = (model.texts.rules(game_view.game.rules()), game_view.game.control());
    let clock = control.map(|control| control.to_string()).unwrap_or_default();
    // The code of a private room is hidden from onlookers.
    let room = game_view
        .room()
        .filter(|room| room.code.is_none())
        .map(|room| room.id.to_string())
        .unwrap_or_default();
    draw_header(model, areas.header, &[&rules, &clock, &room], buf);
    if game_view.game.phase() == Phase::Waiting {
        waiting::draw_room(model, game_view, areas.body, buf);
        return None;
    }
    let rules = *game_view.game.rules();
    let split = choose_split(&rules, areas.body);
    let cursor = game_view.effective_cursor();
    let layout = split.layout(rules, cursor);
    let playing = game_view.game.phase() == Phase::Playing;
    let position = game_view.shown_position();
    let outcome = game_view.game.outcome().filter(|_| game_view.plies_back().is_none());
    let winning: &[Cell] = outcome.and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let board = BoardWidget {
        position: &position,
        look: model.appearance,
        digits: (playing && game_view.acting_seat().is_some()).then_some(model.settings.digit_order),
        // The cursor is hidden if no move is possible, unless the board scrolls or guide lines are shown.
        cursor: ((playing && game_view.acting_seat().is_some())
            || game_view.show_guide_lines
            || !layout.is_complete())
        .then_some(cursor),
        preview: game_view.acting_seat().filter(|_| rules.gravity() && game_view.can_move()),
        pending: game_view
            .pending_move
            .zip(game_view.acting_seat())
            .map(|(pending, seat)| (pending.cell, seat)),
        winning_cells: winning,
        guide: game_view.show_guide_lines,
        values: model.values(),
    };
    board.draw(&layout, buf);
    match split {
        Split::Panel { panel, .. } => panel::draw(model, game_view, panel, buf),
        Split::Lines { lines, .. } => {
            for (y, line) in (lines.y..).zip(panel::compact_lines(model, game_view)) {
                put_text(
                    buf,
                    lines.x,
                    y,
                    lines.width,
                    &line,
                    if y == lines.y { theme::bold() } else { Style::new() },
                );
            }
        }
    }
    None
}

/// Returns the label of the connection state, which starts with a sign.
pub(in crate::ui) fn connection_state(model: &Model) -> String {
    let texts = model.texts;
    let Some(session) = &model.session else {
        return match &model.screen {
            Screen::Game(game_view) if matches!(game_view.host, GameHost::Local(_)) => {
                texts.local_game_label().to_owned()
            }
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Game(_)
            | Screen::Replay(_)
            | Screen::MultiWatch(_) => String::new(),
        };
    };
    match session.stage {
        Stage::Connecting => String::new(),
        Stage::Reconnecting { attempt, retry_at: at } => {
            texts.connection_offline(attempt, at.saturating_sub(model.now))
        }
        Stage::Terminated(_) => texts.connection_closed().to_owned(),
        Stage::GoalRequested | Stage::Seeking | Stage::Ready => {
            let lag = model.game_view().and_then(GameView::room).and_then(own_lag);
            lag.map_or_else(|| texts.connection_online().to_owned(), |ms| texts.connection_lag(ms))
        }
    }
}

fn own_lag(room: &RoomView) -> Option<u32> {
    room.lag[room.seat?.index()]
}

/// Describes absent players: the opponent, or for a spectator both.
pub(in crate::ui) fn absence_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    // The reason for closing the room is shown instead.
    let Some(room) = game_view.room().filter(|_| game_view.game.close_reason().is_none()) else {
        return Vec::new();
    };
    let texts = model.texts;
    let absent = noughts_protocol::Seat::ALL.into_iter().filter_map(|seat| {
        let presence = room.presence[seat.index()];
        let who =
            game_view.player_ref(seat).filter(|who| !who.you && presence.presence != Presence::Connected)?;
        let claim_in = presence.claim_at.map(|at| at.saturating_sub(model.now)).filter(|&left| left > 0);
        Some(texts.absence(who.name.as_str(), presence.presence, claim_in.map(Duration::from_millis)))
    });
    absent.collect()
}
