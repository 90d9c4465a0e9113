//! Two players who play game after game with each other, by the book of a [`Script`].

use anyhow::ensure;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::player::{Place, Player, Rematch, Table};
use crate::script::Script;

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

/// Where pairs meet, one after the other: only so can two be sure that they find each other. Counts them.
#[derive(Debug, Default)]
pub(crate) struct Door(Mutex<usize>);

/// Two players in a room.
#[derive(Debug)]
pub(crate) struct Pair {
    players: [Player; 2],
    /// Who has X.
    x: usize,
}

impl Pair {
    /// Two who find each other.
    pub(crate) async fn meet(table: Table, door: &Door) -> anyhow::Result<Pair> {
        let mut pairs = door.0.lock().await;
        *pairs += 1;
        let place = |index| Place { pair: *pairs, index };
        let mut players = [Player::seek(table, place(0)).await?, Player::seek(table, place(1)).await?];
        let [first, second] = &mut players;
        let (first, second) = (first.seated().await?, second.seated().await?);
        ensure!(first != second, "both players have the same mark");
        Ok(Pair { players, x: if first { 0 } else { 1 } })
    }

    /// Plays a game. `played` is told of each move when it was due and when the opponent had it, and
    /// says whether to go on.
    pub(crate) async fn game(
        &mut self,
        script: &Script,
        pace: &mut impl Pace,
        mut played: impl FnMut(Instant, Instant) -> bool,
    ) -> anyhow::Result<bool> {
        for (ply, &cell) in script.0.iter().enumerate() {
            let due = pace.next().await;
            let mover = (self.x + ply) % 2;
            self.players[mover].play(cell).await?;
            let seq = self.players[1 - mover].told(cell).await?;
            let on = played(due, Instant::now());
            let same = self.players[mover].told(cell).await?;
            ensure!(same == seq, "the players were told of {same} and {seq}");
            if !on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Agrees to play again, with the marks swapped.
    pub(crate) async fn rematch(&mut self) -> anyhow::Result<()> {
        for (player, step) in [(0, Rematch::Offer), (1, Rematch::Accept)] {
            self.players[player].rematch(step).await?;
            for player in &mut self.players {
                player.rematched(step).await?;
            }
        }
        self.x = 1 - self.x;
        Ok(())
    }

    /// Both leave the room, and hang up when that is known.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        for player in &mut self.players {
            player.leave().await?;
        }
        Ok(())
    }
}
