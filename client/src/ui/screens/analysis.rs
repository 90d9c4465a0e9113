//! Analysis screen: a saved game, or one that has just ended.

use noughts_protocol::{Cell, Outcome, Seat, Status as GameStatus};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;

use crate::engines::analysis::MoveValues;
use crate::facts::PlayerRef;
use crate::i18n::wrap_text;
use crate::input::text_command::shown_name;
use crate::model::layout::{GameAreas, PanelArea};
use crate::model::{Analysis, GameView, Model};
use crate::ui::drawing::{put_text, shorten};
use crate::ui::text_rows::player_refs;
use crate::ui::theme::{self, ValueKind};
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_title_header;
use crate::ui::widgets::move_list::MoveList;
use crate::ui::widgets::player_card::PlayerCard;
use crate::ui::widgets::status::{Status, StatusKind, rematch_offer, result_status};

/// Rows of a list of moves that is worth its heading.
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
        cursor: Some(analysis.effective_cursor()),
        landing_seat: Some(position.turn())
            .filter(|_| record.rules.gravity() && position.status() == GameStatus::Ongoing),
        digits: Some(model.settings.digits),
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

/// Returns the number of the shown move; at the end of the record, the result. The opponent's offer of a rematch comes first.
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
        return Status::new(
            StatusKind::Bold,
            "<",
            headline,
            [texts.move_number(ply.div_ceil(2))],
        );
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

/// Returns the move at a position of the screen.
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
        is_running: false,
        marks_last: true,
        mistakes: analysis
            .review
            .as_ref()
            .map(|review| review.mistakes())
            .unwrap_or_default(),
    }
}

/// The cards of the players from the top, and the areas between them.
struct PanelLayout {
    cards: Vec<(PlayerCard, Rect)>,
    /// What was wrong with the shown move, and the legend of the values.
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
        result: outcome.map_or("", |outcome| texts.player_result(outcome, seat)),
        clock: None,
        trouble: None,
        is_active: outcome.is_none() && analysis.position.turn() == seat,
    });
    let mut cards: Vec<PlayerCard> = cards.collect();
    let own_seat = model.game_view().and_then(GameView::own_seat);
    if own_seat != Some(Seat::O) {
        cards.reverse();
    }
    let note_rows = note_rows(model, analysis, area.width);
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

/// Draws the players, what was wrong with the shown move, the legend of the values, and the moves.
fn draw_panel(model: &Model, analysis: &Analysis, area: Rect, buf: &mut Buffer) {
    let layout = panel_layout(model, analysis, area);
    for (card, area) in &layout.cards {
        card.draw(model.appearance, *area, buf);
    }
    let notes = layout.notes;
    let mistake = shown_mistake(model, analysis, notes.width);
    for (y, line) in (notes.y..notes.bottom()).zip(&mistake) {
        put_text(buf, notes.x, y, notes.width, line, theme::bold());
    }
    if model.values().is_some() {
        let rows = block_rows(&mistake);
        let legend = Rect {
            y: notes.y + rows,
            height: notes.height.saturating_sub(rows),
            ..notes
        };
        draw_legend(model, legend, buf);
    }
    move_list(model, analysis).draw(model.lang().texts(), model.appearance, layout.moves, buf);
}

/// Returns what was wrong with the shown move, and what was better, in lines of a width.
fn shown_mistake(model: &Model, analysis: &Analysis, width: u16) -> Vec<String> {
    let mistake = analysis.review.as_ref().zip(analysis.shown_move());
    let text = mistake.and_then(|(review, index)| {
        model
            .lang()
            .texts()
            .mistake(review, index, model.settings.digits)
    });
    text.map_or_else(Vec::new, |text| wrap_text(&text, width))
}

/// Rows of a text with a blank row below.
fn block_rows(lines: &[String]) -> u16 {
    match lines.len() as u16 {
        0 => 0,
        rows => rows + 1,
    }
}

/// Rows of the mistake and of the legend.
fn note_rows(model: &Model, analysis: &Analysis, width: u16) -> u16 {
    let legend_rows = match model.values() {
        Some(values) => {
            let heading = wrap_text(&values_heading(model), width);
            1 + u16::from(has_ranks(values)) + block_rows(&heading)
        }
        None => 0,
    };
    block_rows(&shown_mistake(model, analysis, width)) + legend_rows
}

/// Whether the board has digits, for the order of the cells whose value is not proven.
fn has_ranks(values: &MoveValues) -> bool {
    values
        .cells
        .iter()
        .any(|(cell, _)| values.rank(*cell).is_some())
}

/// Names the side for which the values are.
fn values_heading(model: &Model) -> String {
    let turn = model
        .screen
        .as_analysis()
        .map_or(Seat::X, |analysis| analysis.position.turn());
    model.lang().texts().values_for(turn)
}

/// Draws the meaning of the letters and digits on the board.
fn draw_legend(model: &Model, area: Rect, buf: &mut Buffer) {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let [win, draw, loss] = texts.value_names();
    let mut x = area.x;
    for (letter, kind, name) in [
        ("w", ValueKind::Win, win),
        ("=", ValueKind::Draw, draw),
        ("l", ValueKind::Loss, loss),
    ] {
        x = put_text(
            buf,
            x,
            area.y,
            area.right().saturating_sub(x),
            letter,
            appearance.value(kind),
        );
        x = put_text(
            buf,
            x,
            area.y,
            area.right().saturating_sub(x),
            &format!(" {name}  "),
            Style::new(),
        );
    }
    let mut y = area.y + 1;
    if model.values().is_some_and(has_ranks) {
        let text = format!("1-9 {}", texts.value_ranks());
        put_text(
            buf,
            area.x,
            y,
            area.width,
            &shorten(&text, area.width),
            Style::new(),
        );
        y += 1;
    }
    for (y, line) in (y..area.bottom()).zip(wrap_text(&values_heading(model), area.width)) {
        put_text(buf, area.x, y, area.width, &line, theme::bold());
    }
}
