//! Waiting screen: for a connection, an opponent, or in the player's own room.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::wrap_text;
use crate::layout::areas::Areas;
use crate::model::{GameView, Model, SessionGoal, Stage};
use crate::ui::{draw_header, put_text, theme};

pub(in crate::ui) fn draw(model: &Model, areas: Areas, buf: &mut Buffer) -> Option<Position> {
    draw_header(model, areas.header, &[], buf);
    let Some(session) = &model.session else { return None };
    let texts = model.texts;
    let state = match session.stage {
        Stage::Connecting => texts.connecting(&session.server),
        Stage::GoalRequested
        | Stage::Seeking
        | Stage::Ready
        | Stage::Reconnecting { .. }
        | Stage::Terminated(_) => texts.waiting_for_opponent().to_owned(),
    };
    let game = match &session.goal {
        SessionGoal::Seek { rules, clock, .. } | SessionGoal::Create { rules, clock, .. } => {
            texts.game_description(rules, *clock)
        }
        SessionGoal::Join(room) | SessionGoal::Watch(room) => room.to_string(),
        SessionGoal::Continue(game) => texts.saved_game(game),
        SessionGoal::List | SessionGoal::Browse => String::new(),
    };
    draw_lines(areas.body, &[(state, theme::bold()), (game, Style::new())], buf);
    None
}

/// Draws the code of the room and the command for a friend.
pub(in crate::ui) fn draw_room(model: &Model, game_view: &GameView, body: Rect, buf: &mut Buffer) {
    let texts = model.texts;
    let Some(room) = game_view.room() else { return };
    let rules = texts.game_description(game_view.game.rules(), game_view.game.control());
    let mut text = vec![(texts.waiting_for_opponent().to_owned(), theme::bold()), (rules, Style::new())];
    if let Some(seat) = Seat::ALL.into_iter().find(|&seat| game_view.game.player(seat).is_some()) {
        let player = game_view.game.player(seat).map(|player| texts.player(player)).unwrap_or_default();
        text.push((format!("{seat}: {player}"), Style::new()));
    }
    if let (Some(_), Some(session)) = (room.seat, &model.session) {
        let [code_label, join_label] = texts.invite_labels();
        let blank = || (String::new(), Style::new());
        text.push(blank());
        text.push((texts.with_reason(code_label, &room.room_ref().to_string()), theme::bold()));
        text.push((texts.with_reason(join_label, "").trim_end().to_owned(), Style::new()));
        text.push(blank());
        text.push((texts.join_command(&session.server, room.room_ref()), theme::bold()));
    }
    draw_lines(body, &text, buf);
}

fn draw_lines(body: Rect, text: &[(String, Style)], buf: &mut Buffer) {
    let rows = text.iter().flat_map(|(text, style)| {
        let lines = if text.is_empty() { vec![String::new()] } else { wrap_text(text, body.width) };
        lines.into_iter().map(move |line| (line, *style))
    });
    for (y, (line, style)) in (body.y..body.y + body.height).zip(rows) {
        put_text(buf, body.x, y, body.width, &line, style);
    }
}
