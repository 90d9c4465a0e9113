//! Form screen.

use clap::ValueEnum;
use noughts_protocol::Rules;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::game_picker;
use crate::facts::{FieldId, FormField, FormKind};
use crate::i18n::Texts;
use crate::model::layout::Areas;
use crate::model::{Appearance, Form, Model, Theme};
use crate::ui::click_target::ClickTarget;
use crate::ui::drawing::{columns, last_columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::game_picture;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::theme_preview;

/// Largest column of the field values.
const MAX_LABEL_COLUMNS: u16 = 19;
/// Width of a body from which the values stand in the same column in all forms.
const MIN_WIDE_COLUMNS: u16 = 50;
/// Rows below the fields for the description of a value.
const DESCRIPTION_ROWS: u16 = 4;

/// Column of the field values: on a narrow screen, right after the longest label.
fn label_columns(texts: Texts, form: &Form, width: u16) -> u16 {
    let widest = form
        .fields
        .iter()
        .map(|field| columns(texts.field_label(field.id)))
        .max()
        .unwrap_or(0);
    if width < MIN_WIDE_COLUMNS {
        (widest + 5).min(MAX_LABEL_COLUMNS)
    } else {
        MAX_LABEL_COLUMNS
    }
}

/// Distance of the fields: two rows, if the description then fits below them.
fn row_step(form: &Form, body: Rect) -> u16 {
    let spaced = form.fields.len() as u16 * 2 + DESCRIPTION_ROWS;
    if spaced <= body.height { 2 } else { 1 }
}

/// Returns the field at a position of the screen, or the entry of the list of games that covers the form.
pub(in crate::ui) fn target_at(
    model: &Model,
    form: &Form,
    body: Rect,
    at: Position,
) -> Option<ClickTarget> {
    if let Some(picker) = &form.picker {
        return game_picker::entry_at(model, picker, body, at).map(ClickTarget::Entry);
    }
    let (body, _) = game_picture::split_beside(body);
    let index = usize::from(at.y.checked_sub(body.y)? / row_step(form, body));
    (body.contains(at) && index < form.fields.len()).then_some(ClickTarget::Entry(index))
}

pub(in crate::ui) fn draw(
    model: &Model,
    form: &Form,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    if let Some(picker) = &form.picker {
        return game_picker::draw_game_picker(model, picker, areas, buf);
    }
    let (body, texts) = (areas.body, model.lang().texts());
    draw_list_header(model, areas.header, texts.form_title(form.kind), buf);
    let (body, picture) = game_picture::split_beside(body);
    let game = form
        .fields
        .iter()
        .find(|field| field.id == FieldId::Rules && form.kind != FormKind::Settings);
    let rules = game.and_then(|field| field.input.text().trim().parse::<Rules>().ok());
    if let (Some(rules), Some(picture)) = (rules, picture) {
        game_picture::draw_framed(model, &rules, picture, buf);
    }
    if form.kind == FormKind::Settings && body.height >= form.fields.len() as u16 + 6 {
        let row = Rect {
            x: body.x + 2,
            y: body.bottom() - 2,
            width: body.width - 2,
            height: 1,
        };
        theme_preview::draw_theme_preview(texts, chosen_appearance(model, form), row, buf);
    }
    let mut cursor = None;
    let step = row_step(form, body);
    let label_columns = label_columns(texts, form, body.width);
    let rows = (body.y..body.bottom()).step_by(usize::from(step));
    for (index, (y, field)) in rows.zip(&form.fields).enumerate() {
        let is_selected = index == form.focus;
        let (sign, style) = if is_selected {
            (">", theme::bold())
        } else {
            (" ", Style::new())
        };
        put_text(
            buf,
            body.x,
            y,
            label_columns - 1,
            &format!("{sign} {}", texts.field_label(field.id)),
            style,
        );
        let x = body.x + label_columns;
        let available = body.width.saturating_sub(label_columns + 3);
        // The brackets indicate further choices.
        let (open, close) = if is_selected && !field.options.is_empty() {
            ("< ", " >")
        } else {
            ("  ", "")
        };
        let (text, meaning) = field_texts(texts, field);
        let text = if is_edited_text(field, is_selected) {
            last_columns(&text, available).to_owned()
        } else {
            shorten(&text, available)
        };
        let end = put_text(
            buf,
            x - 2,
            y,
            available + 4,
            &format!("{open}{text}{close}"),
            style,
        );
        if end + 2 + columns(&meaning) <= body.x + body.width {
            put_text(
                buf,
                end + 2,
                y,
                columns(&meaning),
                &meaning,
                model.appearance.dim(),
            );
        }
        if is_edited_text(field, is_selected) {
            let before = columns(last_columns(field.input.text_before_cursor(), available));
            cursor = Some(Position::new((x + before).min(end), y));
        }
    }
    let below = body.y + form.fields.len() as u16 * step + 2 - step;
    if below < body.y + body.height {
        let (text, style) = match form.error {
            Some(error) => (texts.field_error(error), model.appearance.alert()),
            None => (
                texts.field_description(form.field()),
                model.appearance.dim(),
            ),
        };
        // Help below the fields, wrapped.
        let mut area = Rect {
            x: body.x + 2,
            y: below,
            width: body.width - 2,
            height: body.y + body.height - below,
        };
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

/// Whether the player edits the text of a field. A game is chosen from its list.
fn is_edited_text(field: &FormField, is_selected: bool) -> bool {
    is_selected && field.is_free_text && field.id != FieldId::Rules
}

/// The appearance with the theme that the form has chosen.
fn chosen_appearance(model: &Model, form: &Form) -> Appearance {
    let field = form.fields.iter().find(|field| field.id == FieldId::Theme);
    let theme = field.and_then(|field| Theme::from_str(field.input.text(), true).ok());
    // A flag may rule over the settings.
    let theme = theme.filter(|theme| *theme != model.settings.theme);
    Appearance {
        theme: theme.unwrap_or(model.appearance.theme),
        ..model.appearance
    }
}

/// Returns the value of a field and its description. A field with fixed choices shows only the label.
fn field_texts(texts: Texts, field: &FormField) -> (String, String) {
    let text = field.input.text();
    if let (FieldId::Rules, Ok(rules)) = (field.id, text.parse::<Rules>()) {
        return (texts.rules(&rules), texts.rule_line(&rules));
    }
    let meaning = match (texts.choice_label(field.id, text), field.id) {
        (Some(meaning), _) if !field.is_free_text => return (meaning.to_owned(), String::new()),
        (Some(meaning), _) => meaning.to_owned(),
        (
            None,
            FieldId::Rules
            | FieldId::Server
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
