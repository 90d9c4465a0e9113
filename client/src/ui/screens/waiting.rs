//! Waiting screen: for a connection or an opponent.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::model::layout::areas::Areas;
use crate::model::{Model, SessionGoal, Stage};
use crate::ui::drawing::draw_lines;
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

pub(in crate::ui) fn draw(model: &Model, areas: Areas, buf: &mut Buffer) -> Option<Position> {
    draw_header(model, areas.header, &[], buf);
    let Some(session) = &model.session else { return None };
    let texts = model.lang().texts();
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
