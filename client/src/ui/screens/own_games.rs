//! The list of the player's own games in columns. On a wide screen, a picture shows the final board of the selected
//! game.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::io::own_games::OwnGame;
use crate::model::layout::{self, Areas};
use crate::model::{Model, OwnGamesScreen};
use crate::ui::text_rows;
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::list_rows::{self, ListRow};
use crate::ui::widgets::live_game;

/// Minimum widths of a list with the date, and with the number of moves.
const MIN_DATE_COLUMNS: u16 = 48;
const MIN_MOVES_COLUMNS: u16 = 66;
/// Width of a date, including the blanks after it.
const DATE_COLUMNS: u16 = 12;
/// Width of a result, including the blanks before the number of moves.
const RESULT_COLUMNS: u16 = 16;
/// Maximum height of the final board with the facts above it. A board of 19 rows fits.
const MAX_BESIDE_ROWS: u16 = 25;
/// Maximum width of the list.
const MAX_LIST_COLUMNS: u16 = 100;

pub(in crate::ui) fn draw(
    model: &Model,
    screen: &OwnGamesScreen,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    let title = match &screen.profile {
        Some(view) => match &view.profile {
            Some(profile) => texts.tagged_player(&profile.player),
            None => texts.profile_of(view.subject.name.as_str()),
        },
        None => format!("{}  {}", texts.menu_own_games(), screen.row_count()),
    };
    draw_list_header(model, areas.header, &title, buf);
    let area = list_area(areas);
    list_rows::draw(&rows(model, screen, area), model.appearance, area, buf);
    if let (Some(game), (_, Some(beside))) =
        (screen.selected_game(), layout::split_beside(areas.body))
    {
        let beside = Rect {
            height: beside.height.min(MAX_BESIDE_ROWS),
            ..beside
        };
        draw_beside(model, game, beside, buf);
    }
    None
}

/// Returns the game at a position on the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    screen: &OwnGamesScreen,
    areas: Areas,
    at: Position,
) -> Option<ClickTarget> {
    let area = list_area(areas);
    list_rows::target_at(&rows(model, screen, area), area, at)
}

fn list_area(areas: Areas) -> Rect {
    let (list, _) = layout::split_beside(areas.body);
    Rect {
        width: list.width.min(MAX_LIST_COLUMNS),
        ..list
    }
}

/// Draws a game's players and its final board.
fn draw_beside(model: &Model, game: &OwnGame, area: Rect, buf: &mut Buffer) {
    let record = &game.record;
    let players = game.names().map(|name| name.to_string()).join(" - ");
    let below = live_game::draw_facts(model, &record.rules, record.control, &players, area, buf);
    if let Ok(position) = record.replay() {
        live_game::draw_position(model, &position, below, buf);
    }
}

/// Returns the rows of the list. Rows that are too far from the selected row to be visible stay blank.
fn rows(model: &Model, screen: &OwnGamesScreen, area: Rect) -> Vec<ListRow> {
    let (texts, width) = (model.lang().texts(), area.width);
    let Some(list) = &screen.list else {
        return Vec::new();
    };
    let text = |line: String| ListRow::wrapped(2, &line, width, Style::new());
    let mut rows = Vec::new();
    if let Some(view) = &screen.profile {
        let Some(profile) = &view.profile else {
            return text(texts.profile_asked(view.subject.server.short()));
        };
        rows.extend(
            text_rows::profile_lines(texts, profile)
                .into_iter()
                .flat_map(text),
        );
        rows.push(ListRow::blank());
        rows.extend(ListRow::wrapped(
            2,
            texts.profile_latest(),
            width,
            theme::bold(),
        ));
    } else if screen.row_count() == 0 {
        return ListRow::wrapped(2, texts.no_own_games(), width, theme::bold());
    }
    let entry = |index: usize, columns: &dyn Fn() -> [String; 5]| {
        let is_selected = index == screen.selected;
        let style = if is_selected {
            theme::bold()
        } else {
            Style::new()
        };
        let entry = ListRow::entry(ClickTarget::Entry(index), is_selected);
        if index.abs_diff(screen.selected) > usize::from(area.height) {
            return entry;
        }
        row(entry, columns(), width, style)
    };
    let headings = texts.own_game_columns().map(str::to_owned);
    let headings = row(ListRow::blank(), headings, width, model.appearance.dim());
    rows.push(headings);
    for (index, game) in list.games.iter().enumerate() {
        rows.push(entry(index, &|| text_rows::own_game_columns(texts, game)));
    }
    if screen.profile.is_none() && !screen.on_server.is_empty() {
        rows.push(ListRow::blank());
        rows.extend(ListRow::wrapped(
            2,
            texts.only_on_server(),
            width,
            theme::bold(),
        ));
    }
    for (index, game) in screen.on_server.iter().enumerate() {
        let index = list.games.len() + index;
        rows.push(entry(index, &|| {
            text_rows::server_game_columns(texts, game)
        }));
    }
    rows
}

/// Adds the columns of a game that fit: date, game, opponent, result, number of moves.
fn row(row: ListRow, columns: [String; 5], width: u16, style: Style) -> ListRow {
    let [date, game, opponent, result, moves] = columns;
    let (row, game_x) = match width {
        MIN_DATE_COLUMNS.. => (row.with_text(2, date, style), 2 + DATE_COLUMNS),
        _ => (row, 2),
    };
    let rest = width.saturating_sub(game_x);
    if width < MIN_MOVES_COLUMNS {
        return row
            .with_text(game_x, game, style)
            .with_text(game_x + rest / 2, opponent, style)
            .with_right(result, style);
    }
    let rest = rest.saturating_sub(RESULT_COLUMNS);
    row.with_text(game_x, game, style)
        .with_text(game_x + rest / 2, opponent, style)
        .with_text(game_x + rest, result, style)
        .with_right(moves, style)
}
