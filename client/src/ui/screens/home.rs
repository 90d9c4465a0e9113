//! Home screen: the menu, the server and the player. On a wide screen, a running game of the server is beside the menu,
//! or hints for a player without a server or a game.

use noughts_protocol::wire::OpenSeek;
use noughts_protocol::{Rules, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::engines::player_engine::EngineSpec;
use crate::facts::MenuItem;
use crate::i18n::{Texts, wrap_text};
use crate::input::{Action, KeyContext};
use crate::io::last_choices::LastGame;
use crate::model::layout::{self, Areas};
use crate::model::local_game::LocalPlayerSpec;
use crate::model::{FormResult, HomeServer, Model, SessionGoal, listed_counts};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::game_picture;
use crate::ui::widgets::header::draw_header;
use crate::ui::widgets::list_rows::{self, ListRow};
use crate::ui::widgets::live_game::{self, LiveGame};

/// Minimum height of a body that has a picture above the menu and blank rows between groups.
const MIN_TALL_ROWS: u16 = 20;
/// Rows that the picture needs in addition to the header.
const PICTURE_ROWS: u16 = 2;
/// Maximum height of the contents. A taller screen shows them in the middle.
const MAX_BODY_ROWS: u16 = 36;
/// Minimum width of a description in columns. Narrower descriptions are hidden.
const MIN_DESCRIPTION_COLUMNS: u16 = 12;
/// Minimum and maximum height of the picture of a game.
const MIN_PICTURE_ROWS: u16 = 7;
const MAX_PICTURE_ROWS: u16 = 20;
/// Width of a mark in the title.
const MARK_COLUMNS: u16 = 7;

struct HomeAreas {
    title: Rect,
    list: Rect,
    beside: Option<Rect>,
}

impl HomeAreas {
    fn new(areas: Areas) -> HomeAreas {
        let shift = areas.body.height.saturating_sub(MAX_BODY_ROWS) / 2;
        let rows = match areas.body.height {
            MIN_TALL_ROWS.. => PICTURE_ROWS,
            _ => 0,
        };
        let body = Rect {
            y: areas.body.y + shift + rows,
            height: (areas.body.height - rows).min(MAX_BODY_ROWS),
            ..areas.body
        };
        let (list, beside) = layout::split_beside_menu(body);
        HomeAreas {
            title: Rect {
                y: areas.header.y + shift,
                ..areas.header
            },
            list,
            beside,
        }
    }
}

pub(in crate::ui) fn draw(
    model: &Model,
    selected: usize,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    let parts = HomeAreas::new(areas);
    if areas.body.height < MIN_TALL_ROWS {
        let right = draw_server_sign(model, "", areas.header, buf);
        let header = Rect {
            width: areas.header.width.saturating_sub(right),
            ..areas.header
        };
        draw_header(model, header, &[texts.tagline()], buf);
    } else {
        let has_server_rows = has_server_rows(model, areas, parts.list);
        draw_title(model, !has_server_rows, parts.title, buf);
    }
    for (rows, area) in list_parts(&rows(model, selected, areas, parts.list), parts.list) {
        list_rows::draw(rows, model.appearance, area, buf);
    }
    if let Some(area) = parts.beside {
        draw_beside(model, selected, area, buf);
    }
    None
}

/// Returns the entry or the key at a position on the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    selected: usize,
    areas: Areas,
    at: Position,
) -> Option<ClickTarget> {
    let parts = HomeAreas::new(areas);
    let rows = rows(model, selected, areas, parts.list);
    let in_menu = list_parts(&rows, parts.list)
        .into_iter()
        .find_map(|(rows, area)| list_rows::target_at(rows, area, at));
    let has_offers = model.preview.game.is_none() && model.home_server.is_known();
    let beside = parts.beside.filter(|_| has_offers);
    in_menu.or_else(|| list_rows::target_at(&offer_rows(model), beside?, at))
}

/// Splits a menu that does not fit into its area. The last entry, which ends the program, keeps the last row.
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

/// Draws the state of the server, after its name, at the right of a header. Returns the width.
fn draw_server_sign(model: &Model, host: &str, header: Rect, buf: &mut Buffer) -> u16 {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let (sign, style, state) = match model.home_server {
        HomeServer::Unknown => return 0,
        HomeServer::Online(_) => (
            "+",
            appearance.success_sign(),
            match host {
                "" => format!(" {}", texts.server_online()),
                host => format!(" {host}"),
            },
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

/// Draws both marks and the program's name. On the right are the server and the player, or the version if they have
/// rows of their own.
fn draw_title(model: &Model, has_server: bool, header: Rect, buf: &mut Buffer) {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let [
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        horizontal,
        vertical,
    ] = appearance.glyphs(false).ring;
    let strokes = [
        ["\\ /", " X ", "/ \\"].map(str::to_owned),
        [
            format!("{top_left}{horizontal}{top_right}"),
            format!("{vertical}O{vertical}"),
            format!("{bottom_left}{horizontal}{bottom_right}"),
        ],
    ];
    for (seat, strokes) in Seat::ALL.into_iter().zip(strokes) {
        // A filled mark needs no strokes.
        let rows = match appearance.has_surfaces() {
            true => [String::new(), seat.to_string(), String::new()],
            false => strokes,
        };
        let x = header.x + seat.index() as u16 * (MARK_COLUMNS + 1);
        for (y, row) in (header.y..).zip(&rows) {
            let row = format!("{row:^width$}", width = usize::from(MARK_COLUMNS));
            put_text(buf, x, y, MARK_COLUMNS, &row, appearance.stone(seat));
        }
    }
    let x = header.x + 2 * MARK_COLUMNS + 4;
    let available = header.right() - x;
    put_text(
        buf,
        x,
        header.y,
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
    if has_server {
        draw_server_sign(model, model.settings.server.host(), header, buf);
        let name = model.settings.name.to_string();
        let row = header.y + 2;
        if x + columns(texts.tagline()) + 2 + columns(&name) <= header.right() {
            let x = header.right() - columns(&name);
            put_text(buf, x, row, columns(&name), &name, Style::new());
        }
        return;
    }
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

/// Draws the running game, or else what the player can do and the game of the selected entry.
fn draw_beside(model: &Model, selected: usize, area: Rect, buf: &mut Buffer) {
    match &model.preview.game {
        Some(game) => LiveGame::beside_list().draw(game, area, buf),
        None if !model.home_server.is_known() => {}
        None => {
            live_game::draw_title(model, &beside_title(model), false, area, buf);
            let offers = offer_rows(model);
            list_rows::draw(&offers, model.appearance, area, buf);
            let title = area.y + offers.len() as u16 + 1;
            let height = area
                .bottom()
                .saturating_sub(title + 2)
                .min(MAX_PICTURE_ROWS);
            if height >= MIN_PICTURE_ROWS {
                let rules = pictured_rules(model, selected);
                let below = Rect { y: title, ..area };
                live_game::draw_title(
                    model,
                    &model.lang().texts().rules(&rules),
                    false,
                    below,
                    buf,
                );
                let picture = Rect {
                    y: title + 2,
                    height,
                    ..area
                };
                game_picture::draw(model.appearance, rules, picture, buf);
            }
        }
    }
}

/// Returns the game of the selected entry. An entry without a game shows the last started game, or the game of the
/// settings.
fn pictured_rules(model: &Model, selected: usize) -> Rules {
    let saved = match model.menu_items().get(selected) {
        Some(MenuItem::Continue(index)) => model.saved_games.get(*index).map(|game| game.rules),
        Some(MenuItem::Puzzle) => Some(model.puzzle_of_today().puzzle.rules),
        _ => None,
    };
    let last = || model.last_choices.game.as_ref().map(LastGame::rules);
    saved.or_else(last).unwrap_or(model.settings.rules)
}

fn beside_title(model: &Model) -> String {
    let texts = model.lang().texts();
    match model.home_server {
        HomeServer::Offline { .. } => texts.no_server(model.settings.server.short()),
        HomeServer::Online(_) | HomeServer::Unknown => texts.nobody_plays().to_owned(),
    }
}

/// Returns rows that help a player without a server, or that say what to do on a server without games. One row is
/// blank, for the title.
fn offer_rows(model: &Model) -> Vec<ListRow> {
    let texts = model.lang().texts();
    let key = |action| {
        let key = model.keymap.letter_key(KeyContext::Home, action)?;
        Some((texts.key(key).into_owned(), ClickTarget::Action(action)))
    };
    let entry = |item| {
        let index = model.menu_items().iter().position(|known| *known == item)?;
        let number = model.menu_number(index)?;
        Some((number.to_string(), ClickTarget::Entry(index)))
    };
    let bot = (key(Action::InviteBot), texts.offer_bot());
    let offers = match model.home_server {
        HomeServer::Offline { .. } => vec![
            bot,
            (entry(MenuItem::Host), texts.offer_host()),
            (entry(MenuItem::Settings), texts.offer_server()),
            (key(Action::Refresh), texts.offer_retry()),
        ],
        HomeServer::Online(_) | HomeServer::Unknown => vec![
            bot,
            (entry(MenuItem::Private), texts.offer_invitation()),
            (entry(MenuItem::Quick), texts.offer_search()),
        ],
    };
    let mut rows = vec![ListRow::blank(), ListRow::blank()];
    for (key, text) in offers {
        if let Some((key, target)) = key {
            rows.extend([ListRow::offer(2, &key, target, text), ListRow::blank()]);
        }
    }
    rows
}

/// Returns the menu entries and, below them if there is room, the server and the player.
fn rows(model: &Model, selected: usize, areas: Areas, list: Rect) -> Vec<ListRow> {
    let mut rows = menu_rows(model, selected, areas, list);
    if has_server_rows(model, areas, list) {
        rows.push(ListRow::blank());
        rows.extend(server_rows(model, description_x(model), list.width));
    }
    rows
}

/// Returns whether the server and the player have rows below the menu.
fn has_server_rows(model: &Model, areas: Areas, list: Rect) -> bool {
    let menu = menu_rows(model, 0, areas, list).len();
    let server = server_rows(model, description_x(model), list.width).len();
    usize::from(list.height) > menu + server
}

/// Returns the column of the descriptions.
fn description_x(model: &Model) -> u16 {
    let texts = model.lang().texts();
    let items = model.menu_items().into_iter();
    let names = items.map(|item| columns(texts.menu_item(item, &model.saved_games).0));
    5 + names.max().unwrap_or(0) + 3
}

fn menu_rows(model: &Model, selected: usize, areas: Areas, list: Rect) -> Vec<ListRow> {
    let (texts, dim) = (model.lang().texts(), model.appearance.dim());
    let items = model.menu_items();
    let is_tall = areas.body.height >= MIN_TALL_ROWS;
    let description_x = description_x(model);
    // Saved games differ only in their descriptions. The other entries have descriptions only if all of them fit.
    let is_game = |item: MenuItem| {
        matches!(
            item,
            MenuItem::Continue(_) | MenuItem::Return(_) | MenuItem::Again
        )
    };
    let available = list.width.saturating_sub(description_x);
    let has_descriptions = |item: MenuItem| match is_game(item) {
        true => available >= MIN_DESCRIPTION_COLUMNS,
        false => {
            let mut others = items.iter().filter(|item| !is_game(**item));
            others.all(|&item| columns(&description(model, item)) <= available)
        }
    };
    let mut rows = Vec::new();
    for (index, &item) in items.iter().enumerate() {
        if is_tall && index > 0 && group(item) != group(items[index - 1]) {
            rows.push(ListRow::blank());
        }
        let is_dead = model.lacks_server(item);
        let style = match (index == selected, is_dead) {
            (true, _) => theme::bold(),
            (false, true) => dim,
            (false, false) => Style::new(),
        };
        let letter = |action| model.keymap.letter_key(KeyContext::Home, action);
        let number = if item == MenuItem::Puzzle {
            letter(Action::Puzzle).map(|key| texts.key(key).into_owned())
        } else {
            model.menu_number(index).map(|number| number.to_string())
        };
        let number = number.unwrap_or_default();
        let mut row = ListRow::entry(ClickTarget::Entry(index), index == selected)
            .with_text(2, number, style)
            .with_text(5, texts.menu_item(item, &model.saved_games).0, style);
        if has_descriptions(item) {
            row = row.with_text(description_x, description(model, item), dim);
        }
        rows.push(row);
    }
    rows
}

/// Returns the number of an entry's group. Blank rows separate the groups.
fn group(item: MenuItem) -> u8 {
    match item {
        MenuItem::Continue(_) | MenuItem::Return(_) | MenuItem::Again => 0,
        MenuItem::Quick | MenuItem::Private | MenuItem::Join | MenuItem::Watch => 1,
        MenuItem::Local | MenuItem::Bot | MenuItem::Puzzle | MenuItem::OwnGames => 2,
        MenuItem::Settings | MenuItem::Host | MenuItem::Quit => 3,
    }
}

/// Describes an entry: what the server offers for it, or that the entry needs a server.
fn description(model: &Model, item: MenuItem) -> String {
    let texts = model.lang().texts();
    let fixed = texts.menu_item(item, &model.saved_games).1;
    if let (MenuItem::Again, Some(start)) = (item, model.last_start()) {
        return start_text(texts, &start);
    }
    if let MenuItem::Return(index) = item
        && let Some(room) = model.rooms_to_return().get(index)
    {
        return texts.game_on_another_device(room);
    }
    if item == MenuItem::Puzzle {
        return texts.puzzle_entry(&model.puzzle_of_today());
    }
    match &model.home_server {
        HomeServer::Offline { .. } if model.lacks_server(item) => texts.needs_server().to_owned(),
        HomeServer::Online(Some(view)) => match (item, view.seeks.as_slice()) {
            (MenuItem::Quick, [seek]) => {
                let OpenSeek { player, rules, .. } = &seek.open;
                texts.menu_waiting(texts.short_rules(rules), &player.name)
            }
            _ => texts
                .menu_counts(item, listed_counts(view))
                .unwrap_or(fixed),
        },
        HomeServer::Online(None) | HomeServer::Unknown | HomeServer::Offline { .. } => fixed,
    }
}

/// Names a game that a form has started: with its clock, or with its players other than the only person.
fn start_text(texts: Texts, start: &FormResult) -> String {
    let name = |player: &LocalPlayerSpec| match player {
        LocalPlayerSpec::Bot(EngineSpec::Level(level)) => texts.computer_level(*level),
        LocalPlayerSpec::Bot(EngineSpec::Program(_)) | LocalPlayerSpec::Person(_) => {
            player.to_string()
        }
    };
    match start {
        FormResult::Server(
            _,
            _,
            SessionGoal::Seek { rules, clock, .. } | SessionGoal::Create { rules, clock, .. },
        ) => texts.join_list(&[texts.short_rules(rules), texts.time_control(*clock)]),
        FormResult::Local(setup) => {
            let is_bot = |player: &&LocalPlayerSpec| matches!(player, LocalPlayerSpec::Bot(_));
            let mut bots = setup.players.iter().filter(is_bot);
            let players = match (bots.next(), bots.next()) {
                (Some(bot), None) => name(bot),
                _ => setup.players.each_ref().map(name).join(" - "),
            };
            texts.join_list(&[texts.short_rules(&setup.rules), players])
        }
        FormResult::Server(..) | FormResult::Host(..) | FormResult::Settings(_) => String::new(),
    }
}

/// Returns the state of the server and the player's name. For an offline server, also returns the keys that help.
fn server_rows(model: &Model, value_x: u16, width: u16) -> Vec<ListRow> {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let [server_label, you_label] = texts.home_labels();
    let label_style = Style::new();
    let host = model.settings.server.host().to_owned();
    let counts = match &model.home_server {
        HomeServer::Online(Some(view)) => Some(texts.lobby_counts(listed_counts(view))),
        HomeServer::Online(None) | HomeServer::Unknown | HomeServer::Offline { .. } => None,
    };
    let (sign, sign_style, state, style) = match &model.home_server {
        HomeServer::Unknown => (
            " ",
            Style::new(),
            texts.server_asked().to_owned(),
            appearance.dim(),
        ),
        HomeServer::Online(_) => (
            "+",
            appearance.success_sign(),
            texts.server_online().to_owned(),
            Style::new(),
        ),
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
    let mut state = format!("{host}   {state}");
    // Numbers that do not fit beside the server have a row of their own.
    let mut counts_row = None;
    if let Some(counts) = counts {
        if value_x + columns(&state) + 3 + columns(&counts) <= width {
            state = format!("{state}   {counts}");
        } else if value_x + columns(&counts) <= width {
            counts_row = Some(ListRow::text(value_x, counts, appearance.dim()));
        }
    }
    let mut rows = vec![
        ListRow::text(0, sign, sign_style)
            .with_text(label_x, server_label, label_style)
            .with_text(value_x, state, style),
    ];
    rows.extend(counts_row);
    if let (HomeServer::Offline { .. }, Some(key)) = (
        &model.home_server,
        model.keymap.letter_key(KeyContext::Home, Action::Refresh),
    ) {
        let help = wrap_text(&texts.server_help(key), width.saturating_sub(value_x));
        let rows_of_help = help.into_iter();
        rows.extend(rows_of_help.map(|line| ListRow::text(value_x, line, appearance.dim())));
    }
    rows.push(ListRow::text(label_x, you_label, label_style).with_text(
        value_x,
        model.settings.name.to_string(),
        Style::new(),
    ));
    rows
}
