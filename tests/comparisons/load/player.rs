//! One player at a server, in the words that this server understands.

mod boardgame;
mod colyseus;
mod noughts;

use std::net::SocketAddr;

use noughts_protocol::Rules;

use crate::websocket::Framing;

/// What a server is spoken to in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayerProtocol {
    /// The product's wire.
    Noughts(Framing),
    /// The wire of Colyseus 0.17.
    Colyseus,
    /// Socket.IO, and in it what boardgame.io 0.50 says.
    Boardgame,
}

/// Where to, and what to play there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameEndpoint {
    pub(crate) address: SocketAddr,
    pub(crate) protocol: PlayerProtocol,
    pub(crate) rules: Rules,
}

/// Which of two players, of which pair. Some servers pair by themselves; others are told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSlot {
    /// No other pair of this server has the same.
    pub(crate) pair: usize,
    /// 0 or 1.
    pub(crate) index: usize,
}

/// The two steps to another game with the marks swapped: the first player's and the second's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RematchStep {
    Offer,
    Accept,
}

/// A player.
#[derive(Debug)]
pub(crate) enum LoadPlayer {
    Noughts(noughts::NoughtsPlayer),
    Colyseus(colyseus::ColyseusPlayer),
    Boardgame(boardgame::BoardgamePlayer),
}

impl LoadPlayer {
    /// Connects and asks to be paired.
    pub(crate) async fn seek(endpoint: GameEndpoint, slot: PairSlot) -> anyhow::Result<LoadPlayer> {
        Ok(match endpoint.protocol {
            PlayerProtocol::Noughts(framing) => {
                LoadPlayer::Noughts(noughts::NoughtsPlayer::seek(endpoint, framing).await?)
            }
            PlayerProtocol::Colyseus => LoadPlayer::Colyseus(
                colyseus::ColyseusPlayer::join(endpoint.address, "game", slot.index).await?,
            ),
            PlayerProtocol::Boardgame => {
                LoadPlayer::Boardgame(boardgame::BoardgamePlayer::join(endpoint.address, slot).await?)
            }
        })
    }

    /// Connects as far as one can without a game.
    pub(crate) async fn connect_idle(endpoint: GameEndpoint) -> anyhow::Result<LoadPlayer> {
        Ok(match endpoint.protocol {
            PlayerProtocol::Noughts(framing) => {
                LoadPlayer::Noughts(noughts::NoughtsPlayer::open(endpoint, framing).await?)
            }
            PlayerProtocol::Colyseus => {
                LoadPlayer::Colyseus(colyseus::ColyseusPlayer::join(endpoint.address, "idle", 0).await?)
            }
            PlayerProtocol::Boardgame => {
                LoadPlayer::Boardgame(boardgame::BoardgamePlayer::open(endpoint.address).await?)
            }
        })
    }

    /// Waits for the game, and says whether this player has X.
    pub(crate) async fn wait_for_game(&mut self) -> anyhow::Result<bool> {
        match self {
            LoadPlayer::Noughts(player) => player.wait_for_game().await,
            LoadPlayer::Colyseus(player) => player.wait_for_game().await,
            LoadPlayer::Boardgame(player) => player.wait_for_game().await,
        }
    }

    /// Asks for a move.
    pub(crate) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.play(cell).await,
            LoadPlayer::Colyseus(player) => player.play(cell).await,
            LoadPlayer::Boardgame(player) => player.play(cell).await,
        }
    }

    /// Waits until the server tells of this move; says with which number of the server's news.
    pub(crate) async fn receive_move(&mut self, cell: usize) -> anyhow::Result<u64> {
        match self {
            LoadPlayer::Noughts(player) => player.receive_move(cell).await,
            LoadPlayer::Colyseus(player) => player.receive_move().await,
            LoadPlayer::Boardgame(player) => player.receive_move(cell).await,
        }
    }

    /// Asks for a step to the next game, if it takes asking.
    pub(crate) async fn request_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.request_rematch(step).await,
            LoadPlayer::Colyseus(player) => player.request_rematch(step).await,
            LoadPlayer::Boardgame(_) => Ok(()),
        }
    }

    /// Waits until that step is done.
    pub(crate) async fn wait_for_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.wait_for_rematch(step).await,
            LoadPlayer::Colyseus(player) => player.wait_for_rematch(step).await,
            LoadPlayer::Boardgame(player) => player.wait_for_rematch(step).await,
        }
    }

    /// Leaves the room, and waits until that is known.
    pub(crate) async fn leave(&mut self) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.leave().await,
            LoadPlayer::Colyseus(player) => player.leave().await,
            // One hangs up, that is all there is to it.
            LoadPlayer::Boardgame(_) => Ok(()),
        }
    }
}
