//! Winner of a position by several threads with one transposition table.
//!
//! Each thread searches the whole tree. It defers a move that another thread searches at this moment, so that the threads divide
//! the moves of a position among them, and reads the results of the others from the table (T. Kerrigan, "Simplified ABDADA";
//! J.-C. Weill, "The ABDADA distributed minimax search algorithm", 1996). The order in which the threads meet varies from run
//! to run; the value is proven and does not.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::{
    BitLayout, BoardKind, BusyPositions, SearchBudget, Solver, SolverTable, StaticResult, layout,
};
use noughts_protocol::{Geometry, Position, Seat, Status};

use crate::weak_game;

/// Maximum number of positions of the weak games, which precede the search: a few minutes. Where the maker wins, they end far
/// earlier on most boards.
const MAX_WEAK_GAME_NODES: u64 = 100_000_000;
/// Size of the table of the weak games, as a power of two: at most 128 MB on boards of up to 64 cells.
const WEAK_GAME_TABLE_BITS: u32 = 21;

/// Winner of a position with perfect play of both sides, and the cost of the proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProvenWinner {
    /// `None` for a draw.
    pub winner: Option<Seat>,
    /// Number of positions that all threads visited.
    pub nodes: u64,
}

/// Finds the winner with perfect play, without limits, by `threads` threads, which share a table of 2^`table_bits` slots of 16
/// bytes. In free placement, proofs of a draw by weak games come first, in one thread. `None` for boards that do not fit into 128
/// bits and have no such proof.
///
/// Equal arguments give the same winner; with more than one thread the number of visited positions varies.
pub fn prove_winner(position: &Position, threads: usize, table_bits: u32) -> Option<ProvenWinner> {
    match position.status() {
        Status::Won(seat) => {
            return Some(ProvenWinner {
                winner: Some(seat),
                nodes: 0,
            });
        }
        Status::Drawn => {
            return Some(ProvenWinner {
                winner: None,
                nodes: 0,
            });
        }
        Status::Ongoing => {}
    }
    let wins = |cell| position.status_after(cell) == Ok(Status::Won(position.turn()));
    if position.legal_moves().any(wins) {
        return Some(ProvenWinner {
            winner: Some(position.turn()),
            nodes: 0,
        });
    }
    let limits = SearchLimits {
        nodes: Some(MAX_WEAK_GAME_NODES),
        ..SearchLimits::default()
    };
    let stop = AtomicBool::new(false);
    let mut budget = SearchBudget::new(limits, &|| Duration::ZERO, &stop);
    if weak_game::is_proven_draw(position, WEAK_GAME_TABLE_BITS.min(table_bits), &mut budget) {
        return Some(ProvenWinner {
            winner: None,
            nodes: budget.nodes,
        });
    }
    let geometry = position.geometry();
    let mut proven = match layout(geometry) {
        BoardKind::Square(square) => {
            ParallelSearch::new(square, geometry, threads, table_bits).run(position)
        }
        BoardKind::Padded(padded) => {
            ParallelSearch::new(padded, geometry, threads, table_bits).run(position)
        }
        BoardKind::None => return None,
    };
    proven.nodes += budget.nodes;
    Some(proven)
}

/// Searches of one position.
struct ParallelSearch<'g, L> {
    layout: L,
    geometry: &'g Geometry,
    threads: usize,
    table: SolverTable,
    busy: SharedBusyPositions,
}

impl<'g, L: BitLayout + Clone + Sync> ParallelSearch<'g, L> {
    fn new(layout: L, geometry: &'g Geometry, threads: usize, table_bits: u32) -> Self {
        let table = SolverTable::new_fixed(table_bits.clamp(1, 30));
        ParallelSearch {
            layout,
            geometry,
            threads: threads.max(1),
            table,
            busy: SharedBusyPositions::new(),
        }
    }

    fn run(&self, position: &Position) -> ProvenWinner {
        let (is_win, win_nodes) = self.search_above(position, 0);
        let turn = position.turn();
        if is_win {
            return ProvenWinner {
                winner: Some(turn),
                nodes: win_nodes,
            };
        }
        let (is_held, held_nodes) = self.search_above(position, -1);
        let winner = if is_held { None } else { Some(turn.other()) };
        ProvenWinner {
            winner,
            nodes: win_nodes + held_nodes,
        }
    }

    /// Whether the value for the side to move is above `alpha`, and the number of positions visited.
    fn search_above(&self, position: &Position, alpha: i32) -> (bool, u64) {
        let is_done = AtomicBool::new(false);
        let search = || {
            let mut budget =
                SearchBudget::new(SearchLimits::default(), &|| Duration::ZERO, &is_done);
            let mut solver = Solver::new(self.layout.clone(), self.geometry, &mut budget);
            solver.tt = self.table.clone();
            if self.threads > 1 {
                solver.busy = Some(&self.busy);
            }
            let state = solver.tables.position(position);
            let value = match solver.check_static(&state) {
                StaticResult::Value(value) => value,
                StaticResult::Moves(_) => solver.negamax(state, alpha, alpha + 1),
            };
            let is_found = !budget.halted;
            is_done.store(true, Ordering::Relaxed);
            (is_found.then_some(value > alpha), budget.nodes)
        };
        let results: Vec<_> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads).map(|_| scope.spawn(search)).collect();
            let own = search();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().expect("no search panics")
            };
            std::iter::once(own)
                .chain(others.into_iter().map(join))
                .collect()
        });
        let nodes = results.iter().map(|(_, nodes)| nodes).sum();
        let value = results.iter().find_map(|(value, _)| *value);
        (value.expect("the first thread to end has a value"), nodes)
    }
}

/// Slots for the positions that threads search, as a power of two.
const BUSY_BITS: u32 = 12;

/// Positions that threads search at this moment. A key that another one overwrites costs a duplicate search only.
#[derive(Debug)]
struct SharedBusyPositions(Vec<AtomicU64>);

impl SharedBusyPositions {
    fn new() -> SharedBusyPositions {
        SharedBusyPositions((0..1 << BUSY_BITS).map(|_| AtomicU64::new(0)).collect())
    }

    fn slot(&self, key: u64) -> &AtomicU64 {
        &self.0[(key >> (u64::BITS - BUSY_BITS)) as usize]
    }
}

impl BusyPositions for SharedBusyPositions {
    fn begin(&self, key: u64) -> bool {
        self.slot(key).swap(key, Ordering::Relaxed) != key
    }

    fn end(&self, key: u64) {
        // Another position may have taken the slot.
        self.slot(key)
            .compare_exchange(key, 0, Ordering::Relaxed, Ordering::Relaxed)
            .ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::position;
    use noughts_protocol::rng::split_mix64;

    #[test]
    fn one_thread_and_several_find_the_known_winners() {
        for (rules, winner) in [
            // Drawn by a weak game.
            ("6x6:5", None),
            ("4x4:4+gravity", None),
            ("5x4:4+gravity", None),
            ("4x5:4+gravity", None),
            ("4x3:3", Some(Seat::X)),
            ("5x5:4", None),
            ("4x4:3+misere", Some(Seat::O)),
            ("3x3x3:3", Some(Seat::X)),
        ] {
            for threads in [1, 2, 4] {
                // A table that is too small for all positions.
                let found = prove_winner(&position(rules, ""), threads, 14).unwrap();
                assert_eq!(found.winner, winner, "{rules}, {threads} threads");
                assert!(found.nodes > 0);
            }
        }
        assert_eq!(prove_winner(&position("15x15:5", ""), 1, 10), None);
        let won = prove_winner(&position("3x3:3", "a1 b1 a2 b2"), 1, 10).unwrap();
        assert_eq!(
            won,
            ProvenWinner {
                winner: Some(Seat::X),
                nodes: 0
            }
        );
    }

    #[test]
    fn several_threads_agree_with_one() {
        for seed in 0..12 {
            let mut game = position("7x6:4+gravity", "");
            let mut random = seed;
            while game.ply() < 22 && game.status() == Status::Ongoing {
                random = split_mix64(random);
                let any = game
                    .legal_nth((random % game.legal_count() as u64) as usize)
                    .unwrap();
                game.play(any).unwrap();
            }
            let winner = |threads| prove_winner(&game, threads, 16).unwrap().winner;
            assert_eq!(winner(1), winner(3), "{game:?}");
        }
    }

    #[test]
    fn a_position_is_busy_until_its_search_ends() {
        let busy = SharedBusyPositions::new();
        assert!(busy.begin(7 << 60));
        assert!(!busy.begin(7 << 60));
        // A position of the same slot takes it.
        assert!(busy.begin(7 << 60 | 1));
        busy.end(7 << 60);
        assert!(!busy.begin(7 << 60 | 1));
        busy.end(7 << 60 | 1);
        assert!(busy.begin(7 << 60 | 1));
    }
}
