//! Geometry of the full screen: where boards and tiles lie.

pub(crate) mod board_layout;
pub(crate) mod tile_layout;
