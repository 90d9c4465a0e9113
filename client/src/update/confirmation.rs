//! Yes/no questions to the player.

use super::effect::Effects;
use super::{game_commands, quit};
use crate::facts::Confirmation;
use crate::model::{Model, Overlay};

/// Asks on the full screen whether to resign.
pub(super) fn confirm_resign(model: &mut Model) {
    model.overlay = Some(Overlay::Confirmation(Confirmation::Resign));
}

/// Answers the open question.
pub(super) fn answer(model: &mut Model, confirmed: bool, out: &mut Effects) {
    let Some(Overlay::Confirmation(confirmation)) = model.overlay.take() else { return };
    if confirmed {
        match confirmation {
            Confirmation::Leave => quit::leave(model, out),
            Confirmation::Resign => game_commands::resign(model, out),
        }
    }
}
