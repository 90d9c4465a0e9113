//! Analysis screen: a saved game, or one that has just ended.

use noughts_protocol::{Cell, Outcome, Seat, Status as GameStatus};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::facts::PlayerRef;
use crate::i18n::wrap_text;
use crate::model::layout::Areas;
use crate::model::layout::{PanelArea, choose_split};
use crate::model::{Model, Replay};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::text_rows::player_refs;
use crate::ui::theme::{self, ValueKind};
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::board::BoardWidget;
use crate::ui::widgets::header::draw_title_header;
use crate::ui::widgets::move_list::MoveList;
use crate::ui::widgets::status::{Status, StatusKind, rematch_offer, result_status};

pub(in crate::ui) fn draw(
    model: &Model,
    replay: &Replay,
    screen: Rect,
    buf: &mut Buffer,
) -> Option<Position> {
    let (areas, texts) = (Areas::split_game(screen), model.lang().texts());
    let (record, position) = (&replay.record, &replay.position);
    let title = texts.title_analysis(texts.rules(&record.rules));
    draw_title_header(model, areas.header, &title, buf);
    status(model, replay).draw(model, areas.status, buf);
    let is_at_end = replay.branch_ply.is_none() && position.ply() == record.moves.len();
    let outcome = record.outcome.as_ref().filter(|_| is_at_end);
    let winning: &[Cell] = outcome
        .and_then(Outcome::line)
        .map_or(&[], |line| &line.cells);
    let split = choose_split(&record.rules, areas.body);
    let layout = split.layout(record.rules, replay.cursor);
    let board = BoardWidget {
        winning_cells: winning,
        values: model.values(),
        cursor: Some(replay.cursor),
        digits: (position.status() == GameStatus::Ongoing).then_some(model.settings.digits),
        ..BoardWidget::plain(position, model.appearance)
    };
    board.draw(&layout, buf);
    match split.panel {
        PanelArea::Full(area) => draw_panel(model, replay, area, buf),
        PanelArea::Moves(area) => move_list(replay).draw_rows(model.appearance, area, buf),
        PanelArea::None => {}
    }
    None
}

/// Returns the number of the shown move; at the end of the record, the result. The opponent's offer of a rematch comes first.
fn status(model: &Model, replay: &Replay) -> Status {
    let offer = model
        .game_view()
        .and_then(|view| rematch_offer(model, view));
    if let Some(offer) = offer {
        return offer;
    }
    let texts = model.lang().texts();
    let (record, position) = (&replay.record, &replay.position);
    let is_at_end = position.ply() == record.moves.len();
    if let Some(ply) = replay.branch_ply {
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
    let detail =
        last.map(|(seat, cell)| format!("{} {}", texts.mark(seat), record.rules.cell_text(cell)));
    let unfinished = is_at_end.then(|| texts.no_result().to_owned());
    let headline = texts.earlier_position(record.moves.len(), position.ply());
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
    replay: &Replay,
    screen: Rect,
    at: Position,
) -> Option<ClickTarget> {
    let split = choose_split(&replay.record.rules, Areas::split_game(screen).body);
    let ply = match split.panel {
        PanelArea::Full(area) => {
            move_list(replay).ply_below_heading(moves_area(model, replay, area), at)
        }
        PanelArea::Moves(area) => move_list(replay).ply_at(area, at),
        PanelArea::None => None,
    };
    ply.map(ClickTarget::Ply)
}

pub(in crate::ui) fn move_list(replay: &Replay) -> MoveList<'_> {
    let moves = if replay.branch_ply.is_some() {
        replay.position.moves()
    } else {
        &replay.record.moves
    };
    MoveList {
        rules: &replay.record.rules,
        moves,
        shown_ply: replay.position.ply(),
        pending: None,
        is_running: false,
        marks_last: true,
        mistakes: replay
            .review
            .as_ref()
            .map(|review| review.mistakes())
            .unwrap_or_default(),
    }
}

/// Draws the players, the legend of the values, and the moves.
fn draw_panel(model: &Model, replay: &Replay, area: Rect, buf: &mut Buffer) {
    let (texts, appearance) = (model.lang().texts(), model.appearance);
    let players = player_refs(&replay.record.players).into_iter().flatten();
    for (y, PlayerRef { seat, name, .. }) in (area.y..area.bottom()).zip(players) {
        let x = put_text(
            buf,
            area.x,
            y,
            area.width,
            &format!("  {}", texts.mark(seat)),
            appearance.mark(seat),
        );
        let result = replay
            .record
            .outcome
            .as_ref()
            .map_or("", |outcome| texts.player_result(outcome, seat));
        let right = columns(result);
        let available = area.right().saturating_sub(x + right + 1);
        put_text(
            buf,
            x,
            y,
            available,
            &shorten(&format!("  {name}"), available),
            Style::new(),
        );
        put_text(buf, area.right() - right, y, right, result, Style::new());
    }
    if model.values().is_some() {
        let y = area.y + player_rows(replay);
        draw_legend(
            model,
            Rect {
                y,
                height: area.bottom().saturating_sub(y),
                ..area
            },
            buf,
        );
    }
    move_list(replay).draw(texts, appearance, moves_area(model, replay, area), buf);
}

/// Rows of the players, with a blank row below.
fn player_rows(replay: &Replay) -> u16 {
    player_refs(&replay.record.players)
        .into_iter()
        .flatten()
        .count() as u16
        + 1
}

/// The area of the moves, below the players and the legend.
fn moves_area(model: &Model, replay: &Replay, area: Rect) -> Rect {
    let legend_rows = match model.values() {
        Some(_) => 2 + wrap_text(&values_heading(model), area.width).len() as u16,
        None => 0,
    };
    let y = (area.y + player_rows(replay) + legend_rows).min(area.bottom());
    Rect {
        y,
        height: area.bottom() - y,
        ..area
    }
}

/// Names the side for which the values are.
fn values_heading(model: &Model) -> String {
    let turn = model
        .screen
        .as_replay()
        .map_or(Seat::X, |replay| replay.position.turn());
    model.lang().texts().values_for(turn)
}

/// Draws the meaning of the letters on the board.
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
    for (y, line) in (area.y + 1..area.bottom()).zip(wrap_text(&values_heading(model), area.width))
    {
        put_text(buf, area.x, y, area.width, &line, theme::bold());
    }
}
