//! Home screen: the menu, the server and the player.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::facts::MenuItem;
use crate::input::{Action, KeyContext};
use crate::model::layout::Areas;
use crate::model::{HomeServer, Model};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::header::draw_header;
use crate::ui::widgets::list_rows::{self, ListRow};

/// Rows of the body from which a picture stands above the menu, and blank rows separate its groups.
const MIN_TALL_ROWS: u16 = 20;
/// Rows that the picture needs beyond the header.
const PICTURE_ROWS: u16 = 2;
/// Minimum width of a description in columns; narrower ones are hidden.
const MIN_DESCRIPTION_COLUMNS: u16 = 12;

/// The area of the menu.
fn list_area(areas: Areas) -> Rect {
    let body = areas.body;
    if body.height < MIN_TALL_ROWS {
        return body;
    }
    Rect {
        y: body.y + PICTURE_ROWS,
        height: body.height - PICTURE_ROWS,
        ..body
    }
}

pub(in crate::ui) fn draw(
    model: &Model,
    selected: usize,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    if areas.body.height < MIN_TALL_ROWS {
        let right = draw_server_sign(model, areas.header, buf);
        let header = Rect {
            width: areas.header.width.saturating_sub(right),
            ..areas.header
        };
        draw_header(model, header, &[texts.tagline()], buf);
    } else {
        draw_title(model, areas.header, buf);
    }
    for (rows, area) in list_parts(&rows(model, selected, areas), list_area(areas)) {
        list_rows::draw(rows, area, buf);
    }
    None
}

/// Returns the index of the entry at a position of the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    selected: usize,
    areas: Areas,
    at: Position,
) -> Option<ClickTarget> {
    let rows = rows(model, selected, areas);
    list_parts(&rows, list_area(areas))
        .into_iter()
        .find_map(|(rows, area)| list_rows::target_at(rows, area, at))
}

/// Splits a menu that does not fit into its area: the last entry, which ends the program, keeps the last row.
fn list_parts(rows: &[ListRow], area: Rect) -> Vec<(&[ListRow], Rect)> {
    if rows.len() <= usize::from(area.height) || area.height < 2 {
        return vec![(rows, area)];
    }
    let (rest, last) = rows.split_at(rows.len() - 1);
    let above = Rect {
        height: area.height - 1,
        ..area
    };
    vec![
        (rest, above),
        (
            last,
            Rect {
                y: above.bottom(),
                height: 1,
                ..area
            },
        ),
    ]
}

/// Draws the state of the server in the header of a small screen. Returns its columns.
fn draw_server_sign(model: &Model, header: Rect, buf: &mut Buffer) -> u16 {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let (sign, style, state) = match model.home_server {
        HomeServer::Unknown => return 0,
        HomeServer::Online(_) => (
            "+",
            appearance.success_sign(),
            format!(" {}", texts.server_online()),
        ),
        HomeServer::Offline { .. } => {
            let label = texts.connection_offline_label();
            (
                "!",
                appearance.danger_sign(),
                label.trim_start_matches('!').to_owned(),
            )
        }
    };
    let width = 1 + columns(&state);
    let x = put_text(buf, header.right() - width, header.y, 1, sign, style);
    put_text(buf, x, header.y, width - 1, &state, appearance.dim());
    width + 2
}

/// Draws both marks, the name of the program and its version.
fn draw_title(model: &Model, header: Rect, buf: &mut Buffer) {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let [
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        horizontal,
        vertical,
    ] = appearance.glyphs(false).ring;
    let crossed = ["\\ /", " X ", "/ \\"].map(str::to_owned);
    let ring = [
        format!("{top_left}{horizontal}{top_right}"),
        format!("{vertical}O{vertical}"),
        format!("{bottom_left}{horizontal}{bottom_right}"),
    ];
    for (seat, x, rows) in [(Seat::X, 1, crossed), (Seat::O, 6, ring)] {
        for (y, row) in (header.y..).zip(&rows) {
            put_text(buf, header.x + x, y, 3, row, appearance.mark(seat));
        }
    }
    let x = header.x + 12;
    let available = header.right() - x;
    put_text(
        buf,
        x,
        header.y + 1,
        available,
        &texts.program().to_uppercase(),
        theme::bold(),
    );
    put_text(
        buf,
        x,
        header.y + 2,
        available,
        texts.tagline(),
        appearance.dim(),
    );
    let version = concat!("v", env!("CARGO_PKG_VERSION"));
    put_text(
        buf,
        header.right() - columns(version),
        header.y,
        columns(version),
        version,
        appearance.dim(),
    );
}

/// Returns the entries of the menu, and below them the server and the player.
fn rows(model: &Model, selected: usize, areas: Areas) -> Vec<ListRow> {
    let (texts, dim) = (model.lang().texts(), model.appearance.dim());
    let items = model.menu_items();
    let is_tall = areas.body.height >= MIN_TALL_ROWS;
    let name_columns = items
        .iter()
        .map(|&item| columns(texts.menu_item(item, &model.saved_games).0))
        .max()
        .unwrap_or(0);
    let description_x = 5 + name_columns + 3;
    // Saved games differ in their descriptions; the others have one only where all have room.
    let is_continue = |item: MenuItem| matches!(item, MenuItem::Continue(_));
    let available = areas.body.width.saturating_sub(description_x);
    let has_descriptions = |item: MenuItem| match is_continue(item) {
        true => available >= MIN_DESCRIPTION_COLUMNS,
        false => {
            let mut others = items.iter().filter(|item| !is_continue(**item));
            others.all(|&item| columns(&description(model, item)) <= available)
        }
    };
    let mut rows = Vec::new();
    for (index, &item) in items.iter().enumerate() {
        if is_tall && index > 0 && group(item) != group(items[index - 1]) {
            rows.push(ListRow::blank());
        }
        let style = if index == selected {
            theme::bold()
        } else {
            Style::new()
        };
        let number = model
            .menu_number(index)
            .map(|number| number.to_string())
            .unwrap_or_default();
        let mut row = ListRow::entry(ClickTarget::Entry(index), index == selected)
            .with_text(2, number, style)
            .with_text(5, texts.menu_item(item, &model.saved_games).0, style);
        if has_descriptions(item) {
            row = row.with_text(description_x, description(model, item), dim);
        }
        rows.push(row);
    }
    if usize::from(areas.body.height) > rows.len() + 3 {
        rows.push(ListRow::blank());
        rows.extend(server_rows(model, description_x));
    }
    rows
}

/// Number of the group of an entry. Blank rows separate the groups.
fn group(item: MenuItem) -> u8 {
    match item {
        MenuItem::Continue(_) => 0,
        MenuItem::Quick | MenuItem::Private | MenuItem::Join | MenuItem::Watch => 1,
        MenuItem::Local | MenuItem::Bot => 2,
        MenuItem::Settings | MenuItem::Host | MenuItem::Quit => 3,
    }
}

/// Describes an entry: what the server has for it, or that it needs one.
fn description(model: &Model, item: MenuItem) -> String {
    let texts = model.lang().texts();
    let fixed = texts.menu_item(item, &model.saved_games).1;
    match model.home_server {
        HomeServer::Offline { .. } if group(item) == 1 => texts.needs_server().to_owned(),
        HomeServer::Online(Some(counts)) => texts.menu_counts(item, counts).unwrap_or(fixed),
        HomeServer::Online(None) | HomeServer::Unknown | HomeServer::Offline { .. } => fixed,
    }
}

/// Returns the state of the server and the name of the player. An offline server has the keys that help.
fn server_rows(model: &Model, value_x: u16) -> Vec<ListRow> {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let [server_label, you_label] = texts.home_labels();
    let label_style = Style::new();
    let host = model.settings.server.host().to_owned();
    let (sign, sign_style, state, style) = match model.home_server {
        HomeServer::Unknown => (
            " ",
            Style::new(),
            texts.server_asked().to_owned(),
            appearance.dim(),
        ),
        HomeServer::Online(counts) => {
            let counts = counts.map_or_else(String::new, |counts| {
                format!("   {}", texts.lobby_counts(counts))
            });
            let state = format!("{}{counts}", texts.server_online());
            ("+", appearance.success_sign(), state, Style::new())
        }
        HomeServer::Offline { retry_at } => {
            let left = retry_at.saturating_sub(model.now);
            (
                "!",
                appearance.danger_sign(),
                texts.server_offline(left),
                appearance.alert(),
            )
        }
    };
    let label_x = 2;
    let mut rows = vec![
        ListRow::text(0, sign, sign_style)
            .with_text(label_x, server_label, label_style)
            .with_text(value_x, format!("{host}   {state}"), style),
    ];
    if let (HomeServer::Offline { .. }, Some(key)) = (
        model.home_server,
        model.keymap.letter_key(KeyContext::Home, Action::Refresh),
    ) {
        rows.push(ListRow::text(
            value_x,
            texts.server_help(key),
            appearance.dim(),
        ));
    }
    rows.push(ListRow::text(label_x, you_label, label_style).with_text(
        value_x,
        model.settings.name.to_string(),
        Style::new(),
    ));
    rows
}
