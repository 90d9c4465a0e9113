//! One connection of a bot: finds a game, plays it, and finds the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use noughts_protocol::wire::{Body, Lobby, Message, Reject, RejectCode, You};
use noughts_protocol::{Position, RoomRef, Rules, Seq, TimeControl};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::BotError;
use super::line::Line;
use super::manners::Manners;
use super::mind::{Question, Think};
use super::table::{Step, Table};
use crate::connection::{Link, News, SendError};
use crate::engine::{Level, Report};

/// How long to wait before a wish that was refused is uttered again, if the server does not say.
const SEEK_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// What a bot came for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Aim {
    /// To be paired, again and again.
    Seek { rules: Rules, clock: Option<TimeControl> },
    /// One room.
    Join(RoomRef),
}

/// One connection and what it is to do with it.
pub(super) struct Worker {
    pub(super) open: Box<dyn Fn() -> Link + Send + Sync>,
    pub(super) aim: Aim,
    pub(super) manners: Manners,
    pub(super) mind: Arc<dyn Think>,
    pub(super) level: Level,
    pub(super) budget: Duration,
    /// Of this bot and all its connections.
    pub(super) shutdown: CancellationToken,
    /// Only one of a bot's connections seeks at a time: two would be paired with each other.
    pub(super) turn_to_seek: Arc<Semaphore>,
    /// Set once the server has let any of them in.
    pub(super) welcomed: Arc<AtomicBool>,
}

/// Why a table is left.
enum Up {
    /// There is nothing more to do here.
    Leave,
    /// The server says that there is no such room any more.
    Lost,
    /// The bot is to stop.
    Stop,
}

/// A search under way.
struct Thought {
    about: Seq,
    stop: Arc<AtomicBool>,
    report: BoxFuture<'static, Option<Report>>,
}

impl Drop for Thought {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

impl Worker {
    /// Plays until there is nothing more to play, or until told to stop.
    pub(super) async fn work(self) -> Result<(), BotError> {
        // The connections come one by one: each is opened when it may seek.
        let turn = tokio::select! {
            biased;
            () = self.shutdown.cancelled() => return Ok(()),
            turn = self.turn() => turn,
        };
        let mut line = Line::new((self.open)());
        let result = self.play_games(&mut line, turn).await;
        line.close().await;
        result
    }

    async fn turn(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.turn_to_seek).acquire_owned().await.ok()
    }

    async fn play_games(
        &self,
        line: &mut Line,
        mut turn: Option<OwnedSemaphorePermit>,
    ) -> Result<(), BotError> {
        let mut finished = 0;
        loop {
            let Some(mut table) = self.sit_down(line, turn.take(), finished).await? else { return Ok(()) };
            let up = self.play(line, &mut table).await?;
            finished = table.finished();
            match up {
                Up::Leave | Up::Stop => line.leave().await?,
                Up::Lost => {}
            }
            if matches!(up, Up::Stop) || matches!(self.aim, Aim::Join(_)) || self.manners.has_enough(finished)
            {
                return Ok(());
            }
        }
    }

    /// Asks for a game until there is one. `None` when the bot is to stop.
    async fn sit_down(
        &self,
        line: &mut Line,
        mut turn: Option<OwnedSemaphorePermit>,
        finished: u32,
    ) -> Result<Option<Table>, BotError> {
        let mut asked = None;
        let mut wished = false;
        let mut ask_at = Some(Instant::now());
        loop {
            let may_ask = turn.is_some() && line.is_online();
            let news = tokio::select! {
                biased;
                () = self.shutdown.cancelled() => {
                    // The answer to its wish may be on the way.
                    if wished && line.is_online() {
                        line.leave().await?;
                    }
                    return Ok(None);
                }
                next = self.turn(), if turn.is_none() => {
                    turn = next;
                    continue;
                }
                () = sleep_until(ask_at.unwrap_or_else(Instant::now)), if may_ask && ask_at.is_some() => {
                    match line.send(Body::Lobby(self.wish())) {
                        Ok(id) => (asked, ask_at, wished) = (Some(id), None, true),
                        // Of an ended link the news will say why.
                        Err(SendError::Full | SendError::Ended) => ask_at = Some(Instant::now() + SEEK_AGAIN_AFTER),
                    }
                    continue;
                }
                news = line.next() => news.inspect_err(|_| self.fails())?,
            };
            let now = Instant::now();
            match news {
                // The server forgets wishes when a line is cut.
                News::Online { .. } => {
                    self.welcomed.store(true, Ordering::Relaxed);
                    (asked, ask_at) = (None, Some(now));
                }
                News::Message(Message::Snapshot {
                    room, you: You { seat: Some(seat), .. }, state, ..
                }) => {
                    let table = Table::new(room, seat, &state, self.manners, self.budget, finished, now);
                    if table.is_some() {
                        tracing::info!(%room, %seat, rules = %state.rules, "at a table");
                        return Ok(table);
                    }
                    line.leave().await?;
                }
                News::Message(Message::Reject { re: Some(re), reject }) if Some(re) == asked => {
                    asked = None;
                    if reject.code == RejectCode::AlreadyInRoom {
                        line.leave().await?;
                        ask_at = Some(now + SEEK_AGAIN_AFTER);
                    } else if reject.code != RejectCode::AlreadySeeking {
                        ask_at = Some(now + after_refusal(reject)?);
                    }
                }
                News::Message(_) | News::Lost(_) | News::Connecting { .. } | News::Offline { .. } => {}
                News::Ended(ended) => return Err(ended.into()),
            }
        }
    }

    /// Where nobody got in the others need not try; they are told before it is their turn.
    fn fails(&self) {
        if !self.welcomed.load(Ordering::Relaxed) {
            self.shutdown.cancel();
        }
    }

    fn wish(&self) -> Lobby {
        match self.aim {
            Aim::Seek { rules, clock } => Lobby::Seek { rules, clock, seat: None },
            Aim::Join(room) => Lobby::Join { room },
        }
    }

    /// Plays at a table until there is a reason to get up.
    async fn play(&self, line: &mut Line, table: &mut Table) -> Result<Up, BotError> {
        let mut thought: Option<Thought> = None;
        loop {
            let now = Instant::now();
            let mut wake = None;
            match table.next(now) {
                Step::Wait(until) => wake = until,
                Step::Leave => return Ok(Up::Leave),
                Step::Ask(command) => match line.send(Body::Command(command)) {
                    Ok(id) => table.has_asked(id),
                    // Of an ended link the news will say why.
                    Err(SendError::Full | SendError::Ended) => table.has_not_asked(now),
                },
                Step::Sync(seq) => match line.send(Body::Lobby(Lobby::Sync { seq })) {
                    Ok(id) => table.has_synced(id),
                    Err(SendError::Full | SendError::Ended) => table.has_not_asked(now),
                },
                Step::Think(position, allowance) => {
                    let about = table.board_seq();
                    if thought.as_ref().is_none_or(|thought| thought.about != about) {
                        thought = Some(self.think(*position, allowance, about));
                    }
                }
            }
            // After asking there may be a wait to keep.
            if let Step::Wait(until) = table.next(now) {
                wake = until;
            }
            tokio::select! {
                biased;
                () = self.shutdown.cancelled() => return Ok(Up::Stop),
                news = line.next() => match news? {
                    News::Message(Message::Reject { reject, .. })
                        if matches!(reject.code, RejectCode::UnknownRoom | RejectCode::NotInRoom) =>
                    {
                        return Ok(Up::Lost);
                    }
                    News::Message(message) => table.hears(&message, Instant::now()),
                    News::Lost(_) => table.has_not_asked(Instant::now()),
                    News::Connecting { .. } | News::Online { .. } | News::Offline { .. } => {}
                    News::Ended(ended) => return Err(ended.into()),
                },
                (about, report) = finish(&mut thought), if thought.is_some() => {
                    thought = None;
                    if let Some(report) = report {
                        tracing::debug!(score = %report.score, depth = report.depth, nodes = report.nodes, "decided");
                        table.decides(about, report.best, report.score);
                    }
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => {}
            }
            // The board has changed under the thought.
            if thought.as_ref().is_some_and(|thought| thought.about != table.board_seq()) {
                thought = None;
            }
        }
    }

    fn think(&self, position: Position, time: Duration, about: Seq) -> Thought {
        let stop = Arc::new(AtomicBool::new(false));
        let question = Question { position, level: self.level, time, stop: Arc::clone(&stop) };
        let report = self.mind.think(question);
        Thought { about, stop, report }
    }
}

/// Waits for a thought to end. May be cancelled: the thought goes on.
async fn finish(thought: &mut Option<Thought>) -> (Seq, Option<Report>) {
    let Some(thought) = thought else { return std::future::pending().await };
    let report = (&mut thought.report).await;
    (thought.about, report)
}

/// How long to wait before asking for a game again, if that may help.
fn after_refusal(reject: Reject) -> Result<Duration, BotError> {
    let may_help = matches!(
        reject.code,
        RejectCode::Busy
            | RejectCode::Unavailable
            | RejectCode::RateLimited
            | RejectCode::ServerFull
            | RejectCode::Draining
    );
    if !may_help {
        return Err(BotError::Refused(reject));
    }
    let wait = reject.wait_ms.map_or(SEEK_AGAIN_AFTER, Duration::from_millis);
    Ok(wait.clamp(SEEK_AGAIN_AFTER, Duration::from_secs(60)))
}
