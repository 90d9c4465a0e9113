//! Playouts: games played to the end with moves that the caller chooses, for example at random, as in Monte Carlo
//! search.

use crate::{Position, Status};

/// Plays a copy of the position to the end and returns the final status; a finished game keeps its status.
///
/// For each move, `choose` receives the number of landing cells and returns an index from 0; an index that is too large
/// means the last landing cell. At first the landing cells are in increasing order. After each move, the cell above the
/// chosen cell takes its index; without a cell above, the last landing cell does.
///
/// ```
/// use noughts_protocol::{Position, Seat, Status, playout};
/// let board = Position::new("3x3:3".parse().unwrap());
/// // X takes a1, c3, a3 and b2, O b3, c2 and a2.
/// let mut turn = 0;
/// let end = playout(&board, |count| { turn += 1; if turn % 2 == 1 { 0 } else { count - 1 } });
/// assert_eq!((end, turn), (Status::Won(Seat::X), 7));
/// ```
pub fn playout(position: &Position, mut choose: impl FnMut(usize) -> usize) -> Status {
    position.ended_by(&mut choose)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cell;
    use crate::rng::split_mix64;

    /// Compares playouts with the same choices played on a `Position`.
    #[test]
    fn playouts_end_as_played_games_do() {
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
            for seed in 0..150_u64 {
                let number = |ply: usize, count: usize| {
                    let mixed = split_mix64(seed * 131 + ply as u64);
                    // Includes numbers that are too large.
                    ((mixed >> 32) as usize % (count + 1), count)
                };
                let mut played = position.clone();
                for ply in 0..(seed % 3) as usize {
                    let (chosen, count) = number(90 + ply, played.legal_count());
                    played
                        .play(played.legal_nth(chosen.min(count - 1)).unwrap())
                        .unwrap();
                }
                let mut ply = 0;
                let end = playout(&played, |count| {
                    ply += 1;
                    number(ply, count).0
                });
                let mut cells: Vec<Cell> = played.legal_moves().collect();
                let mut plies = 0;
                while played.status() == Status::Ongoing {
                    plies += 1;
                    let chosen = number(plies, cells.len()).0.min(cells.len() - 1);
                    played.play(cells[chosen]).unwrap();
                    match played.landing_cell(cells[chosen]) {
                        Ok(above) => cells[chosen] = above,
                        Err(_) => {
                            cells.swap_remove(chosen);
                        }
                    }
                }
                assert_eq!((end, ply), (played.status(), plies), "{played:?}");
                assert_eq!(playout(&played, |_| panic!("nothing to choose")), end);
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
