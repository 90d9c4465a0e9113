//! A question to the player, over the panel so that the board stays visible. The safe answer is selected.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::facts::Confirmation;
use crate::i18n::wrap_text;
use crate::input::{Action, KeyContext};
use crate::model::Model;
use crate::ui::drawing::put_text;
use crate::ui::theme;
use crate::ui::widgets::draw_frame;

/// Minimum size of a panel that can show a question.
const MIN_SIZE: (u16, u16) = (22, 8);

/// Returns whether a panel has room for a question.
pub(in crate::ui) fn has_room(panel: Rect) -> bool {
    panel.width >= MIN_SIZE.0 && panel.height >= MIN_SIZE.1
}

/// A line of the box, and the answer that it names, if any.
type QuestionLine = (String, Style, Option<Action>);

/// Returns the lines of the box, and the area of its frame.
fn layout(model: &Model, question: Confirmation, panel: Rect) -> (Vec<QuestionLine>, Rect) {
    let texts = model.lang().texts();
    let inner_width = panel.width - 4;
    let mut lines: Vec<QuestionLine> = wrap_text(texts.confirmation(question), inner_width)
        .into_iter()
        .map(|line| (line, theme::bold(), None))
        .collect();
    lines.push((String::new(), Style::new(), None));
    for action in [Action::No, Action::Yes, Action::KeepSeat] {
        if action == Action::KeepSeat && !model.can_keep_seat() {
            continue;
        }
        let Some(key) = model.keymap.letter_key(KeyContext::Confirmation, action) else {
            continue;
        };
        let Some(answer) = texts.answer(question, action) else {
            continue;
        };
        let (sign, style) = if action == Action::No {
            (">", theme::bold())
        } else {
            (" ", Style::new())
        };
        let text = format!("{sign} {}  {answer}", texts.key(key));
        lines.extend(
            wrap_text(&text, inner_width)
                .into_iter()
                .map(|line| (line, style, Some(action))),
        );
    }
    let height = (lines.len() as u16 + 2).min(panel.height);
    (
        lines,
        Rect {
            y: panel.bottom() - height,
            height,
            ..panel
        },
    )
}

/// Draws the question and its answers in a box at the bottom of the panel.
pub(in crate::ui) fn draw(model: &Model, question: Confirmation, panel: Rect, buf: &mut Buffer) {
    let (lines, area) = layout(model, question, panel);
    let inner = draw_frame(
        model.appearance,
        area,
        "",
        [Style::new(), Style::new()],
        buf,
    );
    for (y, (line, style, _)) in (inner.y..inner.bottom()).zip(&lines) {
        put_text(
            buf,
            inner.x + 1,
            y,
            inner.width.saturating_sub(2),
            line,
            *style,
        );
    }
}

/// Returns the answer at a position on the screen.
pub(in crate::ui) fn answer_at(
    model: &Model,
    question: Confirmation,
    panel: Rect,
    at: Position,
) -> Option<Action> {
    let (lines, area) = layout(model, question, panel);
    let index = usize::from(at.y.checked_sub(area.y + 1)?);
    lines
        .get(index)
        .filter(|_| area.contains(at) && at.y + 1 < area.bottom())?
        .2
}
