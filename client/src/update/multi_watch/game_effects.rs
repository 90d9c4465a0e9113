//! Effects of a watched game, as the program runs them: they carry the index of the game, and none of them ends the
//! program.

use crate::model::GameSlot;
use crate::update::message::{Effect, Effects, GameEffect};

/// Forwards the effects of one game. Returns whether the player wants to return to all games.
pub(in crate::update) fn forward(
    game: &mut GameSlot,
    index: usize,
    effects: Vec<Effect>,
    out: &mut Effects,
) -> bool {
    let mut wants_list = false;
    let mut last = None;
    for effect in effects {
        let game_effect = match effect {
            Effect::Notify(notification) => {
                last = Some(notification.clone());
                GameEffect::Notify {
                    room: game.label(index),
                    notification,
                }
            }
            Effect::Connect => {
                let Some(session) = &game.model.session else {
                    continue;
                };
                GameEffect::Connect {
                    server: session.server.clone(),
                    name: session.name.clone(),
                }
            }
            Effect::Send { body, request } => GameEffect::Send { body, request },
            Effect::Disconnect => GameEffect::Disconnect,
            // The other games continue.
            Effect::Quit(exit) => {
                game.exit = Some(exit);
                game.exit_reason = last.take();
                continue;
            }
            Effect::ReturnToMultiWatch => {
                wants_list = true;
                continue;
            }
            // These effects concern the whole program, whichever game they come from.
            effect @ (Effect::ForGame { .. }
            | Effect::StartServer(_)
            | Effect::StopServer
            | Effect::InviteBot { .. }
            | Effect::Search { .. }
            | Effect::StopSearch
            | Effect::Analyze(_)
            | Effect::SaveFile { .. }
            | Effect::ChangeSettings(_)
            | Effect::RingBell(_)
            | Effect::Copy(_)
            | Effect::ListSavedGames
            | Effect::SaveLastGame(_)
            | Effect::SavePuzzleProgress(_)
            | Effect::LockSavedGame(_)
            | Effect::SaveGame(_)
            | Effect::DeleteSavedGame
            | Effect::KeepGame(_)
            | Effect::ListOwnGames
            | Effect::AskArchive { .. }
            | Effect::DeleteOwnGame(_)
            | Effect::Suspend
            | Effect::Redraw) => {
                out.push(effect);
                continue;
            }
        };
        out.push(Effect::ForGame {
            index,
            effect: game_effect,
        });
    }
    wants_list
}
