//! A watched game with its title, players, status and board: a tile among several tiles, or the game beside a list.

use noughts_protocol::{Cell, Outcome, Phase, Position, Rules, Seat, TimeControl};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::i18n::{Texts, wrap_text};
use crate::input::Key;
use crate::model::layout::board_layout::{CellSize, Layout};
use crate::model::layout::tiles::MIN_HEADER_ROWS;
use crate::model::{GameSlot, GameView, Model, Stage};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::player_card::PlayerCard;
use crate::ui::widgets::{panel, status};

/// How a watched game is presented.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::ui) struct LiveGame<'a> {
    /// Title until the board arrives.
    pub label: &'a str,
    pub is_focused: bool,
    /// Whether the board begins right below the status rather than in the middle of the rest.
    pub is_at_top: bool,
    /// The key that shows the game alone. It is named if the board does not fit.
    pub alone_key: Option<Key>,
}

impl LiveGame<'_> {
    /// Returns the presentation of the game beside a list.
    pub(in crate::ui) fn beside_list() -> LiveGame<'static> {
        LiveGame {
            is_at_top: true,
            ..LiveGame::default()
        }
    }

    pub(in crate::ui) fn draw(self, game: &GameSlot, area: Rect, buf: &mut Buffer) {
        let model = &game.model;
        let name = match model.game_view() {
            Some(view) => game_title(model.lang().texts(), view),
            None => self.label.to_owned(),
        };
        draw_title(model, &name, self.is_focused, area, buf);
        let Some(game_view) = model.game_view() else {
            let (text, style) = placeholder(game);
            for (y, line) in (area.y + 1..area.bottom()).zip(wrap_text(&text, area.width)) {
                put_text(buf, area.x, y, area.width, &line, style);
            }
            return;
        };
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
        let header_end = (header_rows + 1).min(area.height);
        let board = Rect {
            y: area.y + header_end,
            height: area.height - header_end,
            ..area
        };
        self.draw_board(model, game_view, board, buf);
    }

    /// Draws the whole board, or says how much room it needs, because a part of a board would look like another
    /// position.
    fn draw_board(self, model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
        if area.is_empty() || game_view.game.phase() == Phase::Waiting {
            return;
        }
        let position = game_view.game.position();
        let rules = position.rules();
        let Some(cell_size) = CellSize::largest(rules, area) else {
            return draw_needs(model, game_view, self.alone_key, area, buf);
        };
        let area = match self.is_at_top {
            true => at_top(rules, cell_size, area),
            false => area,
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
}

/// Returns the part of an area for a board at its top. A blank row is above the board if there is room for it.
fn at_top(rules: &Rules, cell_size: CellSize, area: Rect) -> Rect {
    let (_, (_, rows)) = Layout::best_fit(rules, cell_size, area.width);
    let gap = u16::from(rows < area.height);
    Rect {
        y: area.y + gap,
        height: rows.min(area.height),
        ..area
    }
}

/// Draws the facts about a game that is not watched: its name, players, clock and rule. Returns the area below them.
pub(in crate::ui) fn draw_facts(
    model: &Model,
    rules: &Rules,
    clock: Option<TimeControl>,
    players: &str,
    area: Rect,
    buf: &mut Buffer,
) -> Rect {
    let texts = model.lang().texts();
    draw_title(model, &texts.rules(rules), false, area, buf);
    let lines = [
        (players.to_owned(), theme::bold()),
        (texts.time_control(clock), Style::new()),
        (texts.rule_line(rules), model.appearance.dim()),
    ];
    let mut y = area.y + 1;
    for (text, style) in lines {
        for line in wrap_text(&text, area.width) {
            if y < area.bottom() {
                put_text(buf, area.x, y, area.width, &line, style);
                y += 1;
            }
        }
    }
    Rect {
        y: y.min(area.bottom()),
        height: area.bottom().saturating_sub(y),
        ..area
    }
}

/// Draws the empty board of a game that has not begun.
pub(in crate::ui) fn draw_empty_board(model: &Model, rules: &Rules, area: Rect, buf: &mut Buffer) {
    draw_position(model, &Position::new(*rules), area, buf);
}

/// Draws a position with its winning line, if its board fits.
pub(in crate::ui) fn draw_position(
    model: &Model,
    position: &Position,
    area: Rect,
    buf: &mut Buffer,
) {
    let rules = position.rules();
    let Some(cell_size) = CellSize::largest(rules, area).filter(|_| !area.is_empty()) else {
        return;
    };
    let area = at_top(rules, cell_size, area);
    let outcome = position.outcome();
    let line = outcome.as_ref().and_then(Outcome::line);
    let board = BoardWidget {
        winning_cells: line.map_or(&[], |line| &line.cells),
        ..BoardWidget::plain(position, model.appearance)
    };
    let at = position.moves().last().copied().unwrap_or(Cell::new(0));
    board.draw(&Layout::new(*rules, cell_size, area, at), buf);
}

/// Draws the name of a game on a line across the tile. The name of the focused game is bold and between signs, and its
/// line is double.
pub(in crate::ui) fn draw_title(
    model: &Model,
    name: &str,
    focused: bool,
    area: Rect,
    buf: &mut Buffer,
) {
    let line = model.appearance.glyphs(focused).top[1].repeat(usize::from(area.width));
    let (line_style, name_style) = match focused {
        true => (theme::bold(), theme::bold()),
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

/// Draws the players, in two rows if the board leaves enough space. Returns the number of rows used.
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

/// Returns what is wrong with the connection of a watched game.
fn connection_problem(model: &Model) -> Option<(String, Style)> {
    let texts = model.lang().texts();
    let text = match &model.session.as_ref()?.stage {
        Stage::Reconnecting { attempt, retry_at } => {
            texts.connection_offline(*attempt, retry_at.saturating_sub(model.now))
        }
        Stage::Terminated(_) => texts.connection_closed().to_owned(),
        Stage::Connecting | Stage::GoalRequested | Stage::Seeking | Stage::Ready => return None,
    };
    Some((text, model.appearance.alert()))
}

/// Returns the most important status: the connection, an absent player, the result or the turn.
fn tile_status(model: &Model, game_view: &GameView) -> (String, Style) {
    let texts = model.lang().texts();
    if let Some(problem) = connection_problem(model) {
        return problem;
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

/// Returns the text that is shown before the board arrives.
fn placeholder(game: &GameSlot) -> (String, Style) {
    let (model, texts) = (&game.model, game.model.lang().texts());
    if let Some(reason) = &game.exit_reason {
        return (texts.notification(reason), model.appearance.alert());
    }
    connection_problem(model).unwrap_or_else(|| (texts.connecting(&game.server), Style::new()))
}

/// Says how large the board is, and which key shows it alone.
fn draw_needs(
    model: &Model,
    game_view: &GameView,
    alone_key: Option<Key>,
    area: Rect,
    buf: &mut Buffer,
) {
    let texts = model.lang().texts();
    let (_, (width, height)) =
        Layout::best_fit(game_view.game.rules(), CellSize::TIGHT, area.width);
    let mut lines = wrap_text(&texts.board_needs(width, height), area.width);
    lines.extend(
        alone_key
            .into_iter()
            .flat_map(|key| wrap_text(&texts.shows_alone(key), area.width)),
    );
    let top = area.y + area.height.saturating_sub(lines.len() as u16) / 2;
    for (y, line) in (top..area.bottom()).zip(lines) {
        let x = area.x + area.width.saturating_sub(columns(&line)) / 2;
        put_text(buf, x, y, area.right() - x, &line, model.appearance.dim());
    }
}
