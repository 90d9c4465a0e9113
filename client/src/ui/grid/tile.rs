//! One of several games: what it is called, who plays, how it stands, and the board without lines.

use noughts_protocol::{Cell, Outcome, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::board::Board;
use super::super::layout::{Layout, Pitch};
use super::super::{panel, put, table, theme};
use crate::model::{Model, Stage, Table, Watched};
use crate::words::wrapped;

/// The fewest rows over a board: the name, the players in one row, how it stands.
pub(super) const HEAD: u16 = 3;

pub(super) fn draw(game: &Watched, place: usize, focused: bool, area: Rect, buf: &mut Buffer) {
    let model = &game.model;
    let name = model.table().map(title).unwrap_or_default();
    let name = format!("{}  {name}", game.label(place)).trim_end().to_owned();
    let (name, style) =
        if focused { (format!(">{name}<"), theme::strong()) } else { (format!(" {name}"), model.look.dim()) };
    put(buf, area.x, area.y, area.width, &name, style);
    match model.table() {
        Some(table) => {
            let head = players(model, table, area, buf);
            let (text, style) = state(model, table);
            put(buf, area.x, area.y + head, area.width, &text, style);
            let below = head + 1;
            board(model, table, Rect { y: area.y + below, height: area.height - below, ..area }, buf);
        }
        None => {
            let (text, style) = without_board(game);
            for (y, line) in (area.y + 1..area.y + area.height).zip(wrapped(&text, area.width)) {
                put(buf, area.x, y, area.width, &line, style);
            }
        }
    }
}

/// What is played.
fn title(table: &Table) -> String {
    let rules = table.game.rules();
    let name = rules.name().map_or_else(|| rules.to_string(), str::to_owned);
    table.game.control().map_or_else(|| name.clone(), |control| format!("{name}  {control}"))
}

/// The players, one over the other if the board leaves a row for that. Returns the rows down to there.
fn players(model: &Model, table: &Table, area: Rect, buf: &mut Buffer) -> u16 {
    let (_, (_, board)) = Layout::best(table.game.rules(), Pitch::Tight, area.width);
    let row = |row: u16| Rect { y: area.y + row, height: 1, ..area };
    if board + HEAD < area.height {
        panel::draw_player(model, table, Seat::X, row(1), buf);
        panel::draw_player(model, table, Seat::O, row(2), buf);
        return 3;
    }
    let half = area.width.saturating_sub(1) / 2;
    panel::draw_player(model, table, Seat::X, Rect { width: half, ..row(1) }, buf);
    panel::draw_player(model, table, Seat::O, Rect { x: area.x + half + 1, width: half, ..row(1) }, buf);
    2
}

/// The one thing most worth knowing: how the line is, who is away, the result, whose turn it is.
fn state(model: &Model, table: &Table) -> (String, Style) {
    let words = model.words;
    match model.session.as_ref().map(|session| &session.stage) {
        Some(Stage::Offline { attempt, at }) => {
            return (words.line_offline(*attempt, at.saturating_sub(model.now)), model.look.alert());
        }
        Some(Stage::Ended(_)) => return (words.line_ended().to_owned(), model.look.alert()),
        Some(Stage::Connecting | Stage::Asked | Stage::Seeking | Stage::There) | None => {}
    }
    let (phase, absent) = (table.game.phase(), table::absences(model, table));
    match (phase, absent.into_iter().next()) {
        (Phase::Waiting, _) => (words.waiting().to_owned(), Style::new()),
        (Phase::Playing, Some(absent)) => (absent, model.look.alert()),
        (Phase::Playing | Phase::Over | Phase::Closed, _) => {
            let style = if phase == Phase::Playing { Style::new() } else { theme::strong() };
            (panel::state(model, table).into_iter().next().unwrap_or_default(), style)
        }
    }
}

/// What there is instead of a board.
fn without_board(game: &Watched) -> (String, Style) {
    let (model, words) = (&game.model, game.model.words);
    if let Some(reason) = &game.reason {
        return (words.note(reason), model.look.alert());
    }
    match model.session.as_ref().map(|session| &session.stage) {
        Some(Stage::Offline { attempt, at }) => {
            (words.line_offline(*attempt, at.saturating_sub(model.now)), model.look.alert())
        }
        Some(Stage::Ended(_)) => (words.line_ended().to_owned(), model.look.alert()),
        Some(Stage::Connecting | Stage::Asked | Stage::Seeking | Stage::There) | None => {
            (words.connecting(&game.server), Style::new())
        }
    }
}

/// The board as it stands; of one that has no room the part around the last move.
fn board(model: &Model, table: &Table, area: Rect, buf: &mut Buffer) {
    if area.is_empty() || table.game.phase() == Phase::Waiting {
        return;
    }
    let position = table.game.position();
    let at = position.moves().last().copied().unwrap_or(table.cursor);
    let winning: &[Cell] = table.game.outcome().and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let board = Board {
        position,
        look: model.look,
        digits: None,
        cursor: None,
        ghost: None,
        pending: None,
        winning,
        guide: false,
        values: None,
    };
    board.draw(&Layout::new(*position.rules(), Pitch::Tight, area, at), buf);
}
