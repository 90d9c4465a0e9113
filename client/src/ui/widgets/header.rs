//! Header: the parts of the title, and the connection state.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::i18n::first_part;
use crate::model::{GameHost, GameView, Model, RoomView, Stage};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::player_card::{PlayerCard, SLOW_LAG_MS};

/// Minimum width of a header that labels a game without a connection.
const MIN_LOCAL_LABEL_COLUMNS: u16 = 50;
/// Minimum width of a header that describes the state of the connection in words.
const MIN_LABEL_COLUMNS: u16 = 70;

/// Draws the header: as many parts of the title as fit on the left, and the connection state on the right.
pub(in crate::ui) fn draw_header(model: &Model, area: Rect, parts: &[&str], buf: &mut Buffer) {
    let available = draw_connection_state(model, area, false, buf);
    if columns(model.lang().texts().program()) > available {
        return;
    }
    let mut x = put_text(
        buf,
        area.x,
        area.y,
        available,
        model.lang().texts().program(),
        theme::bold(),
    ) - area.x;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if x + 2 + columns(part) > available {
            break;
        }
        x = put_text(buf, area.x + x + 2, area.y, available, part, theme::bold()) - area.x;
    }
}

/// Draws the header of a game: its name, its rule, or after the first move its players, the room, and the connection
/// state. Parts that do not fit are left out: first the second half of the rule, then the rule or the players, then the
/// room.
pub(in crate::ui) fn draw_game_header(
    model: &Model,
    area: Rect,
    game_view: &GameView,
    buf: &mut Buffer,
) {
    let available = draw_connection_state(model, area, true, buf);
    // The code of a private room is hidden from onlookers.
    let room = game_view.room().filter(|room| room.code.is_none());
    let room = room
        .map(|room| model.lang().texts().room_label(room.id.to_string()))
        .unwrap_or_default();
    let titles = game_titles(model, game_view);
    let room_columns = if room.is_empty() {
        0
    } else {
        columns(&room) + 2
    };
    let with_room = titles[..titles.len() - 1]
        .iter()
        .find(|title| columns(title) + room_columns <= available);
    if with_room.is_some() {
        put_text(
            buf,
            area.x + available - columns(&room),
            area.y,
            columns(&room),
            &room,
            model.appearance.dim(),
        );
    }
    let title = with_room.or_else(|| titles.iter().find(|title| columns(title) <= available));
    let title = title.or(titles.last()).map_or("", String::as_str);
    put_text(
        buf,
        area.x,
        area.y,
        available,
        &shorten(title, available),
        theme::bold(),
    );
}

/// Returns the titles of a game, the longest first. The last title is the name of the game.
fn game_titles(model: &Model, game_view: &GameView) -> Vec<String> {
    let texts = model.lang().texts();
    let rules = game_view.game.rules();
    let name = texts.rules(rules);
    if game_view.puzzle().is_some() {
        return vec![format!("{}: {name}", texts.puzzle_menu()), name];
    }
    if game_view.game.position().ply() == 0 {
        let line = texts.rule_line(rules);
        let first_part = first_part(&line);
        return vec![
            format!("{name} - {line}"),
            format!("{name} - {first_part}"),
            name,
        ];
    }
    let opponent = game_view
        .opponent()
        .and_then(|seat| game_view.player_ref(seat));
    let with_players = match (opponent, game_view.players()) {
        (Some(who), _) => Some(texts.title_against(&who.name, &name)),
        (None, Some([x, o])) => Some(texts.title_between(&o.name, &name, &x.name)),
        (None, None) => None,
    };
    with_players.into_iter().chain([name]).collect()
}

/// Draws the header of a game with a panel that leaves no room for the players.
pub(in crate::ui) fn draw_players_header(
    model: &Model,
    area: Rect,
    game_view: &GameView,
    buf: &mut Buffer,
) {
    let available = draw_connection_state(model, area, true, buf);
    let cards = Seat::ALL.map(|seat| PlayerCard::of_game(model, game_view, seat));
    let row = Rect {
        width: available,
        ..area
    };
    PlayerCard::draw_pair(&cards, model.appearance, row, buf);
}

/// Draws the header of a screen without a status row.
pub(in crate::ui) fn draw_list_header(model: &Model, area: Rect, title: &str, buf: &mut Buffer) {
    let available = draw_connection_state(model, area, false, buf);
    put_text(
        buf,
        area.x,
        area.y,
        available,
        &shorten(title, available),
        theme::bold(),
    );
}

/// Draws a header with a title.
pub(in crate::ui) fn draw_title_header(model: &Model, area: Rect, title: &str, buf: &mut Buffer) {
    let available = draw_connection_state(model, area, true, buf);
    put_text(
        buf,
        area.x,
        area.y,
        available,
        &shorten(title, available),
        theme::bold(),
    );
}

/// Draws the connection state on the right. Returns the columns to its left. If the screen has a status row, that row
/// shows the time of the next attempt to connect.
fn draw_connection_state(model: &Model, area: Rect, has_status: bool, buf: &mut Buffer) -> u16 {
    let is_offline = matches!(&model.session, Some(session) if matches!(session.stage, Stage::Reconnecting { .. }));
    let state = match has_status && is_offline {
        true => model.lang().texts().connection_offline_label().to_owned(),
        false => connection_state(model, area.width < MIN_LABEL_COLUMNS),
    };
    // If the header contains the players, their names need the space.
    let is_local_label = state == model.lang().texts().local_game_label();
    let state = if is_local_label && area.width < MIN_LOCAL_LABEL_COLUMNS {
        String::new()
    } else {
        state
    };
    let right = columns(&state).min(area.width);
    let sign_style = match state.chars().next() {
        Some('!') => model.appearance.danger_sign(),
        Some('+') => model.appearance.success_sign(),
        Some(_) | None => model.appearance.dim(),
    };
    let style = if state.starts_with('!') {
        model.appearance.alert()
    } else {
        model.appearance.dim()
    };
    let x = area.right() - right;
    let sign = state.chars().next().map(String::from).unwrap_or_default();
    let after = put_text(buf, x, area.y, right, &sign, sign_style);
    put_text(
        buf,
        after,
        area.y,
        right.saturating_sub(after - x),
        &state[sign.len()..],
        style,
    );
    area.width.saturating_sub(right + 2)
}

/// Returns the label of the connection state, which starts with a sign.
fn connection_state(model: &Model, is_short: bool) -> String {
    let texts = model.lang().texts();
    let Some(session) = &model.session else {
        let is_local = model
            .game_view()
            .is_some_and(|view| matches!(view.host, GameHost::Local(_)));
        return if is_local {
            texts.local_game_label().to_owned()
        } else {
            String::new()
        };
    };
    match session.stage {
        Stage::Connecting => String::new(),
        Stage::Reconnecting { attempt, retry_at } => {
            texts.connection_offline(attempt, retry_at.saturating_sub(model.now))
        }
        Stage::Terminated(_) => texts.connection_closed().to_owned(),
        Stage::GoalRequested | Stage::Seeking | Stage::Ready => {
            let lag = model.game_view().and_then(GameView::room).and_then(own_lag);
            match lag {
                Some(ms) if is_short => format!("+ {}", texts.lag(Some(ms))),
                Some(ms) => format!("{} {}", texts.connection_online(), texts.lag(Some(ms))),
                None if is_short => "+".to_owned(),
                None => texts.connection_online().to_owned(),
            }
        }
    }
}

/// Returns the player's own lag if it is high.
fn own_lag(room: &RoomView) -> Option<u32> {
    room.lag[room.seat?.index()].filter(|&lag| lag >= SLOW_LAG_MS)
}
