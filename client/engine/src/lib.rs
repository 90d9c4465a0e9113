//! The bot's thinking: which move to make on any board of the family.
//!
//! The search is pure: the position, the limits, the time and the wish to stop come in as arguments.
//! Only [`best_move_timed`] reads a clock, for callers who have none of their own.

mod alpha_beta;
mod board;
pub mod book;
mod dfpn;
mod level;
mod limits;
mod root_search;
mod solver;
mod strategies;
#[cfg(test)]
mod tests;
mod vcf;

pub use level::{Level, LevelError};
pub use limits::{SearchLimits, SearchResult};
pub use noughts_protocol::wire::Evaluation;
pub use root_search::{best_move, best_move_timed, evaluate};
