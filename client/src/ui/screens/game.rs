//! Game screen: the board with a panel.

use noughts_protocol::{Cell, Outcome, Phase};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::model::layout::areas::Areas;
use crate::model::layout::split::{Split, choose_split};
use crate::model::{GameView, Model};
use crate::ui::drawing::put_text;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_header;
use crate::ui::widgets::{open_room, panel};

pub(in crate::ui) fn draw(
    model: &Model,
    game_view: &GameView,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let (rules, control) = (model.lang().texts().rules(game_view.game.rules()), game_view.game.control());
    let clock = control.map(|control| control.to_string()).unwrap_or_default();
    // The code of a private room is hidden from onlookers.
    let room = game_view
        .room()
        .filter(|room| room.code.is_none())
        .map(|room| room.id.to_string())
        .unwrap_or_default();
    draw_header(model, areas.header, &[&rules, &clock, &room], buf);
    if game_view.game.phase() == Phase::Waiting {
        open_room::draw(model, game_view, areas.body, buf);
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
        appearance: model.appearance,
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
            panel::draw_compact_players(model, game_view, lines, buf);
            let status = panel::compact_status(model, game_view);
            put_text(buf, lines.x, lines.y + 1, lines.width, &status, Style::new());
        }
    }
    None
}
