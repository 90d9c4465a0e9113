//! Answers the player's queries about the game from the model, without a request to the server.

use noughts_protocol::wire::Presence;
use noughts_protocol::{Cell, Game, PlayerKind, Seat};

use crate::facts::{Notification, QueryAnswer, ScanLabel, Unavailable};
use crate::input::text_command::ScanTarget;
use crate::model::{GameView, Mode, Model, Overlay};
use crate::update::effect::{Effect, Effects};

/// Reports the answer of `query`, or that there is no game.
fn notify_answer(
    model: &mut Model,
    out: &mut Effects,
    query: impl FnOnce(&GameView, &Model) -> Result<QueryAnswer, Unavailable>,
) {
    let notification = match model
        .game_view()
        .ok_or(Unavailable::NoBoard)
        .and_then(|view| query(view, model))
    {
        Ok(answer) => Notification::QueryAnswer(answer),
        Err(reason) => Notification::Unavailable(reason),
    };
    out.notify(model, notification);
}

pub(in crate::update) fn query_board(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, model| {
        Ok(QueryAnswer::Board {
            position: view.game.position().clone(),
            digit_order: model.settings.digit_order,
        })
    });
}

pub(in crate::update) fn query_scan(model: &mut Model, scan: ScanTarget, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let position = view.game.position();
        let rules = *view.game.rules();
        let at = |x, y, layer: [u8; 2]| {
            let cell = rules.cell_at(&[x, y, layer[0], layer[1]][..rules.dimensions()])?;
            Some((cell, position.stone_at(cell)))
        };
        let (name, cells) = match scan {
            ScanTarget::Row(y, layer) => (
                ScanLabel::Row(y),
                (0..rules.width()).filter_map(|x| at(x, y, layer)).collect(),
            ),
            ScanTarget::Column(x, layer) => (
                ScanLabel::Column(x),
                (0..rules.height())
                    .filter_map(|y| at(x, y, layer))
                    .collect(),
            ),
        };
        Ok(QueryAnswer::Scan { name, cells, rules })
    });
}

/// Lists the player's stones; with two people at one terminal, those of the side to move.
pub(in crate::update) fn query_marks(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let seat = view.acting_seat().ok_or(Unavailable::Watching)?;
        let who = view.player_ref(seat).ok_or(Unavailable::NoGame)?;
        let cells = cells_with_stones(&view.game, seat);
        Ok(QueryAnswer::Marks {
            who,
            cells,
            rules: *view.game.rules(),
        })
    });
}

fn cells_with_stones(game: &Game, seat: Seat) -> Vec<Cell> {
    let position = game.position();
    (0..game.rules().cells() as u16)
        .map(Cell::new)
        .filter(|&cell| position.stone_at(cell) == Some(seat))
        .collect()
}

pub(in crate::update) fn query_last_move(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let last = view.game.position().moves().last().copied();
        let mover = last
            .and_then(|cell| view.game.position().stone_at(cell))
            .and_then(|seat| view.player_ref(seat));
        Ok(QueryAnswer::Last(
            last.zip(mover)
                .map(|(cell, who)| (who, cell, *view.game.rules())),
        ))
    });
}

pub(in crate::update) fn query_clocks(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, model| {
        let clocks = view.time_left(model.now).zip(view.players());
        Ok(QueryAnswer::Clocks(
            clocks.map(|([x, o], [who_x, who_o])| [(who_x, x), (who_o, o)]),
        ))
    });
}

pub(in crate::update) fn query_opponent(model: &mut Model, out: &mut Effects) {
    notify_answer(model, out, |view, _| {
        let seat = view.opponent().ok_or(Unavailable::NoOpponent)?;
        let who = view.player_ref(seat).ok_or(Unavailable::NoOpponent)?;
        let bot = view
            .game
            .player(seat)
            .is_some_and(|player| player.kind == PlayerKind::Bot);
        let room = view.room();
        let presence = room.map_or(Presence::Connected, |room| {
            room.presence[seat.index()].presence
        });
        let lag = room.and_then(|room| room.lag[seat.index()]);
        Ok(QueryAnswer::Opponent {
            who,
            bot,
            presence,
            lag,
        })
    });
}

/// Reports the command with which others can watch the game. It contains the code of a private room.
pub(in crate::update) fn query_invite(model: &mut Model, out: &mut Effects) {
    let room = model.game_view().and_then(|view| {
        Some((
            view.room()?.room_ref(),
            *view.game.rules(),
            view.game.control(),
        ))
    });
    let notification = match (room, &model.session) {
        (Some((room, rules, clock)), Some(session)) => Notification::RoomAddress {
            server: session.invite_server().clone(),
            room,
            rules,
            clock,
        },
        (None, _) | (_, None) => Notification::Unavailable(Unavailable::NotOnServer),
    };
    out.notify(model, notification);
}

fn query_help(model: &mut Model, out: &mut Effects) {
    let context = model.screen_key_context();
    out.notify(model, Notification::QueryAnswer(QueryAnswer::Help(context)));
}

/// Shows the help: over the full screen, or as a text in line mode.
pub(in crate::update) fn show_help(model: &mut Model, out: &mut Effects) {
    match model.mode {
        Mode::Full => model.overlay = Some(Overlay::Help(0)),
        Mode::Line { .. } | Mode::Json => query_help(model, out),
    }
}

/// Writes the record of the game to a file.
pub(in crate::update) fn save_record(model: &mut Model, path: String, out: &mut Effects) {
    match model.game_view().and_then(|view| view.game.record()) {
        Some(record) => out.push(Effect::SaveFile {
            path,
            text: record.to_string(),
        }),
        None => out.notify(model, Notification::Unavailable(Unavailable::NoGame)),
    }
}
