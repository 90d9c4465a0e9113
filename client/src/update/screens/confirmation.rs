//! Yes/no questions to the player.

use super::quit;
use crate::facts::Confirmation;
use crate::model::{Model, Overlay};
use crate::update::effect::Effects;
use crate::update::game::game_commands;

/// Asks on the full screen whether to resign.
pub(in crate::update) fn confirm_resign(model: &mut Model) {
    model.overlay = Some(Overlay::Confirmation(Confirmation::Resign));
}

/// Answers the open question.
pub(in crate::update) fn answer(model: &mut Model, confirmed: bool, out: &mut Effects) {
    let Some(Overlay::Confirmation(confirmation)) = model.overlay.take() else { return };
    if confirmed {
        match confirmation {
            Confirmation::Leave { .. } => quit::leave(model, out),
            Confirmation::Resign => game_commands::resign(model, out),
        }
    }
}
