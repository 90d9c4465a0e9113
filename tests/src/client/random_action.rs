//! What a player of chance asks of its room: anything that there is to ask for in a game, and the next
//! game after it.

use noughts_protocol::wire::{RejectCode, RoomCommand};
use noughts_protocol::{Game, Offer, Phase, Seat};

use crate::rng::SeededRng;

/// What chance would have the holder of `seat` do now; none while it is for the other one to act.
///
/// # Panics
/// When there is no game.
pub fn random_action(view: &Game, seat: Seat, rng: &mut SeededRng) -> Option<RoomCommand> {
    let (seq, roll) = (view.seq(), rng.random_below(100));
    match view.phase() {
        Phase::Waiting | Phase::Closed => panic!("{seat} is in no game: {:?}", view.phase()),
        Phase::Over if view.offered_by(Offer::Rematch) == Some(seat) => None,
        Phase::Over => Some(RoomCommand::Offer { offer: Offer::Rematch }),
        Phase::Playing => {
            for offer in [Offer::Draw, Offer::Takeback] {
                if view.offered_by(offer) == Some(seat.other()) && roll < 60 {
                    let yes = RoomCommand::Accept { offer };
                    return Some(if roll < 25 { yes } else { RoomCommand::Decline { offer } });
                }
            }
            if roll < 3 {
                return Some(RoomCommand::Offer { offer: Offer::Draw });
            }
            if roll < 8 && view.takeback_plies(seat).is_some() {
                return Some(RoomCommand::Offer { offer: Offer::Takeback });
            }
            if roll == 8 {
                return Some(RoomCommand::Resign);
            }
            let position = view.position();
            if position.turn() != seat {
                return None;
            }
            let legal: Vec<_> = position.legal_moves().collect();
            let cell = legal[rng.random_below(legal.len() as u64) as usize];
            Some(RoomCommand::Move { cell, seq })
        }
    }
}

/// Whether what both wanted at once may be refused like this: it came too late, and nothing is lost or
/// done.
pub fn is_too_late(code: RejectCode) -> bool {
    matches!(
        code,
        RejectCode::Stale
            | RejectCode::NotYourTurn
            | RejectCode::GameOver
            | RejectCode::GameOn
            | RejectCode::NoOffer
            | RejectCode::AlreadyOffered
            | RejectCode::NothingToTakeBack
    )
}
