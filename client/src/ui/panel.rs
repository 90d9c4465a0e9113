//! Beside the board: players, clocks, whose turn, what is proposed, the result, presence and lag.

use noughts_protocol::wire::Presence;
use noughts_protocol::{Offer, Outcome, Phase, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::table::absences;
use super::{columns, put, theme};
use crate::input::{Action, Context, Key};
use crate::local::Side;
use crate::model::{Model, Next, Place, Table};
use crate::words::{Label, padded, wrapped};

/// From here on the clock says that there is little time left, in milliseconds.
const LAST_SECONDS: u64 = 10_000;

/// A line of the panel, and how soon it may go when there is no room: the greatest first.
#[derive(Debug)]
struct Row {
    keep: u8,
    left: String,
    right: String,
    /// How far the lines after the first are put in, when it takes several.
    indent: u16,
    style: Style,
}

impl Row {
    fn new(keep: u8, text: impl Into<String>, style: Style) -> Row {
        Row { keep, left: text.into(), right: String::new(), indent: 0, style }
    }

    fn blank() -> Row {
        Row::new(5, "", Style::new())
    }

    fn draw(&self, area: Rect, buf: &mut Buffer) {
        let right = columns(&self.right).min(area.width);
        let room = area.width.saturating_sub(if right > 0 { right + 1 } else { 0 });
        put(buf, area.x, area.y, room, &self.left, self.style);
        put(buf, area.x + area.width - right, area.y, right, &self.right, self.style);
    }
}

pub(super) fn draw(model: &Model, table: &Table, area: Rect, buf: &mut Buffer) {
    let mut rows: Vec<Row> = rows(model, table).into_iter().flat_map(|row| wrap(row, area.width)).collect();
    while rows.len() > usize::from(area.height) {
        let worst = rows.iter().map(|row| row.keep).max().unwrap_or(0);
        match rows.iter().rposition(|row| row.keep == worst) {
            Some(place) => rows.remove(place),
            None => break,
        };
    }
    for (y, row) in (area.y..).zip(&rows) {
        row.draw(Rect { y, height: 1, ..area }, buf);
    }
}

/// A player alone, in one row.
pub(super) fn draw_player(model: &Model, table: &Table, seat: Seat, area: Rect, buf: &mut Buffer) {
    player(model, table, seat).draw(area, buf);
}

/// Breaks a row between words, where it is too long for the panel.
fn wrap(row: Row, width: u16) -> Vec<Row> {
    if !row.right.is_empty() || columns(&row.left) <= width {
        return vec![row];
    }
    let mut lines = wrapped(&row.left, width).into_iter();
    let first = lines.next().unwrap_or_default();
    let rest = row.left.get(first.len()..).unwrap_or("").trim_start();
    let mut rows = vec![Row::new(row.keep, first, row.style)];
    if !rest.is_empty() {
        let indent = " ".repeat(usize::from(row.indent));
        let rest = wrapped(rest, width.saturating_sub(row.indent).max(1)).into_iter();
        rows.extend(rest.map(|line| Row::new(row.keep, format!("{indent}{line}"), row.style)));
    }
    rows
}

fn rows(model: &Model, table: &Table) -> Vec<Row> {
    let words = model.words;
    let mut rows: Vec<Row> = Seat::ALL.map(|seat| player(model, table, seat)).into();
    rows.push(Row::blank());
    if let Some((text, style)) = liveness(model, table) {
        rows.push(Row::new(1, text, style));
    }
    for text in state(model, table) {
        rows.push(Row::new(0, text, theme::strong()));
    }
    for text in offers(model, table) {
        rows.push(Row::new(0, text, model.look.alert()));
    }
    for text in absences(model, table) {
        rows.push(Row::new(1, text, model.look.alert()));
    }
    if let Some(text) = claim(model, table) {
        rows.push(Row::new(0, text, model.look.alert()));
    }
    rows.push(Row::blank());
    for (label, keep, text) in facts(model, table) {
        let indent = words.label_columns();
        let text = format!("{}{text}", padded(words.panel(label), usize::from(indent)));
        rows.push(Row { indent, ..Row::new(keep, text, Style::new()) });
    }
    rows
}

/// A player: whose turn, the mark, the name, the clock.
fn player(model: &Model, table: &Table, seat: Seat) -> Row {
    let words = model.words;
    let playing = table.game.phase() == Phase::Playing;
    let to_move = playing && table.game.position().turn() == seat;
    let name = match table.game.player(seat) {
        None => words.panel(Label::Free).to_owned(),
        Some(player) => {
            let you = (table.own_seat() == Some(seat)).then(|| format!(" ({})", words.panel(Label::You)));
            format!("{}{}", words.player(player), you.unwrap_or_default())
        }
    };
    let clock = table.left(model.now).map(|left| {
        let left = left[seat.index()];
        // The last seconds of the one whose clock runs have a sign of their own.
        let sign = if to_move && left <= LAST_SECONDS { "! " } else { "" };
        format!("{sign}{}", words.clock(left))
    });
    let clock = clock.unwrap_or_default();
    let left = format!("{} {}  {name}", if to_move { ">" } else { " " }, words.mark(seat));
    let style = if to_move { model.look.mark(seat).patch(theme::strong()) } else { model.look.mark(seat) };
    Row { keep: 0, left, right: clock, indent: 0, style }
}

/// For a spectator: whether what is shown is the game as it stands.
fn liveness(model: &Model, table: &Table) -> Option<(String, Style)> {
    let all = table.game.position().ply();
    match table.behind() {
        Some(behind) => Some((model.words.behind(all - behind, all), model.look.alert())),
        None if model.screen_context() == Context::Watching && all > 0 => {
            Some((model.words.live().to_owned(), model.look.dim()))
        }
        None => None,
    }
}

/// Whose move it is, or how the game ended and what now.
pub(super) fn state(model: &Model, table: &Table) -> Vec<String> {
    let words = model.words;
    if let Some(closing) = table.game.closing() {
        return vec![words.note(&crate::model::Note::Closed(closing))];
    }
    if table.room().is_some_and(|room| room.gone.is_some()) {
        return vec![words.note(&crate::model::Note::RoomGone)];
    }
    if let (Some(outcome), Some(players)) = (table.game.outcome(), table.both()) {
        let mut lines = result(model, table, outcome, &players);
        if table.own_seat().is_some_and(|own| table.game.offered(Offer::Rematch) == Some(own)) {
            lines.push(words.panel(Label::RematchAsked).to_owned());
        } else if table.opponent().is_some_and(|other| table.game.offered(Offer::Rematch) == Some(other)) {
            // Told below, with how to answer.
        } else if gone(table) {
            // Nobody is there to play again with.
        } else if table.own_seat().is_some() || table.room().is_none() {
            lines.extend(key(model, Action::Again).map(|key| words.key_plays_again(key)));
        }
        return lines;
    }
    if let Some(pending) = table.pending {
        return vec![words.on_its_way(&table.game.rules().cell_text(pending.cell))];
    }
    let turn = table.game.position().turn();
    let name = table.who(turn).map(|who| who.name.to_string()).unwrap_or_default();
    vec![match table.next() {
        Next::You => words.your_move().to_owned(),
        Next::Here(who) => words.to_move(who.name.as_str()),
        Next::Other if is_thinking(table, turn) => words.thinks(&name),
        Next::Other => words.to_move(&name),
    }]
}

/// Whether the opponent has left on purpose.
fn gone(table: &Table) -> bool {
    let presence =
        table.opponent().zip(table.room()).map(|(seat, room)| room.attendance[seat.index()].presence);
    presence == Some(Presence::Left)
}

fn is_thinking(table: &Table, turn: Seat) -> bool {
    matches!(&table.place, Place::Here(local) if matches!(local.side(turn), Side::Bot(_)))
}

/// The result, with the line on a row of its own.
fn result(model: &Model, table: &Table, outcome: &Outcome, players: &[crate::model::Who; 2]) -> Vec<String> {
    let rules = table.game.rules();
    let text = model.words.outcome(outcome, rules, players);
    match outcome.line() {
        Some(line) => {
            let line = model.words.line(line, rules);
            let head = text.strip_suffix(&line).unwrap_or(&text).trim_end().to_owned();
            vec![head, line]
        }
        None => vec![text],
    }
}

/// How to claim the game of a player who has not returned.
fn claim(model: &Model, table: &Table) -> Option<String> {
    let key = key(model, Action::Claim).filter(|_| table.may_claim(model.now))?;
    Some(model.words.key_claims(key))
}

/// The key to name for an action here: a letter, if it has one.
fn key(model: &Model, action: Action) -> Option<Key> {
    model.keymap.letter(model.screen_context(), action)
}

/// What is proposed, and how to answer it.
fn offers(model: &Model, table: &Table) -> Vec<String> {
    let mut lines = Vec::new();
    for offer in Offer::ALL {
        let Some(who) = table.game.offered(offer).and_then(|seat| table.who(seat)) else { continue };
        // One's own wish for a rematch is told with the result.
        if who.you && offer == Offer::Rematch {
            continue;
        }
        if who.you {
            lines.push(model.words.offered(&who, offer));
        } else {
            lines.push(model.words.proposes(who.name.as_str(), offer));
            let keys = key(model, Action::Accept).zip(key(model, Action::Decline));
            if let (Some((accept, decline)), Some(_)) = (keys, table.own_seat()) {
                lines.push(model.words.keys_answer(accept, decline));
            }
        }
    }
    lines
}

/// The rest, label by label.
fn facts(model: &Model, table: &Table) -> Vec<(Label, u8, String)> {
    let words = model.words;
    let (game, rules) = (&table.game, table.game.rules());
    let mut facts = Vec::new();
    if let (true, Some(players)) = (game.number() > 1 || game.outcome().is_some(), table.both()) {
        facts.push((Label::Score, 2, words.score(&players, game.score())));
    }
    let shown = table.shown();
    if let Some(&cell) = shown.moves().last() {
        let mark = shown.at(cell).map_or("", |seat| words.mark(seat));
        facts.push((Label::Last, 2, format!("{mark} {}", rules.cell_text(cell))));
    }
    if game.phase() == Phase::Playing && (rules.dimensions() > 2 || rules.cells() > 9) {
        facts.push((Label::Cursor, 3, rules.cell_text(super::table::shown_cursor(table))));
    }
    if let Some(room) = table.room() {
        let lag = |seat: Seat| {
            let name =
                if table.own_seat() == Some(seat) { words.panel(Label::You) } else { words.mark(seat) };
            room.lag[seat.index()].map(|ms| format!("{name} {}", words.lag(Some(ms))))
        };
        let lags: Vec<String> = Seat::ALL.into_iter().filter_map(lag).collect();
        if !lags.is_empty() {
            facts.push((Label::Lag, 3, words.list(&lags)));
        }
        for (seat, thinks) in Seat::ALL.into_iter().zip(&room.remarks) {
            if let Some(thinks) = thinks {
                let text = format!("{} {}", words.mark(seat), words.thinks_so(thinks, rules));
                facts.push((Label::Engine, 3, text));
            }
        }
        if room.watching > 0 {
            facts.push((Label::Watchers, 3, room.watching.to_string()));
        }
    }
    if game.number() > 1 {
        facts.push((Label::Game, 4, game.number().to_string()));
    }
    facts
}

/// The essence in two lines, where there is no room for a panel.
pub(super) fn two_lines(model: &Model, table: &Table) -> [String; 2] {
    let players = Seat::ALL.map(|seat| {
        let row = player(model, table, seat);
        format!("{} {}", row.left.replace("  ", " ").trim_end(), row.right).trim_end().to_owned()
    });
    let mut second = state(model, table);
    second.truncate(1);
    let claim = claim(model, table);
    let behind = table.behind().and_then(|_| liveness(model, table)).map(|(text, _)| text);
    // One more thing, the most pressing.
    let things = behind.into_iter().chain(offers(model, table)).chain(claim).chain(absences(model, table));
    second.extend(things.take(1));
    [players.join("  "), second.join(" ")]
}
