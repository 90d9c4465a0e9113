//! Watched games in tiles, as many as fit with whole boards. A tile has a title, players, status and a board. A game that is
//! watched alone has the screen of a game.

use noughts_protocol::{Cell, Outcome, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::game;
use crate::i18n::{Texts, wrap_text};
use crate::input::{Action, KeyContext};
use crate::model::layout::board_layout::{CellSize, Layout};
use crate::model::layout::tiles::{MIN_HEADER_ROWS, TilePage, TilePages};
use crate::model::layout::{Areas, board_rules};
use crate::model::{GameSlot, GameView, Model, MultiWatch, Stage};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::player_card::PlayerCard;
use crate::ui::widgets::{panel, status};

pub(in crate::ui) fn draw(
    model: &Model,
    grid: &MultiWatch,
    screen: Rect,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let hidden = match grid.only_game() {
        Some(game_view) => {
            game::draw(&grid.focused().model, game_view, screen, buf);
            0
        }
        None => draw_tiles(model, grid, areas, buf),
    };
    let hidden = hidden + model.unwatched_games().count();
    if hidden > 0 && model.notification.is_none() {
        let row = areas.notice;
        put_text(
            buf,
            row.x,
            row.y,
            row.width,
            &model.lang().texts().games_hidden(hidden),
            model.appearance.notice(),
        );
    }
    None
}

/// Draws the tiles that fit. Returns the number of the others.
fn draw_tiles(model: &Model, grid: &MultiWatch, areas: Areas, buf: &mut Buffer) -> usize {
    draw_list_header(
        model,
        areas.header,
        &model.lang().texts().watching_title(grid.games.len()),
        buf,
    );
    let pages = TilePages::new(&board_rules(grid), areas.body);
    let tiles = pages.page_of(grid.focus).map_or(&[][..], TilePage::tiles);
    for &(index, area) in tiles {
        draw_tile(&grid.games[index], index, index == grid.focus, area, buf);
    }
    grid.games.len() - tiles.len()
}

pub(in crate::ui) fn draw_tile(
    game: &GameSlot,
    index: usize,
    focused: bool,
    area: Rect,
    buf: &mut Buffer,
) {
    let model = &game.model;
    let name = model
        .game_view()
        .map(|view| game_title(model.lang().texts(), view))
        .unwrap_or_default();
    let name = format!("{}  {name}", game.label(index))
        .trim_end()
        .to_owned();
    draw_title(model, &name, focused, area, buf);
    match model.game_view() {
        Some(game_view) => {
            let header_rows = draw_players(model, game_view, area, buf);
            let (text, style) = tile_status(model, game_view);
            put_text(
                buf,
                area.x,
                area.y + header_rows,
                area.width,
                &shorten(&text, area.width),
                style,
            );
            let header_end = header_rows + 1;
            draw_board(
                model,
                game_view,
                Rect {
                    y: area.y + header_end,
                    height: area.height - header_end,
                    ..area
                },
                buf,
            );
        }
        None => {
            let (text, style) = placeholder(game);
            for (y, line) in (area.y + 1..area.y + area.height).zip(wrap_text(&text, area.width)) {
                put_text(buf, area.x, y, area.width, &line, style);
            }
        }
    }
}

/// Draws the name of a game on a line across the tile. That of the focused game is reversed, between signs.
fn draw_title(model: &Model, name: &str, focused: bool, area: Rect, buf: &mut Buffer) {
    let line = model.appearance.glyphs(focused).top[1].repeat(usize::from(area.width));
    let (line_style, name_style) = match focused {
        true => (theme::bold(), model.appearance.cursor(theme::bold())),
        false => (model.appearance.dim(), Style::new()),
    };
    put_text(buf, area.x, area.y, area.width, &line, line_style);
    let available = area.width.saturating_sub(6);
    let name = shorten(name, available);
    let name = if focused {
        format!(">{name}<")
    } else {
        format!(" {name} ")
    };
    put_text(
        buf,
        area.x + 2,
        area.y,
        area.width.saturating_sub(4),
        &name,
        name_style,
    );
}

fn game_title(texts: Texts, game_view: &GameView) -> String {
    let name = texts.short_rules(game_view.game.rules());
    game_view
        .game
        .control()
        .map_or_else(|| name.clone(), |control| format!("{name}  {control}"))
}

/// Draws the players, in two rows if the board leaves space. Returns the number of rows used.
fn draw_players(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) -> u16 {
    let (_, (_, board)) = Layout::best_fit(game_view.game.rules(), CellSize::TIGHT, area.width);
    let row = |row: u16| Rect {
        y: area.y + row,
        height: 1,
        ..area
    };
    let cards = Seat::ALL.map(|seat| PlayerCard::of_game(model, game_view, seat));
    if board + MIN_HEADER_ROWS < area.height {
        for (y, card) in (1..).zip(&cards) {
            card.draw(model.appearance, row(y), buf);
        }
        return 3;
    }
    PlayerCard::draw_pair(&cards, model.appearance, row(1), buf);
    2
}

/// Returns the most important status: connection, absent player, result or turn.
fn tile_status(model: &Model, game_view: &GameView) -> (String, Style) {
    let texts = model.lang().texts();
    match model.session.as_ref().map(|session| &session.stage) {
        Some(Stage::Reconnecting { attempt, retry_at }) => {
            return (
                texts.connection_offline(*attempt, retry_at.saturating_sub(model.now)),
                model.appearance.alert(),
            );
        }
        Some(Stage::Terminated(_)) => {
            return (
                texts.connection_closed().to_owned(),
                model.appearance.alert(),
            );
        }
        Some(Stage::Connecting | Stage::GoalRequested | Stage::Seeking | Stage::Ready) | None => {}
    }
    let (phase, absent) = (
        game_view.game.phase(),
        panel::absence_lines(model, game_view),
    );
    match (phase, absent.into_iter().next()) {
        (Phase::Waiting, _) => (texts.waiting_for_opponent().to_owned(), Style::new()),
        (Phase::Playing, Some(absent)) => (absent, model.appearance.alert()),
        (Phase::Playing | Phase::Over | Phase::Closed, _) => {
            let style = if phase == Phase::Playing {
                Style::new()
            } else {
                theme::bold()
            };
            (status::status(model, game_view).summary().to_owned(), style)
        }
    }
}

/// Returns the text shown while there is no board.
fn placeholder(game: &GameSlot) -> (String, Style) {
    let (model, texts) = (&game.model, game.model.lang().texts());
    if let Some(reason) = &game.exit_reason {
        return (texts.notification(reason), model.appearance.alert());
    }
    match model.session.as_ref().map(|session| &session.stage) {
        Some(Stage::Reconnecting { attempt, retry_at }) => (
            texts.connection_offline(*attempt, retry_at.saturating_sub(model.now)),
            model.appearance.alert(),
        ),
        Some(Stage::Terminated(_)) => (
            texts.connection_closed().to_owned(),
            model.appearance.alert(),
        ),
        Some(Stage::Connecting | Stage::GoalRequested | Stage::Seeking | Stage::Ready) | None => {
            (texts.connecting(&game.server), Style::new())
        }
    }
}

/// Draws the board as a whole, or says how much room it needs: a part of a board looks like another position.
fn draw_board(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    if area.is_empty() || game_view.game.phase() == Phase::Waiting {
        return;
    }
    let position = game_view.game.position();
    let rules = position.rules();
    let size = (area.width, area.height);
    let Some(cell_size) = CellSize::choices(rules)
        .into_iter()
        .find(|&cell| Layout::fits(rules, cell, size))
    else {
        return draw_needs(model, game_view, area, buf);
    };
    let at = position.moves().last().copied().unwrap_or(game_view.cursor);
    let winning: &[Cell] = game_view
        .game
        .outcome()
        .and_then(Outcome::line)
        .map_or(&[], |line| &line.cells);
    let board = BoardWidget {
        winning_cells: winning,
        ..BoardWidget::plain(position, model.appearance)
    };
    board.draw(&Layout::new(*rules, cell_size, area, at), buf);
}

/// Says how large the board is, and which key shows it alone.
fn draw_needs(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let (_, (width, height)) =
        Layout::best_fit(game_view.game.rules(), CellSize::TIGHT, area.width);
    let mut lines = wrap_text(&texts.board_needs(width, height), area.width);
    let key = model
        .keymap
        .first_key(KeyContext::MultiWatch, Action::Choose);
    lines.extend(
        key.into_iter()
            .flat_map(|key| wrap_text(&texts.shows_alone(key), area.width)),
    );
    let top = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (top..area.bottom()).zip(lines) {
        let x = area.x + area.width.saturating_sub(columns(&line)) / 2;
        put_text(buf, x, y, area.right() - x, &line, model.appearance.dim());
    }
}
