//! Client of boardgame.io: Socket.IO over a WebSocket, with full states. A match exists as soon as a client
//! requests it.

use std::net::SocketAddr;

use anyhow::ensure;

use super::PairSlot;
use super::RematchStep;
use crate::websocket::{Framing, LeanSocket};

/// Prefixes of messages in Engine.IO and Socket.IO.
const OPEN: &str = "0{";
const PING: &str = "2";
const PONG: &str = "3";
const CONNECTED: &str = "40/noughts,";
const EVENT: &str = "42/noughts,";

#[derive(Debug)]
pub(crate) struct BoardgamePlayer {
    socket: LeanSocket,
    slot: PairSlot,
    /// Number of the pair's current game.
    game_number: u64,
    /// Number of the last state received.
    state_id: u64,
}

impl BoardgamePlayer {
    /// Connects to the server's namespace of the game.
    pub(super) async fn open(address: SocketAddr) -> anyhow::Result<BoardgamePlayer> {
        let path = "/socket.io/?EIO=4&transport=websocket";
        let socket = LeanSocket::open(address, Framing::WebSocket, path).await?;
        let mut player = BoardgamePlayer {
            socket,
            slot: PairSlot { pair: 0, index: 0 },
            game_number: 1,
            state_id: 0,
        };
        player.expect(OPEN).await?;
        player.socket.send(CONNECTED).await?;
        player.expect(CONNECTED).await?;
        Ok(player)
    }

    /// Enters the match of its pair.
    pub(super) async fn join(
        address: SocketAddr,
        slot: PairSlot,
    ) -> anyhow::Result<BoardgamePlayer> {
        let mut player = BoardgamePlayer {
            slot,
            ..BoardgamePlayer::open(address).await?
        };
        player.send_sync().await?;
        Ok(player)
    }

    pub(super) async fn wait_for_game(&mut self) -> anyhow::Result<bool> {
        self.expect_event("sync").await?;
        self.state_id = 0;
        Ok(self.player_id() == 0)
    }

    pub(super) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        let (player_id, state_id, match_id) = (self.player_id(), self.state_id, self.match_id());
        let payload = format!(r#"{{"type":"mark","args":[{cell}],"playerID":"{player_id}"}}"#);
        let action = format!(r#"{{"type":"MAKE_MOVE","payload":{payload}}}"#);
        self.socket
            .send(&format!(
                r#"{EVENT}["update",{action},{state_id},"{match_id}","{player_id}"]"#
            ))
            .await
    }

    pub(super) async fn receive_move(&mut self, cell: usize) -> anyhow::Result<u64> {
        let next = self.state_id + 1;
        let text = self.expect_event("update").await?;
        for wanted in [
            format!(r#""args":[{cell}]"#),
            format!(r#""_stateID":{next}}}"#),
        ] {
            ensure!(text.contains(&wanted), "{text} has no {wanted}");
        }
        self.state_id = next;
        Ok(next)
    }

    pub(super) async fn wait_for_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        match step {
            RematchStep::Offer => Ok(()),
            RematchStep::Accept => {
                self.game_number += 1;
                self.send_sync().await?;
                self.wait_for_game().await.map(|_| ())
            }
        }
    }

    async fn send_sync(&mut self) -> anyhow::Result<()> {
        let (player_id, match_id) = (self.player_id(), self.match_id());
        self.socket
            .send(&format!(
                r#"{EVENT}["sync","{match_id}","{player_id}",null,2]"#
            ))
            .await
    }

    /// Returns the player number on the server: 0 moves first. Seats are swapped after each game.
    fn player_id(&self) -> u64 {
        (self.slot.index as u64 + self.game_number - 1) % 2
    }

    fn match_id(&self) -> String {
        format!("pair{}game{}", self.slot.pair, self.game_number)
    }

    async fn expect_event(&mut self, kind: &str) -> anyhow::Result<&str> {
        let head = format!(r#"{EVENT}["{kind}","#);
        self.expect(&head).await
    }

    /// Waits for a message with this prefix; skips presence updates.
    async fn expect(&mut self, head: &str) -> anyhow::Result<&str> {
        loop {
            let text = self.socket.receive().await?;
            if text == PING {
                self.socket.send(PONG).await?;
                continue;
            }
            if text.starts_with(r#"42/noughts,["matchData","#) {
                continue;
            }
            break;
        }
        let text = self.socket.last_text();
        ensure!(text.starts_with(head), "{text} came, and no {head}");
        Ok(text)
    }
}
