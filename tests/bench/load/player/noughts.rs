//! Client of the product's protocol, which the baseline servers speak as well.

use anyhow::{Context, ensure};

use super::{GameEndpoint, RematchStep};
use crate::websocket::{Framing, LeanSocket};

#[derive(Debug)]
pub(crate) struct NoughtsPlayer {
    socket: LeanSocket,
    next_id: u64,
    /// Number of the last event received.
    seq: u64,
    /// Room and token of a player that can resume.
    seat: Option<(String, String)>,
}

impl NoughtsPlayer {
    /// Connects and sends hello.
    pub(super) async fn open(
        endpoint: GameEndpoint,
        framing: Framing,
    ) -> anyhow::Result<NoughtsPlayer> {
        let mut player = NoughtsPlayer::connect(endpoint, framing).await?;
        player.send_hello().await?;
        player.expect("welcome").await?;
        Ok(player)
    }

    /// Connects and sends hello and seek without waiting in between.
    pub(super) async fn seek(
        endpoint: GameEndpoint,
        framing: Framing,
    ) -> anyhow::Result<NoughtsPlayer> {
        let mut player = NoughtsPlayer::connect(endpoint, framing).await?;
        player.send_hello().await?;
        player
            .send_request(&format!(r#""type":"seek","rules":"{}""#, endpoint.rules))
            .await?;
        player.expect("welcome").await?;
        player.expect("done").await?;
        Ok(player)
    }

    /// Connects and opens a private room; returns its code.
    pub(super) async fn create(endpoint: GameEndpoint) -> anyhow::Result<(NoughtsPlayer, String)> {
        let mut player = NoughtsPlayer::open(endpoint, Framing::WebSocket).await?;
        let fields = format!(
            r#""type":"create","rules":"{}","seat":"X","public":false"#,
            endpoint.rules
        );
        player.send_request(&fields).await?;
        let text = player.expect("snapshot").await?;
        let [room, token, code] =
            ["room", "token", "code"].map(|name| field(text, name).map(str::to_owned));
        let (seat, code, seq) = ((room?, token?), code?, last_seq(text)?);
        (player.seat, player.seq) = (Some(seat), seq);
        Ok((player, code))
    }

    /// Connects and takes the free seat of a room.
    pub(super) async fn join(endpoint: GameEndpoint, code: &str) -> anyhow::Result<NoughtsPlayer> {
        let mut player = NoughtsPlayer::open(endpoint, Framing::WebSocket).await?;
        player
            .send_request(&format!(r#""type":"join","room":"{code}""#))
            .await?;
        player.wait_for_game().await?;
        Ok(player)
    }

    /// Waits until the opponent has joined.
    pub(super) async fn wait_for_start(&mut self) -> anyhow::Result<()> {
        while !self.expect("events").await?.contains(r#""type":"started""#) {}
        self.seq = last_seq(self.socket.last_text())?;
        Ok(())
    }

    /// Resumes the seat on another connection.
    pub(super) async fn resume_at(self, endpoint: GameEndpoint) -> anyhow::Result<NoughtsPlayer> {
        let (room, token) = self.seat.context("the player has no token")?;
        let mut player = NoughtsPlayer::open(endpoint, Framing::WebSocket).await?;
        player
            .send_request(&format!(
                r#""type":"resume","room":"{room}","token":"{token}""#
            ))
            .await?;
        player.wait_for_game().await?;
        player.seat = Some((room, token));
        Ok(player)
    }

    async fn connect(endpoint: GameEndpoint, framing: Framing) -> anyhow::Result<NoughtsPlayer> {
        Ok(NoughtsPlayer {
            socket: LeanSocket::open(endpoint.address, framing, "/ws").await?,
            next_id: 1,
            seq: 0,
            seat: None,
        })
    }

    pub(super) async fn wait_for_game(&mut self) -> anyhow::Result<bool> {
        let text = self.expect("snapshot").await?;
        let (has_x, seq) = (text.contains(r#""role":{"seat":"X""#), last_seq(text)?);
        self.seq = seq;
        Ok(has_x)
    }

    pub(super) async fn play(&mut self, cell: usize) -> anyhow::Result<()> {
        let request = format!(r#""type":"move","cell":{cell},"seq":{}"#, self.seq);
        self.send_request(&request).await
    }

    pub(super) async fn receive_move(&mut self, cell: usize) -> anyhow::Result<u64> {
        self.expect_events(&format!(r#""cell":{cell}"#)).await?;
        Ok(self.seq)
    }

    pub(super) async fn request_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        let request = match step {
            RematchStep::Offer => "offer",
            RematchStep::Accept => "accept",
        };
        self.send_request(&format!(r#""type":"{request}","offer":"rematch""#))
            .await
    }

    pub(super) async fn wait_for_rematch(&mut self, step: RematchStep) -> anyhow::Result<()> {
        let event = match step {
            RematchStep::Offer => "offered",
            RematchStep::Accept => "started",
        };
        self.expect_events(&format!(r#""type":"{event}""#)).await
    }

    pub(super) async fn leave(&mut self) -> anyhow::Result<()> {
        self.send_request(r#""type":"leave""#).await?;
        // Events of the room may arrive before the response.
        while message_type(self.socket.receive().await?) != "done" {}
        Ok(())
    }

    async fn send_hello(&mut self) -> anyhow::Result<()> {
        self.send_request(r#""type":"hello","versions":[1,1],"name":"load","kind":"bot""#)
            .await
    }

    /// Sends a request with these fields.
    async fn send_request(&mut self, fields: &str) -> anyhow::Result<()> {
        self.next_id += 1;
        self.socket
            .send(&format!(r#"{{"id":{},{fields}}}"#, self.next_id))
            .await
    }

    /// Waits for a message, which must be of this type; skips notices.
    async fn expect(&mut self, kind: &str) -> anyhow::Result<&str> {
        while message_type(self.socket.receive().await?) == "notice" {}
        let text = self.socket.last_text();
        ensure!(message_type(text) == kind, "{text} came, and no {kind}");
        Ok(text)
    }

    /// Waits for events that contain this text.
    async fn expect_events(&mut self, containing: &str) -> anyhow::Result<()> {
        let text = self.expect("events").await?;
        ensure!(text.contains(containing), "{text} has no {containing}");
        self.seq = last_seq(text)?;
        Ok(())
    }
}

/// Returns the type of a message, which all servers write as the first field.
fn message_type(text: &str) -> &str {
    text.strip_prefix(r#"{"type":""#)
        .and_then(|rest| rest.split('"').next())
        .unwrap_or("nothing known")
}

/// Returns the text of the first field with this name.
fn field<'a>(text: &'a str, name: &str) -> anyhow::Result<&'a str> {
    let (_, rest) = text
        .split_once(&format!(r#""{name}":""#))
        .with_context(|| format!("{text} has no {name}"))?;
    Ok(rest.split('"').next().unwrap_or_default())
}

/// Returns the last event number in a message.
fn last_seq(text: &str) -> anyhow::Result<u64> {
    let (_, rest) = text
        .rsplit_once(r#""seq":"#)
        .with_context(|| format!("{text} has no seq"))?;
    let end = rest
        .find(|byte: char| !byte.is_ascii_digit())
        .unwrap_or(rest.len());
    Ok(rest[..end].parse()?)
}
