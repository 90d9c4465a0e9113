//! A table: the board, and beside it who plays, how things stand and what may be done.

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Outcome, Phase, Rules};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::board::Board;
use super::layout::{Layout, Pitch};
use super::{Parts, header, panel, put, theme, waiting};
use crate::model::{Model, Place, Room, Screen, Stage, Table};

/// The narrowest panel beside a board, and the widest.
const PANEL: (u16, u16) = (22, 40);
/// The fewest rows of a panel under a board.
const PANEL_ROWS: u16 = 6;
/// Columns between board and panel.
const GAP: u16 = 3;

/// How board and panel share the body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sharing {
    /// Side by side, or one under the other.
    Panel { board: Rect, panel: Rect, pitch: Pitch },
    /// Two lines over as much of the board as there is room for.
    Lines { lines: Rect, board: Rect, pitch: Pitch },
}

/// Finds the roomiest way for a whole board with a panel; failing that, part of the board under two lines.
pub(super) fn share(rules: &Rules, body: Rect) -> Sharing {
    for &pitch in Layout::pitches(rules) {
        let beside = body.width.saturating_sub(GAP + PANEL.0);
        let (_, (columns, rows)) = Layout::best(rules, pitch, beside);
        if columns <= beside && rows <= body.height {
            let width = (body.width - columns - GAP).min(PANEL.1);
            let panel = Rect { x: body.x + columns + GAP, width, ..body };
            return Sharing::Panel { board: Rect { width: columns, ..body }, panel, pitch };
        }
        let (_, (columns, rows)) = Layout::best(rules, pitch, body.width);
        if columns <= body.width && rows + 1 + PANEL_ROWS <= body.height {
            let panel = Rect { y: body.y + rows + 1, height: body.height - rows - 1, ..body };
            return Sharing::Panel { board: Rect { height: rows, ..body }, panel, pitch };
        }
    }
    // A board that only scrolls up and down keeps its panel. Layers would hide each other there.
    let beside = body.width.saturating_sub(GAP + PANEL.0);
    let (_, (columns, _)) = Layout::best(rules, Pitch::Tight, beside);
    if columns <= beside && rules.dimensions() != 3 {
        let panel =
            Rect { x: body.x + columns + GAP, width: (body.width - columns - GAP).min(PANEL.1), ..body };
        return Sharing::Panel { board: Rect { width: columns, ..body }, panel, pitch: Pitch::Tight };
    }
    let lines = Rect { height: 2, ..body };
    let board = Rect { y: body.y + 2, height: body.height - 2, ..body };
    // Cells of three columns are easier to read; only when that shows the whole board, though.
    let (_, (columns, rows)) = Layout::best(rules, Pitch::Wide, board.width);
    let pitch = if columns <= board.width && rows <= board.height { Pitch::Wide } else { Pitch::Tight };
    Sharing::Lines { lines, board, pitch }
}

impl Sharing {
    /// Where the cells lie.
    pub(super) fn layout(self, rules: Rules, cursor: Cell) -> Layout {
        match self {
            Sharing::Panel { board, pitch, .. } | Sharing::Lines { board, pitch, .. } => {
                Layout::new(rules, pitch, board, cursor)
            }
        }
    }
}

/// Where the cells of the board on the screen lie, if there is one.
pub(super) fn layout(model: &Model, body: Rect) -> Option<Layout> {
    let table = model.table().filter(|table| table.game.phase() != Phase::Waiting)?;
    let rules = *table.game.rules();
    Some(share(&rules, body).layout(rules, shown_cursor(table)))
}

/// The cursor as it is shown: where a mark would come to rest.
pub(super) fn shown_cursor(table: &Table) -> Cell {
    let position = table.game.position();
    if table.game.rules().gravity() {
        position.landing(table.cursor).unwrap_or(table.cursor)
    } else {
        table.cursor
    }
}

pub(super) fn draw(model: &Model, table: &Table, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let (rules, control) = (model.words.rules(table.game.rules()), table.game.control());
    let clock = control.map(|control| control.to_string()).unwrap_or_default();
    // The code of a private room is not to be read over a shoulder.
    let room =
        table.room().filter(|room| room.code.is_none()).map(|room| room.id.to_string()).unwrap_or_default();
    header(model, parts.header, &[&rules, &clock, &room], buf);
    if table.game.phase() == Phase::Waiting {
        waiting::room(model, table, parts.body, buf);
        return None;
    }
    let rules = *table.game.rules();
    let sharing = share(&rules, parts.body);
    let cursor = shown_cursor(table);
    let layout = sharing.layout(rules, cursor);
    let playing = table.game.phase() == Phase::Playing;
    let shown = table.shown();
    let outcome = table.game.outcome().filter(|_| table.behind().is_none());
    let winning: &[Cell] = outcome.and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let board = Board {
        position: &shown,
        look: model.look,
        digits: (playing && table.acting_seat().is_some()).then_some(model.settings.keys),
        // For one who cannot move, and after the game, it would only hide marks; a board that scrolls needs
        // it still, and so do the lines through it.
        cursor: ((playing && table.acting_seat().is_some()) || table.guide || !layout.is_whole())
            .then_some(cursor),
        ghost: table.acting_seat().filter(|_| rules.gravity() && table.may_move()),
        pending: table.pending.zip(table.acting_seat()).map(|(pending, seat)| (pending.cell, seat)),
        winning,
        guide: table.guide,
        values: model.values(),
    };
    board.draw(&layout, buf);
    match sharing {
        Sharing::Panel { panel, .. } => panel::draw(model, table, panel, buf),
        Sharing::Lines { lines, .. } => {
            for (y, line) in (lines.y..).zip(panel::two_lines(model, table)) {
                put(
                    buf,
                    lines.x,
                    y,
                    lines.width,
                    &line,
                    if y == lines.y { theme::strong() } else { Style::new() },
                );
            }
        }
    }
    None
}

/// How the line to the server is: in words, with a sign before them.
pub(super) fn line_state(model: &Model) -> String {
    let words = model.words;
    let Some(session) = &model.session else {
        return match &model.screen {
            Screen::Table(table) if matches!(table.place, Place::Here(_)) => words.line_local().to_owned(),
            Screen::Home { .. }
            | Screen::Form(_)
            | Screen::Waiting
            | Screen::Lobby(_)
            | Screen::Table(_)
            | Screen::Replay(_)
            | Screen::Grid(_) => String::new(),
        };
    };
    match session.stage {
        Stage::Connecting => String::new(),
        Stage::Offline { attempt, at } => words.line_offline(attempt, at.saturating_sub(model.now)),
        Stage::Ended(_) => words.line_ended().to_owned(),
        Stage::Asked | Stage::Seeking | Stage::There => {
            let lag = model.table().and_then(Table::room).and_then(own_lag);
            lag.map_or_else(|| words.line_online().to_owned(), |ms| words.line_lag(ms))
        }
    }
}

fn own_lag(room: &Room) -> Option<u32> {
    room.lag[room.seat?.index()]
}

/// How the opponent, or either player for a spectator, is absent; nothing when both are here.
pub(super) fn absences(model: &Model, table: &Table) -> Vec<String> {
    // When the room is closed, that says it all.
    let Some(room) = table.room().filter(|_| table.game.closing().is_none()) else { return Vec::new() };
    let words = model.words;
    let absent = noughts_protocol::Seat::ALL.into_iter().filter_map(|seat| {
        let attendance = room.attendance[seat.index()];
        let who = table.who(seat).filter(|who| !who.you && attendance.presence != Presence::Here)?;
        let left = attendance.claim_at.map(|at| at.saturating_sub(model.now)).filter(|&left| left > 0);
        Some(words.attendance(who.name.as_str(), attendance.presence, left.map(Duration::from_millis)))
    });
    absent.collect()
}
