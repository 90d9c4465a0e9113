//! Line mode: prints notifications as lines without escape sequences.

use noughts_protocol::Outcome;
use unicode_width::UnicodeWidthStr;

mod text_board;

use crate::facts::{FormField, MenuItem, Notification, QueryAnswer};
use crate::i18n::{Texts, pad_right};
use crate::ui::text_rows::record::{record_outcome, record_players};
use crate::ui::text_rows::{help, lobby};

/// Returns the lines of a notification.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others are sentences, each with an arm of its own there"
)]
pub(crate) fn notification_lines(texts: Texts, notification: &Notification) -> Vec<String> {
    match notification {
        Notification::QueryAnswer(QueryAnswer::Board {
            position,
            digit_order: keys,
        }) => text_board::board_rows(position, Some(*keys)),
        Notification::QueryAnswer(QueryAnswer::Help(_)) => align_help(&help::typed_rows(texts)),
        Notification::Invite { server, room, .. } => {
            let [code_label, join_label] = texts.invite_labels(*room);
            let line = texts.join_command(server, *room);
            let mut lines = vec![
                texts.notification(notification),
                texts.with_reason(code_label, &room.to_string()),
                texts.with_reason(join_label, &line),
            ];
            lines.extend(texts.remote_join_note(server, *room).into_iter().flatten());
            lines.push(texts.bot_hint().to_owned());
            lines
        }
        Notification::Rooms {
            rooms,
            seeks,
            is_selectable: to_choose,
        } => {
            let columns = lobby::LobbyColumns::measure(texts, rooms, seeks);
            let numbered = rooms.iter().enumerate().map(|(index, listing)| {
                let number = if *to_choose {
                    format!("{:>2}  ", index + 1)
                } else {
                    String::new()
                };
                format!("{number}{}", lobby::room_row(texts, listing, columns))
            });
            let mut lines: Vec<String> = numbered.collect();
            if rooms.is_empty() {
                lines.push(texts.no_rooms().to_owned());
            }
            if !seeks.is_empty() {
                lines.push(texts.seeks_heading().to_owned());
                lines.extend(
                    seeks
                        .iter()
                        .map(|seek| lobby::seek_row(texts, seek, columns)),
                );
            }
            if *to_choose {
                lines.push(texts.lobby_help().to_owned());
            }
            lines
        }
        Notification::Record {
            players,
            position,
            outcome,
        } => record(texts, players, position, outcome.as_ref()),
        Notification::Values(values) => texts.all_evaluations(values),
        Notification::Review(review) => texts.review(review),
        Notification::FieldPrompt { field, .. } => vec![field_query(texts, field)],
        Notification::Menu { saved_games } => {
            let entries = MenuItem::all(saved_games.len())
                .into_iter()
                .enumerate()
                .map(|(index, entry)| {
                    let (name, what) = texts.menu_item(entry, saved_games);
                    format!("{}  {}{what}", index + 1, pad_right(name, 14))
                        .trim_end()
                        .to_owned()
                });
            let mut lines = vec![texts.tagline().to_owned()];
            lines.extend(entries);
            lines.push(texts.menu_help().to_owned());
            lines
        }
        other => vec![texts.notification(other)],
    }
}

/// Returns the help in two columns.
fn align_help(rows: &[help::HelpRow]) -> Vec<String> {
    let width = |row: &help::HelpRow| match row {
        help::HelpRow::Heading(_) => 0,
        help::HelpRow::Entry(typed, _) => typed.width() + 2,
    };
    let column = rows.iter().map(width).max().unwrap_or(0);
    let line = |row: &help::HelpRow| match row {
        help::HelpRow::Heading(text) => (*text).to_owned(),
        help::HelpRow::Entry(typed, what) => format!("{}{what}", pad_right(typed, column)),
    };
    rows.iter().map(line).collect()
}

/// Returns the prompt of a form field, with its choices and its default.
fn field_query(texts: Texts, field: &FormField) -> String {
    let default = field.input.text();
    let default = if default.is_empty() {
        String::new()
    } else {
        format!(" [{default}]")
    };
    format!(
        "{}{default} ({})?",
        texts.field_label(field.id),
        texts.field_help(field.id)
    )
}

/// Returns a record: players, numbered moves, final board and result.
fn record(
    texts: Texts,
    players: &[String; 2],
    position: &noughts_protocol::Position,
    outcome: Option<&Outcome>,
) -> Vec<String> {
    let rules = position.rules();
    let mut lines = vec![texts.rules(rules)];
    lines.extend(record_players(players));
    for (number, pair) in position.moves().chunks(2).enumerate() {
        lines.push(format!("{}. {}", number + 1, texts.cells(pair, rules)));
    }
    lines.extend(text_board::board_rows(position, None));
    lines.push(record_outcome(texts, players, outcome, rules));
    lines
}
