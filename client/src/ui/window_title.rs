//! Title of the terminal's window: what is due, and who the opponent is.

use noughts_protocol::{Offer, Phase};

use crate::model::{GameView, Model, Screen, Stage};

/// Returns the title: the state of the game, the opponent, and the name of the program.
pub(crate) fn window_title(model: &Model) -> String {
    if let Screen::MultiWatch(grid) = &model.screen
        && let Some(opened) = grid.open_model()
    {
        return window_title(opened);
    }
    let program = model.lang().texts().program_title();
    let opponent = model.game_view().and_then(opponent_name);
    let parts = [state(model), opponent, Some(program.to_owned())];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" - ")
}

/// Returns the opponent's name, unless the state of the game names the player to move.
fn opponent_name(view: &GameView) -> Option<String> {
    let opponent = view.player_ref(view.opponent()?)?;
    let is_named =
        view.game.phase() == Phase::Playing && !view.can_move() && received_offer(view).is_none();
    (!is_named).then(|| opponent.name.to_string())
}

/// Returns the opponent's open offer.
fn received_offer(view: &GameView) -> Option<Offer> {
    let opponent = view.opponent()?;
    Offer::ALL
        .into_iter()
        .find(|&offer| view.game.offered_by(offer) == Some(opponent))
}

fn state(model: &Model) -> Option<String> {
    let texts = model.lang().texts();
    let stage = model.session.as_ref().map(|session| &session.stage);
    if matches!(stage, Some(Stage::Reconnecting { .. })) {
        return Some(texts.title_offline().to_owned());
    }
    if model.screen.is_waiting() {
        return Some(texts.title_waiting().to_owned());
    }
    let view = model.game_view()?;
    if let (Some(outcome), Some(players)) = (view.game.outcome(), view.players()) {
        return Some(texts.title_result(outcome, &players));
    }
    if let Some(offer) = received_offer(view) {
        return Some(texts.title_offer(offer).to_owned());
    }
    match view.game.phase() {
        Phase::Waiting => Some(texts.title_waiting().to_owned()),
        Phase::Playing if view.can_move() && view.own_seat().is_some() => {
            Some(texts.title_turn().to_owned())
        }
        Phase::Playing => {
            let who = view.player_ref(view.game.position().turn())?;
            Some(texts.to_move_headline(who.name.as_str()))
        }
        Phase::Over | Phase::Closed => None,
    }
}
