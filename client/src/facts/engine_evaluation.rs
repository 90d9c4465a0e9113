//! The evaluation that an engine sends to spectators.

use noughts_protocol::Cell;
use noughts_protocol::wire::Evaluation;

/// The latest evaluation of a player's engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineEvaluation {
    /// Score of the position from the engine's side.
    pub score: Evaluation,
    /// Principal variation: the moves that the engine expects from both sides.
    pub pv: Vec<Cell>,
}
