//! The rows of the database file: their encoding, the schema, and migrations between formats.

pub(super) mod commit_row;
pub(super) mod migrate;
pub(super) mod room_index;
pub(super) mod row;
pub(super) mod schema;
