//! What a bot reports to the program that runs it.

use noughts_protocol::{Outcome, Player, Position, Seat};

use crate::engines::player_engine::child_process::EngineError;

/// What a bot reports while it plays.
#[derive(Clone, Debug)]
pub enum BotReport {
    GameEnded(Box<BotGameResult>),
    /// The engine failed in this position.
    EngineFailed(EngineError, Box<Position>),
}

/// A game of a bot that has ended.
#[derive(Clone, Debug)]
pub struct BotGameResult {
    /// The seat of the bot.
    pub seat: Seat,
    /// X and O.
    pub players: [Option<Player>; 2],
    /// The last position.
    pub position: Position,
    pub outcome: Outcome,
}
