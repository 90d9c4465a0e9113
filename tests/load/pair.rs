//! Two players who play game after game with each other, by the book of a [`Script`].

use std::net::SocketAddr;

use anyhow::{Context, ensure};
use noughts_protocol::Rules;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::line::{Framing, Line};
use crate::script::Script;

/// Where to, and what to play there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) address: SocketAddr,
    pub(crate) framing: Framing,
    pub(crate) rules: Rules,
}

/// A player.
#[derive(Debug)]
struct Player {
    line: Line,
    /// The number of its next request.
    id: u64,
}

impl Player {
    /// Connects, says who it is and asks to be paired, without waiting in between.
    async fn seek(table: Table) -> anyhow::Result<Player> {
        let mut player = Player { line: Line::open(table.address, table.framing).await?, id: 1 };
        player.greet().await?;
        player.ask(&format!(r#""type":"seek","rules":"{}""#, table.rules)).await?;
        player.expect("welcome").await?;
        player.expect("done").await?;
        Ok(player)
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

    /// The next events, which have to contain this; the number of the last of them.
    async fn events(&mut self, containing: &str) -> anyhow::Result<u64> {
        let text = self.expect("events").await?;
        ensure!(text.contains(containing), "{text} has no {containing}");
        last_seq(text)
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

/// One who has said hello and does nothing.
#[derive(Debug)]
pub(crate) struct Idler {
    _player: Player,
}

impl Idler {
    /// Connects and says hello.
    pub(crate) async fn open(table: Table) -> anyhow::Result<Idler> {
        let mut player = Player { line: Line::open(table.address, table.framing).await?, id: 1 };
        player.greet().await?;
        player.expect("welcome").await?;
        Ok(Idler { _player: player })
    }
}

/// When moves are made.
pub(crate) trait Pace {
    /// Waits until the next move is due, and says since when it has been.
    async fn next(&mut self) -> Instant;
}

/// As fast as the server answers.
#[derive(Debug)]
pub(crate) struct AtOnce;

impl Pace for AtOnce {
    async fn next(&mut self) -> Instant {
        Instant::now()
    }
}

/// Two players in a room.
#[derive(Debug)]
pub(crate) struct Pair {
    players: [Player; 2],
    /// Who has X.
    x: usize,
    seq: u64,
}

impl Pair {
    /// Two who find each other. Only one pair at a time can be sure of that: `door` is held meanwhile.
    pub(crate) async fn meet(table: Table, door: &Mutex<()>) -> anyhow::Result<Pair> {
        let _held = door.lock().await;
        let mut players = [Player::seek(table).await?, Player::seek(table).await?];
        let text = players[0].expect("snapshot").await?;
        let x = if text.contains(r#""you":{"seat":"X""#) { 0 } else { 1 };
        let seq = players[1].expect("snapshot").await.and_then(last_seq)?;
        Ok(Pair { players, x, seq })
    }

    /// Plays a game. `played` is told of each move when it was due and when the opponent had it, and
    /// says whether to go on.
    pub(crate) async fn game(
        &mut self,
        script: &Script,
        pace: &mut impl Pace,
        mut played: impl FnMut(Instant, Instant) -> bool,
    ) -> anyhow::Result<bool> {
        for (ply, cell) in script.0.iter().enumerate() {
            let due = pace.next().await;
            let mover = (self.x + ply) % 2;
            let request = format!(r#""type":"move","cell":{cell},"seq":{}"#, self.seq);
            self.players[mover].ask(&request).await?;
            let expected = format!(r#""cell":{cell}"#);
            self.seq = self.players[1 - mover].events(&expected).await?;
            let on = played(due, Instant::now());
            let same = self.players[mover].events(&expected).await?;
            ensure!(same == self.seq, "the players were told of {same} and {}", self.seq);
            if !on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Agrees to play again, with the marks swapped.
    pub(crate) async fn rematch(&mut self) -> anyhow::Result<()> {
        for (player, request, event) in [(0, "offer", "offered"), (1, "accept", "started")] {
            self.players[player].ask(&format!(r#""type":"{request}","offer":"rematch""#)).await?;
            for player in &mut self.players {
                self.seq = player.events(&format!(r#""type":"{event}""#)).await?;
            }
        }
        self.x = 1 - self.x;
        Ok(())
    }

    /// Both leave the room, and hang up when that is known.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        for player in &mut self.players {
            player.ask(r#""type":"leave""#).await?;
            // News of the room may be on its way.
            while kind_of(player.line.receive().await?) != "done" {}
        }
        Ok(())
    }
}
