//! The public rooms of a server, and who waits.

use noughts_protocol::wire::{Listing, OpenSeek};
use noughts_protocol::{Player, Seat};
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::style::Style;

use super::{Parts, header, put, theme};
use crate::model::{Lobby, Model};
use crate::words::{Words, padded};

pub(super) fn draw(model: &Model, lobby: &Lobby, parts: Parts, buf: &mut Buffer) -> Option<Position> {
    let (body, words) = (parts.body, model.words);
    let title = model.session.as_ref().map_or_else(String::new, |session| session.server.to_string());
    header(model, parts.header, &[&title], buf);
    let rooms = lobby.rooms.as_deref().unwrap_or_default();
    let mut lines: Vec<(String, Style)> = Vec::new();
    for (place, listing) in rooms.iter().enumerate() {
        let (sign, style) = if place == lobby.at { (">", theme::strong()) } else { (" ", Style::new()) };
        lines.push((format!("{sign} {}", room(words, listing)), style));
    }
    if rooms.is_empty() {
        lines.push((words.no_rooms().to_owned(), Style::new()));
    }
    if !lobby.seeks.is_empty() {
        lines.push((String::new(), Style::new()));
        lines.push((words.seeks_heading().to_owned(), theme::strong()));
        lines.extend(lobby.seeks.iter().map(|open| (format!("  {}", seek(words, open)), Style::new())));
    }
    // Keeps the selected room in sight.
    let shown = usize::from(body.height);
    let top = lobby.at.saturating_sub(shown.saturating_sub(2)).min(lines.len().saturating_sub(shown));
    for (y, (line, style)) in (body.y..body.y + body.height).zip(lines.iter().skip(top)) {
        put(buf, body.x, y, body.width, line, *style);
    }
    None
}

/// A room as a row of a table.
pub(super) fn room(words: Words, listing: &Listing) -> String {
    let player = |seat: Seat| name(words, listing.players[seat.index()].as_ref());
    let clock = listing.clock.map_or_else(|| "-".to_owned(), |clock| clock.to_string());
    let game = listing.rules.name().map_or_else(|| listing.rules.to_string(), str::to_owned);
    let (players, phase) = (format!("{} - {}", player(Seat::X), player(Seat::O)), words.phase(listing.phase));
    let (game, clock, phase) = (padded(&game, 15), padded(&clock, 7), padded(phase, words.phase_columns()));
    format!("{}  {game}{clock}{phase}{players}", listing.room)
}

/// Somebody who waits, as a row of a table.
pub(super) fn seek(words: Words, seek: &OpenSeek) -> String {
    let clock = seek.clock.map_or_else(|| "-".to_owned(), |clock| clock.to_string());
    let game = seek.rules.name().map_or_else(|| seek.rules.to_string(), str::to_owned);
    let seat = seek.seat.map(|seat| format!("  {seat}")).unwrap_or_default();
    format!("{}{}{}{seat}", padded(&game, 15), padded(&clock, 7), words.player(&seek.player))
}

fn name(words: Words, player: Option<&Player>) -> String {
    player.map_or_else(|| "...".to_owned(), |player| words.player(player))
}
