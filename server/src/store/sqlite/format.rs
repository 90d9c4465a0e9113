//! The rows of the database file: their encoding and the schema.

pub(super) mod commit_row;
pub(super) mod room_index;
pub(super) mod row;
pub(super) mod schema;
