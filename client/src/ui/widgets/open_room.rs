//! Room that waits for an opponent: rules, player and invite.

use noughts_protocol::Seat;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::model::{GameView, Model};
use crate::ui::drawing::draw_lines;
use crate::ui::theme;
use crate::ui::widgets::qr_code;

/// Width that the text keeps beside a QR code.
const MIN_TEXT_COLUMNS: u16 = 24;

/// Draws the code of the room and the command for a friend.
pub(in crate::ui) fn draw(model: &Model, game_view: &GameView, body: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
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
        text.push((texts.join_command(session.invite_server(), room.room_ref()), theme::bold()));
        let link = texts.room_link(session.invite_server(), room.room_ref());
        text.extend([
            blank(),
            (texts.with_reason(texts.link_label(), "").trim_end().to_owned(), Style::new()),
        ]);
        text.push((link, theme::bold()));
        if let Some([note, command]) = texts.remote_join_note(session.invite_server(), room.room_ref()) {
            text.extend([blank(), (note, Style::new()), (command, Style::new())]);
        }
    }
    let mut text_area = body;
    if let (true, true, Some(session)) = (room.is_qr_shown, model.appearance.unicode, &model.session) {
        let link = texts.room_link(session.invite_server(), room.room_ref());
        // The text keeps to the left of the code, if that leaves room for it.
        let qr_columns = qr_code::draw(&link, body, buf).unwrap_or(0) + 1;
        text_area.width =
            text_area.width.saturating_sub(qr_columns).max(text_area.width.min(MIN_TEXT_COLUMNS));
    }
    draw_lines(text_area, &text, buf);
}
