//! Work of the writer thread in the background: reclaiming space and deleting old games.

pub(super) mod compaction;
pub(super) mod retention;
pub(super) mod wal_monitor;
