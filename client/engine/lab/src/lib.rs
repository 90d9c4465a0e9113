//! Proofs of game values that take longer than a move: the winner of a position, weak games, forced wins, and their
//! certificates.
//!
//! The README lists the programs that use these proofs, and the formats of the certificates.

mod bucket_table;
mod certificate_text;
mod forced_win;
pub mod proof_task;
mod proven_winner;
#[cfg(test)]
mod tests;
mod weak_game;
mod win_certificate;

pub use certificate_text::{CertificateError, CertificateFault, MAX_CERTIFICATE_NODES};
pub use forced_win::{ForcedWinResult, prove_forced_win};
pub use proven_winner::{ProvenWinner, prove_winner};
pub use weak_game::{
    CertifiedWeakGame, WeakGameResult, WeakGameRole, check_weak_game_certificate, solve_weak_game,
    write_weak_game_certificate,
};
pub use win_certificate::{CertifiedWin, check_win_certificate, write_win_certificate};

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use noughts_engine::SearchLimits;
use noughts_engine::internals::SearchBudget;

/// Runs a search with a limit of nodes and no other limit.
fn with_node_limit<T>(
    max_nodes: Option<u64>,
    search: impl FnOnce(&mut SearchBudget<'_>) -> T,
) -> T {
    let limits = SearchLimits {
        nodes: max_nodes,
        ..SearchLimits::default()
    };
    let stop = AtomicBool::new(false);
    search(&mut SearchBudget::new(limits, &|| Duration::ZERO, &stop))
}
