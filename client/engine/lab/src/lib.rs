//! Proofs of game values, for which a game has no time: the winner of a position, weak games, forced wins, and certificates of them.
//!
//! The README has the programs that use them, and the formats of certificates.

mod bucket_table;
mod certificate_text;
mod forced_win;
mod parallel;
pub mod proof_task;
#[cfg(test)]
mod tests;
mod weak_game;
mod win_certificate;

pub use certificate_text::{CertificateError, CertificateFault, MAX_CERTIFICATE_NODES};
pub use forced_win::{ForcedWinResult, prove_forced_win};
pub use parallel::{ProvenWinner, prove_winner};
pub use weak_game::{
    CertifiedWeakGame, WeakGameResult, WeakGameRole, check_weak_game_certificate, solve_weak_game,
    write_weak_game_certificate,
};
pub use win_certificate::{CertifiedWin, check_win_certificate, write_win_certificate};
