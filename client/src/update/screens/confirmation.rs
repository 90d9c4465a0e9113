//! Yes/no questions to the player.

use noughts_protocol::wire::Claim;
use noughts_protocol::{Offer, Phase};

use super::{menus, own_games, quit};
use crate::facts::Confirmation;
use crate::model::{Model, Overlay};
use crate::update::game::game_commands;
use crate::update::message::Effects;

/// Asks on the full screen whether to resign, or to abort if both players have not moved yet.
pub(in crate::update) fn confirm_resign(model: &mut Model) {
    let question = if model.can_abort() {
        Confirmation::Abort
    } else {
        Confirmation::Resign
    };
    model.overlay = Some(Overlay::Confirmation(question));
}

/// Asks on the full screen whether to claim a draw against an absent opponent, because a draw gives away the win.
pub(in crate::update) fn confirm_draw_claim(model: &mut Model) {
    model.overlay = Some(Overlay::Confirmation(Confirmation::ClaimDraw));
}

/// Offers a draw. Between two people at one terminal, an offer counts as accepted, so the full screen asks them first.
pub(in crate::update) fn offer_draw(model: &mut Model, out: &mut Effects) {
    let is_immediate = model.game_view().is_some_and(|view| {
        view.room().is_none() && view.own_seat().is_none() && view.game.phase() == Phase::Playing
    });
    if is_immediate {
        model.overlay = Some(Overlay::Confirmation(Confirmation::AgreeDraw));
    } else {
        game_commands::offer(model, Offer::Draw, out);
    }
}

/// Asks on the full screen whether to delete the selected game.
pub(in crate::update) fn confirm_deletion(model: &mut Model) {
    let games = model.screen.as_own_games();
    if games.is_some_and(|games| games.selected_game().is_some()) {
        model.overlay = Some(Overlay::Confirmation(Confirmation::DeleteGame));
    }
}

/// Asks whether to stop looking for an opponent and to invite a friend. If the client is not looking for an opponent
/// yet, invites a friend immediately.
pub(in crate::update) fn confirm_end_of_search(model: &mut Model, out: &mut Effects) {
    let is_seeking = model
        .session
        .as_ref()
        .is_some_and(|session| session.seeking_since.is_some());
    model.overlay = Some(Overlay::Confirmation(Confirmation::InviteFriend));
    if !is_seeking {
        answer(model, true, out);
    }
}

/// Closes the question whether to stop looking for an opponent, because an opponent has come.
pub(in crate::update) fn close_question_about_search(model: &mut Model) {
    if matches!(
        model.overlay,
        Some(Overlay::Confirmation(
            Confirmation::InviteFriend | Confirmation::WatchInstead
        ))
    ) {
        model.overlay = None;
    }
}

/// Answers the open question.
pub(in crate::update) fn answer(model: &mut Model, confirmed: bool, out: &mut Effects) {
    let Some(Overlay::Confirmation(confirmation)) = model.overlay.take() else {
        return;
    };
    if confirmed {
        match confirmation {
            Confirmation::Leave { effect } => quit::leave_game(model, effect, out),
            Confirmation::Resign => game_commands::resign(model, out),
            // Both players have moved since the question was asked.
            Confirmation::Abort if !model.can_abort() => confirm_resign(model),
            Confirmation::Abort => game_commands::abort(model, out),
            Confirmation::ClaimDraw => game_commands::claim(model, Claim::Draw, out),
            Confirmation::AgreeDraw => game_commands::offer(model, Offer::Draw, out),
            Confirmation::InviteFriend => menus::invite_friend_instead(model, out),
            Confirmation::WatchInstead => menus::watch_selected_room(model, out),
            Confirmation::CloseRoom => quit::leave(model, out),
            Confirmation::DeleteGame => own_games::delete_selected(model, out),
        }
    }
}
