//! Waiting screen: for a connection or an opponent.

use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use crate::input::{Action, KeyContext};
use crate::model::layout::areas::Areas;
use crate::model::{Model, SessionGoal, Stage};
use crate::ui::drawing::draw_lines;
use crate::ui::text_rows::lobby::elapsed;
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

/// Time after which the screen says that no other player is looking.
const ADVICE_AFTER_MS: u64 = 10_000;

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
        SessionGoal::Seek { rules, clock, .. }
        | SessionGoal::Create { rules, clock, .. }
        | SessionGoal::Answer { rules, clock, .. } => texts.game_description(rules, *clock),
        SessionGoal::Join(room) | SessionGoal::Watch(room) => room.to_string(),
        SessionGoal::Continue(game) => texts.saved_game(game),
        SessionGoal::List | SessionGoal::Browse => String::new(),
    };
    let waited_ms = session.seeking_since.filter(|_| session.stage == Stage::Seeking);
    let Some(waited_ms) = waited_ms.map(|since| model.now.saturating_sub(since)) else {
        draw_lines(areas.body, &[(state, theme::bold()), (game, Style::new())], buf);
        return None;
    };
    let blank = || (String::new(), Style::new());
    let mut lines = vec![(format!("{state}  {}", elapsed(waited_ms)), theme::bold()), (game, Style::new())];
    if waited_ms >= ADVICE_AFTER_MS {
        lines.extend([blank(), (texts.nobody_waits().to_owned(), Style::new())]);
    }
    lines.extend([blank(), (texts.meanwhile().to_owned(), theme::bold())]);
    for action in [Action::InviteBot, Action::Watch] {
        if let Some(key) = model.keymap.first_key(KeyContext::Waiting, action) {
            let (key, what) = (texts.key(key), texts.action(action, KeyContext::Waiting));
            lines.push((format!("  {key}  {what}"), Style::new()));
        }
    }
    if let Some(lobby) = &session.lobby {
        let counts = texts.lobby_counts(lobby.view.counts);
        lines.extend([blank(), (texts.on_the_server().to_owned(), theme::bold()), (counts, Style::new())]);
    }
    draw_lines(areas.body, &lines, buf);
    None
}
