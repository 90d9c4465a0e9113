//! Read-only access to stored data, also beside a running server.

pub(super) mod archive;
pub(super) mod backup;
pub(super) mod check;
