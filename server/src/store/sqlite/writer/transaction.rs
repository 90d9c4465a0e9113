//! Transactions of the writer.

use std::time::Duration;

use rusqlite::Connection;
use tokio::time::Instant;
use tracing::error;

/// Runs a function in a transaction, which is rolled back after an error. Returns the duration of its `COMMIT`.
pub(super) fn in_transaction(
    connection: &Connection,
    perform: impl FnOnce() -> rusqlite::Result<()>,
) -> rusqlite::Result<Duration> {
    let run = |sql| connection.prepare_cached(sql)?.execute([]).map(|_| ());
    run("BEGIN")?;
    let result = perform().and_then(|()| {
        let began = Instant::now();
        run("COMMIT").map(|()| began.elapsed())
    });
    // A failed COMMIT may have ended the transaction.
    if result.is_err()
        && !connection.is_autocommit()
        && let Err(failed) = run("ROLLBACK")
    {
        error!(error = %failed, "rollback failed");
    }
    result
}
