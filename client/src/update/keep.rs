//! The game that this program may be killed in: kept for the next one to continue, and forgotten when it is
//! over.

use noughts_protocol::Phase;

use super::{Effect, Out, carry_out, desk};
use crate::model::{Exit, Goal, Model, Note, Plan, Screen, Session, Stage, Table};
use crate::unfinished::{Found, TakeError, Unfinished};

/// After whatever has happened: what is kept follows what is played.
pub(super) fn follow(model: &mut Model, out: &mut Out) {
    let (Screen::Table(table), Some(session)) = (&model.screen, &mut model.session) else { return };
    // With the line gone for good the seat may be free all the same: the next program may ask.
    if matches!(session.stage, Stage::Ended(_)) {
        return;
    }
    let due = due(session, table);
    if due == session.kept {
        return;
    }
    out.push(due.clone().map_or(Effect::Forget, |game| Effect::Keep(Box::new(game))));
    session.kept = due;
}

/// What is worth keeping now.
fn due(session: &Session, table: &Table) -> Option<Unfinished> {
    let room = table.room().filter(|room| room.gone.is_none())?;
    let (seat, token) = room.seat.zip(room.token)?;
    let game = &table.game;
    let on = match game.phase() {
        Phase::Waiting | Phase::Playing => true,
        Phase::Over | Phase::Closed => false,
    };
    on.then(|| Unfinished {
        server: session.server.clone(),
        room: room.id,
        token,
        name: session.name.clone(),
        seat,
        rules: *game.rules(),
        opponent: game.player(seat.other()).map(|player| player.name.clone()),
    })
}

/// The game that is played is not to be continued.
pub(super) fn forget(model: &mut Model, out: &mut Out) {
    if let Some(session) = &mut model.session
        && session.kept.take().is_some()
    {
        out.push(Effect::Forget);
    }
}

/// What there is to continue: the home screen shows it; elsewhere it is mentioned.
pub(super) fn found(model: &mut Model, found: Found, out: &mut Out) {
    if found.damaged > 0 {
        out.tell(model, Note::Damaged(found.damaged));
    }
    if matches!(model.screen, Screen::Home { .. }) {
        model.unfinished = found.games;
        let unfinished = model.unfinished.clone();
        out.tell(model, Note::Menu { unfinished });
    } else if let Some(game) = found.games.into_iter().next() {
        out.tell(model, Note::MayContinue(Box::new(game)));
    }
}

/// A game is to be continued: first of all it must be nobody else's.
pub(super) fn take_up(game: Unfinished, out: &mut Out) {
    out.push(Effect::TakeUp(Box::new(game)));
}

/// It is ours, or not to be had.
pub(super) fn taken_up(model: &mut Model, taken: Result<Box<Unfinished>, TakeError>, out: &mut Out) {
    match taken {
        Ok(game) => {
            let plan = Plan::Online(game.server.clone(), game.name.clone(), Goal::Continue(game.clone()));
            carry_out(model, plan, out);
            if let Some(session) = &mut model.session {
                session.kept = Some(*game);
            }
        }
        Err(error) => {
            let note = Note::NotContinued(error);
            if model.home {
                desk::go_home(model, out);
                out.tell(model, note);
            } else {
                out.tell(model, note);
                out.push(Effect::Quit(Exit::Usage));
            }
        }
    }
}
