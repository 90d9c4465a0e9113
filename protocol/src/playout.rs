//! Games to their end by somebody else's choices, such as chance: what a search by sampling is made of.

use crate::{Position, Status};

/// Plays on until the game is over and says how it ended; a finished game stays as it ended. Of so many landing
/// cells in increasing order `choose` names one by its number, from 0 on; a number too large means the last. The
/// position is as it was when this returns.
///
/// ```
/// use noughts_protocol::{Position, Seat, Status, playout::playout};
/// let mut board = Position::new("3x3:3".parse().unwrap());
/// // X takes the first row while O fills the last.
/// let mut turn = 0;
/// let end = playout(&mut board, |count| { turn += 1; if turn % 2 == 1 { 0 } else { count - 1 } });
/// assert_eq!((end, turn), (Status::Won(Seat::X), 5));
/// assert_eq!(board.ply(), 0);
/// ```
pub fn playout(position: &mut Position, mut choose: impl FnMut(usize) -> usize) -> Status {
    if let Some(end) = position.square_playout(&mut choose) {
        return end;
    }
    let before = position.ply();
    while let count @ 1.. = position.legal_count() {
        let chosen = position.legal_nth(choose(count).min(count - 1));
        if chosen.is_none_or(|cell| position.play(cell).is_err()) {
            break;
        }
    }
    let end = position.status();
    while position.ply() > before {
        position.undo();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same choices, made on the board itself.
    #[test]
    fn it_ends_as_a_game_that_is_played() {
        let mut ends = [0, 0, 0];
        for rules in [
            "3x3:3",
            "3x3:3+misere",
            "7x6:4+gravity",
            "7x8:4",
            "5x4:3+exact",
            "2x7:2+gravity",
            "15x15:5",
            "3x3x3:3",
            "4x4x4:4+gravity",
        ] {
            let position = Position::new(rules.parse().unwrap());
            for seed in 0..100_u64 {
                let number = |ply: usize, count: usize| {
                    let mixed = (seed * 131 + ply as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    // Now and then a number that is too large.
                    ((mixed >> 32) as usize % (count + 1), count)
                };
                let mut played = position.clone();
                for ply in 0..(seed % 3) as usize {
                    let (chosen, count) = number(90 + ply, played.legal_count());
                    played.play(played.legal_nth(chosen.min(count - 1)).unwrap()).unwrap();
                }
                let from = played.ply();
                let mut ply = 0;
                let end = playout(&mut played, |count| {
                    ply += 1;
                    number(ply, count).0
                });
                assert_eq!((played.ply(), played.status()), (from, Status::Ongoing), "as it was");
                let mut plies = 0;
                while let count @ 1.. = played.legal_count() {
                    plies += 1;
                    played.play(played.legal_nth(number(plies, count).0.min(count - 1)).unwrap()).unwrap();
                }
                assert_eq!((end, ply), (played.status(), plies), "{played:?}");
                assert_eq!(playout(&mut played, |_| panic!("nothing to choose")), end);
                ends[match end {
                    Status::Won(seat) => seat.index(),
                    Status::Drawn => 2,
                    Status::Ongoing => panic!("{played:?}"),
                }] += 1;
            }
        }
        assert!(ends.iter().all(|&count| count > 20), "{ends:?}");
    }
}
