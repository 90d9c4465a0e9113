//! The weak game (Maker–Breaker game): one seat, the maker, tries to complete a line; the other seat, the breaker, only
//! blocks, and lines of its own do not count. If the breaker holds the weak game, the maker cannot win the position.
//! Two such proofs, one for each seat as the maker, prove a draw. A win of the maker in the weak game does not prove a
//! win in the game itself, because there the maker must also answer the threats of its opponent.
//!
//! The position of a weak game is a hypergraph: an edge for each line that the breaker has not blocked, with the free
//! cells that the maker still lacks. The maker removes a cell from all edges, the breaker removes all edges of a cell.
//! Board, directions and stones do not matter, so that one search serves every board. Valid in normal free placement;
//! with `exact` a blocked line stays blocked, so that a breaker who holds also holds there.
//!
//! # Search
//!
//! `search.rs` is a depth-first proof-number search (Nagai, 2002). Four techniques reduce it:
//!
//! * *Reduction* (`reduction.rs`, `pairing.rs`): removes lines that contain another line, and lines that the breaker
//!   blocks by a pairing that no other line disturbs. Only a core remains, which is empty in most positions.
//! * *Dominance* (`hypergraph.rs`): a cell is not worth a move if all its edges also contain another cell.
//! * *Relevance zones* (`zones.rs`): each proof names the free cells that it needs. A move of the loser outside the zone
//!   of a refutation is refuted by the same reply, so that only the moves in the intersection of all zones remain (Wu and
//!   Lin, "Relevance-zone-oriented proof search for Connect6", 2010; Hsu et al., "On solving the 7,7,5-game and the
//!   8,8,5-game", 2020).
//! * *Transpositions*: positions with the same core share an entry of the table, as do the symmetric images of
//!   positions with few stones.
//!
//! The table compares keys of 128 bits, not whole positions. A certificate (`certificate_writer.rs`, `certificate.rs`)
//! turns the proof of a breaker into data that a check without a search accepts or rejects.

mod certificate;
mod certificate_writer;
mod hypergraph;
mod pairing;
mod proof_numbers;
mod reduction;
mod search;
#[cfg(test)]
mod tests;
mod zones;

use noughts_protocol::{Cell, Position, Seat};

use crate::certificate_text::{MAX_CELLS, MAX_CERTIFICATE_NODES, head_text};
use crate::with_node_limit;
pub use certificate::{CertifiedWeakGame, check_weak_game_certificate};
use certificate_writer::CertificateWriter;
use hypergraph::MAX_EDGES;
use noughts_engine::internals::BitWord;
use noughts_engine::internals::SearchBudget;
pub use proof_numbers::WeakGameRole;
use search::WeakGameSearch;

/// Result of [`solve_weak_game`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeakGameResult {
    /// The winner with perfect play. `None` if the limits did not suffice.
    pub winner: Option<WeakGameRole>,
    /// Number of positions visited.
    pub nodes: u64,
}

/// Solves the weak game of an unfinished position with `maker` as the maker, in a table of 2^`table_bits` entries of at
/// most 64 bytes; `table_bits` is limited to 1 to 26. Returns `None` with gravity and misère, where a blocked line does
/// not decide, and for boards of more than 128 cells or 254 lines.
///
/// The search visits at most `max_nodes` positions and has no time limit. Equal numbers give equal results.
pub fn solve_weak_game(
    position: &Position,
    maker: Seat,
    table_bits: u32,
    max_nodes: Option<u64>,
) -> Option<WeakGameResult> {
    with_node_limit(max_nodes, |budget| {
        let winner = solve_within(position, maker, table_bits, budget)?;
        Some(WeakGameResult {
            winner,
            nodes: budget.nodes,
        })
    })
}

/// Returns whether the position is proven to be a draw: each seat holds the weak game of the other seat. `false` proves
/// nothing. The position must not be over.
pub(super) fn is_proven_draw(
    position: &Position,
    table_bits: u32,
    budget: &mut SearchBudget<'_>,
) -> bool {
    // Strategy stealing: an extra stone never harms, so the first player does not lose from the empty board.
    let is_stolen = position.ply() == 0 && !position.rules().exact();
    let holds = |maker, budget: &mut SearchBudget<'_>| {
        solve_within(position, maker, table_bits, budget) == Some(Some(WeakGameRole::Breaker))
    };
    holds(position.turn(), budget) && (is_stolen || holds(position.turn().other(), budget))
}

/// Like [`solve_weak_game`]: the outer `None` for boards without a weak game, the inner `None` if the budget did not
/// suffice.
pub(super) fn solve_within(
    position: &Position,
    maker: Seat,
    table_bits: u32,
    budget: &mut SearchBudget<'_>,
) -> Option<Option<WeakGameRole>> {
    if !has_weak_game(position) {
        return None;
    }
    match position.rules().cells() {
        ..=64 => Some(solve::<u64>(position, maker, table_bits, budget)),
        65..=128 => Some(solve::<u128>(position, maker, table_bits, budget)),
        _ => None,
    }
}

fn has_weak_game(position: &Position) -> bool {
    let rules = position.rules();
    !rules.gravity() && !rules.misere() && position.geometry().window_count() <= MAX_EDGES
}

fn role_to_move(position: &Position, maker: Seat) -> WeakGameRole {
    if position.turn() == maker {
        WeakGameRole::Maker
    } else {
        WeakGameRole::Breaker
    }
}

fn solve<B: BitWord>(
    position: &Position,
    maker: Seat,
    table_bits: u32,
    budget: &mut SearchBudget<'_>,
) -> Option<WeakGameRole> {
    let turn = role_to_move(position, maker);
    let symmetries = position.geometry().symmetries();
    let mut search = WeakGameSearch::new(&symmetries, table_bits);
    search
        .solve(edges::<B>(position, maker), turn, 0, budget)
        .map(|proof| proof.winner)
}

/// Writes a certificate that `maker` cannot win an unfinished position, in the format of the README, with a table of
/// 2^`table_bits` entries, as in [`solve_weak_game`]. Returns `None` if the breaker does not hold the weak game, if
/// `max_nodes` does not suffice, if the strategy has more than [`MAX_CERTIFICATE_NODES`] nodes, with gravity and
/// misère, and for boards of more than 128 cells or 254 lines. The search has no time limit.
pub fn write_weak_game_certificate(
    position: &Position,
    maker: Seat,
    table_bits: u32,
    max_nodes: Option<u64>,
) -> Option<String> {
    let rules = position.rules();
    let is_supported = has_weak_game(position) && rules.cells() <= MAX_CELLS;
    if !is_supported {
        return None;
    }
    let nodes = with_node_limit(max_nodes, |budget| match rules.cells() {
        ..=64 => write_nodes::<u64>(position, maker, table_bits, budget),
        _ => write_nodes::<u128>(position, maker, table_bits, budget),
    })?;
    Some(head_text(position, "maker", maker) + &nodes)
}

/// Returns the nodes of a certificate; `None` if the search proves nothing.
fn write_nodes<B: BitWord>(
    position: &Position,
    maker: Seat,
    table_bits: u32,
    budget: &mut SearchBudget<'_>,
) -> Option<String> {
    let mut search = WeakGameSearch::<B>::new(&position.geometry().symmetries(), table_bits);
    let turn = role_to_move(position, maker);
    CertificateWriter::new(&mut search, MAX_CERTIFICATE_NODES).write(
        &edges(position, maker),
        turn,
        budget,
    )
}

/// Returns the free cells of each line without a stone of the breaker.
fn edges<B: BitWord>(position: &Position, maker: Seat) -> Vec<B> {
    let seat = |cell: &Cell| position.stone_at(*cell);
    let live = position
        .geometry()
        .windows()
        .filter(|window| window.iter().all(|cell| seat(cell) != Some(maker.other())));
    let free = |window: &[Cell]| {
        let cells = window.iter().filter(|cell| seat(cell).is_none());
        cells.fold(B::EMPTY, |edge, cell| {
            edge | B::from_bit(cell.index() as u32)
        })
    };
    live.map(free).collect()
}
