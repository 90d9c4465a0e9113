//! The card of a player: the mark, the name, and the clock or the result. The card of the player to move is lit. If
//! cards have no ground, a sign marks that card.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use noughts_protocol::wire::Presence;
use noughts_protocol::{Phase, Player, Seat};

use crate::model::{Appearance, GameView, Model};
use crate::ui::drawing::{columns, put_text, shorten};
use crate::ui::widgets::digits::LargeDigits;

/// Remaining time below which a running clock is reversed, in milliseconds.
const LOW_TIME_MS: u64 = 10_000;
/// Minimum lag of a slow connection, in milliseconds.
pub(in crate::ui) const SLOW_LAG_MS: u32 = 100;
/// Minimum size of a panel that has large digits on its cards.
const MIN_LARGE_PANEL: (u16, u16) = (34, 24);
/// Minimum height of a panel that has cards with a row for the clock.
const MIN_CLOCK_ROW_PANEL_ROWS: u16 = 18;
/// Minimum height of a panel that has cards with margins.
const MIN_MARGIN_PANEL_ROWS: u16 = 14;
/// Columns before the name: the sign of the turn, the mark, and blanks.
const NAME_INDENT: u16 = 5;

/// A player of a game or of a record.
#[derive(Clone, Debug)]
pub(in crate::ui) struct PlayerCard {
    pub(in crate::ui) seat: Seat,
    pub(in crate::ui) name: String,
    /// Stands after the name if there is room.
    pub(in crate::ui) note: String,
    /// The result of a finished game; empty while the game is in progress.
    pub(in crate::ui) result: &'static str,
    pub(in crate::ui) clock: Option<CardClock>,
    /// What is wrong with the player's connection.
    pub(in crate::ui) trouble: Option<String>,
    /// Whether the player is to move.
    pub(in crate::ui) is_active: bool,
}

#[derive(Clone, Debug)]
pub(in crate::ui) struct CardClock {
    text: String,
    is_low: bool,
}

impl PlayerCard {
    /// Describes a player of the displayed game.
    pub(in crate::ui) fn of_game(model: &Model, game_view: &GameView, seat: Seat) -> PlayerCard {
        let texts = model.lang().texts();
        let game = &game_view.game;
        let is_active = game.phase() == Phase::Playing
            && !game_view.is_closed()
            && game.position().turn() == seat;
        let shown = |player: &Player| match game_view.has_namesakes() {
            true => texts.tagged_player(player),
            false => texts.player(player),
        };
        let name = match game.player(seat) {
            None => texts.panel_free().to_owned(),
            Some(player) => shown(player),
        };
        let note = match game_view.own_seat() == Some(seat) && game.player(seat).is_some() {
            true => format!(" ({})", texts.panel_you()),
            false => String::new(),
        };
        let clock = game_view.time_left(model.now).map(|left| {
            let left = left[seat.index()];
            CardClock {
                text: if is_active {
                    texts.running_clock(left)
                } else {
                    texts.clock(left)
                },
                is_low: is_active && left <= LOW_TIME_MS,
            }
        });
        PlayerCard {
            seat,
            name,
            note,
            result: game
                .outcome()
                .map_or("", |outcome| texts.player_result(outcome, seat)),
            clock,
            trouble: connection_trouble(model, game_view, seat),
            is_active,
        }
    }

    /// Returns the height of each card in a panel.
    pub(in crate::ui) fn rows_in(panel: Rect, has_clock: bool, appearance: Appearance) -> u16 {
        let is_large = panel.width >= MIN_LARGE_PANEL.0 && panel.height >= MIN_LARGE_PANEL.1;
        if has_clock && is_large && appearance.unicode {
            5
        } else if has_clock && panel.height >= MIN_CLOCK_ROW_PANEL_ROWS {
            4
        } else if panel.height >= MIN_MARGIN_PANEL_ROWS {
            3
        } else {
            1
        }
    }

    /// Draws the card: a single row, or rows with margins above and below. With at least four rows, the clock has its
    /// own row; with at least five, it has large digits.
    pub(in crate::ui) fn draw(&self, appearance: Appearance, area: Rect, buf: &mut Buffer) {
        let (ground, dim) = self.grounds(appearance);
        if appearance.has_surfaces() {
            buf.set_style(area, ground);
        }
        let row = |y: u16| Rect {
            y: area.y + y.min(area.height.saturating_sub(1)),
            height: 1,
            ..area
        };
        let name_row = row(match area.height {
            0..=2 => 0,
            3 | 4 => 1,
            _ => 2,
        });
        let trouble = self.trouble.as_deref().map(|text| format!("! {text}"));
        let mut right = Vec::from_iter(Some(self.result).filter(|text| !text.is_empty()));
        let clock = self.clock.as_ref().map(|clock| {
            let style = match (self.is_active, clock.is_low) {
                (false, _) => dim,
                (true, false) => ground.add_modifier(Modifier::BOLD),
                (true, true) => ground.add_modifier(Modifier::BOLD | Modifier::REVERSED),
            };
            (clock.text.as_str(), style)
        });
        let is_one_row = area.height < 3;
        if is_one_row && let Some(trouble) = &trouble {
            right.insert(0, trouble);
        }
        let mut end = area.right() - u16::from(!is_one_row);
        match clock {
            Some((text, style)) if area.height >= 5 => {
                let digits = LargeDigits::new(text);
                let x = end.saturating_sub(digits.columns() + 1);
                digits.draw(x, area.y + 1, style, buf);
                end = x.saturating_sub(1);
            }
            Some((text, style)) if area.height == 4 => {
                put_text(
                    buf,
                    area.x + NAME_INDENT,
                    area.y + 2,
                    area.width.saturating_sub(NAME_INDENT),
                    text,
                    style,
                );
            }
            Some((text, style)) => {
                let x = end.saturating_sub(columns(text));
                end = put_text(buf, x, name_row.y, columns(text), text, style).min(x);
                end = end.saturating_sub(1);
            }
            None => {}
        }
        for text in right.iter().rev() {
            let x = end.saturating_sub(columns(text));
            let style = if text.starts_with('!') {
                appearance.alert()
            } else {
                ground
            };
            put_text(buf, x, name_row.y, columns(text), text, style);
            end = x.saturating_sub(1);
        }
        self.draw_name(
            appearance,
            ground,
            Rect {
                width: end.saturating_sub(area.x),
                ..name_row
            },
            buf,
        );
        if let Some(trouble) = self.trouble.as_deref().filter(|_| !is_one_row) {
            let y = area.y + if area.height == 3 { 2 } else { 3 };
            let x = area.x + NAME_INDENT;
            let width = end.saturating_sub(x);
            // Red is not readable on every ground of a card.
            let sign = if appearance.has_surfaces() {
                ground
            } else {
                appearance.danger_sign()
            };
            let after = put_text(buf, x, y, width.min(1), "!", sign);
            let text = format!(" {trouble}");
            let width = width.saturating_sub(1);
            put_text(buf, after, y, width, &shorten(&text, width), dim);
        }
    }

    /// Returns the name with its note, or only the name if both do not fit.
    fn shown_name(&self, max_columns: u16) -> String {
        if columns(&self.name) + columns(&self.note) <= max_columns {
            return format!("{}{}", self.name, self.note);
        }
        shorten(&self.name, max_columns)
    }

    /// Draws the sign of the turn, the mark and the name.
    fn draw_name(&self, appearance: Appearance, ground: Style, row: Rect, buf: &mut Buffer) {
        let has_sign = self.is_active && !appearance.has_surfaces();
        let sign = if has_sign { ">" } else { " " };
        let x = put_text(buf, row.x, row.y, row.width, sign, ground);
        let mark = format!(" {} ", self.seat);
        let x = put_text(
            buf,
            x,
            row.y,
            row.right().saturating_sub(x),
            &mark,
            appearance.stone(self.seat),
        );
        let available = row.right().saturating_sub(x + 1);
        put_text(
            buf,
            x + 1,
            row.y,
            available,
            &self.shown_name(available),
            ground,
        );
    }

    /// Draws both players in one row, without blanks around them. Names that do not fit are shortened, but clocks are
    /// not.
    pub(in crate::ui) fn draw_pair(
        cards: &[PlayerCard; 2],
        appearance: Appearance,
        area: Rect,
        buf: &mut Buffer,
    ) {
        const GAP: u16 = 2;
        let signs = cards.each_ref().map(|card| {
            if appearance.has_surfaces() {
                format!(" {} ", card.seat)
            } else if card.is_active {
                format!("> {} ", card.seat)
            } else {
                format!("{} ", card.seat)
            }
        });
        let rights = cards.each_ref().map(|card| {
            let clock = card.clock.as_ref().map(|clock| clock.text.as_str());
            let texts = clock.into_iter().chain([card.result]);
            let texts = texts.filter(|text| !text.is_empty());
            texts.map(|text| format!(" {text}")).collect::<String>()
        });
        let width = |index: usize| {
            let card = &cards[index];
            columns(&signs[index])
                + columns(&card.name)
                + columns(&card.note)
                + columns(&rights[index])
        };
        let available = area.width.saturating_sub(GAP);
        let (x, o) = (width(0), width(1));
        let x = if x + o <= available {
            x
        } else {
            x.min((available / 2).max(available.saturating_sub(o)))
        };
        let mut at = area.x;
        for ((card, width), (sign, right)) in cards
            .iter()
            .zip([x, available - x])
            .zip(signs.iter().zip(&rights))
        {
            let end = at + width;
            let (ground, _) = card.grounds(appearance);
            at = put_text(buf, at, area.y, width, sign, appearance.stone(card.seat));
            let name = card.shown_name(end.saturating_sub(at + columns(right)));
            at = put_text(buf, at, area.y, end.saturating_sub(at), &name, ground);
            let is_low = card.clock.as_ref().is_some_and(|clock| clock.is_low);
            let style = if is_low {
                ground.add_modifier(Modifier::REVERSED)
            } else {
                ground
            };
            at = put_text(buf, at, area.y, end.saturating_sub(at), right, style) + GAP;
        }
    }

    /// Returns the styles of normal and secondary text on the card.
    fn grounds(&self, appearance: Appearance) -> (Style, Style) {
        if self.is_active {
            (appearance.active_card(), appearance.active_card_dim())
        } else {
            (appearance.card(), appearance.card_dim())
        }
    }
}

/// Returns what is wrong with another player's connection.
fn connection_trouble(model: &Model, game_view: &GameView, seat: Seat) -> Option<String> {
    let texts = model.lang().texts();
    let room = game_view.room().filter(|_| !game_view.is_closed())?;
    if game_view.own_seat() == Some(seat) || game_view.game.player(seat).is_none() {
        return None;
    }
    match room.presence[seat.index()].presence {
        Presence::Connected => room.lag[seat.index()]
            .filter(|&lag| lag >= SLOW_LAG_MS)
            .map(|lag| texts.slow_connection(lag)),
        presence @ (Presence::Disconnected | Presence::Left) => {
            Some(texts.presence(presence).to_owned())
        }
    }
}
