//! Player of the generator, in the protocol of its server.

mod boardgame;
mod colyseus;
mod noughts;

use std::net::SocketAddr;

use anyhow::bail;
use noughts_protocol::Rules;

use crate::websocket::Framing;

/// Protocol of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlayerProtocol {
    /// Protocol of the product.
    Noughts(Framing),
    /// Protocol of Colyseus 0.17.
    Colyseus,
    /// Protocol of boardgame.io 0.50 over Socket.IO.
    Boardgame,
}

/// Server address and game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GameEndpoint {
    pub(crate) address: SocketAddr,
    pub(crate) protocol: PlayerProtocol,
    pub(crate) rules: Rules,
}

/// Pair and index of a player, for servers without automatic pairing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairSlot {
    /// Unique among the pairs of a server.
    pub(crate) pair: usize,
    /// 0 or 1.
    pub(crate) index: usize,
}

/// The two steps to a rematch with swapped seats, one for each player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RematchStep {
    Offer,
    Accept,
}

#[derive(Debug)]
pub(crate) enum LoadPlayer {
    Noughts(noughts::NoughtsPlayer),
    Colyseus(colyseus::ColyseusPlayer),
    Boardgame(boardgame::BoardgamePlayer),
}

impl LoadPlayer {
    /// Connects and requests a pairing.
    pub(crate) async fn seek(endpoint: GameEndpoint, slot: PairSlot) -> anyhow::Result<LoadPlayer> {
        Ok(match endpoint.protocol {
            PlayerProtocol::Noughts(framing) => {
                LoadPlayer::Noughts(noughts::NoughtsPlayer::seek(endpoint, framing).await?)
            }
            PlayerProtocol::Colyseus => LoadPlayer::Colyseus(
                colyseus::ColyseusPlayer::join(endpoint.address, "game", slot.index).await?,
            ),
            PlayerProtocol::Boardgame => LoadPlayer::Boardgame(
                boardgame::BoardgamePlayer::join(endpoint.address, slot).await?,
            ),
        })
    }

    /// Connects without requesting a game.
    pub(crate) async fn connect_idle(endpoint: GameEndpoint) -> anyhow::Result<LoadPlayer> {
        Ok(match endpoint.protocol {
            PlayerProtocol::Noughts(framing) => {
                LoadPlayer::Noughts(noughts::NoughtsPlayer::open(endpoint, framing).await?)
            }
            PlayerProtocol::Colyseus => LoadPlayer::Colyseus(
                colyseus::ColyseusPlayer::join(endpoint.address, "idle", 0).await?,
            ),
            PlayerProtocol::Boardgame => {
                LoadPlayer::Boardgame(boardgame::BoardgamePlayer::open(endpoint.address).await?)
            }
        })
    }

    /// Connects and opens a private room with the seat X; returns its code. Only the product has private rooms.
    pub(crate) async fn create(endpoint: GameEndpoint) -> anyhow::Result<(LoadPlayer, String)> {
        let (player, code) = noughts::NoughtsPlayer::create(endpoint).await?;
        Ok((LoadPlayer::Noughts(player), code))
    }

    /// Connects and takes the free seat of a room of the product.
    pub(crate) async fn join(endpoint: GameEndpoint, code: &str) -> anyhow::Result<LoadPlayer> {
        Ok(LoadPlayer::Noughts(
            noughts::NoughtsPlayer::join(endpoint, code).await?,
        ))
    }

    /// Waits until the opponent has joined.
    pub(crate) async fn wait_for_start(&mut self) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.wait_for_start().await,
            LoadPlayer::Colyseus(_) | LoadPlayer::Boardgame(_) => {
                bail!("this server has no invitations")
            }
        }
    }

    /// Resumes the seat on another node of the product.
    pub(crate) async fn resume_at(self, endpoint: GameEndpoint) -> anyhow::Result<LoadPlayer> {
        match self {
            LoadPlayer::Noughts(player) => {
                Ok(LoadPlayer::Noughts(player.resume_at(endpoint).await?))
            }
            LoadPlayer::Colyseus(_) | LoadPlayer::Boardgame(_) => bail!("this server has no nodes"),
        }
    }

    /// Waits for the game; returns whether this player has X.
    pub(crate) async fn wait_for_game(&mut self) -> anyhow::Result<bool> {
        match self {
            LoadPlayer::Noughts(player) => player.wait_for_game().await,
            LoadPlayer::Colyseus(player) => player.wait_for_game().await,
            LoadPlayer::Boardgame(player) => player.wait_for_game().await,
        }
    }

    pub(crate) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.play(cell).await,
            LoadPlayer::Colyseus(player) => player.play(cell).await,
            LoadPlayer::Boardgame(player) => player.play(cell).await,
        }
    }

    /// Waits for a move; returns the event number.
    pub(crate) async fn receive_move(&mut self, cell: usize) -> anyhow::Result<u64> {
        match self {
            LoadPlayer::Noughts(player) => player.receive_move(cell).await,
            LoadPlayer::Colyseus(player) => player.receive_move().await,
            LoadPlayer::Boardgame(player) => player.receive_move(cell).await,
        }
    }

    /// Sends the request of a rematch step, if the protocol has one.
    pub(crate) async fn request_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.request_rematch(step).await,
            LoadPlayer::Colyseus(player) => player.request_rematch(step).await,
            LoadPlayer::Boardgame(_) => Ok(()),
        }
    }

    /// Waits for a rematch step.
    pub(crate) async fn wait_for_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.wait_for_rematch(step).await,
            LoadPlayer::Colyseus(player) => player.wait_for_rematch(step).await,
            LoadPlayer::Boardgame(player) => player.wait_for_rematch(step).await,
        }
    }

    /// Leaves the room and waits for the response.
    pub(crate) async fn leave(&mut self) -> anyhow::Result<()> {
        match self {
            LoadPlayer::Noughts(player) => player.leave().await,
            LoadPlayer::Colyseus(player) => player.leave().await,
            // The player leaves by disconnecting.
            LoadPlayer::Boardgame(_) => Ok(()),
        }
    }
}
