//! Wins by threats alone: each stone threatens to complete a line, and has one reply, until one threatens twice.
//! (Victory by continuous fours: Allis, van den Herik and Huntjens, "Go-Moku and threat-space search", 1993.)

use super::stones::{Stones, each};
use super::windows::Windows;

/// Looks for such wins, and remembers where there is none.
#[derive(Debug)]
pub(crate) struct Threats {
    /// Keys of positions that have none, each at the place that its last bits say.
    without: Box<[u64]>,
    /// Positions that the present look may take, and those that it may still take.
    budget: u32,
    left: u32,
}

/// A win by threats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sequence {
    /// The stone to begin with.
    pub(crate) first: u8,
    /// Plies until the line is complete.
    pub(crate) plies: u32,
    /// The stones that threaten.
    pub(super) stones: u64,
    /// The cells where they threaten to complete a line: the replies, and where it ends.
    pub(super) replies: u64,
}

impl Threats {
    /// Remembers up to 2^`bits` positions.
    pub(crate) fn new(bits: u32) -> Threats {
        Threats { without: vec![0; 1 << bits].into(), budget: 0, left: 0 }
    }

    /// A win of this seat, which is to move and can complete no line at once, found among at most so many positions.
    pub(crate) fn win(
        &mut self,
        windows: &Windows,
        stones: &Stones,
        seat: usize,
        budget: u32,
    ) -> Option<Sequence> {
        (self.budget, self.left) = (budget, budget);
        self.look(windows, stones, seat)
    }

    /// How many positions the last look took.
    pub(super) fn looked(&self) -> u32 {
        self.budget - self.left + 1
    }

    fn look(&mut self, windows: &Windows, stones: &Stones, seat: usize) -> Option<Sequence> {
        // A threat of the other side has to be met by a threat.
        let must = stones.completing(windows, 1 - seat);
        if must & must.wrapping_sub(1) != 0 {
            return None;
        }
        let free = if must == 0 { stones.free(windows) } else { must };
        let (mut once, mut twice) = (0, 0);
        let mut twos = stones.lacking(windows, seat, 2);
        while twos != 0 {
            let cells = windows.cells[twos.trailing_zeros() as usize] & free;
            (once, twice) = (once | cells, twice | once & cells);
            twos &= twos - 1;
        }
        // Only where windows cross can a stone threaten twice.
        for first in each(twice) {
            let replies = stones.play(windows, seat, first).completing(windows, seat);
            if replies & (replies - 1) != 0 {
                return Some(Sequence { first, plies: 3, stones: 1 << first, replies });
            }
        }
        if once == 0 || self.left == 0 {
            return None;
        }
        let key = stones.key(seat);
        let place = key as usize & (self.without.len() - 1);
        if self.without[place] == key {
            return None;
        }
        self.left -= 1;
        for first in each(once) {
            let threat = stones.play(windows, seat, first);
            let reply = threat.completing(windows, seat);
            let next = threat.play(windows, 1 - seat, reply.trailing_zeros() as u8);
            if let Some(then) = self.look(windows, &next, seat) {
                return Some(Sequence {
                    first,
                    plies: then.plies + 2,
                    stones: then.stones | 1 << first,
                    replies: then.replies | reply,
                });
            }
        }
        // What was cut short may have one all the same.
        if self.left > 0 {
            self.without[place] = key;
        }
        None
    }
}
