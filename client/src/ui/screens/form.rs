//! Form screen.

use noughts_protocol::Rules;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::game_picker;
use crate::facts::{FieldId, FormField};
use crate::i18n::Texts;
use crate::model::layout::areas::Areas;
use crate::model::{Form, Model};
use crate::ui::drawing::{columns, last_columns, put_text};
use crate::ui::theme;
use crate::ui::widgets::header::draw_header;

/// Column of the field values.
const LABEL_COLUMNS: u16 = 19;

pub(in crate::ui) fn draw(model: &Model, form: &Form, areas: Areas, buf: &mut Buffer) -> Option<Position> {
    if let Some(picker) = &form.picker {
        return game_picker::draw(model, picker, areas, buf);
    }
    let (body, texts) = (areas.body, model.lang().texts());
    draw_header(model, areas.header, &[texts.form_title(form.kind)], buf);
    let mut cursor = None;
    for (index, (y, field)) in (body.y..body.y + body.height).zip(&form.fields).enumerate() {
        let is_selected = index == form.focus;
        let (sign, style) = if is_selected { (">", theme::bold()) } else { (" ", Style::new()) };
        put_text(
            buf,
            body.x,
            y,
            LABEL_COLUMNS - 1,
            &format!("{sign} {}", texts.field_label(field.id)),
            style,
        );
        let x = body.x + LABEL_COLUMNS;
        let available = body.width.saturating_sub(LABEL_COLUMNS + 3);
        // The brackets indicate further choices.
        let (open, close) = if is_selected && !field.options.is_empty() { ("< ", " >") } else { ("  ", "") };
        let (text, meaning) = field_texts(texts, field);
        let text = if is_selected { last_columns(&text, available) } else { &text };
        let end = put_text(buf, x - 2, y, available + 4, &format!("{open}{text}{close}"), style);
        if end + 2 + columns(&meaning) <= body.x + body.width {
            put_text(buf, end + 2, y, columns(&meaning), &meaning, model.appearance.dim());
        }
        // The name of a chosen game is not edited.
        let is_edited = field.is_free_text && (field.id != FieldId::Rules || !field.input.is_preset());
        if is_selected && is_edited {
            let before = columns(last_columns(field.input.text_before_cursor(), available));
            cursor = Some(Position::new((x + before).min(end), y));
        }
    }
    let below = body.y + form.fields.len() as u16 + 1;
    if below < body.y + body.height {
        let (text, style) = match form.error {
            Some(error) => (texts.field_error(error), model.appearance.alert()),
            None => (texts.field_description(form.field()), model.appearance.dim()),
        };
        // Help below the fields, wrapped.
        let mut area =
            Rect { x: body.x + 2, y: below, width: body.width - 2, height: body.y + body.height - below };
        for word_line in crate::i18n::wrap_text(&text, area.width) {
            if area.height == 0 {
                break;
            }
            put_text(buf, area.x, area.y, area.width, &word_line, style);
            area.y += 1;
            area.height -= 1;
        }
    }
    cursor
}

/// Returns the value of a field and its description. A field with fixed choices shows only the label.
fn field_texts(texts: Texts, field: &FormField) -> (String, String) {
    let text = field.input.text();
    if field.id == FieldId::Rules
        && field.input.is_preset()
        && let Some(rules) = text.parse::<Rules>().ok().filter(|rules| rules.name().is_some())
    {
        return (texts.rules(&rules), texts.rule_line(&rules));
    }
    let meaning = match (texts.choice_label(field.id, text), field.id) {
        (Some(meaning), _) if !field.is_free_text => return (meaning.to_owned(), String::new()),
        (Some(meaning), _) => meaning.to_owned(),
        (None, FieldId::Rules) => {
            let rules = text.parse::<Rules>().ok().filter(|rules| rules.name().is_some());
            rules.map_or_else(String::new, |rules| texts.rules(&rules))
        }
        (
            None,
            FieldId::Server
            | FieldId::Name
            | FieldId::Clock
            | FieldId::Seat
            | FieldId::Invite
            | FieldId::FirstPlayer
            | FieldId::SecondPlayer
            | FieldId::SeatAssignment
            | FieldId::DigitOrder
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Bell
            | FieldId::Phrases
            | FieldId::Port,
        ) => String::new(),
    };
    (text.to_owned(), meaning)
}
