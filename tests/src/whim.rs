//! What a player of chance asks of its room: anything that there is to ask for in a game, and the next
//! game after it.

use noughts_protocol::wire::{Command, RejectCode};
use noughts_protocol::{Game, Offer, Phase, Seat};

use crate::chance::Chance;

/// What chance would have the holder of `seat` do now; none while it is for the other one to act.
///
/// # Panics
/// When there is no game.
pub fn whim(view: &Game, seat: Seat, chance: &mut Chance) -> Option<Command> {
    let (seq, roll) = (view.seq(), chance.below(100));
    match view.phase() {
        Phase::Waiting | Phase::Closed => panic!("{seat} is in no game: {:?}", view.phase()),
        Phase::Over if view.offered(Offer::Rematch) == Some(seat) => None,
        Phase::Over => Some(Command::Offer { offer: Offer::Rematch }),
        Phase::Playing => {
            for offer in [Offer::Draw, Offer::Takeback] {
                if view.offered(offer) == Some(seat.other()) && roll < 60 {
                    let yes = Command::Accept { offer };
                    return Some(if roll < 25 { yes } else { Command::Decline { offer } });
                }
            }
            if roll < 3 {
                return Some(Command::Offer { offer: Offer::Draw });
            }
            if roll < 8 && view.takeback_plies(seat).is_some() {
                return Some(Command::Offer { offer: Offer::Takeback });
            }
            if roll == 8 {
                return Some(Command::Resign);
            }
            let position = view.position();
            if position.turn() != seat {
                return None;
            }
            let legal: Vec<_> = position.legal_moves().collect();
            let cell = legal[chance.below(legal.len() as u64) as usize];
            Some(Command::Move { cell, seq })
        }
    }
}

/// Whether what both wanted at once may be refused like this: it came too late, and nothing is lost or
/// done.
pub fn too_late(code: RejectCode) -> bool {
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
