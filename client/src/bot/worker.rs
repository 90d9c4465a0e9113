//! One connection of a bot: finds a game, plays it, and finds the next.

use std::time::Duration;

use futures::future::BoxFuture;
use noughts_protocol::wire::{Body, Lobby, Message, RejectCode, You};
use noughts_protocol::{Kind, Name, Seq};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::BotError;
use super::crew::{Crew, GameWithBot};
use super::line::Line;
use super::manners::Manners;
use super::quest::{Aim, Errand, Quest};
use super::table::{Step, Table};
use crate::connection::{Link, News, SendError};
use crate::engine::{Level, Limits};
use crate::thinker::child::Fault;
use crate::thinker::{Choice, Means, Spec, Thinker};

/// Games in a row in which an engine failed, after which nothing is hoped of it.
const MAX_FAULTS: u32 = 3;

/// One connection and what it is to do with it.
pub(super) struct Worker {
    pub(super) open: Box<dyn Fn() -> Link + Send + Sync>,
    pub(super) own: Name,
    pub(super) aim: Aim,
    pub(super) manners: Manners,
    pub(super) thinks: Spec,
    pub(super) means: Means,
    /// Who plays a game to its end when an engine fails in it; none: it is given up.
    pub(super) instead: Option<Level>,
    pub(super) budget: Duration,
    /// Of this bot and all its connections: no other game is begun.
    pub(super) retire: CancellationToken,
    /// The same: every game is left.
    pub(super) shutdown: CancellationToken,
    pub(super) crew: Crew,
    /// What went wrong with an engine is told here; when nobody listens fast enough the log has it.
    pub(super) faults: Option<mpsc::Sender<Fault>>,
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

/// A move that is being thought of. Dropping it ends the thought.
struct Thought {
    about: Seq,
    answer: BoxFuture<'static, (Thinker, Result<Choice, Fault>)>,
}

/// A table that was found, with what comes with it.
struct Found {
    table: Table,
    with_bot: Option<GameWithBot>,
}

/// How an engine has behaved.
#[derive(Default)]
struct Conduct {
    /// Games in a row in which it failed.
    faults: u32,
    /// The last of them: so many games had been finished before.
    game: Option<u32>,
    last: Option<Fault>,
}

impl Conduct {
    fn failed_in(&self, game: u32) -> bool {
        self.game == Some(game)
    }

    fn fails(&mut self, game: u32, fault: Fault) {
        let in_a_row = self.game.is_some_and(|before| before + 1 >= game);
        self.faults = if in_a_row { self.faults + 1 } else { 1 };
        (self.game, self.last) = (Some(game), Some(fault));
    }
}

impl Worker {
    /// Plays until there is nothing more to play, or until told to stop.
    pub(super) async fn work(self) -> Result<(), BotError> {
        // The connections come one by one: each is opened when it may seek.
        let turn = tokio::select! {
            biased;
            () = self.shutdown.cancelled() => return Ok(()),
            () = self.retire.cancelled() => return Ok(()),
            turn = self.crew.turn() => turn,
        };
        let mut line = Line::new((self.open)());
        let result = self.play_games(&mut line, turn).await;
        line.close().await;
        result
    }

    async fn play_games(
        &self,
        line: &mut Line,
        mut turn: Option<OwnedSemaphorePermit>,
    ) -> Result<(), BotError> {
        let mut finished = 0;
        let mut conduct = Conduct::default();
        loop {
            let Some(found) = self.sit_down(line, turn.take(), finished).await? else { return Ok(()) };
            let Found { mut table, with_bot } = found;
            let up = self.play(line, &mut table, &mut conduct).await?;
            drop(with_bot);
            finished = table.finished();
            match up {
                Up::Leave | Up::Stop => line.leave().await?,
                Up::Lost => {}
            }
            if conduct.faults >= MAX_FAULTS
                && let Some(fault) = conduct.last
            {
                return Err(BotError::Engine(fault));
            }
            if matches!(up, Up::Stop)
                || self.retire.is_cancelled()
                || matches!(self.aim, Aim::Join(_))
                || self.manners.has_enough(finished)
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
    ) -> Result<Option<Found>, BotError> {
        let mut quest: Option<Quest> = None;
        let mut wished = false;
        loop {
            let now = Instant::now();
            // Whether it may play bots is looked at when it has the turn: nobody else can change it then.
            if turn.is_some() && line.is_online() && quest.is_none() {
                quest = Some(self.quest(now));
            }
            let errand = match &quest {
                Some(quest) if line.is_online() => quest.next(now),
                Some(_) | None => Errand::Wait(None),
            };
            let wake = match (errand, &mut quest) {
                (Errand::Ask(lobby), Some(quest)) => {
                    wished |= !matches!(lobby, Lobby::List);
                    match line.send(Body::Lobby(lobby)) {
                        Ok(id) => quest.has_asked(id),
                        // Of an ended link the news will say why.
                        Err(SendError::Full | SendError::Ended) => quest.has_not_asked(now),
                    }
                    continue;
                }
                (Errand::Wait(until), _) => until,
                (Errand::Ask(_), None) => None,
            };
            let news = tokio::select! {
                biased;
                () = self.told_to_stop() => {
                    if !wished || !line.is_online() {
                        return Ok(None);
                    }
                    // It may have a game already, of which the word is on its way: that one is played.
                    let now = Instant::now();
                    let seated = if self.shutdown.is_cancelled() { None } else { line.withdraw().await? };
                    let found = seated.and_then(|seated| self.takes(&seated, quest.as_ref(), finished, now));
                    if found.is_none() {
                        line.leave().await?;
                    }
                    return Ok(found);
                }
                next = self.crew.turn(), if turn.is_none() => {
                    turn = next;
                    continue;
                }
                () = sleep_until(wake.unwrap_or(now)), if wake.is_some() => continue,
                news = line.next() => news.inspect_err(|_| self.fails())?,
            };
            let now = Instant::now();
            match news {
                News::Online { .. } => {
                    self.crew.is_welcomed();
                    if let Some(quest) = &mut quest {
                        quest.begins(now);
                    }
                }
                News::Message(seated @ Message::Snapshot { you: You { seat: Some(_), .. }, .. }) => {
                    if let Some(found) = self.takes(&seated, quest.as_ref(), finished, now) {
                        return Ok(Some(found));
                    }
                    line.leave().await?;
                }
                News::Message(message) => {
                    if let Message::Reject { reject, .. } = &message
                        && reject.code == RejectCode::AlreadyInRoom
                    {
                        line.leave().await?;
                    }
                    if let Some(quest) = &mut quest {
                        quest.hears(&message, now).map_err(BotError::Refused)?;
                    }
                }
                News::Lost(id) => {
                    if let Some(quest) = &mut quest {
                        quest.has_lost(id, now);
                    }
                }
                News::Connecting { .. } | News::Offline { .. } => {}
                News::Ended(ended) => return Err(ended.into()),
            }
        }
    }

    /// Takes the seat that a view of a room tells of. `None` when the view makes no sense.
    fn takes(&self, seated: &Message, quest: Option<&Quest>, finished: u32, now: Instant) -> Option<Found> {
        let Message::Snapshot { room, you: You { seat: Some(seat), .. }, state, .. } = seated else {
            return None;
        };
        let mut table = Table::new(*room, *seat, state, self.manners, self.budget, finished, now)?;
        tracing::info!(%room, %seat, rules = %state.rules, "at a table");
        let bot = table.other_kind() == Some(Kind::Bot);
        if bot && quest.is_some_and(Quest::is_for_people) {
            // It came for the same seat at the same moment: not to be kept waiting.
            table.gives_up();
            table.retires();
        }
        Some(Found { table, with_bot: bot.then(|| self.crew.plays_a_bot()) })
    }

    fn quest(&self, now: Instant) -> Quest {
        let people_only = match &self.aim {
            Aim::Play(policy) => {
                policy.for_people > 0
                    && self.crew.games_with_bots() >= policy.count.saturating_sub(policy.for_people)
            }
            Aim::Join(_) => false,
        };
        Quest::new(self.aim.clone(), self.own.clone(), people_only, now)
    }

    /// Waits for the word to begin no other game, or to stop.
    async fn told_to_stop(&self) {
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = self.retire.cancelled() => {}
        }
    }

    /// Where nobody got in the others need not try; they are told before it is their turn.
    fn fails(&self) {
        if !self.crew.was_welcomed() {
            self.shutdown.cancel();
        }
    }

    /// Plays at a table until there is a reason to get up.
    async fn play(&self, line: &mut Line, table: &mut Table, conduct: &mut Conduct) -> Result<Up, BotError> {
        let mut thinker = None;
        let up = self.play_with(&mut thinker, line, table, conduct).await;
        if let Some(thinker) = thinker {
            thinker.end().await;
        }
        up
    }

    async fn play_with(
        &self,
        thinker: &mut Option<Thinker>,
        line: &mut Line,
        table: &mut Table,
        conduct: &mut Conduct,
    ) -> Result<Up, BotError> {
        let mut thought: Option<Thought> = None;
        let mut told = false;
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
                Step::Tell(remark) => {
                    table.has_told(line.send(Body::Remark(remark)).ok());
                    continue;
                }
                Step::Sync(seq) => match line.send(Body::Lobby(Lobby::Sync { seq })) {
                    Ok(id) => table.has_synced(id),
                    Err(SendError::Full | SendError::Ended) => table.has_not_asked(now),
                },
                Step::Think(position, allowance) => {
                    let about = table.board_seq();
                    if thought.as_ref().is_none_or(|thought| thought.about != about) {
                        let mind = self.mind(thinker.take(), table, conduct);
                        let limits = Limits { time: Some(allowance), ..Limits::default() };
                        thought = Some(Thought { about, answer: Box::pin(mind.choose(*position, limits)) });
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
                () = self.retire.cancelled(), if !told => {
                    told = true;
                    table.retires();
                }
                news = line.next() => match news? {
                    News::Message(Message::Reject { reject, .. })
                        if matches!(reject.code, RejectCode::UnknownRoom | RejectCode::NotInRoom) =>
                    {
                        return Ok(Up::Lost);
                    }
                    News::Message(message) => table.hears(&message, Instant::now()),
                    News::Lost(id) => table.has_lost(id, Instant::now()),
                    News::Connecting { .. } | News::Online { .. } | News::Offline { .. } => {}
                    News::Ended(ended) => return Err(ended.into()),
                },
                (about, back, answer) = finish(&mut thought), if thought.is_some() => {
                    thought = None;
                    // Who stands in for an engine goes with the game.
                    *thinker = Some(back).filter(|_| !conduct.failed_in(table.finished()));
                    match answer {
                        Ok(choice) => {
                            if let Some(report) = &choice.report {
                                let (depth, nodes) = (report.depth, report.nodes);
                                tracing::debug!(score = %report.score, depth, nodes, "decided");
                            }
                            table.decides(about, &choice);
                        }
                        Err(fault) => {
                            // Another one thinks on, or nobody does.
                            *thinker = None;
                            self.has_failed(fault, table, conduct);
                        }
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

    /// Who thinks about this game: `before`, if it has thought already, unless the engine failed in it.
    fn mind(&self, before: Option<Thinker>, table: &Table, conduct: &Conduct) -> Thinker {
        match self.instead {
            Some(level) if conduct.failed_in(table.finished()) => {
                Thinker::new(&Spec::Level(level), &self.means)
            }
            Some(_) | None => before.unwrap_or_else(|| Thinker::new(&self.thinks, &self.means)),
        }
    }

    fn has_failed(&self, fault: Fault, table: &mut Table, conduct: &mut Conduct) {
        tracing::warn!(%fault, "the engine failed");
        if let Some(faults) = &self.faults
            && faults.try_send(fault.clone()).is_err()
        {
            tracing::debug!("nobody hears of it");
        }
        conduct.fails(table.finished(), fault);
        if self.instead.is_none() {
            table.gives_up();
        }
        if conduct.faults >= MAX_FAULTS {
            table.retires();
        }
    }
}

/// Waits for a thought to end. May be cancelled: the thought goes on.
async fn finish(thought: &mut Option<Thought>) -> (Seq, Thinker, Result<Choice, Fault>) {
    let Some(thought) = thought else { return std::future::pending().await };
    let (thinker, answer) = (&mut thought.answer).await;
    (thought.about, thinker, answer)
}
