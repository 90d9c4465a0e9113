//! Pair of players that play recorded games against each other.

use anyhow::ensure;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::player::{GameEndpoint, LoadPlayer, PairSlot, RematchStep};
use crate::recorded_games::RecordedGame;

/// Schedule of moves.
pub(crate) trait MoveSchedule {
    /// Waits until the next move is due; returns the due time.
    async fn next_due(&mut self) -> Instant;
}

/// A schedule without delay: each move is due immediately.
#[derive(Debug)]
pub(crate) struct Unpaced;

impl MoveSchedule for Unpaced {
    async fn next_due(&mut self) -> Instant {
        Instant::now()
    }
}

/// Lets one pair connect at a time, so that its two players are paired with each other. Counts the pairs.
#[derive(Debug, Default)]
pub(crate) struct PairingGate(Mutex<usize>);

/// Two players in a room.
#[derive(Debug)]
pub(crate) struct PlayerPair {
    players: [LoadPlayer; 2],
    /// Index of the player with X.
    x_player: usize,
}

impl PlayerPair {
    /// Connects two players and has them paired.
    pub(crate) async fn connect(
        endpoint: GameEndpoint,
        gate: &PairingGate,
    ) -> anyhow::Result<PlayerPair> {
        let mut pairs = gate.0.lock().await;
        *pairs += 1;
        let slot = |index| PairSlot {
            pair: *pairs,
            index,
        };
        let mut players = [
            LoadPlayer::seek(endpoint, slot(0)).await?,
            LoadPlayer::seek(endpoint, slot(1)).await?,
        ];
        let [first, second] = &mut players;
        let (first, second) = (first.wait_for_game().await?, second.wait_for_game().await?);
        ensure!(first != second, "both players have the same seat");
        Ok(PlayerPair {
            players,
            x_player: if first { 0 } else { 1 },
        })
    }

    /// Connects two players by an invitation: to the server that opens the room, and to another server. With a third
    /// server, the first player moves there.
    pub(crate) async fn connect_room(
        home: GameEndpoint,
        away: GameEndpoint,
        third: Option<GameEndpoint>,
    ) -> anyhow::Result<PlayerPair> {
        let (mut first, code) = LoadPlayer::create(home).await?;
        let second = LoadPlayer::join(away, &code).await?;
        first.wait_for_start().await?;
        if let Some(third) = third {
            first = first.resume_at(third).await?;
        }
        Ok(PlayerPair {
            players: [first, second],
            x_player: 0,
        })
    }

    /// Plays a game. `on_move` gets the due time and the receipt time of each move, and returns whether to
    /// continue.
    pub(crate) async fn play_game(
        &mut self,
        recorded_game: &RecordedGame,
        schedule: &mut impl MoveSchedule,
        mut on_move: impl FnMut(Instant, Instant) -> bool,
    ) -> anyhow::Result<bool> {
        for (ply, &cell) in recorded_game.0.iter().enumerate() {
            let due = schedule.next_due().await;
            let mover = (self.x_player + ply) % 2;
            self.players[mover].play(cell).await?;
            let seq = self.players[1 - mover].receive_move(cell).await?;
            let keep_going = on_move(due, Instant::now());
            let mover_seq = self.players[mover].receive_move(cell).await?;
            ensure!(
                mover_seq == seq,
                "the players received the events {mover_seq} and {seq}"
            );
            if !keep_going {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Agrees to a rematch with swapped seats.
    pub(crate) async fn rematch(&mut self) -> anyhow::Result<()> {
        for (player, step) in [(0, RematchStep::Offer), (1, RematchStep::Accept)] {
            self.players[player].request_rematch(step).await?;
            for player in &mut self.players {
                player.wait_for_rematch(step).await?;
            }
        }
        self.x_player = 1 - self.x_player;
        Ok(())
    }

    /// Leaves the room with both players and disconnects.
    pub(crate) async fn leave(mut self) -> anyhow::Result<()> {
        for player in &mut self.players {
            player.leave().await?;
        }
        Ok(())
    }
}
