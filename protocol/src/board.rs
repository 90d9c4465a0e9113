//! The board: the possible boards, their cells and lines, and the positions on them.

pub mod cell;
pub mod geometry;
pub mod position;
pub mod rules;
