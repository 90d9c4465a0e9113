//! Geometry of the full screen: where areas, boards and tiles lie, and what a click hits.
//!
//! Drawing (`ui`) and input (`update`) use the same geometry, so that a click hits the cell that was drawn there. This
//! module reads the model and draws nothing.

pub(crate) mod areas;
pub(crate) mod board_layout;
pub(crate) mod cell_size;
pub(crate) mod hit_test;
pub(crate) mod split;
pub(crate) mod tile_layout;
