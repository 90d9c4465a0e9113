//! Panel beside the board: players, clocks, status, offers, result, presence and ping.

use std::time::Duration;

use noughts_protocol::wire::Presence;
use noughts_protocol::{Offer, Outcome, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::facts::{NextMove, Notification};
use crate::i18n::{PanelLabel, pad_right, wrap_text};
use crate::input::{Action, Key, KeyContext};
use crate::model::local_game::LocalPlayer;
use crate::model::{GameHost, GameView, Model};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::theme;

/// Remaining time from which a clock shows an alert, in milliseconds.
const LOW_TIME_MS: u64 = 10_000;

/// Columns before a player's name: the turn sign and the mark.
const NAME_INDENT: u16 = 5;

/// Row of the panel. Rows with the highest number are dropped first if space is short.
#[derive(Debug)]
struct PanelRow {
    priority: u8,
    left: String,
    right: String,
    /// Indentation of continuation lines.
    indent: u16,
    style: Style,
}

impl PanelRow {
    fn new(priority: u8, text: impl Into<String>, style: Style) -> PanelRow {
        PanelRow { priority, left: text.into(), right: String::new(), indent: 0, style }
    }

    fn blank() -> PanelRow {
        PanelRow::new(5, "", Style::new())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer) {
        let right = columns(&self.right).min(area.width);
        let available = area.width.saturating_sub(if right > 0 { right + 1 } else { 0 });
        put_text(buf, area.x, area.y, available, &shorten(&self.left, available), self.style);
        put_text(buf, area.x + area.width - right, area.y, right, &self.right, self.style);
    }
}

pub(in crate::ui) fn draw(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    let mut rows: Vec<PanelRow> =
        panel_rows(model, game_view).into_iter().flat_map(|row| wrap_row(row, area.width)).collect();
    while rows.len() > usize::from(area.height) {
        let max_priority = rows.iter().map(|row| row.priority).max().unwrap_or(0);
        match rows.iter().rposition(|row| row.priority == max_priority) {
            Some(index) => rows.remove(index),
            None => break,
        };
    }
    for (y, row) in (area.y..).zip(&rows) {
        row.draw(Rect { y, height: 1, ..area }, buf);
    }
}

pub(in crate::ui) fn draw_player(
    model: &Model,
    game_view: &GameView,
    seat: Seat,
    area: Rect,
    buf: &mut Buffer,
) {
    player_row(model, game_view, seat).draw(area, buf);
}

/// Wraps a row that is too long for the panel.
fn wrap_row(row: PanelRow, width: u16) -> Vec<PanelRow> {
    if !row.right.is_empty() || columns(&row.left) <= width {
        return vec![row];
    }
    let mut lines = wrap_text(&row.left, width).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest = row.left.get(first.len()..).unwrap_or("").trim_start();
    let mut rows = vec![PanelRow::new(row.priority, first, row.style)];
    if !rest.is_empty() {
        let indent = " ".repeat(usize::from(row.indent));
        let rest = wrap_text(rest, width.saturating_sub(row.indent).max(1)).into_iter();
        rows.extend(rest.map(|line| PanelRow::new(row.priority, format!("{indent}{line}"), row.style)));
    }
    rows
}

fn panel_rows(model: &Model, game_view: &GameView) -> Vec<PanelRow> {
    let texts = model.lang().texts();
    let mut rows: Vec<PanelRow> = Seat::ALL.map(|seat| player_row(model, game_view, seat)).into();
    rows.push(PanelRow::blank());
    if let Some((text, style)) = live_label(model, game_view) {
        rows.push(PanelRow::new(1, text, style));
    }
    for text in status_lines(model, game_view) {
        rows.push(PanelRow::new(0, text, theme::bold()));
    }
    for text in offer_lines(model, game_view) {
        rows.push(PanelRow::new(0, text, model.appearance.alert()));
    }
    for text in absence_lines(model, game_view) {
        rows.push(PanelRow::new(1, text, model.appearance.alert()));
    }
    if let Some(text) = claim_hint(model, game_view) {
        rows.push(PanelRow::new(0, text, model.appearance.alert()));
    }
    rows.push(PanelRow::blank());
    for (label, priority, text) in info_rows(model, game_view) {
        let indent = texts.label_columns();
        let text = format!("{}{text}", pad_right(texts.panel_label(label), usize::from(indent)));
        rows.push(PanelRow { indent, ..PanelRow::new(priority, text, Style::new()) });
    }
    rows
}

/// Returns a player's row: turn sign, mark, name and clock.
fn player_row(model: &Model, game_view: &GameView, seat: Seat) -> PanelRow {
    let texts = model.lang().texts();
    let playing = game_view.game.phase() == Phase::Playing;
    let to_move = playing && game_view.game.position().turn() == seat;
    let name = match game_view.game.player(seat) {
        None => texts.panel_label(PanelLabel::Free).to_owned(),
        Some(player) => {
            let you = (game_view.own_seat() == Some(seat))
                .then(|| format!(" ({})", texts.panel_label(PanelLabel::You)));
            format!("{}{}", texts.player(player), you.unwrap_or_default())
        }
    };
    let clock = game_view.time_left(model.now).map(|left| {
        let left = left[seat.index()];
        // A running clock with little time left has its own sign.
        let sign = if to_move && left <= LOW_TIME_MS { "! " } else { "" };
        format!("{sign}{}", texts.clock(left))
    });
    let clock = clock.unwrap_or_default();
    let left = format!("{} {}  {name}", if to_move { ">" } else { " " }, texts.mark(seat));
    let style =
        if to_move { model.appearance.mark(seat).patch(theme::bold()) } else { model.appearance.mark(seat) };
    PanelRow { priority: 0, left, right: clock, indent: NAME_INDENT, style }
}

/// Returns the label that tells a spectator whether the current position is shown.
fn live_label(model: &Model, game_view: &GameView) -> Option<(String, Style)> {
    let all = game_view.game.position().ply();
    match game_view.plies_back() {
        Some(plies_back) => {
            Some((model.lang().texts().plies_back(all - plies_back, all), model.appearance.alert()))
        }
        None if model.screen_key_context() == KeyContext::Watching && all > 0 && !game_view.is_closed() => {
            Some((model.lang().texts().live_label().to_owned(), model.appearance.dim()))
        }
        None => None,
    }
}

/// Returns the player to move, or the result and the next step.
pub(in crate::ui) fn status_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    let texts = model.lang().texts();
    let closing = closing_line(model, game_view);
    if let (Some(outcome), Some(players)) = (game_view.game.outcome(), game_view.players()) {
        let mut lines = result_lines(model, game_view, outcome, &players);
        // The result stays after the room has closed.
        if let Some(closing) = closing {
            lines.push(closing);
        } else if game_view
            .own_seat()
            .is_some_and(|own| game_view.game.offered_by(Offer::Rematch) == Some(own))
        {
            lines.push(texts.panel_label(PanelLabel::RematchAsked).to_owned());
        } else if game_view
            .opponent()
            .is_some_and(|other| game_view.game.offered_by(Offer::Rematch) == Some(other))
        {
            // The offer is shown below, with its keys.
        } else if game_view.has_opponent_left() {
            // There is no opponent for a rematch.
        } else if game_view.own_seat().is_some() || game_view.room().is_none() {
            lines.extend(action_key(model, Action::Rematch).map(|key| texts.rematch_hint(key)));
        }
        return lines;
    }
    if let Some(closing) = closing {
        return vec![closing];
    }
    if let Some(pending) = game_view.pending_move {
        return vec![texts.move_pending(&game_view.game.rules().cell_text(pending.cell))];
    }
    let turn = game_view.game.position().turn();
    let name = game_view.player_ref(turn).map(|who| who.name.to_string()).unwrap_or_default();
    vec![match game_view.next_move() {
        NextMove::You => texts.your_move().to_owned(),
        NextMove::Local(who) => texts.to_move(who.name.as_str()),
        NextMove::Other if is_thinking(game_view, turn) => texts.engine_thinking(&name),
        NextMove::Other => texts.to_move(&name),
    }]
}

/// Returns why the room is closed; `None` while it is open.
fn closing_line(model: &Model, game_view: &GameView) -> Option<String> {
    let note = match game_view.game.close_reason() {
        Some(reason) => Notification::Closed(reason),
        None if game_view.is_closed() => Notification::RoomUnavailable,
        None => return None,
    };
    Some(model.lang().texts().notification(&note))
}

fn is_thinking(game_view: &GameView, turn: Seat) -> bool {
    matches!(&game_view.host, GameHost::Local(local) if matches!(local.player(turn), LocalPlayer::Bot(_)))
}

/// Returns the result, with the winning line in its own row.
fn result_lines(
    model: &Model,
    game_view: &GameView,
    outcome: &Outcome,
    players: &[crate::facts::PlayerRef; 2],
) -> Vec<String> {
    let rules = game_view.game.rules();
    let text = model.lang().texts().outcome(outcome, rules, players);
    match outcome.line() {
        Some(line) => {
            let line = model.lang().texts().winning_line(line, rules);
            let summary = text.strip_suffix(&line).unwrap_or(&text).trim_end().to_owned();
            vec![summary, line]
        }
        None => vec![text],
    }
}

/// Describes absent players: the opponent, or for a spectator both.
pub(in crate::ui) fn absence_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    // The reason for closing the room is shown instead.
    let Some(room) = game_view.room().filter(|_| game_view.game.close_reason().is_none()) else {
        return Vec::new();
    };
    let texts = model.lang().texts();
    let absent = Seat::ALL.into_iter().filter_map(|seat| {
        let presence = room.presence[seat.index()];
        let who =
            game_view.player_ref(seat).filter(|who| !who.you && presence.presence != Presence::Connected)?;
        let claim_in = presence.claim_at.map(|at| at.saturating_sub(model.now)).filter(|&left| left > 0);
        Some(texts.absence(who.name.as_str(), presence.presence, claim_in.map(Duration::from_millis)))
    });
    absent.collect()
}

/// Returns the hint for claiming the win from an absent opponent.
fn claim_hint(model: &Model, game_view: &GameView) -> Option<String> {
    let key = action_key(model, Action::Claim).filter(|_| game_view.can_claim(model.now))?;
    Some(model.lang().texts().claim_hint(key))
}

/// Returns the key to show for an action, preferably a letter.
fn action_key(model: &Model, action: Action) -> Option<Key> {
    model.keymap.letter_key(model.screen_key_context(), action)
}

/// Returns the open offers and the keys that answer them.
fn offer_lines(model: &Model, game_view: &GameView) -> Vec<String> {
    let mut lines = Vec::new();
    for offer in Offer::ALL {
        let Some(who) = game_view.game.offered_by(offer).and_then(|seat| game_view.player_ref(seat)) else {
            continue;
        };
        // The player's own rematch offer is shown with the result.
        if who.you && offer == Offer::Rematch {
            continue;
        }
        if who.you {
            lines.push(model.lang().texts().offer_made(&who, offer));
        } else {
            lines.push(model.lang().texts().offer_received(who.name.as_str(), offer));
            let keys = action_key(model, Action::Accept).zip(action_key(model, Action::Decline));
            if let (Some((accept, decline)), Some(_)) = (keys, game_view.own_seat()) {
                lines.push(model.lang().texts().answer_hint(accept, decline));
            }
        }
    }
    lines
}

/// Returns the labelled rows.
fn info_rows(model: &Model, game_view: &GameView) -> Vec<(PanelLabel, u8, String)> {
    let texts = model.lang().texts();
    let (game, rules) = (&game_view.game, game_view.game.rules());
    let mut rows = Vec::new();
    if let (true, Some(players)) = (game.number() > 1 || game.outcome().is_some(), game_view.players()) {
        rows.push((PanelLabel::Score, 2, texts.match_score(&players, game.score())));
    }
    let position = game_view.shown_position();
    if let Some(&cell) = position.moves().last() {
        let mark = position.stone_at(cell).map_or("", |seat| texts.mark(seat));
        rows.push((PanelLabel::Last, 2, format!("{mark} {}", rules.cell_text(cell))));
    }
    let has_cursor = game_view.acting_seat().is_some() || game_view.show_guide_lines;
    if game.phase() == Phase::Playing && has_cursor && (rules.dimensions() > 2 || rules.cells() > 9) {
        rows.push((PanelLabel::Cursor, 3, rules.cell_text(game_view.effective_cursor())));
    }
    if let Some(room) = game_view.room() {
        let lag = |seat: Seat| {
            let name = if game_view.own_seat() == Some(seat) {
                texts.panel_label(PanelLabel::You)
            } else {
                texts.mark(seat)
            };
            room.lag[seat.index()].map(|ms| format!("{name} {}", texts.lag(Some(ms))))
        };
        let lags: Vec<String> = Seat::ALL.into_iter().filter_map(lag).collect();
        if !lags.is_empty() {
            rows.push((PanelLabel::Lag, 3, texts.join_list(&lags)));
        }
        for (seat, thinks) in Seat::ALL.into_iter().zip(&room.evaluations) {
            // The evaluations are those of the current position.
            if let Some(thinks) = thinks
                && game_view.plies_back().is_none()
            {
                let text = format!("{} {}", texts.mark(seat), texts.engine_evaluation(thinks, rules));
                rows.push((PanelLabel::Engine, 3, text));
            }
        }
        if room.spectators > 0 {
            rows.push((PanelLabel::Watchers, 3, room.spectators.to_string()));
        }
    }
    if game.number() > 1 {
        rows.push((PanelLabel::Game, 4, game.number().to_string()));
    }
    rows
}

/// Draws both players in one row, each in its colour. Names that do not fit are shortened, clocks are not.
pub(in crate::ui) fn draw_compact_players(model: &Model, game_view: &GameView, area: Rect, buf: &mut Buffer) {
    const GAP: u16 = 2;
    let players = Seat::ALL.map(|seat| {
        let row = player_row(model, game_view, seat);
        let clock = if row.right.is_empty() { String::new() } else { format!(" {}", row.right) };
        (row.left.replace("  ", " ").trim_end().to_owned(), clock, row.style)
    });
    let [x, o] = players.each_ref().map(|(left, clock, _)| columns(left) + columns(clock));
    let available = area.width.saturating_sub(GAP);
    let x = if x + o <= available { x } else { x.min((available / 2).max(available.saturating_sub(o))) };
    let mut at = area.x;
    for ((left, clock, style), width) in players.into_iter().zip([x, available - x]) {
        let text = format!("{}{clock}", shorten(&left, width.saturating_sub(columns(&clock))));
        at = put_text(buf, at, area.y, width, &text, style) + GAP;
    }
}

/// Summarizes the rest of the panel in one line.
pub(in crate::ui) fn compact_status(model: &Model, game_view: &GameView) -> String {
    let mut second = status_lines(model, game_view);
    second.truncate(1);
    let claim = claim_hint(model, game_view);
    let stepped_back =
        game_view.plies_back().and_then(|_| live_label(model, game_view)).map(|(text, _)| text);
    // Plus the most urgent hint.
    let hints = stepped_back
        .into_iter()
        .chain(offer_lines(model, game_view))
        .chain(claim)
        .chain(absence_lines(model, game_view))
        .chain(closing_line(model, game_view).filter(|_| game_view.game.outcome().is_some()));
    second.extend(hints.take(1));
    second.join(" ")
}
