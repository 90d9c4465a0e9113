//! Full screens, one module each.

pub(super) mod form;
pub(super) mod game;
pub(super) mod game_picker;
pub(crate) mod help;
pub(super) mod home;
pub(super) mod lobby;
pub(super) mod moves;
pub(super) mod multi_watch;
pub(super) mod replay;
pub(super) mod say;
pub(super) mod waiting;
