//! Replay screen.

use noughts_protocol::{Cell, Outcome};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::{PanelLabel, pad_right, wrap_text};
use crate::model::layout::areas::Areas;
use crate::model::layout::split::{Split, choose_split};
use crate::model::{Model, Replay};
use crate::ui::drawing::put_text;
use crate::ui::text_rows::record::{record_outcome, record_players};
use crate::ui::theme;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_header;

pub(in crate::ui) fn draw(
    model: &Model,
    replay: &Replay,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    let (record, position) = (&replay.record, &replay.position);
    draw_header(model, areas.header, &[&texts.rules(&record.rules)], buf);
    let at_end = position.ply() == record.moves.len();
    let outcome = record.outcome.as_ref().filter(|_| at_end);
    let winning: &[Cell] = outcome.and_then(Outcome::line).map_or(&[], |line| &line.cells);
    let split = choose_split(&record.rules, areas.body);
    let layout = split.layout(record.rules, model.cursor());
    let board = BoardWidget {
        winning_cells: winning,
        values: model.values(),
        ..BoardWidget::plain(position, model.appearance)
    };
    board.draw(&layout, buf);
    let summary = summary_lines(model, replay);
    let (area, lines) = match split {
        Split::Panel { panel, .. } => (panel, summary),
        Split::Lines { lines: area, .. } => (area, vec![summary.join("  ")]),
    };
    let rows = lines.iter().flat_map(|line| wrap_text(line, area.width));
    let mut below = area.y;
    for (y, line) in (area.y..area.y + area.height).zip(rows) {
        put_text(buf, area.x, y, area.width, &line, if y == area.y { theme::bold() } else { Style::new() });
        below = y + 2;
    }
    let moves = Rect { y: below, height: (area.y + area.height).saturating_sub(below), ..area };
    draw_moves(replay, moves, buf);
    None
}

/// Returns the visible moves, two per row, around the current one.
fn draw_moves(replay: &Replay, area: Rect, buf: &mut Buffer) {
    let pairs: Vec<_> = replay.record.moves.chunks(2).collect();
    let (current, available) =
        (replay.position.ply().div_ceil(2).saturating_sub(1), usize::from(area.height));
    let top = current.saturating_sub(available / 2).min(pairs.len().saturating_sub(available));
    for (y, (index, pair)) in (area.y..area.y + area.height).zip(pairs.iter().enumerate().skip(top)) {
        let is_current = index == current && replay.position.ply() > 0;
        let sign = if is_current { ">" } else { " " };
        let end = area.x + area.width;
        let mut x =
            put_text(buf, area.x, y, area.width, &format!("{sign}{:>3}.", index + 1), Style::new()).min(end);
        for (half, &cell) in pair.iter().enumerate() {
            // Only the shown move is bold, not both of its row.
            let is_shown = 2 * index + half + 1 == replay.position.ply();
            let style = if is_shown { theme::bold() } else { Style::new() };
            let text = replay.record.rules.cell_text(cell);
            x = put_text(buf, (x + 1).min(end), y, end.saturating_sub(x + 1), &text, style);
        }
    }
}

/// Returns the current position in the game, and the result at its end.
fn summary_lines(model: &Model, replay: &Replay) -> Vec<String> {
    let texts = model.lang().texts();
    let (record, position) = (&replay.record, &replay.position);
    let mut lines =
        vec![format!("{} {}/{}", texts.panel_label(PanelLabel::Move), position.ply(), record.moves.len())];
    lines.extend(record_players(&record.players));
    if let Some(&cell) = position.moves().last() {
        let mark = position.stone_at(cell).map_or("", |seat| texts.mark(seat));
        let label = pad_right(texts.panel_label(PanelLabel::Last), usize::from(texts.label_columns()));
        lines.push(format!("{label}{mark} {}", record.rules.cell_text(cell)));
    }
    if position.ply() == record.moves.len() {
        lines.push(record_outcome(texts, &record.players, record.outcome.as_ref(), &record.rules));
    }
    lines
}
