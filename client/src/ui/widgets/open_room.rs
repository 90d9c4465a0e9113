//! Room that waits for an opponent: rules, player and invite.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::{GameView, Model};
use crate::ui::drawing::{columns, draw_lines, put_text};
use crate::ui::theme;
use crate::ui::widgets::frame::draw_frame;
use crate::ui::widgets::game_picture;
use crate::ui::widgets::qr_code;

/// Height of a body from which the code has a frame.
const MIN_FRAME_ROWS: u16 = 16;
const MAX_FRAME_COLUMNS: u16 = 42;
/// Width that the text keeps beside a QR code.
const MIN_TEXT_COLUMNS: u16 = 24;

/// Draws the game, the code of the room, and how a friend joins.
pub(in crate::ui) fn draw(model: &Model, game_view: &GameView, body: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let Some(room) = game_view.room() else { return };
    let (mut area, picture) = game_picture::split_beside(body);
    if let (false, Some(picture)) = (room.is_qr_shown, picture) {
        game_picture::draw_framed(model, game_view.game.rules(), picture, buf);
    }
    if room.is_qr_shown {
        area = body;
    }
    if let (true, true, Some(session)) = (room.is_qr_shown, model.appearance.unicode, &model.session) {
        let link = texts.room_link(session.invite_server(), room.room_ref());
        // The text keeps to the left of the code, if that leaves room for it.
        let qr_columns = qr_code::draw(&link, body, buf).unwrap_or(0) + 1;
        area.width = area.width.saturating_sub(qr_columns).max(area.width.min(MIN_TEXT_COLUMNS));
    }
    let is_own = room.seat.is_some();
    if is_own && body.height >= MIN_FRAME_ROWS {
        let frame = Rect { width: area.width.min(MAX_FRAME_COLUMNS), height: 4, ..area };
        draw_code(model, &room.room_ref().to_string(), frame, buf);
        area = Rect { y: area.y + 5, height: area.height - 5, ..area };
    }
    draw_lines(area, &lines(model, game_view, is_own && body.height < MIN_FRAME_ROWS), buf);
}

/// Draws the code in a frame, so that it is read out without a mistake.
fn draw_code(model: &Model, code: &str, frame: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let [label, _] = texts.invite_labels();
    let inner = draw_frame(model.appearance, frame, label, [Style::new(), Style::new()], buf);
    for (y, text, style) in
        [(inner.y, code, theme::bold()), (inner.y + 1, texts.code_hint(), model.appearance.dim())]
    {
        let x = inner.x + inner.width.saturating_sub(columns(text)) / 2;
        put_text(buf, x, y, inner.right().saturating_sub(x), text, style);
    }
}

/// Returns the commands and links for a friend, and what is played.
fn lines(model: &Model, game_view: &GameView, has_code: bool) -> Vec<(String, Style)> {
    let texts = model.lang().texts();
    let (rules, dim) = (game_view.game.rules(), model.appearance.dim());
    let blank = || (String::new(), Style::new());
    let mut lines = Vec::new();
    let room = game_view.room().filter(|room| room.seat.is_some());
    if let (Some(room), Some(session)) = (room, &model.session) {
        let [code_label, join_label] = texts.invite_labels();
        let (server, room_ref) = (session.invite_server(), room.room_ref());
        if has_code {
            lines.push((texts.with_reason(code_label, &room_ref.to_string()), theme::bold()));
        }
        let label = |text: &str| (texts.with_reason(text, "").trim_end().to_owned(), dim);
        lines.extend([label(join_label), (texts.join_command(server, room_ref), theme::bold()), blank()]);
        lines.extend([
            label(texts.link_label()),
            (texts.room_link(server, room_ref), theme::bold()),
            blank(),
        ]);
        if let Some([note, command]) = texts.remote_join_note(server, room_ref) {
            lines.extend([(note, dim), (command, Style::new()), blank()]);
        }
    }
    lines.push((texts.waiting_for_opponent().to_owned(), theme::bold()));
    let game = format!("{}, {}", texts.rules(rules), texts.time_control(game_view.game.control()));
    lines.extend([(game, Style::new()), (texts.rule_line(rules), dim)]);
    for seat in Seat::ALL {
        if let Some(player) = game_view.game.player(seat) {
            lines.push((format!("{seat}: {}", texts.player(player)), Style::new()));
        }
    }
    lines
}
