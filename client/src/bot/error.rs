//! Reasons why a bot stops of its own accord.

use noughts_protocol::wire::Reject;

use crate::connection::TerminationReason;
use crate::engines::player_engine::child_process::EngineError;
use crate::facts::Exit;

#[derive(Clone, Debug, thiserror::Error)]
pub enum BotError {
    /// The connection ended and is not retried.
    #[error(transparent)]
    Connection(#[from] TerminationReason),
    /// The server rejected the request for a game, for example because the room does not exist or is full.
    #[error("rejected by the server: {0}")]
    Rejected(Reject),
    /// The engine failed in several games in a row.
    #[error("engine failed: {0}")]
    Engine(EngineError),
}

impl BotError {
    /// Returns the exit code of a process that ends for this reason.
    pub fn exit_code(&self) -> u8 {
        match self {
            BotError::Connection(reason) => Exit::from(reason).code(),
            BotError::Rejected(_) => 4,
            BotError::Engine(_) => 1,
        }
    }
}
