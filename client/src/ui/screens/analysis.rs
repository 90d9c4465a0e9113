//! Analysis screen, for a record or a game that has just ended.

use noughts_protocol::{Cell, Outcome, Seat, Status as GameStatus};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;

use crate::engine::Evaluation;
use crate::engines::analysis::{AnalysisRequest, MoveValues, ReviewProgress};
use crate::facts::PlayerRef;
use crate::i18n::wrap_text;
use crate::input::text_command::shown_name;
use crate::model::layout::{GameAreas, PanelArea};
use crate::model::{Analysis, Model};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::text_rows::player_refs;
use crate::ui::theme::{self, ValueKind};
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_title_header;
use crate::ui::widgets::move_list::MoveList;
use crate::ui::widgets::player_card::PlayerCard;
use crate::ui::widgets::status::{Status, StatusKind, rematch_offer, result_status};

/// Minimum number of rows for a list of moves with its heading.
const MIN_MOVES_ROWS: u16 = 3;

pub(in crate::ui) fn draw(
    model: &Model,
    analysis: &Analysis,
    screen: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    let (record, position) = (&analysis.record, &analysis.position);
    let GameAreas { areas, split } = GameAreas::new(&record.rules, screen);
    let title = texts.title_analysis(texts.rules(&record.rules));
    draw_title_header(model, areas.header, &title, buf);
    status(model, analysis).draw(model, areas.status, buf);
    let is_at_end = analysis.branch_ply.is_none() && position.ply() == record.moves.len();
    let outcome = record.outcome.as_ref().filter(|_| is_at_end);
    let winning: &[Cell] = outcome
        .and_then(Outcome::line)
        .map_or(&[], |line| &line.cells);
    let layout = split.layout(record.rules, analysis.cursor);
    let board = BoardWidget {
        winning_cells: winning,
        values: model.values(),
        cursor: (!analysis.is_cursor_at_rest()).then(|| analysis.effective_cursor()),
        pending: analysis.better_move(),
        landing_seat: Some(position.turn())
            .filter(|_| record.rules.gravity() && position.status() == GameStatus::Ongoing),
        digits: Some(model.settings.digits),
        texts: Some(texts),
        ..BoardWidget::plain(position, model.appearance)
    };
    board.draw(&layout, buf);
    match split.panel {
        PanelArea::Full(area) => draw_panel(model, analysis, area, buf),
        PanelArea::Moves(area) => move_list(model, analysis).draw_rows(model.appearance, area, buf),
        PanelArea::None => {}
    }
    None
}

/// Returns the number of the displayed move, or at the end of the record its result. The opponent's offer of a rematch
/// takes precedence.
fn status(model: &Model, analysis: &Analysis) -> Status {
    let offer = model
        .game_view()
        .and_then(|view| rematch_offer(model, view));
    if let Some(offer) = offer {
        return offer;
    }
    let texts = model.lang().texts();
    let (record, position) = (&analysis.record, &analysis.position);
    let is_at_end = position.ply() == record.moves.len();
    if let Some(ply) = analysis.branch_ply {
        let headline = texts.own_line(position.ply() - ply);
        return Status::new(StatusKind::Bold, "<", headline, [texts.move_number(ply)]);
    }
    if let (Some(outcome), Some(players), true) =
        (&record.outcome, player_refs(&record.players), is_at_end)
    {
        return result_status(model, outcome, &players, &record.rules);
    }
    let last = position
        .moves()
        .last()
        .and_then(|&cell| Some((position.stone_at(cell)?, cell)));
    let mistake = analysis.review.as_ref().zip(analysis.shown_move());
    let mistake = mistake
        .and_then(|(review, index)| texts.short_mistake(review, index, model.settings.digits));
    let detail = mistake.or_else(|| {
        last.map(|(seat, cell)| {
            let name = shown_name(&record.rules, model.settings.digits, cell);
            format!("{} {name}", texts.mark(seat))
        })
    });
    let unfinished = is_at_end.then(|| texts.no_result().to_owned());
    let headline = texts.position_headline(position.ply(), record.moves.len());
    Status::new(
        StatusKind::Bold,
        "",
        headline,
        detail.into_iter().chain(unfinished),
    )
}

/// Returns the move at a position on the screen.
pub(in crate::ui) fn target_at(
    model: &Model,
    analysis: &Analysis,
    screen: Rect,
    at: Position,
) -> Option<ClickTarget> {
    let split = GameAreas::new(&analysis.record.rules, screen).split;
    let ply = match split.panel {
        PanelArea::Full(area) => move_list(model, analysis)
            .ply_below_heading(panel_layout(model, analysis, area).moves, at),
        PanelArea::Moves(area) => move_list(model, analysis).ply_at(area, at),
        PanelArea::None => None,
    };
    ply.map(ClickTarget::Ply)
}

pub(in crate::ui) fn move_list<'a>(model: &Model, analysis: &'a Analysis) -> MoveList<'a> {
    let moves = if analysis.branch_ply.is_some() {
        analysis.position.moves()
    } else {
        &analysis.record.moves
    };
    MoveList {
        rules: &analysis.record.rules,
        digits: model.settings.digits,
        moves,
        shown_ply: analysis.position.ply(),
        pending: None,
        marks_last: true,
        mistakes: analysis
            .review
            .as_ref()
            .map(|review| review.mistakes().collect())
            .unwrap_or_default(),
    }
}

/// Blank columns between the meaning of a sign and the next sign.
const SIGN_GAP: u16 = 2;

/// A sign on the board or in the list, with its style and its meaning.
type Sign = (&'static str, Style, String);

/// A row between the players' cards and the moves.
enum NoteRow {
    Blank,
    Text(String, Style),
    Signs(Vec<Sign>),
    /// A bar for both players: X's part in percent, and the side that is ahead.
    Value(u16, String),
}

/// The players' cards from the top, and the areas between them.
struct PanelLayout {
    cards: Vec<(PlayerCard, Rect)>,
    /// The side that is ahead, the verdict on the displayed move, and the legend.
    notes: Rect,
    moves: Rect,
}

fn panel_layout(model: &Model, analysis: &Analysis, area: Rect) -> PanelLayout {
    let texts = model.lang().texts();
    let outcome = analysis.record.outcome.as_ref();
    let cards = player_refs(&analysis.record.players).into_iter().flatten();
    let cards = cards.map(|PlayerRef { seat, name, .. }| PlayerCard {
        seat,
        name: name.to_string(),
        note: String::new(),
        result: outcome.map_or("", |outcome| texts.player_result(outcome, seat)),
        clock: None,
        trouble: None,
        is_active: outcome.is_none() && analysis.position.turn() == seat,
    });
    let mut cards: Vec<PlayerCard> = cards.collect();
    if analysis.own_seat != Some(Seat::O) {
        cards.reverse();
    }
    let note_rows = notes(model, analysis, area.width).len() as u16;
    let rows = PlayerCard::rows_in(area, false, model.appearance);
    let has_room = 2 * (rows + 1) + note_rows + MIN_MOVES_ROWS <= area.height;
    let rows = if has_room { rows } else { 1 };
    let [top, inner, bottom] = Layout::vertical([
        Constraint::Length(rows),
        Constraint::Fill(1),
        Constraint::Length(rows),
    ])
    .areas(area);
    let gap = u16::from(inner.height > note_rows + MIN_MOVES_ROWS + 1);
    let note_rows = note_rows.min(inner.height.saturating_sub(MIN_MOVES_ROWS));
    let [_, notes, moves, _] = Layout::vertical([
        Constraint::Length(gap),
        Constraint::Length(note_rows),
        Constraint::Fill(1),
        Constraint::Length(gap),
    ])
    .areas(inner);
    PanelLayout {
        cards: cards.into_iter().zip([top, bottom]).collect(),
        notes,
        moves,
    }
}

/// Draws the players, the notes, and the moves.
fn draw_panel(model: &Model, analysis: &Analysis, area: Rect, buf: &mut Buffer) {
    let layout = panel_layout(model, analysis, area);
    for (card, area) in &layout.cards {
        card.draw(model.appearance, *area, buf);
    }
    let rows = notes(model, analysis, layout.notes.width);
    for (y, row) in (layout.notes.y..layout.notes.bottom()).zip(rows) {
        let area = Rect {
            y,
            height: 1,
            ..layout.notes
        };
        draw_note(model, &row, area, buf);
    }
    move_list(model, analysis).draw(model.lang().texts(), model.appearance, layout.moves, buf);
}

/// Returns the side that is ahead, the verdict on the displayed move, and the legend of the signs, the most important
/// first.
fn notes(model: &Model, analysis: &Analysis, width: u16) -> Vec<NoteRow> {
    let texts = model.lang().texts();
    let mut rows = Vec::new();
    if let Some(AnalysisRequest::Review(_)) = model.running_analysis {
        let progress = analysis.progress.unwrap_or(ReviewProgress {
            done: 0,
            all: analysis.record.moves.len(),
        });
        let text = texts.analysis_progress(progress.all, progress.done);
        rows.push(NoteRow::Text(text, theme::bold()));
    }
    if let Some((seat, evaluation)) = analysis.value() {
        let share = share_of_x(seat, evaluation);
        rows.push(NoteRow::Value(
            share,
            texts.position_value(seat, evaluation),
        ));
    }
    let reviewed = analysis.review.as_ref().zip(analysis.shown_move());
    if let Some((review, index)) = reviewed {
        let mistake = analysis.shown_mistake();
        let style = match mistake {
            Some(_) => theme::bold(),
            None => Style::new(),
        };
        let verdict = texts.verdict(review, index, model.settings.digits);
        let lines = verdict.map_or_else(Vec::new, |text| wrap_text(&text, width));
        rows.extend(lines.into_iter().map(|line| NoteRow::Text(line, style)));
        if let Some((number, of)) = mistake.filter(|(_, of)| of.len() > 1) {
            let place = of.iter().filter(|other| **other <= number).count();
            let count = texts.mistake_count(of.len(), place, texts.mark(review.moves[index].seat));
            rows.push(NoteRow::Text(count, Style::new()));
        }
    }
    let legend = legend(model, analysis, width);
    if !rows.is_empty() && !legend.is_empty() {
        rows.push(NoteRow::Blank);
    }
    rows.extend(legend);
    if !rows.is_empty() {
        rows.push(NoteRow::Blank);
    }
    rows
}

/// Returns the meanings of the signs that are on the screen.
fn legend(model: &Model, analysis: &Analysis, width: u16) -> Vec<NoteRow> {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let has_mistakes = analysis
        .review
        .as_ref()
        .is_some_and(|review| review.mistakes().next().is_some());
    let mistake = ("?", texts.legend_mistake(), has_mistakes);
    let better = (
        "( )",
        texts.legend_better(),
        analysis.better_move().is_some(),
    );
    let signs: Vec<_> = [mistake, better]
        .into_iter()
        .filter(|(_, _, is_shown)| *is_shown)
        .map(|(sign, name, _)| (sign, theme::bold(), name.to_owned()))
        .collect();
    let mut rows = sign_rows(signs, width);
    let Some(values) = model.values() else {
        return rows;
    };
    let heading = texts.values_for(values.position.turn());
    rows.push(NoteRow::Text(shorten(&heading, width), Style::new()));
    let kinds = [
        ("W", ValueKind::Win),
        ("=", ValueKind::Draw),
        ("L", ValueKind::Loss),
    ];
    let names = kinds.into_iter().zip(texts.value_names());
    let mut signs: Vec<_> = names
        .map(|((letter, kind), name)| (letter, appearance.value(kind), name.to_owned()))
        .collect();
    if has_ranks(values) {
        signs.push(("1-9", Style::new(), texts.value_ranks().to_owned()));
    }
    rows.extend(sign_rows(signs, width));
    rows
}

/// Arranges signs and their meanings in rows. Each row contains as many as fit into the width.
fn sign_rows(signs: Vec<Sign>, width: u16) -> Vec<NoteRow> {
    let mut rows: Vec<Vec<Sign>> = Vec::new();
    let mut used = 0;
    for sign in signs {
        let needed = columns(sign.0) + 1 + columns(&sign.2);
        match rows.last_mut() {
            Some(row) if used + SIGN_GAP + needed <= width => {
                row.push(sign);
                used += SIGN_GAP + needed;
            }
            Some(_) | None => {
                rows.push(vec![sign]);
                used = needed;
            }
        }
    }
    rows.into_iter().map(NoteRow::Signs).collect()
}

/// Returns X's part of the bar in percent. A win for X fills the whole bar.
fn share_of_x(seat: Seat, evaluation: Evaluation) -> u16 {
    /// Estimate that fills three quarters of the bar.
    const THREE_QUARTERS: i32 = 1_500;
    let share = match evaluation {
        Evaluation::Win(_) => 100,
        Evaluation::Loss(_) => 0,
        Evaluation::Draw => 50,
        Evaluation::Estimate(estimate) => {
            let estimate = i64::from(estimate);
            50 + 50 * estimate / (estimate.abs() + i64::from(THREE_QUARTERS))
        }
    };
    let share = u16::try_from(share).unwrap_or(50);
    match seat {
        Seat::X => share,
        Seat::O => 100 - share,
    }
}

fn draw_note(model: &Model, row: &NoteRow, area: Rect, buf: &mut Buffer) {
    let appearance = model.appearance;
    match row {
        NoteRow::Blank => {}
        NoteRow::Text(text, style) => {
            put_text(buf, area.x, area.y, area.width, text, *style);
        }
        NoteRow::Signs(signs) => {
            let mut x = area.x;
            for (sign, style, name) in signs {
                let available = |x| area.right().saturating_sub(x);
                x = put_text(buf, x, area.y, available(x), sign, *style);
                let name = format!(" {name}  ");
                x = put_text(buf, x, area.y, available(x), &name, Style::new());
            }
        }
        NoteRow::Value(share, label) => {
            let label_columns = columns(label);
            let width = area.width.saturating_sub(label_columns + 2);
            // The letters of both players stay visible.
            let of_x = (width * share / 100).clamp(1, width.saturating_sub(1).max(1));
            let has_surfaces = appearance.has_surfaces();
            for column in 0..width {
                let seat = match column < of_x {
                    true => Seat::X,
                    false => Seat::O,
                };
                let is_end = column == 0 || column + 1 == width;
                let symbol = match (is_end, has_surfaces, seat) {
                    (true, _, Seat::X) => "X",
                    (true, _, Seat::O) => "O",
                    (false, true, _) => " ",
                    (false, false, Seat::X) => "#",
                    (false, false, Seat::O) => "-",
                };
                let style = appearance.stone(seat);
                put_text(buf, area.x + column, area.y, 1, symbol, style);
            }
            let x = area.right().saturating_sub(label_columns);
            put_text(buf, x, area.y, label_columns, label, theme::bold());
        }
    }
}

/// Returns whether the board shows digits that rank the cells without a proven value.
fn has_ranks(values: &MoveValues) -> bool {
    values
        .cells
        .iter()
        .any(|(cell, _)| values.rank(*cell).is_some())
}
