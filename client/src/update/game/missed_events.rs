//! Reports on the events of a room that did not reach the client, from the snapshots before and after them.

use noughts_protocol::{Game, Phase, Seat};

use super::event_notes;
use crate::facts::{NextMove, Notification};
use crate::model::{GameView, Model};
use crate::update::effect::Effects;

/// Updates the view of the game, which has replaced `before`, and reports the difference as its events would have been.
pub(in crate::update) fn report(model: &mut Model, before: &Game, out: &mut Effects) {
    let now = model.now;
    let Some(view) = model.game_view_mut() else {
        return;
    };
    let is_next_game = view.game.number() != before.number();
    if is_next_game {
        view.on_game_started();
        if let Some(room) = view.room_mut() {
            room.lag = [None; 2];
        }
    }
    let ended = view
        .game
        .outcome()
        .filter(|_| is_next_game || before.outcome().is_none())
        .cloned();
    if let Some(outcome) = &ended {
        view.on_game_ended(outcome, now);
    }
    let notifications = notifications(before, view);
    if notifications.is_empty() {
        return;
    }
    if view.game.phase() != Phase::Playing || is_next_game {
        // An answer would be about another game.
        model.close_question();
    }
    for notification in notifications {
        out.notify(model, notification);
    }
    event_notes::print_board(model, out);
    if ended.is_some()
        && model
            .game_view()
            .is_some_and(|view| view.own_seat().is_some() && !view.has_opponent_left())
    {
        out.notify(model, Notification::PlayAgain);
    }
}

fn notifications(before: &Game, view: &GameView) -> Vec<Notification> {
    let game = &view.game;
    let (rules, is_next_game) = (*game.rules(), game.number() != before.number());
    let (old, moves) = (before.position().moves(), game.position().moves());
    let common = old
        .iter()
        .zip(moves)
        .take_while(|(old, new)| old == new)
        .count();
    let known = if is_next_game { 0 } else { common };
    // Only the last report says whose turn it is.
    let next_after = |ply: usize| {
        if ply == moves.len() {
            event_notes::next_move(view)
        } else {
            NextMove::Other
        }
    };
    let mut notifications = Vec::new();
    if is_next_game {
        let started = view.players().map(|players| Notification::Started {
            number: game.number(),
            rules,
            players,
            next: next_after(0),
        });
        notifications.extend(started);
    } else {
        let is_new = |seat: &Seat| game.player(*seat) != before.player(*seat);
        let players = Seat::ALL
            .into_iter()
            .filter(is_new)
            .filter_map(|seat| view.player_ref(seat));
        notifications.extend(players.filter(|who| !who.you).map(Notification::Seated));
        if known < old.len() {
            let plies = u8::try_from(old.len() - known).unwrap_or(u8::MAX);
            notifications.push(Notification::TakenBack {
                plies,
                next: next_after(known),
            });
        }
    }
    notifications.extend(
        moves
            .iter()
            .enumerate()
            .skip(known)
            .filter_map(|(ply, &cell)| {
                let who = view.player_ref(Seat::ALL[ply % 2])?;
                Some(Notification::Moved {
                    who,
                    cell,
                    rules,
                    next: next_after(ply + 1),
                })
            }),
    );
    let outcome = game
        .outcome()
        .filter(|_| is_next_game || before.outcome().is_none());
    notifications.extend(outcome.zip(view.players()).map(|(outcome, players)| {
        Notification::GameOver {
            outcome: outcome.clone(),
            rules,
            players,
            score: game.score(),
        }
    }));
    let close_reason = game
        .close_reason()
        .filter(|_| before.close_reason().is_none());
    notifications.extend(close_reason.map(Notification::Closed));
    notifications
}
