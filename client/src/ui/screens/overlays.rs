//! Layers above a game: the help, the menu of the game, and the menu of phrases.

use noughts_protocol::wire::Phrase;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::i18n::wrap_text;
use crate::input::{Action, Key, KeyContext};
use crate::model::Model;
use crate::model::layout::{self, Areas, GameAreas, PanelArea};
use crate::ui::drawing::{columns, put_text};
use crate::ui::text_rows::{HelpRow, help_rows};
use crate::ui::theme;
use crate::ui::widgets::header::draw_list_header;
use crate::ui::widgets::{draw_frame, panel};

/// Returns the width of the keys, including the blanks after them. On a screen of at least 80 columns, all keys that
/// move the cursor fit in a row.
fn keys_columns(width: u16) -> u16 {
    (width * 3 / 8).clamp(12, 30)
}

/// Returns the lines of the help, wrapped to a width.
fn wrap_rows(rows: &[HelpRow], width: u16) -> Vec<(String, String, Style)> {
    let left = keys_columns(width);
    let mut lines = Vec::new();
    for row in rows {
        match row {
            HelpRow::Heading(text) => {
                if !lines.is_empty() {
                    lines.push((String::new(), String::new(), Style::new()));
                }
                lines.push(((*text).to_owned(), String::new(), theme::bold()));
            }
            HelpRow::Entry(keys, what) => {
                let mut keys = wrap_text(keys, left - 2).into_iter();
                let mut what = wrap_text(what, width - left).into_iter();
                loop {
                    let (key, text) = (keys.next(), what.next());
                    if key.is_none() && text.is_none() {
                        break;
                    }
                    lines.push((
                        key.unwrap_or_default(),
                        text.unwrap_or_default(),
                        Style::new(),
                    ));
                }
            }
        }
    }
    lines
}

/// Minimum width of a body that shows the help in two columns.
const MIN_TWO_COLUMNS: u16 = 96;
/// Blank columns between the two columns.
const COLUMN_GAP: u16 = 4;

/// The lines of the help in the columns of a body.
struct HelpLayout {
    lines: Vec<(String, String, Style)>,
    /// Number of lines in the first column, and number of blank lines between the columns. The blank lines are left
    /// out.
    first_column: usize,
    gap: usize,
    column_count: u16,
    column_width: u16,
    page_rows: usize,
}

impl HelpLayout {
    /// Two columns have the same height. If all lines fit, the second column begins with a heading.
    fn new(model: &Model, body: Rect) -> HelpLayout {
        let column_count = if body.width < MIN_TWO_COLUMNS { 1 } else { 2 };
        let column_width = (body.width - (column_count - 1) * COLUMN_GAP) / column_count;
        let lines = wrap_rows(&help_rows(model), column_width);
        let page_rows = usize::from(body.height);
        let is_blank = |line: &(String, String, Style)| line.0.is_empty() && line.1.is_empty();
        let half = lines.len() / 2;
        let gaps = (1..lines.len().min(page_rows + 1)).filter(|&index| is_blank(&lines[index]));
        let nearest = gaps.min_by_key(|index| index.abs_diff(half));
        let nearest = nearest.filter(|index| lines.len() <= index + 1 + page_rows);
        HelpLayout {
            first_column: nearest.unwrap_or(page_rows),
            gap: usize::from(nearest.is_some()),
            lines,
            column_count,
            column_width,
            page_rows,
        }
    }

    /// Returns the number of lines that are visible at the same time.
    fn visible(&self) -> usize {
        if self.column_count == 1 {
            self.page_rows
        } else {
            self.first_column + self.gap + self.page_rows
        }
    }

    fn max_top(&self) -> usize {
        self.lines.len().saturating_sub(self.visible())
    }
}

/// Returns the number of visible lines and the maximum scroll position.
pub(crate) fn help_scroll_extent(model: &Model) -> (usize, usize) {
    let area = Rect::new(0, 0, model.size.0, model.size.1);
    if crate::model::layout::is_too_small(area) {
        return (1, 0);
    }
    let layout = HelpLayout::new(model, layout::screen_areas(model, area).body);
    (layout.visible(), layout.max_top())
}

pub(in crate::ui) fn draw_help(model: &Model, top: usize, areas: Areas, buf: &mut Buffer) {
    let [keys, ..] = model.lang().texts().help_headings();
    draw_list_header(model, areas.header, keys, buf);
    let area = areas.body;
    let layout = HelpLayout::new(model, area);
    let top = top.min(layout.max_top());
    let mut draw = |x: u16, lines: &[(String, String, Style)]| {
        let keys_width = keys_columns(layout.column_width);
        for (y, (keys, what, style)) in (area.y..area.bottom()).zip(lines) {
            put_text(buf, x, y, layout.column_width, keys, *style);
            put_text(
                buf,
                x + keys_width,
                y,
                layout.column_width - keys_width,
                what,
                *style,
            );
        }
    };
    let lines = &layout.lines[top..];
    if layout.column_count == 1 {
        draw(area.x, lines);
    } else {
        let (first, second) = lines.split_at(layout.first_column.min(lines.len()));
        draw(area.x, first);
        draw(
            area.x + layout.column_width + COLUMN_GAP,
            &second[layout.gap.min(second.len())..],
        );
    }
    if top < layout.max_top() {
        put_text(
            buf,
            areas.notice.x,
            areas.notice.y,
            areas.notice.width,
            model.lang().texts().more_below(),
            model.appearance.dim(),
        );
    }
}

/// Number of blank rows around a menu with its entries in one column.
const SINGLE_COLUMN_MARGIN_ROWS: u16 = 2;

/// An entry of a menu with its key.
type MenuEntry = (Option<Key>, &'static str);

/// The area of a menu, and its entries with their places.
struct MenuLayout {
    area: Rect,
    entries: Vec<(Rect, String)>,
}

/// Returns the area that a menu may cover: the part of the panel between the cards, so that the board stays visible, or
/// else the body.
fn available_area(model: &Model, entry_count: u16, screen: Rect) -> Rect {
    let body = layout::screen_areas(model, screen).body;
    let panel = model.game_view().and_then(|view| {
        match GameAreas::new(view.game.rules(), screen).split.panel {
            PanelArea::Full(panel) if panel.x > body.x => {
                Some((panel, panel::area_between_cards(model, view, panel)))
            }
            PanelArea::Full(_) | PanelArea::Moves(_) | PanelArea::None => None,
        }
    });
    match panel {
        Some((_, between)) if between.height >= entry_count + 2 => between,
        Some((panel, _)) => Rect {
            y: body.y,
            height: body.height,
            ..panel
        },
        None => body,
    }
}

fn menu_layout(
    model: &Model,
    entries: &[MenuEntry],
    selected: Option<usize>,
    screen: Rect,
) -> MenuLayout {
    let texts = model.lang().texts();
    let count = entries.len() as u16;
    let body = available_area(model, count, screen);
    let entries: Vec<String> = entries
        .iter()
        .enumerate()
        .map(|(index, (key, text))| {
            let key = key.map_or_else(String::new, |key| texts.key(key).into_owned());
            let sign = if selected == Some(index) { ">" } else { " " };
            format!("{sign} {key}  {text}")
        })
        .collect();
    let widest = entries
        .iter()
        .map(|entry| columns(entry))
        .max()
        .unwrap_or(0)
        + 1;
    let is_narrow = widest * 2 + 3 > screen.width;
    let column_count: u16 = if is_narrow || body.height >= count + SINGLE_COLUMN_MARGIN_ROWS {
        1
    } else {
        2
    };
    let rows = count.div_ceil(column_count);
    let needed = widest * column_count + 3;
    // The box covers the full width of the panel, or as little of the board as possible.
    let is_in_panel = body.x > layout::screen_areas(model, screen).body.x;
    let width = if is_in_panel && needed <= body.width {
        body.width
    } else {
        needed.min(screen.width)
    };
    let height = (rows + 2).min(body.height);
    let area = Rect::new(
        body.right().saturating_sub(width),
        body.bottom() - height,
        width,
        height,
    );
    // Entries that do not fit scroll with the selection.
    let shown = height.saturating_sub(2);
    let top = selected.map_or(0, |index| (index as u16 % rows + 1).saturating_sub(shown));
    let place = |(index, entry): (u16, String)| {
        let (column, row) = (index / rows, index % rows);
        let is_shown = (top..top + shown).contains(&row);
        let place = if is_shown {
            let x = area.x + 2 + column * widest;
            Rect::new(x, area.y + 1 + row - top, widest, 1).intersection(area)
        } else {
            Rect::ZERO
        };
        (place, entry)
    };
    MenuLayout {
        area,
        entries: (0_u16..).zip(entries).map(place).collect(),
    }
}

fn draw_menu(
    model: &Model,
    heading: &str,
    layout: &MenuLayout,
    selected: Option<usize>,
    buf: &mut Buffer,
) {
    let MenuLayout { area, entries } = layout;
    let styles = [Style::new(), theme::bold()];
    draw_frame(model.appearance, *area, heading, styles, buf);
    for (index, (place, entry)) in entries.iter().enumerate() {
        if !place.is_empty() {
            let style = if selected == Some(index) {
                theme::bold()
            } else {
                Style::new()
            };
            let width = place.width.min((area.right() - 1).saturating_sub(place.x));
            put_text(buf, place.x, place.y, width, entry, style);
            if selected == Some(index) {
                let row = Rect { width, ..*place };
                model.appearance.mark_selected_row(row, buf);
            }
        }
    }
}

fn entry_at(layout: &MenuLayout, at: Position) -> Option<usize> {
    layout
        .entries
        .iter()
        .position(|(place, _)| place.contains(at))
}

/// Returns the phrases with their keys.
fn phrase_entries(model: &Model) -> Vec<MenuEntry> {
    let key = |index| {
        model
            .keymap
            .first_key(KeyContext::Say, Action::SayPhrase(index))
    };
    (0_u8..)
        .zip(Phrase::ALL)
        .map(|(index, phrase)| (key(index), model.lang().texts().phrase(phrase)))
        .collect()
}

/// Returns the phrase at a position on the screen.
pub(in crate::ui) fn phrase_at(
    model: &Model,
    selected: usize,
    screen: Rect,
    at: Position,
) -> Option<usize> {
    entry_at(
        &menu_layout(model, &phrase_entries(model), Some(selected), screen),
        at,
    )
}

pub(in crate::ui) fn draw_phrases(model: &Model, selected: usize, screen: Rect, buf: &mut Buffer) {
    let selected = Some(selected);
    let layout = menu_layout(model, &phrase_entries(model), selected, screen);
    draw_menu(
        model,
        model.lang().texts().say_heading(),
        &layout,
        selected,
        buf,
    );
}

/// Returns the entries in the menu of a game in progress, with the index of the selected entry.
fn game_menu(model: &Model, selected: Option<Action>) -> (Vec<MenuEntry>, Option<usize>) {
    let texts = model.lang().texts();
    let actions = model.game_menu_actions();
    let can_claim = actions.contains(&Action::Claim);
    let is_asked = actions.contains(&Action::Accept);
    let entry = |&action: &Action| {
        let text = if action == Action::Resign && model.can_abort() {
            texts.abort_entry()
        } else if action == Action::OfferDraw && can_claim {
            texts.claim_draw_entry()
        } else if action == Action::Accept {
            texts.accept_entry()
        } else if action == Action::Decline && is_asked {
            texts.decline_entry()
        } else {
            texts.menu_action(action, false, false)
        };
        (model.keymap.letter_key(KeyContext::Playing, action), text)
    };
    let index = actions.iter().position(|action| Some(*action) == selected);
    (actions.iter().map(entry).collect(), index)
}

/// Returns the entry at a position on the screen in the menu of a game in progress.
pub(in crate::ui) fn game_menu_action_at(
    model: &Model,
    selected: Option<Action>,
    screen: Rect,
    at: Position,
) -> Option<Action> {
    let (entries, index) = game_menu(model, selected);
    let layout = menu_layout(model, &entries, index, screen);
    model
        .game_menu_actions()
        .get(entry_at(&layout, at)?)
        .copied()
}

pub(in crate::ui) fn draw_game_menu(
    model: &Model,
    selected: Option<Action>,
    screen: Rect,
    buf: &mut Buffer,
) {
    let (entries, index) = game_menu(model, selected);
    let layout = menu_layout(model, &entries, index, screen);
    draw_menu(
        model,
        model.lang().texts().menu_heading(),
        &layout,
        index,
        buf,
    );
}
