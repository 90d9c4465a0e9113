//! What an event of a game is to the player: the note to tell.

use noughts_protocol::{Event, Phase, Status};

use super::Out;
use crate::model::{Mode, Model, Next, Note, Table};

/// A bot that was called has gone. While one still waits for it, that is worth knowing.
pub(super) fn bot_gone(model: &mut Model, failed: bool, out: &mut Out) {
    let waits = model.table().is_some_and(|table| table.game.phase() == Phase::Waiting);
    if failed && waits {
        out.tell(model, Note::BotFailed);
    }
}

/// Tells an event that the table has just taken in.
pub(super) fn tell(model: &mut Model, event: &Event, out: &mut Out) {
    if let Event::Seated { .. } | Event::Started { .. } = event
        && let Some(Note::BotInvited(_) | Note::BotFailed) = model.notice
    {
        // It is no longer on its way.
        model.notice = None;
    }
    let Some(table) = model.table_mut() else { return };
    // Whatever is under way, this settles it.
    match event {
        Event::Moved { seat, .. } if table.own_seat().is_none_or(|own| own == *seat) => table.pending = None,
        Event::TakenBack { .. } | Event::Ended { .. } | Event::Closed { .. } | Event::Started { .. } => {
            table.pending = None;
        }
        Event::Moved { .. }
        | Event::Opened { .. }
        | Event::Seated { .. }
        | Event::Offered { .. }
        | Event::Declined { .. } => {}
    }
    if let Event::Started { .. } = event {
        table.back = None;
        if let Some(room) = table.room_mut() {
            room.remarks = [None, None];
        }
    }
    // On a board that scrolls, the line that ended the game is to be seen.
    if let Event::Ended { outcome, .. } = event
        && let Some(line) = outcome.line()
    {
        table.cursor = line.cells[line.cells.len() / 2];
    }
    if let Some(note) = note(table, event) {
        out.tell(model, note);
    }
    if let Event::Started { game: 1 } = event {
        hint(model, out);
    }
}

/// A person in line mode is told once how to go on.
pub(super) fn hint(model: &mut Model, out: &mut Out) {
    let may_act = model.table().is_some_and(|table| table.acting_seat().is_some());
    if model.mode == (Mode::Line { person: true }) && may_act {
        out.tell(model, Note::Hint);
    }
}

/// The note of an event; none for what the player knows already.
fn note(table: &Table, event: &Event) -> Option<Note> {
    let rules = *table.game.rules();
    match event {
        Event::Opened { .. } => None,
        Event::Seated { seat, .. } => table.who(*seat).filter(|who| !who.you).map(Note::Seated),
        Event::Started { .. } => started(table),
        Event::Moved { seat, cell, .. } => {
            Some(Note::Moved { who: table.who(*seat)?, cell: *cell, rules, next: next(table) })
        }
        Event::Offered { seat, offer } => Some(Note::Offered { who: table.who(*seat)?, offer: *offer }),
        Event::Declined { seat, offer } => Some(Note::Declined { who: table.who(*seat)?, offer: *offer }),
        Event::TakenBack { plies, .. } => Some(Note::TakenBack { plies: *plies, next: next(table) }),
        Event::Ended { outcome, .. } => Some(Note::Over {
            outcome: outcome.clone(),
            rules,
            players: table.both()?,
            score: table.game.score(),
        }),
        Event::Closed { closing } => Some(Note::Closed(*closing)),
    }
}

/// That a game has begun.
pub(super) fn started(table: &Table) -> Option<Note> {
    Some(Note::Started {
        number: table.game.number(),
        rules: *table.game.rules(),
        players: table.both()?,
        next: next(table),
    })
}

/// Who is to move; nobody after the move that ends the game, whose event is still to come.
fn next(table: &Table) -> Next {
    match table.game.position().status() {
        Status::Ongoing => table.next(),
        Status::Won(_) | Status::Drawn => Next::Other,
    }
}
