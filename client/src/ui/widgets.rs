//! Parts of screens that several screens draw.

pub(super) mod board;
pub(super) mod grid;
pub(super) mod panel;
