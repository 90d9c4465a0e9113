//! The board: which boards exist, where their cells and lines are, and the positions on them.

pub mod cell;
pub mod geometry;
pub mod position;
pub mod rules;
