//! Players and result of a game record.

use noughts_protocol::{Outcome, Rules, Seat};

use crate::facts::PlayerRef;
use crate::i18n::Texts;

/// Returns the players of a record. Invalid names in the file are hidden.
pub(in crate::ui) fn player_refs(players: &[String; 2]) -> Option<[PlayerRef; 2]> {
    let player_ref = |seat: Seat| {
        let name = players[seat.index()]
            .parse()
            .or_else(|_| "?".parse())
            .ok()?;
        Some(PlayerRef {
            seat,
            name,
            you: false,
        })
    };
    Some([player_ref(Seat::X)?, player_ref(Seat::O)?])
}

pub(in crate::ui) fn record_players(players: &[String; 2]) -> Vec<String> {
    player_refs(players)
        .into_iter()
        .flatten()
        .map(|who| format!("{}: {}", who.seat, who.name))
        .collect()
}

pub(in crate::ui) fn record_outcome(
    texts: Texts,
    players: &[String; 2],
    outcome: Option<&Outcome>,
    rules: &Rules,
) -> String {
    match (outcome, player_refs(players)) {
        (Some(outcome), Some(players)) => texts.outcome(outcome, rules, &players),
        (Some(_), None) | (None, _) => texts.no_result().to_owned(),
    }
}
