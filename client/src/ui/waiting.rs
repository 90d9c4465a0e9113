//! Waiting: for a server, to be paired, or in a room of one's own.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{Parts, header, put, theme};
use crate::model::{Goal, Model, Stage, Table};
use crate::words::wrapped;

pub(super) fn draw(model: &Model, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    header(model, parts.header, &[], buf);
    let Some(session) = &model.session else { return None };
    let words = model.words;
    let state = match session.stage {
        Stage::Connecting => words.connecting(&session.server),
        Stage::Asked | Stage::Seeking | Stage::There | Stage::Offline { .. } | Stage::Ended(_) => {
            words.waiting().to_owned()
        }
    };
    let game = match &session.goal {
        Goal::Seek { rules, clock, .. } | Goal::Create { rules, clock, .. } => words.game(rules, *clock),
        Goal::Join(room) | Goal::Watch(room) => room.to_string(),
        Goal::Continue(game) => words.to_continue(game),
        Goal::List | Goal::Browse => String::new(),
    };
    lines(parts.body, &[(state, theme::strong()), (game, Style::new())], buf);
    None
}

/// The room where one waits: its code, and the very line for a friend.
pub(super) fn room(model: &Model, table: &Table, body: Rect, buf: &mut Buffer) {
    let words = model.words;
    let Some(room) = table.room() else { return };
    let rules = words.game(table.game.rules(), table.game.control());
    let mut text = vec![(words.waiting().to_owned(), theme::strong()), (rules, Style::new())];
    if let Some(seat) = Seat::ALL.into_iter().find(|&seat| table.game.player(seat).is_some()) {
        let player = table.game.player(seat).map(|player| words.player(player)).unwrap_or_default();
        text.push((format!("{seat}: {player}"), Style::new()));
    }
    if let (Some(_), Some(session)) = (room.seat, &model.session) {
        let [code, joins] = words.invite_labels();
        let blank = || (String::new(), Style::new());
        text.push(blank());
        text.push((words.because(code, &room.reference().to_string()), theme::strong()));
        text.push((words.because(joins, "").trim_end().to_owned(), Style::new()));
        text.push(blank());
        text.push((words.join_line(&session.server, room.reference()), theme::strong()));
    }
    lines(body, &text, buf);
}

fn lines(body: Rect, text: &[(String, Style)], buf: &mut Buffer) {
    let rows = text.iter().flat_map(|(text, style)| {
        let lines = if text.is_empty() { vec![String::new()] } else { wrapped(text, body.width) };
        lines.into_iter().map(move |line| (line, *style))
    });
    for (y, (line, style)) in (body.y..body.y + body.height).zip(rows) {
        put(buf, body.x, y, body.width, &line, style);
    }
}
