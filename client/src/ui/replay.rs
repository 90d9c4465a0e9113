//! A record, stepped through.

use noughts_protocol::{Cell, Outcome};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::board::Board;
use super::table::{Sharing, share};
use super::{Parts, header, put, theme};
use crate::model::{Model, Replay};
use crate::words::{Label, padded, wrapped};

pub(super) fn draw(model: &Model, replay: &Replay, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let words = model.words;
    let (record, position) = (&replay.record, &replay.position);
    header(model, parts.header, &[&words.rules(&record.rules)], buf);
    let at_end = position.ply() == record.moves.len();
    let outcome = record.outcome.as_ref().filter(|_| at_end);
    let winning: &[Cell] = outcome.and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let sharing = share(&record.rules, parts.body);
    let layout = sharing.layout(record.rules, model.cursor());
    let board = Board {
        position,
        look: model.look,
        digits: None,
        cursor: None,
        ghost: None,
        pending: None,
        winning,
        guide: false,
        values: model.values(),
    };
    board.draw(&layout, buf);
    let lines = lines(model, replay);
    let (area, lines) = match sharing {
        Sharing::Panel { panel, .. } => (panel, lines),
        Sharing::Lines { lines: area, .. } => (area, vec![lines.join("  ")]),
    };
    let rows = lines.iter().flat_map(|line| wrapped(line, area.width));
    let mut below = area.y;
    for (y, line) in (area.y..area.y + area.height).zip(rows) {
        put(buf, area.x, y, area.width, &line, if y == area.y { theme::strong() } else { Style::new() });
        below = y + 2;
    }
    let moves = Rect { y: below, height: (area.y + area.height).saturating_sub(below), ..area };
    self::moves(replay, moves, buf);
    None
}

/// The moves of the record, a pair a row, as many as there is room for around the one that was made last.
fn moves(replay: &Replay, area: Rect, buf: &mut Buffer) {
    let pairs: Vec<_> = replay.record.moves.chunks(2).collect();
    let (now, room) = (replay.position.ply().div_ceil(2).saturating_sub(1), usize::from(area.height));
    let top = now.saturating_sub(room / 2).min(pairs.len().saturating_sub(room));
    for (y, (place, pair)) in (area.y..area.y + area.height).zip(pairs.iter().enumerate().skip(top)) {
        let here = place == now && replay.position.ply() > 0;
        let (sign, style) = if here { (">", theme::strong()) } else { (" ", Style::new()) };
        let cells: Vec<String> = pair.iter().map(|&cell| replay.record.rules.cell_text(cell)).collect();
        put(buf, area.x, y, area.width, &format!("{sign}{:>3}. {}", place + 1, cells.join(" ")), style);
    }
}

/// Where in the game we are, and at its end the result.
fn lines(model: &Model, replay: &Replay) -> Vec<String> {
    let words = model.words;
    let (record, position) = (&replay.record, &replay.position);
    let mut lines = vec![format!("{} {}/{}", words.panel(Label::Move), position.ply(), record.moves.len())];
    lines.extend(super::line::record_players(&record.players));
    if let Some(&cell) = position.moves().last() {
        let mark = position.at(cell).map_or("", |seat| words.mark(seat));
        let label = padded(words.panel(Label::Last), usize::from(words.label_columns()));
        lines.push(format!("{label}{mark} {}", record.rules.cell_text(cell)));
    }
    if position.ply() == record.moves.len() {
        lines.push(super::line::record_outcome(
            words,
            &record.players,
            record.outcome.as_ref(),
            &record.rules,
        ));
    }
    lines
}
