//! Form screen, and the list of games that a form opens: a filter, the names with their rules, and a picture of the
//! selected game.

use clap::ValueEnum;
use noughts_protocol::{Rules, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use crate::facts::{FieldId, FormField, FormKind};
use crate::i18n::{Texts, first_part};
use crate::model::layout::Areas;
use crate::model::{Appearance, Form, GameEntry, GamePicker, Model};
use crate::settings::{Setting, Theme};
use crate::ui::drawing::{columns, draw_lines, draw_text_input, last_columns, put_text, shorten};
use crate::ui::theme;
use crate::ui::widgets::ClickTarget;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::{draw_frame, game_picture};

/// Maximum column of the field values.
const MAX_LABEL_COLUMNS: u16 = 19;
/// Minimum width of a body that shows the values in the same column in all forms.
const MIN_WIDE_COLUMNS: u16 = 50;
/// Number of rows below the fields for the description of a value.
const DESCRIPTION_ROWS: u16 = 4;

/// Returns the column of the field values. On a narrow screen, it is right after the longest label.
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

/// Returns the distance between fields: two rows, if the description still fits below them.
fn row_step(form: &Form, body: Rect) -> u16 {
    let spaced = form.fields.len() as u16 * 2 + DESCRIPTION_ROWS;
    if spaced <= body.height { 2 } else { 1 }
}

/// Returns the field at a position on the screen, or the entry of the list of games that covers the form.
pub(in crate::ui) fn target_at(
    model: &Model,
    form: &Form,
    body: Rect,
    at: Position,
) -> Option<ClickTarget> {
    if let Some(picker) = &form.picker {
        return entry_at(model, picker, body, at).map(ClickTarget::Entry);
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
        return draw_game_picker(model, picker, areas, buf);
    }
    let (body, texts) = (areas.body, model.lang().texts());
    draw_list_header(model, areas.header, texts.form_title(form.kind), buf);
    let (body, picture) = game_picture::split_beside(body);
    let game = form.fields.iter().find(|field| {
        field.id == FieldId::Setting(Setting::Rules) && form.kind != FormKind::Settings
    });
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
        draw_theme_preview(texts, chosen_appearance(model, form), row, buf);
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
        // The brackets show that there are other choices.
        let (open, close) = if is_selected && !field.options.is_empty() {
            ("< ", " >")
        } else {
            ("  ", "")
        };
        let (text, meaning) = field_texts(texts, form, field, is_selected);
        let is_edited = is_selected && is_edited_text(texts, form);
        let text = if is_edited {
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
        if is_selected {
            let row = Rect {
                y,
                height: 1,
                ..body
            };
            model.appearance.mark_selected_row(row, buf);
        }
        if is_edited {
            let before = columns(last_columns(field.input.text_before_cursor(), available));
            cursor = Some(Position::new((x + before).min(end), y));
        }
    }
    let below = body.y + form.fields.len() as u16 * step + 2 - step;
    if below < body.y + body.height {
        let (text, style) = match form.error {
            Some(error) => (texts.field_error(error), model.appearance.alert()),
            None => (
                texts.field_description(form.field(), &form.choice_labels(texts, form.field())),
                model.appearance.dim(),
            ),
        };
        // Draws the wrapped help below the fields.
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

/// Returns whether the player edits the text of the focused field. A game is chosen from its list instead.
fn is_edited_text(texts: Texts, form: &Form) -> bool {
    let field = form.field();
    field.is_free_text
        && field.id != FieldId::Setting(Setting::Rules)
        && form.value_name(texts, field).is_none()
}

/// Returns the appearance with the theme that is chosen in the form.
fn chosen_appearance(model: &Model, form: &Form) -> Appearance {
    let field = form
        .fields
        .iter()
        .find(|field| field.id == FieldId::Setting(Setting::Theme));
    let theme = field.and_then(|field| Theme::from_str(field.input.text(), true).ok());
    // A flag may override the settings.
    let theme = theme.filter(|theme| *theme != model.settings.theme);
    Appearance {
        theme: theme.unwrap_or(model.appearance.theme),
        ..model.appearance
    }
}

/// Returns the value of a field and its description. The focused clock also shows the other choices.
fn field_texts(
    texts: Texts,
    form: &Form,
    field: &FormField,
    is_selected: bool,
) -> (String, String) {
    let text = field.input.text();
    if let (FieldId::Setting(Setting::Rules), Ok(rules)) = (field.id, text.parse::<Rules>()) {
        return (texts.rules(&rules), texts.rule_line(&rules));
    }
    let value = form
        .value_name(texts, field)
        .unwrap_or_else(|| text.to_owned());
    let mut others = String::new();
    if is_selected && field.id == FieldId::Setting(Setting::Clock) {
        let choices = form.choice_labels(texts, field).into_iter();
        let choices: Vec<String> = choices.filter(|choice| *choice != value).collect();
        others = choices.join("  ");
    }
    (value, others)
}

/// Minimum height of a body that has a frame around the filter and details below the list.
const MIN_TALL_ROWS: u16 = 20;
/// Rows of the details, including a blank row above.
const DETAIL_ROWS: u16 = 5;
/// Minimum and maximum width of the picture with its frame.
const PICTURE_COLUMNS: (u16, u16) = (23, 50);
const MAX_PICTURE_ROWS: u16 = 24;
const COLUMN_GAP: u16 = 2;

struct PickerAreas {
    filter: Rect,
    has_filter_frame: bool,
    list: Rect,
    /// How the selected game is played, or only how it is won if there is little room.
    details: Rect,
    picture: Option<Rect>,
    style: EntryStyle,
}

/// How much detail an entry shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EntryStyle {
    has_picture: bool,
    has_size: bool,
    rule: RuleStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RuleStyle {
    Full,
    Short,
    /// The first part of the rule.
    Start,
    Hidden,
}

/// Returns the columns of an entry: the name and the rule.
fn entry_texts(texts: Texts, entry: GameEntry, style: EntryStyle) -> [String; 2] {
    let [name, rule, short] = match entry {
        GameEntry::Game(rules) => {
            let name = match style.has_size {
                true => texts.rules(&rules),
                false => texts.short_rules(&rules),
            };
            let short = texts.short_rule_line(&rules, style.has_size);
            [name, texts.rule_line(&rules), short]
        }
        GameEntry::OwnSizes => {
            let [name, hint] = texts.custom_game().map(str::to_owned);
            let short = first_part(&hint).to_owned();
            [name, hint, short]
        }
    };
    match style.rule {
        RuleStyle::Full => [name, rule],
        RuleStyle::Short => [name, short],
        RuleStyle::Start => [name, first_part(&rule).to_owned()],
        RuleStyle::Hidden => [name, String::new()],
    }
}

/// Returns the column widths. They do not depend on the filter, so that nothing moves while the player types.
fn column_widths(texts: Texts, style: EntryStyle) -> [u16; 2] {
    let named = Rules::NAMED
        .iter()
        .filter_map(|(name, _)| name.parse().ok())
        .map(GameEntry::Game);
    let all: Vec<[String; 2]> = named
        .chain([GameEntry::OwnSizes])
        .map(|entry| entry_texts(texts, entry, style))
        .collect();
    let widest = |column: usize| {
        all.iter()
            .map(|entry| columns(&entry[column]))
            .max()
            .unwrap_or(0)
    };
    let rule = widest(1);
    [widest(0) + 2 + if rule > 0 { COLUMN_GAP } else { 0 }, rule]
}

impl PickerAreas {
    fn new(texts: Texts, body: Rect) -> PickerAreas {
        let is_tall = body.height >= MIN_TALL_ROWS;
        let filter = Rect {
            height: if is_tall { 3 } else { 1 },
            ..body
        };
        let top = body.y + filter.height + u16::from(is_tall);
        let rest = Rect {
            y: top,
            height: body.bottom().saturating_sub(top),
            ..body
        };
        // The picture is dropped before the name of a game is cut. Its title contains the size.
        let with_picture = (true, false, COLUMN_GAP + PICTURE_COLUMNS.0);
        let candidates = [with_picture, (false, true, 0), (false, false, 0)];
        let candidates = candidates
            .into_iter()
            .filter(|(has_picture, ..)| is_tall || !has_picture);
        let styles = candidates.flat_map(|(has_picture, has_size, columns)| {
            let rules = [
                RuleStyle::Full,
                RuleStyle::Short,
                RuleStyle::Start,
                RuleStyle::Hidden,
            ];
            rules.into_iter().map(move |rule| {
                (
                    EntryStyle {
                        has_picture,
                        has_size,
                        rule,
                    },
                    columns,
                )
            })
        });
        let width = |style: EntryStyle| column_widths(texts, style).iter().sum::<u16>();
        let smallest = EntryStyle {
            has_picture: false,
            has_size: false,
            rule: RuleStyle::Hidden,
        };
        let mut styles = styles.map(|(style, columns)| (style, width(style) + columns));
        let fitting = styles.find(|(_, columns)| *columns <= body.width);
        let style = fitting.map_or(smallest, |(style, _)| style);
        let picture = style.has_picture.then(|| {
            let available = body.width - width(style) - COLUMN_GAP;
            let width = available.min(PICTURE_COLUMNS.1);
            let x = body.right() - available;
            Rect {
                x,
                width,
                height: rest.height.min(MAX_PICTURE_ROWS),
                ..rest
            }
        });
        let columns = picture.map_or(body.width, |picture| picture.x - COLUMN_GAP - body.x);
        let details_rows = match (is_tall, style.rule) {
            (true, _) => DETAIL_ROWS,
            (false, RuleStyle::Hidden) => 1,
            (false, RuleStyle::Full | RuleStyle::Short | RuleStyle::Start) => 0,
        };
        let longest = Rules::NAMED.len() as u16 + 1;
        let height = rest.height.saturating_sub(details_rows).min(longest);
        let list = Rect {
            width: columns,
            height,
            ..rest
        };
        let gap = u16::from(is_tall);
        let details = Rect {
            y: list.bottom() + gap,
            width: columns,
            height: details_rows.saturating_sub(gap),
            ..rest
        };
        PickerAreas {
            filter,
            has_filter_frame: is_tall,
            list,
            details,
            picture,
            style,
        }
    }
}

pub(in crate::ui) fn draw_game_picker(
    model: &Model,
    picker: &GamePicker,
    areas: Areas,
    buf: &mut Buffer,
) -> Option<Position> {
    let texts = model.lang().texts();
    draw_list_header(model, areas.header, texts.game_picker_title(), buf);
    let entries = picker.entries(texts);
    let parts = PickerAreas::new(texts, areas.body);
    let rows: Vec<[String; 2]> = entries
        .iter()
        .map(|&entry| entry_texts(texts, entry, parts.style))
        .collect();
    let rule_x = parts.list.x + column_widths(texts, parts.style)[0];
    let cursor = draw_filter(model, picker, &parts, buf);
    let selected = picker.selected.min(entries.len().saturating_sub(1));
    let height = usize::from(parts.list.height);
    let top = first_row(selected, height);
    for (y, (index, row)) in (parts.list.y..).zip(rows.iter().enumerate().skip(top).take(height)) {
        let is_selected = index == selected;
        let (sign, style) = if is_selected {
            (">", theme::bold())
        } else {
            (" ", Style::new())
        };
        let muted = if is_selected {
            theme::bold()
        } else {
            model.appearance.dim()
        };
        let end = parts.list.right();
        put_text(
            buf,
            parts.list.x,
            y,
            parts.list.width,
            &format!("{sign} {}", row[0]),
            style,
        );
        put_text(buf, rule_x, y, end.saturating_sub(rule_x), &row[1], muted);
        if is_selected {
            let row = Rect {
                y,
                height: 1,
                ..parts.list
            };
            model.appearance.mark_selected_row(row, buf);
        }
    }
    if entries.is_empty() {
        let line = (
            texts.no_game_matches(picker.filter.text()),
            model.appearance.alert(),
        );
        draw_lines(
            Rect {
                width: areas.body.width,
                ..parts.list
            },
            &[line],
            buf,
        );
    }
    if top + height < entries.len() {
        let (row, text) = (areas.notice, texts.more_below());
        put_text(buf, row.x, row.y, row.width, text, model.appearance.dim());
    }
    if let Some(GameEntry::Game(rules)) = picker.selected_entry(texts) {
        let details = texts.game_details(&rules);
        let lines = match parts.details.height {
            1 => vec![first_part(&details[0]).to_owned()],
            _ => details.to_vec(),
        };
        let lines: Vec<(String, Style)> =
            lines.into_iter().map(|line| (line, Style::new())).collect();
        draw_lines(parts.details, &lines, buf);
        if let Some(area) = parts.picture {
            game_picture::draw_framed(model, &rules, area, buf);
        }
    }
    Some(cursor)
}

/// Draws the text field. Returns the position of its cursor.
fn draw_filter(
    model: &Model,
    picker: &GamePicker,
    parts: &PickerAreas,
    buf: &mut Buffer,
) -> Position {
    let texts = model.lang().texts();
    let line = if parts.has_filter_frame {
        let styles = [Style::new(), Style::new()];
        let inner = draw_frame(
            model.appearance,
            parts.filter,
            texts.game_filter_label(),
            styles,
            buf,
        );
        Rect {
            x: inner.x + 1,
            width: inner.width - 2,
            ..inner
        }
    } else {
        let label = texts.short_filter_label();
        let x = put_text(
            buf,
            parts.filter.x,
            parts.filter.y,
            parts.filter.width,
            label,
            theme::bold(),
        ) + 2;
        Rect {
            x,
            width: parts.filter.right().saturating_sub(x),
            ..parts.filter
        }
    };
    draw_text_input(&picker.filter, line, buf)
}

/// Returns the first visible row of a list that keeps the selected row visible.
fn first_row(selected: usize, height: usize) -> usize {
    (selected + 1).saturating_sub(height)
}

/// Returns the index of the entry at a position on the screen.
pub(in crate::ui) fn entry_at(
    model: &Model,
    picker: &GamePicker,
    body: Rect,
    at: Position,
) -> Option<usize> {
    let texts = model.lang().texts();
    let entries = picker.entries(texts);
    let list = PickerAreas::new(texts, body).list;
    let selected = picker.selected.min(entries.len().saturating_sub(1));
    let index =
        first_row(selected, usize::from(list.height)) + usize::from(at.y.checked_sub(list.y)?);
    (list.contains(at) && index < entries.len()).then_some(index)
}

/// Draws as much of the preview row as fits.
pub(in crate::ui) fn draw_theme_preview(
    texts: Texts,
    appearance: Appearance,
    row: Rect,
    buf: &mut Buffer,
) {
    let turn = format!(" {} ", texts.turn_headline());
    let samples: [(&str, Style); 9] = [
        (texts.preview_label(), Style::new()),
        (" X ", appearance.stone(Seat::X)),
        (" O ", appearance.stone(Seat::O)),
        (">.<", appearance.cursor_cell()),
        ("[O]", appearance.last_stone(Seat::O)),
        ("(X)", appearance.faded_stone(Seat::X)),
        ("*X*", appearance.winning_stone(Seat::X)),
        (&turn, appearance.your_move_badge()),
        ("!", appearance.danger_sign()),
    ];
    let mut x = row.x;
    for (text, style) in samples {
        if x + columns(text) > row.right() {
            break;
        }
        // Underlines and reversal end with the sample.
        x = put_text(buf, x, row.y, columns(text), text, style) + 2;
    }
    let offer = format!("? {}", texts.preview_offer());
    if x + columns(&offer) <= row.right() {
        put_text(
            buf,
            x,
            row.y,
            columns(&offer),
            &offer,
            theme::bold().add_modifier(Modifier::UNDERLINED),
        );
    }
}
