//! The interface to the operating system: the terminal, the files of own games, resumable games, the identity and last
//! choices, bounded lines, localizable errors, and optional deadlines. The network is in `connection`.

pub(crate) mod identity_store;
pub(crate) mod io_error;
pub(crate) mod last_choices;
pub(crate) mod line_reader;
pub(crate) mod own_games;
pub(crate) mod saved_games;
mod state_folder;
pub(crate) mod terminal;

use tokio::time::Instant;

/// Waits until the deadline; without a deadline, forever. Cancel safe.
pub(crate) async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
