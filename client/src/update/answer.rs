//! Answers to what a player asks about the game. Nothing is asked of the server, nothing changes.

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Game, Kind, Seat};

use super::{Effect, Out};
use crate::input::typed::Scan;
use crate::model::{Answer, Model, NotNow, Note, ScanName, Table};

/// Answers by a look at the table, or says that there is none.
fn answer(model: &mut Model, out: &mut Out, look: impl FnOnce(&Table, &Model) -> Result<Answer, NotNow>) {
    let note = match model.table().ok_or(NotNow::NoBoard).and_then(|table| look(table, model)) {
        Ok(answer) => Note::Answer(answer),
        Err(why) => Note::NotNow(why),
    };
    out.tell(model, note);
}

pub(super) fn board(model: &mut Model, out: &mut Out) {
    answer(model, out, |table, model| {
        Ok(Answer::Board { position: table.game.position().clone(), keys: model.settings.keys })
    });
}

pub(super) fn scan(model: &mut Model, scan: Scan, out: &mut Out) {
    answer(model, out, |table, _| {
        let position = table.game.position();
        let rules = *table.game.rules();
        let at = |x, y, layer: [u8; 2]| {
            let cell = rules.cell_at(&[x, y, layer[0], layer[1]][..rules.dimensions()])?;
            Some((cell, position.at(cell)))
        };
        let (name, cells) = match scan {
            Scan::Row(y, layer) => {
                (ScanName::Row(y), (0..rules.width()).filter_map(|x| at(x, y, layer)).collect())
            }
            Scan::Column(x, layer) => {
                (ScanName::Column(x), (0..rules.height()).filter_map(|y| at(x, y, layer)).collect())
            }
        };
        Ok(Answer::Scan { name, cells, rules })
    });
}

/// The own marks; of two at one terminal, those of the one to move.
pub(super) fn marks(model: &mut Model, out: &mut Out) {
    answer(model, out, |table, _| {
        let seat = table.acting_seat().ok_or(NotNow::Watching)?;
        let who = table.who(seat).ok_or(NotNow::NoGame)?;
        let cells = marks_of(&table.game, seat);
        Ok(Answer::Marks { who, cells, rules: *table.game.rules() })
    });
}

fn marks_of(game: &Game, seat: Seat) -> Vec<Cell> {
    let position = game.position();
    (0..game.rules().cells() as u16).map(Cell::new).filter(|&cell| position.at(cell) == Some(seat)).collect()
}

pub(super) fn last(model: &mut Model, out: &mut Out) {
    answer(model, out, |table, _| {
        let last = table.game.position().moves().last().copied();
        let mover = last.and_then(|cell| table.game.position().at(cell)).and_then(|seat| table.who(seat));
        Ok(Answer::Last(last.zip(mover).map(|(cell, who)| (who, cell, *table.game.rules()))))
    });
}

pub(super) fn clocks(model: &mut Model, out: &mut Out) {
    answer(model, out, |table, model| {
        let clocks = table.left(model.now).zip(table.both());
        Ok(Answer::Clocks(clocks.map(|([x, o], [who_x, who_o])| [(who_x, x), (who_o, o)])))
    });
}

pub(super) fn opponent(model: &mut Model, out: &mut Out) {
    answer(model, out, |table, _| {
        let seat = table.opponent().ok_or(NotNow::NoOpponent)?;
        let who = table.who(seat).ok_or(NotNow::NoOpponent)?;
        let bot = table.game.player(seat).is_some_and(|player| player.kind == Kind::Bot);
        let room = table.room();
        let presence = room.map_or(Presence::Here, |room| room.attendance[seat.index()].presence);
        let lag = room.and_then(|room| room.lag[seat.index()]);
        Ok(Answer::Opponent { who, bot, presence, lag })
    });
}

pub(super) fn help(model: &mut Model, out: &mut Out) {
    let context = model.screen_context();
    out.tell(model, Note::Answer(Answer::Help(context)));
}

/// Writes the game to a file, as a record.
pub(super) fn save(model: &mut Model, path: String, out: &mut Out) {
    match model.table().and_then(|table| table.game.record()) {
        Some(record) => out.push(Effect::Save { path, text: record.to_string() }),
        None => out.tell(model, Note::NotNow(NotNow::NoGame)),
    }
}
