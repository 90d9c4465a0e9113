//! A game on this terminal: what follows from a move, and the bots' part.

use noughts_protocol::wire::Command;
use noughts_protocol::{Event, Phase, Status};

use super::{Effect, Out, room};
use crate::local::{Local, Lot, Setup, Side, Ticket, referee};
use crate::model::{Mode, Model, Note, Place, Screen, Table};
use crate::thinker::Choice;
use crate::thinker::child::Fault;

/// How long a bot's move waits on the full screen, in milliseconds, so that the eye sees it come.
const PACE: u64 = 250;
/// The same when nobody but bots plays.
const PACE_BOTS: u64 = 700;

/// Sits everybody down and begins.
pub(super) fn open(model: &mut Model, setup: &Setup, out: &mut Out) {
    let swap = match setup.lot {
        Lot::AsGiven => false,
        // The high bits are the better ones.
        Lot::Random => model.draw_lot() >> 63 == 1,
    };
    let (game, local) = Local::open(setup, swap, model.words, model.now);
    let table = Table::new(game, Place::Here(local));
    let note = room::started(&table);
    model.screen = Screen::Table(Box::new(table));
    model.notice = None;
    if let Some(note) = note {
        out.tell(model, note);
    }
    room::hint(model, out);
    go_on(model, out);
}

/// Takes the events of a decision in, tells them, and lets the game go on.
pub(super) fn take_in(model: &mut Model, events: Vec<Event>, out: &mut Out) {
    let now = model.now;
    for event in events {
        let Some(table) = model.table_mut() else { return };
        let Place::Here(local) = &mut table.place else { return };
        // Whatever a bot was thinking about has changed.
        if local.is_thinking() {
            local.forget();
            out.push(Effect::StopThinking);
        }
        if !referee::apply(&mut table.game, event.clone(), now) {
            return;
        }
        if matches!(event, Event::Started { .. }) {
            local.swap();
        }
        room::tell(model, &event, out);
    }
    go_on(model, out);
}

/// Lets a bot think if it is to move; asks whether to play again after the end.
fn go_on(model: &mut Model, out: &mut Out) {
    let seed = model.draw_lot();
    let Some(table) = model.table_mut() else { return };
    let Place::Here(local) = &mut table.place else { return };
    match table.game.phase() {
        Phase::Playing if table.game.position().status() == Status::Ongoing => {
            if let Side::Bot(thinks) = local.side(table.game.position().turn())
                && !local.is_thinking()
            {
                let (position, thinks) = (table.game.position().clone(), thinks.clone());
                out.push(Effect::Think { ticket: local.begin(), position, thinks, seed });
            }
        }
        Phase::Over => out.tell(model, Note::PlayAgain),
        Phase::Waiting | Phase::Playing | Phase::Closed => {}
    }
}

/// A bot has thought. One whose program fails gives the game up.
pub(super) fn thought(model: &mut Model, ticket: Ticket, answer: Result<Choice, Fault>, out: &mut Out) {
    let (now, mode) = (model.now, model.mode);
    let Some(table) = model.table_mut() else { return };
    let Place::Here(local) = &mut table.place else { return };
    if !local.awaits(ticket) {
        return;
    }
    let seat = table.game.position().turn();
    let choice = match answer {
        Ok(choice) => choice,
        Err(fault) => {
            local.forget();
            let resigned = referee::decide(&table.game, seat, Command::Resign);
            out.tell(model, Note::EngineFailed(fault));
            return take_in(model, resigned.unwrap_or_default(), out);
        }
    };
    let pace = match mode {
        Mode::Full if local.has_person() => PACE,
        Mode::Full => PACE_BOTS,
        Mode::Line { .. } | Mode::Json => 0,
    };
    // From the last move on: a bot that thought for longer has kept people waiting already.
    let due = now.max(table.game.at().saturating_add(pace));
    if local.chosen(ticket, seat, &choice, due) {
        play_due(model, out);
    }
}

/// Plays the move that a bot has chosen, once it is due.
pub(super) fn play_due(model: &mut Model, out: &mut Out) {
    let now = model.now;
    let Some(table) = model.table_mut() else { return };
    let Place::Here(local) = &mut table.place else { return };
    let Some(cell) = local.take_due(now) else { return };
    let command = Command::Move { cell, seq: table.game.seq() };
    if let Ok(events) = referee::decide(&table.game, table.game.position().turn(), command) {
        take_in(model, events, out);
    }
}
