//! The public rooms of a server, and who waits.

use noughts_protocol::wire::{Listing, OpenSeek};
use noughts_protocol::{Player, Rules, Seat, TimeControl};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use super::{Parts, header, put, theme};
use crate::model::{Lobby, Model};
use crate::words::{Words, padded};

/// From so many columns on there is room for everything.
const WIDE: u16 = 60;

pub(super) fn draw(model: &Model, lobby: &Lobby, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let (body, words) = (parts.body, model.words);
    let title = model.session.as_ref().map_or_else(String::new, |session| session.server.to_string());
    header(model, parts.header, &[&title], buf);
    let rooms = lobby.rooms.as_deref().unwrap_or_default();
    let columns = Columns::of(words, rooms, &lobby.seeks, body.width < WIDE);
    let mut lines: Vec<(String, Style)> = Vec::new();
    for (place, listing) in rooms.iter().enumerate() {
        let (sign, style) = if place == lobby.at { (">", theme::strong()) } else { (" ", Style::new()) };
        lines.push((format!("{sign} {}", room(words, listing, columns)), style));
    }
    if rooms.is_empty() {
        lines.push((words.no_rooms().to_owned(), Style::new()));
    }
    if !lobby.seeks.is_empty() {
        lines.push((String::new(), Style::new()));
        lines.push((words.seeks_heading().to_owned(), theme::strong()));
        lines.extend(
            lobby.seeks.iter().map(|open| (format!("  {}", seek(words, open, columns)), Style::new())),
        );
    }
    // Keeps the selected room in sight.
    let shown = usize::from(body.height);
    let top = lobby.at.saturating_sub(shown.saturating_sub(2)).min(lines.len().saturating_sub(shown));
    for (y, (line, style)) in (body.y..body.y + body.height).zip(lines.iter().skip(top)) {
        put(buf, body.x, y, body.width, line, *style);
    }
    None
}

/// How wide the parts of a row are, so that they stand one below the other. Nothing has no room at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    game: usize,
    clock: usize,
    phase: usize,
}

impl Columns {
    /// As these need it. Where there is little room, the players alone say how far a room is.
    pub(super) fn of(words: Words, rooms: &[Listing], seeks: &[OpenSeek], is_narrow: bool) -> Columns {
        let games = rooms.iter().map(|room| (&room.rules, room.clock));
        let games = games.chain(seeks.iter().map(|seek| (&seek.rules, seek.clock)));
        let widest = |texts: &mut dyn Iterator<Item = usize>| texts.max().map_or(0, |widest| widest + 2);
        Columns {
            game: widest(&mut games.clone().map(|(rules, _)| game(rules).len())),
            clock: widest(&mut games.filter_map(|(_, clock)| Some(clock?.to_string().len()))),
            phase: if is_narrow { 0 } else { words.phase_columns() },
        }
    }

    /// A game and its clock.
    fn game(self, rules: &Rules, control: Option<TimeControl>) -> String {
        let clock = control.map_or_else(|| "-".to_owned(), |control| control.to_string());
        let clock = if self.clock == 0 { String::new() } else { padded(&clock, self.clock) };
        format!("{}{clock}", padded(&game(rules), self.game))
    }
}

fn game(rules: &Rules) -> String {
    rules.name().map_or_else(|| rules.to_string(), str::to_owned)
}

/// A room as a row of a table.
pub(super) fn room(words: Words, listing: &Listing, columns: Columns) -> String {
    let [x, o] = Seat::ALL.map(|seat| name(words, listing.players[seat.index()].as_ref()));
    let phase = match columns.phase {
        0 => String::new(),
        phase => padded(words.phase(listing.phase), phase),
    };
    format!("{}  {}{phase}{x} - {o}", listing.room, columns.game(&listing.rules, listing.clock))
}

/// Somebody who waits, as a row of a table.
pub(super) fn seek(words: Words, seek: &OpenSeek, columns: Columns) -> String {
    let seat = seek.seat.map(|seat| format!("  {seat}")).unwrap_or_default();
    format!("{}{}{seat}", columns.game(&seek.rules, seek.clock), words.player(&seek.player))
}

fn name(words: Words, player: Option<&Player>) -> String {
    player.map_or_else(|| "...".to_owned(), |player| words.player(player))
}
