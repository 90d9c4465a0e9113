//! The views: pure functions of the model. `draw` paints the whole screen into a buffer; `line` words
//! notes for line mode. Nothing here changes the model or does IO.

mod board;
mod form;
mod grid;
pub mod help;
mod home;
pub mod json;
mod layout;
pub mod line;
mod lobby;
mod panel;
mod plain;
mod replay;
mod table;
#[cfg(test)]
mod tests;
mod theme;
mod waiting;

use noughts_protocol::{Cell, Rules};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::input::{Action, Context};
use crate::model::{Model, Overlay, Screen, Table};
use crate::words::wrapped;

/// The smallest screen that is drawn.
pub const MIN: (u16, u16) = (30, 10);

/// The parts that every screen has.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// What this is, and how the line is.
    header: Rect,
    body: Rect,
    /// The last refusal or answer, or the question, or what is typed.
    notice: Rect,
    /// Some keys.
    hints: Rect,
}

impl Parts {
    fn of(area: Rect) -> Parts {
        let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        // A line of air under the header where there is room for it.
        let top = if area.height >= 20 { 2 } else { 1 };
        let body = Rect { y: area.y + top, height: area.height - top - 2, ..area };
        Parts { header: row(0), body, notice: row(area.height - 2), hints: row(area.height - 1) }
    }
}

/// Paints the whole screen; says where the terminal's own cursor belongs, if text is being typed.
pub fn draw(model: &Model, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if let Screen::Grid(grid) = &model.screen
        && let Some(opened) = grid.opened()
    {
        return draw(opened, area, buf);
    }
    if is_too_small(area) {
        for (y, line) in (0..area.height).zip(model.words.too_small(area.width, area.height)) {
            put(buf, area.x, area.y + y, area.width, &line, Style::new());
        }
        return None;
    }
    let parts = Parts::of(area);
    if let Some(Overlay::Help(top)) = model.overlay {
        help::draw(model, top, parts, buf);
        hints(model, parts.hints, buf);
        return None;
    }
    let mut cursor = match &model.screen {
        Screen::Home { at } => home::draw(model, *at, parts, buf),
        Screen::Form(form) => form::draw(model, form, parts, buf),
        Screen::Waiting => waiting::draw(model, parts, buf),
        Screen::Lobby(lobby) => lobby::draw(model, lobby, parts, buf),
        Screen::Table(table) => table::draw(model, table, parts, buf),
        Screen::Replay(replay) => replay::draw(model, replay, parts, buf),
        Screen::Grid(grid) => grid::draw(model, grid, parts, buf),
    };
    cursor = notice(model, parts.notice, buf).or(cursor);
    hints(model, parts.hints, buf);
    if model.overlay.is_some() { None } else { cursor }
}

/// Whether nothing but a complaint has room here.
fn is_too_small(area: Rect) -> bool {
    area.width < MIN.0 || area.height < MIN.1
}

/// The cell at a place of the screen, if a board is drawn there.
pub fn cell_at(model: &Model, column: u16, row: u16) -> Option<Cell> {
    table::layout(model, body(model)?)?.cell_at(column, row)
}

/// The place of the game at a place of the screen, if several are drawn and one lies there.
pub fn game_at(model: &Model, column: u16, row: u16) -> Option<usize> {
    let body = body(model)?;
    match &model.screen {
        Screen::Grid(grid) => grid::game_at(grid, body, Position::new(column, row)),
        Screen::Home { .. }
        | Screen::Form(_)
        | Screen::Waiting
        | Screen::Lobby(_)
        | Screen::Table(_)
        | Screen::Replay(_) => None,
    }
}

/// How many of the games on the screen are side by side.
pub fn games_across(model: &Model) -> usize {
    match (&model.screen, body(model)) {
        (Screen::Grid(grid), Some(body)) => grid::across(grid, body),
        (
            Screen::Grid(_)
            | Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Table(_)
            | Screen::Replay(_),
            _,
        ) => 1,
    }
}

/// How many of these games have room on the screen at once: one at least.
pub fn games_that_fit(model: &Model, rules: &[Rules]) -> usize {
    body(model).map_or(1, |body| grid::fitting(rules, body))
}

/// The body of the screen, if there is room for one.
fn body(model: &Model) -> Option<Rect> {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    (!is_too_small(area)).then(|| Parts::of(area).body)
}

/// Writes text into a row, cut to so many columns; returns the column behind it.
fn put(buf: &mut Buffer, x: u16, y: u16, columns: u16, text: &str, style: Style) -> u16 {
    buf.set_stringn(x, y, text, usize::from(columns), style).0
}

/// The columns that a text takes.
fn columns(text: &str) -> u16 {
    u16::try_from(unicode_width::UnicodeWidthStr::width(text)).unwrap_or(u16::MAX)
}

/// On the left of the header what this is, as much of it as there is room for; on its right the state of
/// the line.
fn header(model: &Model, area: Rect, parts: &[&str], buf: &mut Buffer) {
    let state = table::line_state(model);
    let right = columns(&state).min(area.width);
    let style = if state.starts_with('!') { model.look.alert() } else { model.look.dim() };
    put(buf, area.x + area.width - right, area.y, right, &state, style);
    let room = area.width.saturating_sub(right + 2);
    if columns(model.words.program()) > room {
        return;
    }
    let mut x = put(buf, area.x, area.y, room, model.words.program(), theme::strong()) - area.x;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if x + 2 + columns(part) > room {
            break;
        }
        x = put(buf, area.x + x + 2, area.y, room, part, theme::strong()) - area.x;
    }
}

/// The row above the hints: a question, the command line, or the last notice.
fn notice(model: &Model, area: Rect, buf: &mut Buffer) -> Option<Position> {
    if let Some(Overlay::Question(question)) = model.overlay {
        told(model.words.question(question), model.look.alert(), area, buf);
        return None;
    }
    if let Some(prompt) = &model.prompt {
        // A long text shows its end.
        let room = area.width.saturating_sub(2);
        let before = tail(prompt.before(), room);
        let x = put(buf, area.x, area.y, area.width, &format!(":{before}"), Style::new());
        let after = &prompt.text()[prompt.before().len()..];
        put(buf, x, area.y, (area.x + area.width).saturating_sub(x), after, Style::new());
        return Some(Position::new(x.min(area.x + area.width - 1), area.y));
    }
    if let Some(note) = &model.notice {
        told(&line::first(model.words, note), model.look.notice(), area, buf);
    }
    None
}

/// A text that ends in this row, and covers as many rows above it as it takes: a refusal without its end says
/// nothing.
fn told(text: &str, style: Style, area: Rect, buf: &mut Buffer) {
    let lines = wrapped(text, area.width);
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.y - buf.area.y + 1);
    for (y, line) in (area.y + 1 - rows..=area.y).zip(&lines) {
        put(buf, area.x, y, area.width, &" ".repeat(usize::from(area.width)), Style::reset());
        put(buf, area.x, y, area.width, line, style);
    }
}

/// The last so many columns of a text.
fn tail(text: &str, room: u16) -> &str {
    let mut start = 0;
    for (index, letter) in text.char_indices() {
        if columns(&text[start..]) <= room {
            break;
        }
        start = index + letter.len_utf8();
    }
    &text[start..]
}

/// The keys that matter most here, from the keymap. Where there is no room for all, those at the end go first, but
/// not the ways out.
fn hints(model: &Model, area: Rect, buf: &mut Buffer) {
    const GAP: u16 = 3;
    let context = model.context();
    let hint = |&action: &Action| {
        let key = model.keymap.key(context, action)?;
        Some((action, format!("{} {}", model.words.key(key), model.words.hint(action))))
    };
    let mut shown: Vec<(Action, String)> = wanted(model, context).iter().filter_map(hint).collect();
    let needs = |shown: &[(Action, String)]| shown.iter().map(|(_, hint)| columns(hint) + GAP).sum::<u16>();
    while needs(&shown) > area.width + GAP {
        let last = shown.iter().rposition(|(action, _)| !is_way_out(*action));
        shown.remove(last.unwrap_or(shown.len() - 1));
    }
    let mut x = area.x;
    for (_, hint) in shown {
        x = put(buf, x, area.y, columns(&hint), &hint, model.look.dim()) + GAP;
    }
}

/// Whoever does not know how to go on needs these.
fn is_way_out(action: Action) -> bool {
    matches!(action, Action::Leave | Action::Close | Action::Help | Action::Yes | Action::No)
}

/// What to hint at, the most useful first.
fn wanted(model: &Model, context: Context) -> &'static [Action] {
    let claimable = model.table().is_some_and(|table| table.may_claim(model.now));
    match context {
        Context::Home => &[Action::Choose, Action::Bot, Action::Help, Action::Leave],
        Context::Form => &[Action::Choose, Action::Close, Action::Next, Action::More],
        Context::Lobby => {
            &[Action::Choose, Action::Watch, Action::Leave, Action::Refresh, Action::Help, Action::WatchAll]
        }
        Context::Waiting => &[Action::Leave, Action::Help],
        Context::OwnRoom => &[Action::Bot, Action::Leave, Action::Help, Action::Command],
        Context::Playing if model.prompt.is_some() => &[],
        Context::Playing if claimable => &[Action::Claim, Action::Help, Action::Leave, Action::Command],
        Context::Playing => &[Action::Place, Action::Help, Action::Leave, Action::Command],
        Context::Over if model.table().is_some_and(Table::is_closed) => &[Action::Leave, Action::Help],
        Context::Over => &[Action::Again, Action::Leave, Action::Help, Action::Command],
        Context::Watching if model.table().is_some_and(|table| table.behind().is_some()) => {
            &[Action::Last, Action::Next, Action::Previous, Action::Leave, Action::Help]
        }
        Context::Watching => &[Action::Leave, Action::Previous, Action::Help, Action::Command],
        Context::Grid => &[Action::Choose, Action::Next, Action::Leave, Action::Help],
        Context::Replay => &[Action::Next, Action::Previous, Action::Leave, Action::Help],
        Context::Question => &[Action::Yes, Action::No],
        Context::Help => &[Action::Close, Action::Next],
    }
}
