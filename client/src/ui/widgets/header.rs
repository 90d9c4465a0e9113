//! Header: title parts and the connection state.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::{GameHost, GameView, Model, RoomView, Stage};
use crate::ui::drawing::{columns, put_text};
use crate::ui::theme;

/// Draws the header: as many title parts as fit on the left, the connection state on the right.
pub(in crate::ui) fn draw_header(model: &Model, area: Rect, parts: &[&str], buf: &mut Buffer) {
    let connection_state = connection_state(model);
    let right = columns(&connection_state).min(area.width);
    let style =
        if connection_state.starts_with('!') { model.appearance.alert() } else { model.appearance.dim() };
    put_text(buf, area.x + area.width - right, area.y, right, &connection_state, style);
    let available = area.width.saturating_sub(right + 2);
    if columns(model.lang().texts().program()) > available {
        return;
    }
    let mut x =
        put_text(buf, area.x, area.y, available, model.lang().texts().program(), theme::bold()) - area.x;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        if x + 2 + columns(part) > available {
            break;
        }
        x = put_text(buf, area.x + x + 2, area.y, available, part, theme::bold()) - area.x;
    }
}

/// Returns the label of the connection state, which starts with a sign.
fn connection_state(model: &Model) -> String {
    let texts = model.lang().texts();
    let Some(session) = &model.session else {
        let is_local = model.game_view().is_some_and(|view| matches!(view.host, GameHost::Local(_)));
        return if is_local { texts.local_game_label().to_owned() } else { String::new() };
    };
    match session.stage {
        Stage::Connecting => String::new(),
        Stage::Reconnecting { attempt, retry_at } => {
            texts.connection_offline(attempt, retry_at.saturating_sub(model.now))
        }
        Stage::Terminated(_) => texts.connection_closed().to_owned(),
        Stage::GoalRequested | Stage::Seeking | Stage::Ready => {
            let lag = model.game_view().and_then(GameView::room).and_then(own_lag);
            lag.map_or_else(|| texts.connection_online().to_owned(), |ms| texts.connection_lag(ms))
        }
    }
}

fn own_lag(room: &RoomView) -> Option<u32> {
    room.lag[room.seat?.index()]
}
