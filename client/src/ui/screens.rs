//! Full screens, one module each.

pub(super) mod analysis;
pub(super) mod form;
pub(super) mod game;
pub(super) mod home;
pub(super) mod lobby;
pub(super) mod multi_watch;
pub(crate) mod overlays;
pub(super) mod own_games;
pub(super) mod waiting;
