//! Fields to fill in.

use noughts_protocol::Rules;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::{Parts, columns, header, put, tail, theme};
use crate::model::{Field, FieldId, Form, Model};
use crate::words::Words;

/// The column where the fields begin.
const LABELS: u16 = 19;

pub(super) fn draw(model: &Model, form: &Form, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let (body, words) = (parts.body, model.words);
    header(model, parts.header, &[words.purpose(form.purpose)], buf);
    let mut cursor = None;
    for (place, (y, field)) in (body.y..body.y + body.height).zip(&form.fields).enumerate() {
        let here = place == form.at;
        let (sign, style) = if here { (">", theme::strong()) } else { (" ", Style::new()) };
        put(buf, body.x, y, LABELS - 1, &format!("{sign} {}", words.field(field.id)), style);
        let x = body.x + LABELS;
        let room = body.width.saturating_sub(LABELS + 3);
        // A choice shows that there are others.
        let (open, close) = if here && !field.options.is_empty() { ("< ", " >") } else { ("  ", "") };
        let (text, meaning) = shown(words, field);
        let text = if here { tail(&text, room) } else { &text };
        let end = put(buf, x - 2, y, room + 4, &format!("{open}{text}{close}"), style);
        if end + 2 + columns(&meaning) <= body.x + body.width {
            put(buf, end + 2, y, columns(&meaning), &meaning, model.look.dim());
        }
        if here && field.free {
            let before = columns(tail(field.edit.before(), room));
            cursor = Some(Position::new((x + before).min(end), y));
        }
    }
    let below = body.y + form.fields.len() as u16 + 1;
    if below < body.y + body.height {
        let (text, style) = match form.error {
            Some(error) => (words.field_error(error), model.look.alert()),
            None => (words.field_about(form.field()), model.look.dim()),
        };
        // Under the fields, over as many rows as it takes.
        let mut area =
            Rect { x: body.x + 2, y: below, width: body.width - 2, height: body.y + body.height - below };
        for word_line in crate::words::wrapped(&text, area.width) {
            if area.height == 0 {
                break;
            }
            put(buf, area.x, area.y, area.width, &word_line, style);
            area.y += 1;
            area.height -= 1;
        }
    }
    cursor
}

/// What stands in a field, and beside it what that means. Of fixed choices the meaning is all that is shown.
fn shown(words: Words, field: &Field) -> (String, String) {
    let text = field.edit.text();
    let meaning = match (words.choice(field.id, text), field.id) {
        (Some(meaning), _) if !field.free => return (meaning.to_owned(), String::new()),
        (Some(meaning), _) => meaning.to_owned(),
        (None, FieldId::Rules) => {
            let sizes = text.parse::<Rules>().map(|rules| rules.to_string()).unwrap_or_default();
            if sizes == text { String::new() } else { sizes }
        }
        (
            None,
            FieldId::Server
            | FieldId::Name
            | FieldId::Clock
            | FieldId::Seat
            | FieldId::Invite
            | FieldId::First
            | FieldId::Second
            | FieldId::Lot
            | FieldId::Keys
            | FieldId::Lang
            | FieldId::Theme
            | FieldId::Glyphs
            | FieldId::Bell,
        ) => String::new(),
    };
    (text.to_owned(), meaning)
}
