//! Game screen: the status row, the board and its panel.

use noughts_protocol::{Cell, Outcome, Phase};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::analysis;
use crate::model::layout::{Areas, GameAreas, PanelArea};
use crate::model::{GameView, Model, Overlay};
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::{draw_game_header, draw_players_header};
use crate::ui::widgets::status::status;
use crate::ui::widgets::{panel, question, room_invitation};

/// Returns whether the screen shows a question over its panel rather than above the keys.
pub(in crate::ui) fn has_question_box(model: &Model, game_view: &GameView, screen: Rect) -> bool {
    let split = GameAreas::new(game_view.game.rules(), screen).split;
    game_view.game.phase() != Phase::Waiting
        && game_view.analysis.is_none()
        && matches!(split.panel, PanelArea::Full(panel)
            if question::has_room(panel::area_between_cards(model, game_view, panel)))
}

/// Returns the answer, the menu entry or the move at a position on the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    game_view: &GameView,
    screen: Rect,
    at: Position,
) -> Option<ClickTarget> {
    if let Some(analysis) = &game_view.analysis {
        return analysis::target_at(model, analysis, screen, at);
    }
    if game_view.game.phase() == Phase::Waiting {
        return None;
    }
    let split = GameAreas::new(game_view.game.rules(), screen).split;
    match (split.panel, model.overlay) {
        (PanelArea::Full(area), Some(Overlay::Confirmation(question))) => {
            let area = panel::area_between_cards(model, game_view, area);
            let answer =
                question::has_room(area).then(|| question::answer_at(model, question, area, at))?;
            answer.map(ClickTarget::Action)
        }
        (_, Some(_)) => None,
        (PanelArea::Full(area), None) => panel::target_at(model, game_view, area, at),
        (PanelArea::Moves(area), None) => panel::move_at(model, game_view, area, at),
        (PanelArea::None, None) => None,
    }
}

pub(in crate::ui) fn draw(
    model: &Model,
    game_view: &GameView,
    screen: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    if let Some(analysis) = &game_view.analysis {
        return analysis::draw(model, analysis, screen, buf);
    }
    if game_view.game.phase() == Phase::Waiting {
        let areas = Areas::split(screen);
        draw_game_header(model, areas.header, game_view, buf);
        room_invitation::draw(model, game_view, areas.body, buf);
        return None;
    }
    let rules = *game_view.game.rules();
    let GameAreas { areas, split } = GameAreas::new(&rules, screen);
    match split.panel {
        PanelArea::Full(_) => draw_game_header(model, areas.header, game_view, buf),
        PanelArea::Moves(_) | PanelArea::None => {
            draw_players_header(model, areas.header, game_view, buf);
        }
    }
    status(model, game_view).draw(model, areas.status, buf);
    let cursor = game_view.effective_cursor();
    let layout = split.layout(rules, cursor);
    let playing = !game_view.has_ended()
        && game_view.game.phase() == Phase::Playing
        && game_view.plies_back().is_none();
    let position = game_view.shown_position();
    let outcome = game_view
        .game
        .outcome()
        .filter(|_| game_view.plies_back().is_none());
    let winning: &[Cell] = outcome
        .and_then(Outcome::line)
        .map_or(&[], |line| &line.cells);
    let is_own_turn = playing && game_view.can_move() && game_view.pending_move.is_none();
    let board = BoardWidget {
        position: &position,
        appearance: model.appearance,
        digits: Some(model.settings.digits),
        // If no move is possible, the cursor is hidden, unless the board scrolls or guide lines are shown.
        cursor: (is_own_turn
            || game_view.show_guide_lines
            || (playing && layout.hidden_parts().is_some()))
        .then_some(cursor),
        landing_seat: game_view
            .acting_seat()
            .filter(|_| rules.gravity() && is_own_turn),
        pending: game_view
            .pending_move
            .zip(game_view.acting_seat())
            .map(|(pending, seat)| (pending.cell, seat)),
        winning_cells: winning,
        motion: game_view
            .motion
            .filter(|_| game_view.plies_back().is_none())
            .and_then(|motion| motion.frame(model.now)),
        guide: game_view.show_guide_lines,
        is_own_turn,
        values: model.values().filter(|_| playing),
        texts: Some(model.lang().texts()),
    };
    board.draw(&layout, buf);
    match split.panel {
        PanelArea::Full(area) => {
            panel::draw(model, game_view, area, buf);
            let area = panel::area_between_cards(model, game_view, area);
            if let Some(Overlay::Confirmation(question)) = model.overlay
                && question::has_room(area)
            {
                question::draw(model, question, area, buf);
            }
        }
        PanelArea::Moves(area) => panel::draw_moves(model, game_view, area, buf),
        PanelArea::None => {}
    }
    None
}
