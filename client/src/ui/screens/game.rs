//! A table: the board, and beside it who plays, how things stand and what may be done.

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Outcome, Phase, Rules};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::layout::board_layout::{CellSize, Layout};
use crate::model::{GameHost, GameView, Model, RoomView, Screen, Stage};
use crate::ui::screens::waiting;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::panel;
use crate::ui::{Areas, draw_header, put_text, theme};

/// The narrowest panel beside a board, and the widest.
const PANEL_COLUMNS: (u16, u16) = (22, 40);
/// The fewest rows of a panel under a board.
const PANEL_ROWS: u16 = 6;
/// Columns between board and panel.
const PANEL_GAP: u16 = 3;

/// How board and panel share the body.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) enum Split {
    /// Side by side, or one under the other.
    Panel { board: Rect, panel: Rect, pitch: CellSize },
    /// Two lines over as much of the board as there is room for.
    Lines { lines: Rect, board: Rect, pitch: CellSize },
}

/// Finds the roomiest way for a whole board with a panel; failing that, part of the board under two lines.
pub(in crate::ui) fn choose_split(rules: &Rules, body: Rect) -> Split {
    for &pitch in Layout::cell_sizes(rules) {
        let board_columns = body.width.saturating_sub(PANEL_GAP + PANEL_COLUMNS.0);
        let (_, (columns, rows)) = Layout::best_fit(rules, pitch, board_columns);
        if columns <= board_columns && rows <= body.height {
            let width = (body.width - columns - PANEL_GAP).min(PANEL_COLUMNS.1);
            let panel = Rect { x: body.x + columns + PANEL_GAP, width, ..body };
            return Split::Panel { board: Rect { width: columns, ..body }, panel, pitch };
        }
        let (_, (columns, rows)) = Layout::best_fit(rules, pitch, body.width);
        if columns <= body.width && rows + 1 + PANEL_ROWS <= body.height {
            let panel = Rect { y: body.y + rows + 1, height: body.height - rows - 1, ..body };
            return Split::Panel { board: Rect { height: rows, ..body }, panel, pitch };
        }
    }
    // A board that only scrolls up and down keeps its panel. Layers would hide each other there.
    let board_columns = body.width.saturating_sub(PANEL_GAP + PANEL_COLUMNS.0);
    let (_, (columns, _)) = Layout::best_fit(rules, CellSize::Tight, board_columns);
    if columns <= board_columns && rules.dimensions() != 3 {
        let panel = Rect {
            x: body.x + columns + PANEL_GAP,
            width: (body.width - columns - PANEL_GAP).min(PANEL_COLUMNS.1),
            ..body
        };
        return Split::Panel { board: Rect { width: columns, ..body }, panel, pitch: CellSize::Tight };
    }
    let lines = Rect { height: 2, ..body };
    let board = Rect { y: body.y + 2, height: body.height - 2, ..body };
    // Cells of three columns are easier to read; only when that shows the whole board, though.
    let (_, (columns, rows)) = Layout::best_fit(rules, CellSize::Wide, board.width);
    let pitch = if columns <= board.width && rows <= board.height { CellSize::Wide } else { CellSize::Tight };
    Split::Lines { lines, board, pitch }
}

impl Split {
    /// Where the cells lie.
    pub(in crate::ui) fn layout(self, rules: Rules, cursor: Cell) -> Layout {
        match self {
            Split::Panel { board, pitch, .. } | Split::Lines { board, pitch, .. } => {
                Layout::new(rules, pitch, board, cursor)
            }
        }
    }
}

/// Where the cells of the board on the screen lie, if there is one.
pub(in crate::ui) fn board_layout(model: &Model, body: Rect) -> Option<Layout> {
    let game_view = model.game_view().filter(|game_view| game_view.game.phase() != Phase::Waiting)?;
    let rules = *game_view.game.rules();
    Some(choose_split(&rules, body).layout(rules, effective_cursor(game_view)))
}

/// The cursor as it is shown: where a mark would come to rest.
pub(in crate::ui) fn effective_cursor(game_view: &GameView) -> Cell {
    let position = game_view.game.position();
    if game_view.game.rules().gravity() {
        position.landing_cell(game_view.cursor).unwrap_or(game_view.cursor)
    } else {
        game_view.cursor
    }
}

pub(in crate::ui) fn draw(
    model: &Model,
    game_view: &GameView,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let (rules, control) = (model.texts.rules(game_view.game.rules()), game_view.game.control());
    let clock = control.map(|control| control.to_string()).unwrap_or_default();
    // The code of a private room is not to be read over a shoulder.
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
    let cursor = effective_cursor(game_view);
    let layout = split.layout(rules, cursor);
    let playing = game_view.game.phase() == Phase::Playing;
    let position = game_view.shown_position();
    let outcome = game_view.game.outcome().filter(|_| game_view.plies_back().is_none());
    let winning: &[Cell] = outcome.and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let board = BoardWidget {
        position: &position,
        look: model.appearance,
        digits: (playing && game_view.acting_seat().is_some()).then_some(model.settings.digit_order),
        // For one who cannot move, and after the game, it would only hide marks; a board that scrolls needs
        // it still, and so do the lines through it.
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

/// How the line to the server is: in words, with a sign before them.
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

/// How the opponent, or either player for a spectator, is absent; nothing when both are here.
pub(in crate::ui) fn absence_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    // When the room is closed, that says it all.
    let Some(room) = game_view.room().filter(|_| game_view.game.close_reason().is_none()) else {
        return Vec::new();
    };
    let texts = model.texts;
    let absent = noughts_protocol::Seat::ALL.into_iter().filter_map(|seat| {
        let presence = room.presence[seat.index()];
        let who = game_view.player_ref(seat).filter(|who| !who.you && presence.presence != Presence::Here)?;
        let claim_in = presence.claim_at.map(|at| at.saturating_sub(model.now)).filter(|&left| left > 0);
        Some(texts.absence(who.name.as_str(), presence.presence, claim_in.map(Duration::from_millis)))
    });
    absent.collect()
}
