//! Line mode: prints notifications as lines without escape sequences, and the board in ASCII.

use noughts_protocol::{Cell, Outcome, Position, Seat};
use unicode_width::UnicodeWidthStr;

use crate::facts::{FormField, Notification, QueryAnswer};
use crate::i18n::{Texts, pad_right};
use crate::input::DigitOrder;
use crate::input::text_command::cell_digit;
use crate::ui::drawing::WRAPPING_EDGE;
use crate::ui::text_rows::{self, record_outcome, record_players};

/// Returns the lines for a notification.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all others are sentences, each with an arm of its own there"
)]
pub(crate) fn notification_lines(texts: Texts, notification: &Notification) -> Vec<String> {
    match notification {
        Notification::QueryAnswer(QueryAnswer::Board {
            position,
            digit_order: keys,
        }) => board_rows(position, Some(*keys)),
        Notification::QueryAnswer(QueryAnswer::Help { rules }) => {
            align_help(&text_rows::typed_rows(texts, rules.as_ref()))
        }
        Notification::Invite { server, room, .. } => {
            let [code_label, join_label] = texts.invite_labels(*room);
            let line = texts.join_command(server, *room);
            let mut lines = vec![
                texts.notification(notification),
                texts.with_reason(code_label, room.to_string()),
                texts.with_reason(join_label, &line),
            ];
            lines.extend(texts.local_server_note(server));
            lines.push(texts.bot_hint().to_owned());
            lines
        }
        Notification::Rooms {
            rooms,
            seeks,
            is_selectable: to_choose,
        } => {
            let columns = text_rows::LobbyColumns::measure(texts, rooms, seeks);
            let numbered = rooms.iter().enumerate().map(|(index, listing)| {
                let number = if *to_choose {
                    format!("{:>2}  ", index + 1)
                } else {
                    String::new()
                };
                format!("{number}{}", text_rows::room_row(texts, listing, columns))
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
                        .map(|seek| text_rows::seek_row(texts, seek, columns)),
                );
            }
            if *to_choose {
                lines.push(texts.lobby_help().to_owned());
            }
            lines
        }
        Notification::OwnGames { games, .. } if games.is_empty() => {
            vec![texts.no_own_games().to_owned()]
        }
        Notification::OwnGames {
            games,
            is_selectable,
        } => {
            let mut lines = text_rows::own_game_rows(texts, games, *is_selectable);
            if *is_selectable {
                lines.push(texts.own_games_help().to_owned());
            }
            lines
        }
        Notification::ServerGames {
            games,
            first_number,
        } => {
            let heading = texts.only_on_server().to_owned();
            let rows = text_rows::server_game_rows(texts, games, *first_number);
            std::iter::once(heading).chain(rows).collect()
        }
        Notification::Profile {
            server,
            profile,
            is_selectable,
        } => {
            let mut lines = vec![texts.tagged_player(&profile.player)];
            lines.extend(text_rows::profile_lines(texts, profile));
            lines.push(texts.profile_latest().to_owned());
            let games = text_rows::profile_games(server, profile);
            let first_number = is_selectable.then_some(1);
            lines.extend(text_rows::server_game_rows(texts, &games, first_number));
            lines
        }
        Notification::Record {
            players,
            position,
            outcome,
        } => record(texts, players, position, outcome.as_ref()),
        Notification::Values(values) => texts.all_evaluations(values),
        Notification::Review(review) => texts.review(review),
        Notification::Asked { field, choices, .. } => vec![field_query(texts, field, choices)],
        Notification::Menu {
            entries,
            unfinished,
        } => {
            let entries = entries.iter().enumerate().map(|(index, &entry)| {
                let (name, what) = texts.menu_item(entry, unfinished);
                format!("{}  {}{what}", index + 1, pad_right(name, 14))
                    .trim_end()
                    .to_owned()
            });
            let mut lines = vec![texts.tagline().to_owned()];
            lines.extend(entries);
            lines.push(texts.menu_help().to_owned());
            lines
        }
        // The line to share contains the result.
        Notification::PuzzleOver(result) if result.solved => vec![texts.puzzle_shared(result)],
        other => vec![texts.notification(other)],
    }
}

/// Aligns the help in two columns.
fn align_help(rows: &[text_rows::HelpRow]) -> Vec<String> {
    let width = |row: &text_rows::HelpRow| match row {
        text_rows::HelpRow::Heading(_) => 0,
        text_rows::HelpRow::Entry(typed, _) => typed.width() + 2,
    };
    let column = rows.iter().map(width).max().unwrap_or(0);
    let line = |row: &text_rows::HelpRow| match row {
        text_rows::HelpRow::Heading(text) => (*text).to_owned(),
        text_rows::HelpRow::Entry(typed, what) => format!("{}{what}", pad_right(typed, column)),
    };
    rows.iter().map(line).collect()
}

/// Returns the prompt for a form field, with its default. If the field accepts only choices, they are numbered.
fn field_query(texts: Texts, field: &FormField, choices: &[String]) -> String {
    let default = field.input.text();
    if !field.is_free_text {
        let numbered: Vec<String> = (1..)
            .zip(choices)
            .map(|(number, choice): (usize, &String)| format!("{number} {choice}"))
            .collect();
        let default = field.options.iter().position(|option| option == default);
        let default = default.map_or_else(String::new, |index| format!(" [{}]", index + 1));
        let label = texts.field_label(field.id);
        return format!(
            "{}?{default}",
            texts.with_reason(label, numbered.join(", "))
        );
    }
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
    lines.extend(board_rows(position, None));
    lines.push(record_outcome(texts, players, outcome, rules));
    lines
}

/// Returns the rows of the board with rulers and the digits of free cells. The last move is in brackets, or a winning
/// line between asterisks.
pub(crate) fn board_rows(position: &Position, keys: Option<DigitOrder>) -> Vec<String> {
    let rules = position.rules();
    let side = |axis: usize| rules.sides().get(axis).copied().unwrap_or(1);
    let outcome = position.outcome();
    let winning = outcome
        .as_ref()
        .and_then(Outcome::line)
        .map_or(&[][..], |line| &line.cells);
    let mut rows = Vec::new();
    for w in 0..side(3) {
        for z in 0..side(2) {
            match rules.dimensions() {
                0..=2 => {}
                3 => rows.push(format!("z {}", z + 1)),
                _ => rows.push(format!("z {} w {}", z + 1, w + 1)),
            }
            let labels = (0..rules.width()).map(|x| format!(" {} ", char::from(b'a' + x)));
            let labels = labels.collect::<String>();
            rows.push(if rules.wraps(0) {
                format!("  {WRAPPING_EDGE}{}{WRAPPING_EDGE}", labels.trim_end())
            } else {
                format!("   {labels}").trim_end().to_owned()
            });
            for y in 0..rules.height() {
                let is_edge = y == 0 || y == rules.height() - 1;
                let separator = if is_edge && rules.wraps(1) {
                    WRAPPING_EDGE
                } else {
                    " "
                };
                let cells = (0..rules.width())
                    .filter_map(|x| rules.cell_at(&[x, y, z, w][..rules.dimensions()]));
                let cells: String = cells
                    .map(|cell| cell_text(position, keys, winning, cell))
                    .collect();
                rows.push(
                    format!("{:>2}{separator}{cells}", rules.row_number(y))
                        .trim_end()
                        .to_owned(),
                );
            }
        }
    }
    rows
}

fn cell_text(
    position: &Position,
    keys: Option<DigitOrder>,
    winning: &[Cell],
    cell: Cell,
) -> String {
    let rules = position.rules();
    let playable = position.is_legal(cell);
    let digit = keys
        .filter(|_| playable)
        .and_then(|order| cell_digit(rules, order, cell));
    let mark = match (position.stone_at(cell), digit) {
        (Some(Seat::X), _) => 'X',
        (Some(Seat::O), _) => 'O',
        (None, Some(digit)) => char::from(b'0' + digit),
        (None, None) => '.',
    };
    if winning.contains(&cell) {
        format!("*{mark}*")
    } else if position.moves().last() == Some(&cell) {
        format!("[{mark}]")
    } else {
        format!(" {mark} ")
    }
}
