//! boardgame.io: Socket.IO in a WebSocket, and whole states in it. A match is there as soon as somebody asks for it.

use std::net::SocketAddr;

use anyhow::ensure;

use super::Place;
use super::Rematch;
use crate::line::{Framing, Line};

/// The marks of Engine.IO and Socket.IO before a message.
const OPEN: &str = "0{";
const PING: &str = "2";
const PONG: &str = "3";
const CONNECTED: &str = "40/noughts,";
const EVENT: &str = "42/noughts,";

#[derive(Debug)]
pub(crate) struct Player {
    line: Line,
    place: Place,
    /// Which game of its pair.
    game: u64,
    /// The number of the state that it knows.
    state: u64,
}

impl Player {
    /// Connects to the game's part of the server.
    pub(super) async fn open(address: SocketAddr) -> anyhow::Result<Player> {
        let path = "/socket.io/?EIO=4&transport=websocket";
        let line = Line::open(address, Framing::WebSocket, path).await?;
        let mut player = Player { line, place: Place { pair: 0, index: 0 }, game: 1, state: 0 };
        player.expect(OPEN).await?;
        player.line.send(CONNECTED).await?;
        player.expect(CONNECTED).await?;
        Ok(player)
    }

    /// Enters the match of its pair.
    pub(super) async fn join(address: SocketAddr, place: Place) -> anyhow::Result<Player> {
        let mut player = Player { place, ..Player::open(address).await? };
        player.enter().await?;
        Ok(player)
    }

    pub(super) async fn seated(&mut self) -> anyhow::Result<bool> {
        self.expect_event("sync").await?;
        self.state = 0;
        Ok(self.player() == 0)
    }

    pub(super) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        let (player, state, name) = (self.player(), self.state, self.name());
        let payload = format!(r#"{{"type":"mark","args":[{cell}],"playerID":"{player}"}}"#);
        let action = format!(r#"{{"type":"MAKE_MOVE","payload":{payload}}}"#);
        self.line.send(&format!(r#"{EVENT}["update",{action},{state},"{name}","{player}"]"#)).await
    }

    pub(super) async fn told(&mut self, cell: usize) -> anyhow::Result<u64> {
        let next = self.state + 1;
        let text = self.expect_event("update").await?;
        for wanted in [format!(r#""args":[{cell}]"#), format!(r#""_stateID":{next}}}"#)] {
            ensure!(text.contains(&wanted), "{text} has no {wanted}");
        }
        self.state = next;
        Ok(next)
    }

    pub(super) async fn rematched(&mut self, step: Rematch) -> anyhow::Result<()> {
        match step {
            Rematch::Offer => Ok(()),
            Rematch::Accept => {
                self.game += 1;
                self.enter().await?;
                self.seated().await.map(|_| ())
            }
        }
    }

    async fn enter(&mut self) -> anyhow::Result<()> {
        let (player, name) = (self.player(), self.name());
        self.line.send(&format!(r#"{EVENT}["sync","{name}","{player}",null,2]"#)).await
    }

    /// As the server counts players: 0 begins. Marks are swapped after each game.
    fn player(&self) -> u64 {
        (self.place.index as u64 + self.game - 1) % 2
    }

    fn name(&self) -> String {
        format!("pair{}game{}", self.place.pair, self.game)
    }

    async fn expect_event(&mut self, kind: &str) -> anyhow::Result<&str> {
        let head = format!(r#"{EVENT}["{kind}","#);
        self.expect(&head).await
    }

    /// The next message with this head. Who is connected is told at any time.
    async fn expect(&mut self, head: &str) -> anyhow::Result<&str> {
        loop {
            let text = self.line.receive().await?;
            if text == PING {
                self.line.send(PONG).await?;
                continue;
            }
            if text.starts_with(r#"42/noughts,["matchData","#) {
                continue;
            }
            break;
        }
        let text = self.line.last();
        ensure!(text.starts_with(head), "{text} came, and no {head}");
        Ok(text)
    }
}
