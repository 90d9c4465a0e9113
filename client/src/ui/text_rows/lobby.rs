//! Rows of the list of rooms and open seeks.

use noughts_protocol::wire::{OpenSeek, RoomListing};
use noughts_protocol::{Player, Rules, Seat, TimeControl};
use unicode_width::UnicodeWidthStr;

use crate::i18n::{Texts, pad_right};

/// Column widths. The column of the clock is hidden if no game has one.
#[derive(Clone, Copy, Debug)]
pub(in crate::ui) struct LobbyColumns {
    game: usize,
    clock: usize,
    phase: usize,
}

impl LobbyColumns {
    /// Computes the widths from the contents.
    pub(in crate::ui) fn measure(
        texts: Texts,
        rooms: &[RoomListing],
        seeks: &[OpenSeek],
    ) -> LobbyColumns {
        let games = rooms.iter().map(|room| (&room.rules, room.clock));
        let games = games.chain(seeks.iter().map(|seek| (&seek.rules, seek.clock)));
        let widest =
            |texts: &mut dyn Iterator<Item = usize>| texts.max().map_or(0, |widest| widest + 2);
        LobbyColumns {
            game: widest(
                &mut games
                    .clone()
                    .map(|(rules, _)| texts.short_rules(rules).width()),
            ),
            clock: widest(&mut games.filter_map(|(_, clock)| Some(clock?.to_string().len()))),
            phase: texts.phase_columns(),
        }
    }

    fn format_game(self, texts: Texts, rules: &Rules, control: Option<TimeControl>) -> String {
        let clock = control.map_or_else(|| "-".to_owned(), |control| control.to_string());
        let clock = if self.clock == 0 {
            String::new()
        } else {
            pad_right(&clock, self.clock)
        };
        format!("{}{clock}", pad_right(&texts.short_rules(rules), self.game))
    }
}

pub(in crate::ui) fn room_row(
    texts: Texts,
    listing: &RoomListing,
    columns: LobbyColumns,
) -> String {
    let [x, o] = Seat::ALL.map(|seat| player_name(texts, listing.players[seat.index()].as_ref()));
    let phase = pad_right(texts.phase(listing.phase), columns.phase);
    format!(
        "{}  {}{phase}{x} - {o}",
        listing.room,
        columns.format_game(texts, &listing.rules, listing.clock)
    )
}

/// Formats an open seek as a row.
pub(in crate::ui) fn seek_row(texts: Texts, seek: &OpenSeek, columns: LobbyColumns) -> String {
    let seat = seek
        .seat
        .map(|seat| format!("  {seat}"))
        .unwrap_or_default();
    let game = columns.format_game(texts, &seek.rules, seek.clock);
    format!("{game}{}{seat}", texts.player(&seek.player))
}

fn player_name(texts: Texts, player: Option<&Player>) -> String {
    player.map_or_else(|| "...".to_owned(), |player| texts.player(player))
}

/// Formats a time that has passed: `0:47`.
pub(in crate::ui) fn elapsed(ms: u64) -> String {
    let seconds = ms / 1000;
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_time_has_minutes_and_seconds() {
        for (ms, text) in [
            (0, "0:00"),
            (47_900, "0:47"),
            (600_000, "10:00"),
            (3_661_000, "1:01:01"),
        ] {
            assert_eq!(elapsed(ms), text);
        }
    }
}
