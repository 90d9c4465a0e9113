//! Transfer of games between a cluster and data directories: the archive of finished games, import and export.

pub(crate) mod game_archiver;
pub(crate) mod room_export;
pub(crate) mod room_import;
mod shard_editor;
#[cfg(test)]
mod tests;
pub(crate) mod transfer_error;
