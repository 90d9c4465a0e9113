//! What a player wants of the game: asked of the server, or decided here.

use noughts_protocol::wire::{Body, Claim, Command, Reject, RejectCode};
use noughts_protocol::{Cell, Offer, Phase, Seat, Seq};

use super::{Effect, Out, here};
use crate::engine::Level;
use crate::local::{Side, referee};
use crate::model::{Ask, Model, NotNow, Note, Pending, Place, Stage, Table};

/// Marks a cell, or says why not. The own copy of the game judges first; the board changes by the event.
pub(super) fn mark(model: &mut Model, cell: Cell, out: &mut Out) {
    match try_mark(model, cell) {
        Ok((seat, cell, seq)) => command(model, seat, Command::Move { cell, seq }, Ask::Move(cell), out),
        Err(note) => out.tell(model, *note),
    }
}

/// Whose mark would lie where, after the last event that we have seen.
fn try_mark(model: &Model, cell: Cell) -> Result<(Seat, Cell, Seq), Box<Note>> {
    let not_now = |why| Box::new(Note::NotNow(why));
    let table = model.table().ok_or_else(|| not_now(NotNow::NoBoard))?;
    let seat = table.acting_seat().ok_or_else(|| not_now(NotNow::Watching))?;
    if table.pending.is_some() {
        return Err(not_now(NotNow::Pending));
    }
    if let Place::Here(local) = &table.place
        && table.game.phase() == Phase::Playing
        && *local.side(table.game.position().turn()) != Side::Person
    {
        return Err(not_now(NotNow::BotMoves));
    }
    let refuse = |illegal| {
        let cell = table.game.rules().cell_text(cell);
        Box::new(Note::Illegal { reject: Reject::from(illegal), cell })
    };
    let landing = table.game.check_move(seat, cell).map_err(refuse)?;
    Ok((seat, landing, table.game.seq()))
}

/// Gives the game up.
pub(super) fn resign(model: &mut Model, out: &mut Out) {
    acting(model, Command::Resign, Ask::Resign, out);
}

/// Proposes something; what the other has proposed is so accepted.
pub(super) fn offer(model: &mut Model, offer: Offer, out: &mut Out) {
    if let Some(note) = refused_here(model, offer) {
        out.tell(model, note);
        return;
    }
    acting(model, Command::Offer { offer }, Ask::Offer(offer), out);
}

/// What a bot on this terminal says to a proposal by itself.
fn refused_here(model: &Model, offer: Offer) -> Option<Note> {
    let table = model.table()?;
    let Place::Here(local) = &table.place else { return None };
    let bot = table.own_seat()?.other();
    (offer == Offer::Draw && table.game.phase() == Phase::Playing && !local.welcomes_draw(bot))
        .then_some(Note::NotNow(NotNow::BotPlaysOn))
}

/// Says yes, to this or to the only thing proposed. After a game that means to play again.
pub(super) fn accept(model: &mut Model, which: Option<Offer>, out: &mut Out) {
    if let Some(table) = model.table()
        && table.game.phase() == Phase::Over
        && which.is_none_or(|which| which == Offer::Rematch)
    {
        offer(model, Offer::Rematch, out);
        return;
    }
    match open_offer(model, which) {
        Ok(offer) => acting(model, Command::Accept { offer }, Ask::Accept(offer), out),
        Err(why) => out.tell(model, Note::NotNow(why)),
    }
}

/// Says no, or takes back what one has proposed oneself.
pub(super) fn decline(model: &mut Model, which: Option<Offer>, out: &mut Out) {
    let own = model.table().and_then(|table| {
        let seat = table.own_seat()?;
        Offer::ALL.into_iter().find(|&offer| table.game.offered(offer) == Some(seat))
    });
    match open_offer(model, which).or_else(|why| own.ok_or(why)) {
        Ok(offer) => acting(model, Command::Decline { offer }, Ask::Decline(offer), out),
        Err(why) => out.tell(model, Note::NotNow(why)),
    }
}

/// What the opponent has proposed.
fn open_offer(model: &Model, which: Option<Offer>) -> Result<Offer, NotNow> {
    let table = model.table().ok_or(NotNow::NoBoard)?;
    let opponent = table.opponent().ok_or(NotNow::NoOffer)?;
    let mut open = Offer::ALL.into_iter().filter(|&offer| {
        table.game.offered(offer) == Some(opponent) && which.is_none_or(|which| which == offer)
    });
    match (open.next(), open.next()) {
        (Some(offer), None) => Ok(offer),
        (Some(_), Some(_)) => Err(NotNow::WhichOffer),
        (None, _) => Err(NotNow::NoOffer),
    }
}

/// Claims the game of an absent player.
pub(super) fn claim(model: &mut Model, result: Claim, out: &mut Out) {
    let online = model.table().is_some_and(|table| table.room().is_some());
    if online {
        acting(model, Command::Claim { result }, Ask::Claim, out);
    } else {
        out.tell(model, Note::NotNow(NotNow::NotClaimable));
    }
}

/// Points out that the other's time is over.
pub(super) fn flag(model: &mut Model, out: &mut Out) {
    acting(model, Command::Flag, Ask::Flag, out);
}

/// Brings a bot into the room where one waits.
pub(super) fn invite_bot(model: &mut Model, level: Option<Level>, out: &mut Out) {
    let level = level.unwrap_or(model.settings.level);
    let waiting = |table: &&Table| table.game.phase() == Phase::Waiting;
    let room = model.table().filter(waiting).and_then(Table::room).map(|room| room.reference());
    match (room, &model.session) {
        (Some(room), Some(session)) => {
            out.push(Effect::InviteBot { server: session.server.clone(), room, level });
            out.tell(model, Note::BotInvited(level));
        }
        (None, _) | (Some(_), None) => out.tell(model, Note::NotNow(NotNow::NotWaiting)),
    }
}

/// A command of whoever at this terminal may act.
fn acting(model: &mut Model, wanted: Command, ask: Ask, out: &mut Out) {
    let seat = match model.table() {
        None => Err(NotNow::NoBoard),
        Some(table) => seat_of(table, wanted).ok_or(NotNow::Watching),
    };
    match seat {
        Ok(seat) => command(model, seat, wanted, ask, out),
        Err(why) => out.tell(model, Note::NotNow(why)),
    }
}

/// Who asks. Of two at one terminal, the one who has just moved takes back; bots let anyone play again.
fn seat_of(table: &Table, wanted: Command) -> Option<Seat> {
    let two_here = matches!(&table.place, Place::Here(local) if local.only_person().is_none());
    let turn = table.game.position().turn();
    match wanted {
        Command::Offer { offer: Offer::Takeback } if two_here => table.acting_seat().map(Seat::other),
        Command::Offer { offer: Offer::Rematch } if two_here => Some(turn),
        Command::Offer { .. }
        | Command::Move { .. }
        | Command::Resign
        | Command::Accept { .. }
        | Command::Decline { .. }
        | Command::Claim { .. }
        | Command::Flag => table.acting_seat(),
    }
}

fn command(model: &mut Model, seat: Seat, wanted: Command, ask: Ask, out: &mut Out) {
    if matches!(&model.session, Some(session) if matches!(session.stage, Stage::Ended(_))) {
        out.tell(model, Note::NotNow(NotNow::Offline));
        return;
    }
    let Some(table) = model.table_mut() else { return };
    match &table.place {
        Place::Online(room) if room.gone.is_some() => {
            out.tell(model, Note::Refused { ask: Some(ask), reject: RejectCode::UnknownRoom.into() });
        }
        Place::Online(_) => {
            if let Command::Move { cell, .. } = wanted {
                table.pending = Some(Pending { cell });
            }
            out.send(Body::Command(wanted), Some(ask));
        }
        Place::Here(_) => match referee::decide(&table.game, seat, wanted) {
            Ok(events) => here::take_in(model, events, out),
            Err(reject) => out.tell(model, Note::Refused { ask: Some(ask), reject }),
        },
    }
}
