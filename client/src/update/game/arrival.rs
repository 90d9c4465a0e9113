//! Reports to a player who enters a room, or who returns to one from a local game.

use noughts_protocol::{Phase, Seat};

use super::event_notes;
use crate::facts::Notification;
use crate::model::{GameView, Model, Session, SessionGoal};
use crate::update::effect::Effects;

/// Reports the room on the screen as the player enters it.
pub(in crate::update) fn notify_arrival(model: &mut Model, out: &mut Effects) {
    let (Some(view), Some(session)) = (model.game_view(), &model.session) else {
        return;
    };
    for notification in arrival_notifications(view, session) {
        out.notify(model, notification);
    }
}

/// The notifications on entering a room.
fn arrival_notifications(view: &GameView, session: &Session) -> Vec<Notification> {
    let game = &view.game;
    let (rules, clock) = (*game.rules(), game.control());
    let waiting_for_a_bot = matches!(session.goal, SessionGoal::Create { bot: Some(_), .. });
    match (game.phase(), view.room()) {
        // The invitation of the bot is reported next.
        (Phase::Waiting, Some(_)) if waiting_for_a_bot => Vec::new(),
        (Phase::Waiting, Some(room)) if room.seat.is_some() => {
            vec![Notification::Invite {
                server: session.invite_server().clone(),
                room: room.room_ref(),
                rules,
                clock,
            }]
        }
        (Phase::Playing, Some(room)) if game.position().ply() == 0 && room.seat.is_some() => {
            event_notes::started_notification(view)
                .into_iter()
                .collect()
        }
        (Phase::Waiting | Phase::Playing | Phase::Over | Phase::Closed, room) => {
            let players = Seat::ALL.map(|seat| game.player(seat).cloned());
            let you = room.and_then(|room| room.seat);
            let mut notifications = vec![Notification::Joined {
                rules,
                clock,
                players,
                you,
                next: view.next_move(),
            }];
            // A player who returns to a finished game needs its result.
            if let (Some(_), Some(outcome), Some(players)) = (you, game.outcome(), view.players()) {
                notifications.push(Notification::GameOver {
                    outcome: outcome.clone(),
                    rules,
                    players,
                    score: game.score(),
                });
            }
            notifications
        }
    }
}
