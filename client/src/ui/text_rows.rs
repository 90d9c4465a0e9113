//! Rows of text that the full screen and line mode share. This module does not draw.

pub(super) mod help;
pub(super) mod lobby;
pub(super) mod record;
