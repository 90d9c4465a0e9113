//! The stored log: crashes, failing disks, restarts and shutdown.

mod archive_size;
mod backup;
mod crash;
mod disk_faults;
mod finished_games;
mod operator_commands;
mod recovery;
mod removed_data;
mod room_panics;
mod shutdown;
mod store_failures;
