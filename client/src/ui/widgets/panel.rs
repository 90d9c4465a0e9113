//! Panel beside the board: the opponent's card, the score, the menu after a game, the moves, notes, what the players
//! say, and the player's own card.

use std::collections::VecDeque;

use noughts_protocol::wire::{Phrase, Presence};
use noughts_protocol::{Offer, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::facts::PlayerRef;
use crate::i18n::{pad_right, wrap_text};
use crate::input::{Action, KeyContext};
use crate::model::{GameView, Model};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::move_list::MoveList;
use crate::ui::widgets::player_card::PlayerCard;
use crate::ui::widgets::status::closing_line;

/// Highest row priority. Rows with this priority are dropped first.
const MAX_PRIORITY: u8 = 6;
/// Maximum width of the name before a phrase.
const MAX_SPEAKER_COLUMNS: usize = 12;
/// Minimum number of rows for a list of moves with its heading.
const MIN_MOVES_ROWS: u16 = 3;

/// Row of the panel. If space is short, the rows with the highest number are dropped first.
#[derive(Clone, Debug)]
struct PanelRow {
    priority: u8,
    /// The sign and its style.
    sign: (String, Style),
    left: String,
    right: String,
    /// Indentation of continuation lines.
    indent: u16,
    style: Style,
    /// Action of a click on the row.
    action: Option<Action>,
    is_phrase: bool,
}

impl PanelRow {
    fn new(priority: u8, text: impl Into<String>, style: Style) -> PanelRow {
        let sign = (String::new(), Style::new());
        PanelRow {
            priority,
            sign,
            left: text.into(),
            right: String::new(),
            indent: 0,
            style,
            action: None,
            is_phrase: false,
        }
    }

    fn blank() -> PanelRow {
        PanelRow::new(MAX_PRIORITY, "", Style::new())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer) {
        let right = columns(&self.right).min(area.width);
        let x = put_text(buf, area.x, area.y, area.width, &self.sign.0, self.sign.1);
        let available = (area.right() - x).saturating_sub(if right > 0 { right + 1 } else { 0 });
        put_text(
            buf,
            x,
            area.y,
            available,
            &shorten(&self.left, available),
            self.style,
        );
        put_text(
            buf,
            area.right() - right,
            area.y,
            right,
            &self.right,
            self.style,
        );
    }
}

/// The places of the players' cards from the top, of the area between them, of each row in that area, and of the list
/// of moves.
struct PanelLayout {
    cards: [(Seat, Rect); 2],
    inner: Rect,
    rows: Vec<(u16, PanelRow)>,
    moves: Option<Rect>,
}

pub(in crate::ui) fn draw(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    let layout = layout(model, game_view, area);
    for (seat, area) in layout.cards {
        PlayerCard::of_game(model, game_view, seat).draw(model.appearance, area, buf);
    }
    for (y, row) in &layout.rows {
        row.draw(
            Rect {
                y: *y,
                height: 1,
                ..area
            },
            buf,
        );
    }
    if let Some(moves) = layout.moves {
        game_moves(model, game_view).draw(model.lang().texts(), model.appearance, moves, buf);
    }
}

/// Returns the menu entry or the move at a position in the panel.
pub(in crate::ui) fn target_at(
    model: &Model,
    game_view: &GameView,
    area: Rect,
    at: Position,
) -> Option<ClickTarget> {
    let layout = layout(model, game_view, area);
    let row = layout
        .rows
        .iter()
        .find(|(y, _)| *y == at.y && area.contains(at));
    if let Some(action) = row.and_then(|(_, row)| row.action) {
        return Some(ClickTarget::Action(action));
    }
    game_moves(model, game_view)
        .ply_below_heading(layout.moves?, at)
        .map(ClickTarget::Ply)
}

/// Returns whether the panel has room for the newest phrase.
pub(in crate::ui) fn shows_phrase(model: &Model, game_view: &GameView, area: Rect) -> bool {
    let rows = layout(model, game_view, area).rows;
    rows.iter().any(|(_, row)| row.is_phrase)
}

/// Returns the area between the cards of a panel.
pub(in crate::ui) fn area_between_cards(model: &Model, game_view: &GameView, area: Rect) -> Rect {
    layout(model, game_view, area).inner
}

/// Returns the move at a position in the list that [`draw_moves`] draws.
pub(in crate::ui) fn move_at(
    model: &Model,
    game_view: &GameView,
    area: Rect,
    at: Position,
) -> Option<ClickTarget> {
    let list = moves_area(game_view, area);
    game_moves(model, game_view)
        .ply_at(list, at)
        .map(ClickTarget::Ply)
}

/// Returns the seats of the cards from the top. The player's own seat is at the bottom, or else X.
fn card_seats(game_view: &GameView) -> [Seat; 2] {
    let bottom = game_view.own_seat().unwrap_or(Seat::X);
    [bottom.other(), bottom]
}

/// Places the cards, and makes them smaller if the menu needs their rows. Drops rows that do not fit, and places the
/// other rows.
fn layout(model: &Model, game_view: &GameView, area: Rect) -> PanelLayout {
    let moves = game_moves(model, game_view);
    let is_over = game_view.game.outcome().is_some();
    let wrap = |rows: Vec<PanelRow>| -> Vec<PanelRow> {
        rows.into_iter()
            .flat_map(|row| wrap_row(row, area.width))
            .collect()
    };
    let (mut above, mut below) = (
        wrap(rows_above(model, game_view, area.width)),
        wrap(rows_below(model, game_view)),
    );
    // The list of moves needs its heading and two rows. The menu after a game is more important.
    let wanted = moves.row_count() as u16 + 1;
    let min_moves = if is_over {
        0
    } else {
        wanted.min(MIN_MOVES_ROWS)
    };
    let has_clock = game_view.time_left(model.now).is_some();
    let needed = above.iter().chain(&below);
    let needed = needed.filter(|row| row.priority < MAX_PRIORITY).count() as u16 + min_moves;
    let mut card_rows = PlayerCard::rows_in(area, has_clock, model.appearance);
    if 2 * (card_rows + 1) + needed > area.height {
        card_rows = 1;
    }
    let [top_card, inner, bottom_card] = Layout::vertical([
        Constraint::Length(card_rows),
        Constraint::Fill(1),
        Constraint::Length(card_rows),
    ])
    .areas(area);
    // If the rows need the space, no blank row separates them from the cards.
    let gap = u16::from(inner.height > needed + 2);
    let inner = Rect {
        y: inner.y + gap,
        height: inner.height - 2 * gap,
        ..inner
    };
    while (above.len() + below.len()) as u16 + min_moves > inner.height {
        let rows = above.iter().chain(&below);
        let Some(priority) = rows
            .map(|row| row.priority)
            .max()
            .filter(|&priority| priority > 0)
        else {
            break;
        };
        let is_last = |row: &PanelRow| row.priority == priority;
        match below.iter().position(is_last) {
            Some(index) => drop(below.remove(index)),
            None => drop(
                above
                    .iter()
                    .rposition(is_last)
                    .map(|index| above.remove(index)),
            ),
        }
    }
    let end = inner.y + above.len() as u16;
    let below_top = inner.bottom().saturating_sub(below.len() as u16).max(end);
    let height = wanted.min(below_top - end);
    let has_moves = height >= wanted.min(MIN_MOVES_ROWS) && wanted > 1;
    let list = has_moves.then_some(Rect {
        y: end,
        height,
        ..inner
    });
    let rows = (inner.y..).zip(above).chain((below_top..).zip(below));
    let [top, bottom] = card_seats(game_view);
    PanelLayout {
        cards: [(top, top_card), (bottom, bottom_card)],
        inner,
        rows: rows.filter(|(y, _)| *y < inner.bottom()).collect(),
        moves: list,
    }
}

/// Returns the list of moves of a game.
fn game_moves<'a>(model: &Model, game_view: &'a GameView) -> MoveList<'a> {
    let position = game_view.game.position();
    MoveList {
        rules: game_view.game.rules(),
        digits: model.settings.digits,
        moves: position.moves(),
        shown_ply: position.ply() - game_view.plies_back().unwrap_or(0),
        pending: game_view.pending_move.map(|pending| pending.cell),
        marks_last: false,
        mistakes: Vec::new(),
    }
}

/// Draws the moves beside a board that leaves no room for more. The result of a game is above them.
pub(in crate::ui) fn draw_moves(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    let list = moves_area(game_view, area);
    if list.y > area.y
        && let Some(players) = game_view.players()
    {
        let [score, _] = model
            .lang()
            .texts()
            .score_parts(&players, game_view.game.score());
        put_text(
            buf,
            area.x,
            area.y,
            area.width,
            &shorten(&score, area.width),
            Style::new(),
        );
    }
    game_moves(model, game_view).draw_rows(model.appearance, list, buf);
}

/// Returns the area of the list of moves that [`draw_moves`] draws. In the second and later games, it is below the
/// score.
fn moves_area(game_view: &GameView, area: Rect) -> Rect {
    let has_score = game_view.game.number() > 1 && game_view.players().is_some() && area.height > 4;
    if has_score {
        Rect {
            y: area.y + 2,
            height: area.height - 2,
            ..area
        }
    } else {
        area
    }
}

/// Wraps a row that is too long for the panel.
fn wrap_row(row: PanelRow, width: u16) -> Vec<PanelRow> {
    if !row.right.is_empty() || columns(&row.sign.0) + columns(&row.left) <= width {
        return vec![row];
    }
    let available = width.saturating_sub(columns(&row.sign.0)).max(1);
    let mut lines = wrap_text(&row.left, available).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest = row.left.get(first.len()..).unwrap_or("").trim_start();
    let mut rows = vec![PanelRow {
        left: first,
        ..row.clone()
    }];
    if !rest.is_empty() {
        let indent = " ".repeat(usize::from(row.indent));
        let rest = wrap_text(rest, width.saturating_sub(row.indent).max(1)).into_iter();
        rows.extend(
            rest.map(|line| PanelRow::new(row.priority, format!("{indent}{line}"), row.style)),
        );
    }
    rows
}

/// Returns the rows above the moves: the players, the score, and the menu after a game.
fn rows_above(model: &Model, game_view: &GameView, width: u16) -> Vec<PanelRow> {
    let texts = model.lang().texts();
    let (game, players) = (&game_view.game, game_view.players());
    let mut rows = Vec::new();
    if let (true, Some(players)) = (game.number() > 1 || game.outcome().is_some(), players) {
        let label = format!("{}  ", texts.panel_score());
        let [wins, draws] = texts.score_parts(&players, game.score());
        let has_draws = game.score().draws > 0;
        let full = if has_draws {
            format!("{label}{}", texts.match_score(&players, game.score()))
        } else {
            format!("{label}{wins}")
        };
        if columns(&full) <= width {
            rows.push(PanelRow::new(2, full, Style::new()));
        } else {
            rows.push(PanelRow::new(2, format!("{label}{wins}"), Style::new()));
            if has_draws {
                let indent = " ".repeat(usize::from(columns(&label)));
                rows.push(PanelRow::new(3, format!("{indent}{draws}"), Style::new()));
            }
        }
    }
    // Number and clock are omitted in the usual case: the first game, without a clock.
    if game.number() > 1 || game.control().is_some() {
        let clock = texts.time_control(game.control());
        let number = texts.game_number(&clock, game.number());
        rows.extend([PanelRow::new(5, number, Style::new()), PanelRow::blank()]);
    }
    if model.screen_key_context() == KeyContext::GameOver {
        rows.extend(menu_rows(model, game_view));
        rows.push(PanelRow::blank());
    } else if let Some(closing) =
        closing_line(model, game_view).filter(|_| game.outcome().is_some())
    {
        rows.push(PanelRow::new(1, closing, theme::bold()));
        rows.push(PanelRow::blank());
    }
    rows
}

/// Returns why a rematch is not possible, and the entries of the menu after a game.
fn menu_rows(model: &Model, game_view: &GameView) -> Vec<PanelRow> {
    let texts = model.lang().texts();
    let mut rows = Vec::new();
    let note = closing_line(model, game_view).filter(|_| game_view.game.outcome().is_some());
    let note = note.or_else(|| absence_lines(model, game_view).into_iter().next());
    let own_offer = game_view
        .own_seat()
        .filter(|own| game_view.game.offered_by(Offer::Rematch) == Some(*own));
    let note = note.or_else(|| own_offer.map(|_| texts.offer_made_rematch().to_owned()));
    if let Some(note) = note {
        rows.extend([PanelRow::new(1, note, theme::bold()), PanelRow::blank()]);
    } else if let Some(lines) = rematch_offer(model, game_view) {
        rows.extend(lines.map(|line| PanelRow::new(1, line, theme::bold())));
        rows.push(PanelRow::blank());
    }
    let selected = model.selected_after_game_action();
    for action in model.after_game_actions() {
        let Some(key) = model.keymap.letter_key(KeyContext::GameOver, action) else {
            continue;
        };
        let is_selected = selected == Some(action);
        let (sign, style) = if is_selected {
            (">", theme::bold())
        } else {
            (" ", Style::new())
        };
        let text = format!(
            "{sign} {}  {}",
            texts.key(key),
            if action == Action::Leave && model.waiting_opponent().is_some() {
                texts.meet_entry()
            } else {
                texts.menu_action(action, true, game_view.has_lost())
            }
        );
        let row = PanelRow::new(if is_selected { 0 } else { 3 }, text, style);
        rows.push(PanelRow {
            action: Some(action),
            ..row
        });
    }
    rows
}

/// Returns the opponent's offer of a rematch, and the keys that answer it.
fn rematch_offer(model: &Model, game_view: &GameView) -> Option<[String; 2]> {
    let opponent = game_view.opponent()?;
    let who = game_view.player_ref(opponent)?;
    let key = |action| model.keymap.letter_key(KeyContext::GameOver, action);
    let texts = model.lang().texts();
    let [accept, decline] = texts.answer_keys(key(Action::Accept)?, key(Action::Decline)?);
    let offer = texts.offer_received(who.name.as_str(), Offer::Rematch);
    game_view
        .is_rematch_offered()
        .then(|| [offer, format!("  {accept}  {decline}")])
}

/// Returns the rows below the moves: offers, absences, engines and spectators.
fn rows_below(model: &Model, game_view: &GameView) -> Vec<PanelRow> {
    let texts = model.lang().texts();
    let mut rows = vec![PanelRow::blank()];
    if game_view.game.phase() == Phase::Playing {
        let offer = own_offer_line(model, game_view);
        rows.extend(offer.map(|text| PanelRow::new(1, text, theme::bold())));
    }
    if let Some(room) = game_view.room() {
        for (seat, thinks) in Seat::ALL.into_iter().zip(&room.evaluations) {
            // The evaluations apply to the current position.
            if let Some(thinks) = thinks
                && game_view.plies_back().is_none()
            {
                let name = game_view.player_ref(seat).map(|who| who.name.to_string());
                let name = name.as_deref().unwrap_or_default();
                let text = texts.engine_thoughts(
                    name,
                    thinks,
                    game_view.game.rules(),
                    model.settings.digits,
                );
                rows.push(PanelRow {
                    indent: 2,
                    ..PanelRow::new(4, text, Style::new())
                });
            }
        }
        if room.spectators > 0 {
            rows.push(PanelRow::new(
                4,
                texts.spectators(room.spectators),
                Style::new(),
            ));
        }
        rows.extend(phrase_rows(model, &room.phrases));
    }
    rows
}

/// Returns what the players have said, the oldest phrase first. If space is short, the oldest phrases are dropped
/// first.
fn phrase_rows(model: &Model, phrases: &VecDeque<(PlayerRef, Phrase)>) -> Vec<PanelRow> {
    let texts = model.lang().texts();
    let name = |who: &PlayerRef| {
        if who.you {
            texts.panel_you().to_owned()
        } else {
            who.name.to_string()
        }
    };
    let widest = phrases.iter().map(|(who, _)| name(who).width()).max();
    let widest = widest.unwrap_or(0).min(MAX_SPEAKER_COLUMNS);
    let row = |(index, (who, phrase)): (usize, &(PlayerRef, Phrase))| {
        let age = phrases.len() - 1 - index;
        let name = pad_right(&shorten(&name(who), widest as u16), widest + 1);
        PanelRow {
            sign: (format!("{name} "), model.appearance.dim()),
            is_phrase: true,
            ..PanelRow::new(
                if age < 2 { 4 } else { 5 },
                texts.phrase(*phrase),
                Style::new(),
            )
        }
    };
    phrases.iter().enumerate().map(row).collect()
}

/// Describes absent players: the opponent, or for a spectator both players.
pub(in crate::ui) fn absence_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    // If the room is closed, the reason is shown instead.
    let Some(room) = game_view.room().filter(|_| !game_view.is_closed()) else {
        return Vec::new();
    };
    let texts = model.lang().texts();
    let absent = Seat::ALL.into_iter().filter_map(|seat| {
        let presence = room.presence[seat.index()];
        let who = game_view
            .player_ref(seat)
            .filter(|who| !who.you && presence.presence != Presence::Connected)?;
        let claim_in_ms = presence
            .claim_at
            .map(|at| at.saturating_sub(model.now))
            .filter(|&left| left > 0);
        Some(texts.absence(who.name.as_str(), presence.presence, claim_in_ms))
    });
    absent.collect()
}

/// Returns the player's own offer while the status says that the player is to move.
fn own_offer_line(model: &Model, game_view: &GameView) -> Option<String> {
    let offer = Offer::ALL.into_iter().find_map(|offer| {
        let who = game_view.player_ref(game_view.game.offered_by(offer)?)?;
        who.you.then_some((who, offer))
    });
    offer
        .filter(|_| game_view.can_move())
        .map(|(who, offer)| model.lang().texts().offer_made(&who, offer))
}
