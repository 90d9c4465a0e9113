//! The product's own wire, as the references speak it too.

use anyhow::{Context, ensure};

use super::{Rematch, Table};
use crate::line::{Framing, Line};

#[derive(Debug)]
pub(crate) struct Player {
    line: Line,
    /// The number of its next request.
    id: u64,
    /// The last event that it was told.
    seq: u64,
}

impl Player {
    /// Connects and says hello.
    pub(super) async fn open(table: Table, framing: Framing) -> anyhow::Result<Player> {
        let mut player = Player::connect(table, framing).await?;
        player.greet().await?;
        player.expect("welcome").await?;
        Ok(player)
    }

    /// Connects, says who it is and asks to be paired, without waiting in between.
    pub(super) async fn seek(table: Table, framing: Framing) -> anyhow::Result<Player> {
        let mut player = Player::connect(table, framing).await?;
        player.greet().await?;
        player.ask(&format!(r#""type":"seek","rules":"{}""#, table.rules)).await?;
        player.expect("welcome").await?;
        player.expect("done").await?;
        Ok(player)
    }

    async fn connect(table: Table, framing: Framing) -> anyhow::Result<Player> {
        Ok(Player { line: Line::open(table.address, framing, "/ws").await?, id: 1, seq: 0 })
    }

    pub(super) async fn seated(&mut self) -> anyhow::Result<bool> {
        let text = self.expect("snapshot").await?;
        let (has_x, seq) = (text.contains(r#""you":{"seat":"X""#), last_seq(text)?);
        self.seq = seq;
        Ok(has_x)
    }

    pub(super) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        let request = format!(r#""type":"move","cell":{cell},"seq":{}"#, self.seq);
        self.ask(&request).await
    }

    pub(super) async fn told(&mut self, cell: usize) -> anyhow::Result<u64> {
        self.events(&format!(r#""cell":{cell}"#)).await?;
        Ok(self.seq)
    }

    pub(super) async fn rematch(&mut self, step: Rematch) -> anyhow::Result<()> {
        let request = match step {
            Rematch::Offer => "offer",
            Rematch::Accept => "accept",
        };
        self.ask(&format!(r#""type":"{request}","offer":"rematch""#)).await
    }

    pub(super) async fn rematched(&mut self, step: Rematch) -> anyhow::Result<()> {
        let event = match step {
            Rematch::Offer => "offered",
            Rematch::Accept => "started",
        };
        self.events(&format!(r#""type":"{event}""#)).await
    }

    pub(super) async fn leave(&mut self) -> anyhow::Result<()> {
        self.ask(r#""type":"leave""#).await?;
        // News of the room may be on its way.
        while kind_of(self.line.receive().await?) != "done" {}
        Ok(())
    }

    async fn greet(&mut self) -> anyhow::Result<()> {
        self.ask(r#""type":"hello","versions":[1,1],"name":"load","kind":"bot""#).await
    }

    /// Sends a request with these fields.
    async fn ask(&mut self, fields: &str) -> anyhow::Result<()> {
        self.id += 1;
        self.line.send(&format!(r#"{{"id":{},{fields}}}"#, self.id)).await
    }

    /// The next message, which has to be of this type. Notices come whenever they like.
    async fn expect(&mut self, kind: &str) -> anyhow::Result<&str> {
        while kind_of(self.line.receive().await?) == "notice" {}
        let text = self.line.last();
        ensure!(kind_of(text) == kind, "{text} came, and no {kind}");
        Ok(text)
    }

    /// The next events, which have to contain this.
    async fn events(&mut self, containing: &str) -> anyhow::Result<()> {
        let text = self.expect("events").await?;
        ensure!(text.contains(containing), "{text} has no {containing}");
        self.seq = last_seq(text)?;
        Ok(())
    }
}

/// The type of a message: it stands first in every message of every server here.
fn kind_of(text: &str) -> &str {
    text.strip_prefix(r#"{"type":""#).and_then(|rest| rest.split('"').next()).unwrap_or("nothing known")
}

/// The last number of an event in a message.
fn last_seq(text: &str) -> anyhow::Result<u64> {
    let (_, rest) = text.rsplit_once(r#""seq":"#).with_context(|| format!("{text} has no seq"))?;
    let end = rest.find(|byte: char| !byte.is_ascii_digit()).unwrap_or(rest.len());
    Ok(rest[..end].parse()?)
}
