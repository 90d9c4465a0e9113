//! One player at a server, in the words that this server understands.

mod boardgame;
mod colyseus;
mod noughts;

use std::net::SocketAddr;

use noughts_protocol::Rules;

use crate::line::Framing;

/// What a server is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// The product's wire.
    Noughts(Framing),
    /// The wire of Colyseus 0.17.
    Colyseus,
    /// Socket.IO, and in it what boardgame.io 0.50 says.
    Boardgame,
}

/// Where to, and what to play there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) address: SocketAddr,
    pub(crate) dialect: Dialect,
    pub(crate) rules: Rules,
}

/// Which of two players, of which pair. Some servers pair by themselves; others are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// No other pair of this server has the same.
    pub(crate) pair: usize,
    /// 0 or 1.
    pub(crate) index: usize,
}

/// The two steps to another game with the marks swapped: the first player's and the second's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rematch {
    Offer,
    Accept,
}

/// A player.
#[derive(Debug)]
pub(crate) enum Player {
    Noughts(noughts::Player),
    Colyseus(colyseus::Player),
    Boardgame(boardgame::Player),
}

impl Player {
    /// Connects and asks to be paired.
    pub(crate) async fn seek(table: Table, place: Place) -> anyhow::Result<Player> {
        Ok(match table.dialect {
            Dialect::Noughts(framing) => Player::Noughts(noughts::Player::seek(table, framing).await?),
            Dialect::Colyseus => {
                Player::Colyseus(colyseus::Player::join(table.address, "game", place.index).await?)
            }
            Dialect::Boardgame => Player::Boardgame(boardgame::Player::join(table.address, place).await?),
        })
    }

    /// Connects as far as one can without a game.
    pub(crate) async fn idle(table: Table) -> anyhow::Result<Player> {
        Ok(match table.dialect {
            Dialect::Noughts(framing) => Player::Noughts(noughts::Player::open(table, framing).await?),
            Dialect::Colyseus => Player::Colyseus(colyseus::Player::join(table.address, "idle", 0).await?),
            Dialect::Boardgame => Player::Boardgame(boardgame::Player::open(table.address).await?),
        })
    }

    /// Waits for the game, and says whether this player has X.
    pub(crate) async fn seated(&mut self) -> anyhow::Result<bool> {
        match self {
            Player::Noughts(player) => player.seated().await,
            Player::Colyseus(player) => player.seated().await,
            Player::Boardgame(player) => player.seated().await,
        }
    }

    /// Asks for a move.
    pub(crate) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        match self {
            Player::Noughts(player) => player.play(cell).await,
            Player::Colyseus(player) => player.play(cell).await,
            Player::Boardgame(player) => player.play(cell).await,
        }
    }

    /// Waits until the server tells of this move; says with which number of the server's news.
    pub(crate) async fn told(&mut self, cell: usize) -> anyhow::Result<u64> {
        match self {
            Player::Noughts(player) => player.told(cell).await,
            Player::Colyseus(player) => player.told().await,
            Player::Boardgame(player) => player.told(cell).await,
        }
    }

    /// Asks for a step to the next game, if it takes asking.
    pub(crate) async fn rematch(&mut self, step: Rematch) -> anyhow::Result<()> {
        match self {
            Player::Noughts(player) => player.rematch(step).await,
            Player::Colyseus(player) => player.rematch(step).await,
            Player::Boardgame(_) => Ok(()),
        }
    }

    /// Waits until that step is done.
    pub(crate) async fn rematched(&mut self, step: Rematch) -> anyhow::Result<()> {
        match self {
            Player::Noughts(player) => player.rematched(step).await,
            Player::Colyseus(player) => player.rematched(step).await,
            Player::Boardgame(player) => player.rematched(step).await,
        }
    }

    /// Leaves the room, and waits until that is known.
    pub(crate) async fn leave(&mut self) -> anyhow::Result<()> {
        match self {
            Player::Noughts(player) => player.leave().await,
            Player::Colyseus(player) => player.leave().await,
            // One hangs up, that is all there is to it.
            Player::Boardgame(_) => Ok(()),
        }
    }
}
