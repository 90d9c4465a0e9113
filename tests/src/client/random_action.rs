//! Random player: every command that a game and its rematch allow.

use noughts_protocol::wire::{RejectCode, RoomCommand};
use noughts_protocol::{Game, Offer, Phase, Seat};

use crate::rng::SeededRng;

/// Returns a random command for the holder of `seat`, or `None` if it is the opponent's turn to act.
///
/// # Panics
///
/// If the room has no game.
pub fn random_action(view: &Game, seat: Seat, rng: &mut SeededRng) -> Option<RoomCommand> {
    let (seq, roll) = (view.seq(), rng.random_below(100));
    match view.phase() {
        Phase::Waiting | Phase::Closed => panic!("{seat} is not in a game: {:?}", view.phase()),
        Phase::Over if view.offered_by(Offer::Rematch) == Some(seat) => None,
        Phase::Over => Some(RoomCommand::Offer {
            offer: Offer::Rematch,
        }),
        Phase::Playing => {
            for offer in [Offer::Draw, Offer::Takeback] {
                if view.offered_by(offer) == Some(seat.other()) && roll < 60 {
                    let yes = RoomCommand::Accept { offer };
                    return Some(if roll < 25 {
                        yes
                    } else {
                        RoomCommand::Decline { offer }
                    });
                }
            }
            if roll < 3 {
                return Some(RoomCommand::Offer { offer: Offer::Draw });
            }
            if roll < 8 && view.takeback_plies(seat).is_some() {
                return Some(RoomCommand::Offer {
                    offer: Offer::Takeback,
                });
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

/// Returns whether a simultaneous action of the opponent can cause this reject. Nothing is changed by such a
/// request.
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
