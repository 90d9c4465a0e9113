//! A room that waits for an opponent: rules, player, invite, and its QR code in half blocks. The code is black on white
//! in every theme, because phones do not read other colours.

use noughts_protocol::{RoomRef, Seat};
use qrcode::{Color as Module, EcLevel, QrCode};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::i18n::wrap_text;
use crate::model::layout::{Areas, is_too_small};
use crate::model::{GameView, Model};
use crate::ui::drawing::{columns, draw_lines, put_text};
use crate::ui::theme;
use crate::ui::widgets::{draw_frame, game_picture};

/// Minimum height of a body that has a frame around the code.
const MIN_FRAME_ROWS: u16 = 16;
const MAX_FRAME_COLUMNS: u16 = 42;
/// Minimum width of the text beside a QR code.
const MIN_TEXT_COLUMNS: u16 = 24;
/// Blank columns between the frame around the code of the room and the QR code on a wide screen.
const QR_GAP: u16 = 4;

/// Draws the game, the code of the room, and how a friend can join.
pub(in crate::ui) fn draw(model: &Model, game_view: &GameView, body: Rect, buf: &mut Buffer) {
    let Some(room) = game_view.room() else { return };
    let (mut area, picture) = game_picture::split_beside(body);
    if let (false, Some(picture)) = (room.is_qr_shown, picture) {
        game_picture::draw_framed(model, game_view.game.rules(), picture, buf);
    }
    if room.is_qr_shown {
        area = body;
    }
    if let (true, Some(code)) = (room.is_qr_shown, link_code(model, game_view, body)) {
        // The text stays to the left of the code, if the code leaves enough space.
        let (width, height) = code.size();
        let beside = (body.x + MAX_FRAME_COLUMNS + QR_GAP).min(body.right() - width);
        let place = Rect::new(beside, body.y, width, height);
        code.draw(place, buf);
        let text_columns = beside.saturating_sub(body.x + 1);
        area.width = text_columns.max(area.width.min(MIN_TEXT_COLUMNS));
    }
    let is_own = room.seat.is_some();
    if is_own && body.height >= MIN_FRAME_ROWS {
        let frame = Rect {
            width: area.width.min(MAX_FRAME_COLUMNS),
            height: 4,
            ..area
        };
        draw_code(model, room.room_ref(), frame, buf);
        area = Rect {
            y: area.y + 5,
            height: area.height - 5,
            ..area
        };
    }
    draw_lines(
        area,
        &lines(
            model,
            game_view,
            is_own && body.height < MIN_FRAME_ROWS,
            area,
        ),
        buf,
    );
}

/// Returns the QR code for the room link; `None` if the terminal or the body cannot show it.
fn link_code(model: &Model, game_view: &GameView, body: Rect) -> Option<QrPicture> {
    let (room, session) = (game_view.room()?, model.session.as_ref()?);
    let link = model
        .lang()
        .texts()
        .room_link(session.invite_server(), room.room_ref());
    // A phone cannot open a link to this computer.
    let is_reachable = !session.invite_server().is_loopback();
    QrPicture::new(&link).filter(|code| is_reachable && model.appearance.unicode && code.fits(body))
}

/// Returns whether the screen has room for the QR code of the player's own room.
pub(crate) fn can_show_qr(model: &Model) -> bool {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    let has_code = |view| link_code(model, view, Areas::split(area).body).is_some();
    !is_too_small(area) && model.game_view().is_some_and(has_code)
}

/// Draws the code in a frame, so that it can be read aloud without mistakes.
fn draw_code(model: &Model, room: RoomRef, frame: Rect, buf: &mut Buffer) {
    let texts = model.lang().texts();
    let [label, _] = texts.invite_labels(room);
    let code = room.to_string();
    let inner = draw_frame(
        model.appearance,
        frame,
        label,
        [Style::new(), Style::new()],
        buf,
    );
    for (y, text, style) in [
        (inner.y, code.as_str(), theme::bold()),
        (inner.y + 1, texts.code_hint(), model.appearance.dim()),
    ] {
        let x = inner.x + inner.width.saturating_sub(columns(text)) / 2;
        put_text(buf, x, y, inner.right().saturating_sub(x), text, style);
    }
}

/// Lines that are shown together or not at all.
type Block = Vec<(String, Style)>;

/// Returns the texts that fit into an area: that the room waits, the commands and links for a friend, and the game. A
/// small area has no blank rows, and contains only whole blocks.
fn lines(model: &Model, game_view: &GameView, has_code: bool, area: Rect) -> Block {
    let blocks = blocks(model, game_view, has_code);
    let rows = |block: &Block| -> usize {
        let rows = block
            .iter()
            .map(|(line, _)| wrap_text(line, area.width).len());
        rows.sum()
    };
    let with_blanks = blocks.iter().map(|block| rows(block) + 1).sum::<usize>() - 1;
    let is_small = with_blanks > usize::from(area.height);
    let mut lines = Block::new();
    let mut left = usize::from(area.height);
    for block in blocks {
        let needed = rows(&block) + usize::from(!is_small && !lines.is_empty());
        if needed <= left {
            if !is_small && !lines.is_empty() {
                lines.push((String::new(), Style::new()));
            }
            lines.extend(block);
            left -= needed;
        }
    }
    lines
}

/// Returns the blocks, the most important first.
fn blocks(model: &Model, game_view: &GameView, has_code: bool) -> Vec<Block> {
    let texts = model.lang().texts();
    let (rules, dim) = (game_view.game.rules(), model.appearance.dim());
    let mut blocks = vec![vec![(
        texts.waiting_for_opponent().to_owned(),
        theme::bold(),
    )]];
    let room = game_view.room().filter(|room| room.seat.is_some());
    if let (Some(room), Some(session)) = (room, &model.session) {
        let (server, room_ref) = (session.invite_server(), room.room_ref());
        // A friend who cannot reach the server needs this before the commands.
        let note = texts.local_server_note(server);
        blocks.extend(note.map(|note| vec![(format!("! {note}"), theme::bold())]));
        let [code_label, join_label] = texts.invite_labels(room_ref);
        if has_code {
            let code = texts.with_reason(code_label, room_ref.to_string());
            blocks.push(vec![(code, theme::bold())]);
        }
        let label = |text: &str| (texts.with_reason(text, "").trim_end().to_owned(), dim);
        let command = texts.join_command(server, room_ref);
        blocks.push(vec![label(join_label), (command, theme::bold())]);
        let link = texts.room_link(server, room_ref);
        blocks.push(vec![label(texts.link_label()), (link, theme::bold())]);
    }
    let game = format!(
        "{}, {}",
        texts.rules(rules),
        texts.time_control(game_view.game.control())
    );
    // The title contains the rule.
    let mut played = vec![(game, Style::new())];
    for seat in Seat::ALL {
        if let Some(player) = game_view.game.player(seat) {
            played.push((format!("{seat}: {}", texts.player(player)), Style::new()));
        }
    }
    blocks.push(played);
    blocks
}

/// Number of blank modules around the code.
const MARGIN: usize = 2;

/// Returns the rows of the code as text; `None` if the text is too long for a QR code.
pub(crate) fn qr_rows(text: &str) -> Option<Vec<String>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::L).ok()?;
    let (width, modules) = (code.width(), code.to_colors());
    let is_dark = |x: usize, y: usize| {
        let (Some(x), Some(y)) = (x.checked_sub(MARGIN), y.checked_sub(MARGIN)) else {
            return false;
        };
        x < width && y < width && modules[y * width + x] == Module::Dark
    };
    let side = width + 2 * MARGIN;
    let row = |y: usize| {
        let half_blocks = (0..side).map(|x| match (is_dark(x, y), is_dark(x, y + 1)) {
            (true, true) => '\u{2588}',
            (true, false) => '\u{2580}',
            (false, true) => '\u{2584}',
            (false, false) => ' ',
        });
        half_blocks.collect()
    };
    Some((0..side).step_by(2).map(row).collect())
}

/// A QR code as rows of half blocks.
pub(in crate::ui) struct QrPicture {
    rows: Vec<String>,
}

impl QrPicture {
    /// Encodes a text; `None` if it is too long for a QR code.
    pub(in crate::ui) fn new(text: &str) -> Option<QrPicture> {
        Some(QrPicture {
            rows: qr_rows(text)?,
        })
    }

    fn size(&self) -> (u16, u16) {
        (
            self.rows.first().map_or(0, |row| row.chars().count()) as u16,
            self.rows.len() as u16,
        )
    }

    /// Returns whether an area has room for the whole code.
    pub(in crate::ui) fn fits(&self, area: Rect) -> bool {
        let (width, height) = self.size();
        width <= area.width && height <= area.height
    }

    /// Draws the code in the upper left corner of an area that has room for it.
    pub(in crate::ui) fn draw(&self, area: Rect, buf: &mut Buffer) {
        let style = Style::new().fg(Color::Black).bg(Color::White);
        for (y, row) in (area.y..).zip(&self.rows) {
            put_text(buf, area.x, y, area.width, row, style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_fits_beside_the_invitation_on_80_columns() {
        let rows = qr_rows("http://192.168.100.100:7878/#fcem-t8v0-x1sh").expect("a code");
        assert!(
            rows.len() <= 18 && rows.iter().all(|row| row.chars().count() <= 36),
            "{}",
            rows.len()
        );
        // The row shows the finder pattern in the top left corner.
        assert!(
            rows[1].starts_with("  \u{2588}\u{2580}\u{2580}\u{2580}\u{2580}\u{2580}\u{2588}"),
            "{}",
            rows[1]
        );
    }

    #[test]
    fn a_code_fits_only_as_a_whole() {
        let code = QrPicture::new("http://192.168.1.5:7878/#fcem-t8v0-x1sh").expect("a code");
        assert!(code.fits(Rect::new(0, 0, 80, 20)));
        assert!(!code.fits(Rect::new(0, 0, 20, 20)) && !code.fits(Rect::new(0, 0, 80, 10)));
    }
}
