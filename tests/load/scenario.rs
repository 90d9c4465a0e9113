//! What servers are put through, and what is read off them meanwhile.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use futures::FutureExt;
use hdrhistogram::Histogram;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::figure::Figure;
use crate::metronome::Metronome;
use crate::pair::{AtOnce, Door, Pace, Pair};
use crate::player::{Player, Table};
use crate::script::Scripts;
use crate::subject::{Running, Subject};
use crate::tally::Tally;
use crate::usage::memory;

/// One kind of load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scenario {
    /// So many pairs, each as fast as it is answered.
    Saturated { pairs: usize },
    /// So many pairs that make so many moves a second together.
    Paced { pairs: usize, rate: f64 },
    /// So many at a time connect, are paired, play one game, leave, and come again.
    Churn { lanes: usize },
    /// So many connections that do nothing.
    Idle { connections: usize },
    /// So many rooms with two players who do nothing.
    Rooms { rooms: usize },
    /// From connecting until both are told of their game.
    Matched { times: usize },
    /// So many games from connecting to leaving, and what memory is left of them.
    Soak { games: usize },
}

impl std::fmt::Display for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scenario::Saturated { pairs } => write!(f, "{pairs} pairs, as fast as answered"),
            Scenario::Paced { pairs, rate } => write!(f, "{pairs} pairs, {rate} moves/s"),
            Scenario::Churn { lanes } => write!(f, "connect, match, play, leave; {lanes} at a time"),
            Scenario::Idle { connections } => write!(f, "{connections} idle connections"),
            Scenario::Rooms { rooms } => write!(f, "{rooms} idle rooms"),
            Scenario::Matched { times } => write!(f, "connect until matched, {times} times"),
            Scenario::Soak { games } => write!(f, "soak of {games} games"),
        }
    }
}

/// How long is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// Before anything counts; also for what was allocated last to be done with.
    pub(crate) warm: Duration,
    /// While it counts.
    pub(crate) measured: Duration,
    /// It goes on until so many games are counted, however slow the machine is.
    pub(crate) games: u64,
}

/// What one run came to.
pub(crate) type Measure = Vec<(Figure, f64)>;

impl Scenario {
    /// For everything round the window: a server that takes longer has stopped.
    fn patience(self) -> Duration {
        match self {
            Scenario::Saturated { .. }
            | Scenario::Paced { .. }
            | Scenario::Churn { .. }
            | Scenario::Idle { .. }
            | Scenario::Rooms { .. }
            | Scenario::Matched { .. } => Duration::from_secs(60),
            // A game from connecting to leaving takes no server here longer than this.
            Scenario::Soak { games } => Duration::from_secs(60) + Duration::from_millis(20) * games as u32,
        }
    }

    /// Runs on a fresh server.
    pub(crate) async fn run(
        self,
        subject: Subject,
        peers: Option<&Path>,
        scripts: &Rc<Scripts>,
        window: Window,
    ) -> anyhow::Result<Measure> {
        let server = Running::start(subject, peers)?;
        let table = Table { address: server.address, dialect: subject.dialect(), rules: scripts.rules };
        let listening = (Figure::ListeningMs, server.started_in.as_secs_f64() * 1e3);
        let load = async {
            match self {
                Scenario::Saturated { pairs } => saturated(&server, table, scripts, window, pairs).await,
                Scenario::Paced { pairs, rate } => paced(&server, table, scripts, window, pairs, rate).await,
                Scenario::Churn { lanes } => churn(&server, table, scripts, window, lanes).await,
                Scenario::Idle { connections } => idle(&server, table, window, connections).await,
                Scenario::Rooms { rooms } => idle_rooms(&server, table, window, rooms).await,
                Scenario::Matched { times } => matched(table, times).await,
                Scenario::Soak { games } => soak(&server, table, scripts, window, games).await,
            }
        };
        let run = timeout(window.warm + window.measured + self.patience(), load).await;
        let mut measure = run
            .context("the server does not answer")
            .flatten()
            .with_context(|| format!("{self}, {}", subject.name()))?;
        measure.push(listening);
        Ok(measure)
    }
}

/// Waits for all, and fails with the first that failed.
async fn all(mut tasks: JoinSet<anyhow::Result<()>>) -> anyhow::Result<()> {
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

async fn meet(table: Table, door: &Door, pairs: usize) -> anyhow::Result<Vec<Pair>> {
    let mut met = Vec::with_capacity(pairs);
    for _ in 0..pairs {
        met.push(Pair::meet(table, door).await?);
    }
    Ok(met)
}

/// Game after game until the run is over.
async fn play_on(
    mut pair: Pair,
    index: usize,
    mut pace: impl Pace,
    scripts: Rc<Scripts>,
    tally: Rc<Tally>,
) -> anyhow::Result<()> {
    for number in 0.. {
        let script = scripts.game(index, number);
        if !pair.game(script, &mut pace, |due, there| tally.moved(due, there)).await? {
            break;
        }
        tally.finished();
        pair.rematch().await?;
    }
    Ok(())
}

async fn saturated(
    server: &Running,
    table: Table,
    scripts: &Rc<Scripts>,
    window: Window,
    pairs: usize,
) -> anyhow::Result<Measure> {
    let tally = Tally::new()?;
    let mut tasks = JoinSet::new();
    for (index, pair) in meet(table, &Door::default(), pairs).await?.into_iter().enumerate() {
        tasks.spawn_local(play_on(pair, index, AtOnce, Rc::clone(scripts), Rc::clone(&tally)));
    }
    let used = tally.window(server, window).await?;
    all(tasks).await?;
    Ok(tally.measure(used))
}

async fn paced(
    server: &Running,
    table: Table,
    scripts: &Rc<Scripts>,
    window: Window,
    pairs: usize,
    rate: f64,
) -> anyhow::Result<Measure> {
    let tally = Tally::new()?;
    let metronome = Metronome::start();
    let mut tasks = JoinSet::new();
    let met = meet(table, &Door::default(), pairs).await?;
    let start = Instant::now();
    for (index, pair) in met.into_iter().enumerate() {
        let pace = metronome.pace(index, pairs, rate, start);
        tasks.spawn_local(play_on(pair, index, pace, Rc::clone(scripts), Rc::clone(&tally)));
    }
    tasks.spawn_local(metronome.clone().beat().map(Ok));
    let used = tally.window(server, window).await?;
    metronome.stop();
    all(tasks).await?;
    Ok(tally.measure(used))
}

async fn churn(
    server: &Running,
    table: Table,
    scripts: &Rc<Scripts>,
    window: Window,
    lanes: usize,
) -> anyhow::Result<Measure> {
    let tally = Tally::new()?;
    let door = Rc::new(Door::default());
    let mut tasks = JoinSet::new();
    for lane in 0..lanes {
        let (scripts, tally, door) = (Rc::clone(scripts), Rc::clone(&tally), Rc::clone(&door));
        tasks.spawn_local(async move {
            for number in 0.. {
                let mut pair = Pair::meet(table, &door).await?;
                let script = scripts.game(lane, number);
                let on = pair.game(script, &mut AtOnce, |due, there| tally.moved(due, there)).await?;
                tally.finished();
                pair.leave().await?;
                if !on {
                    break;
                }
            }
            Ok(())
        });
    }
    let used = tally.window(server, window).await?;
    all(tasks).await?;
    let games = tally.games.get().max(1) as f64;
    let mut measure = tally.measure(used);
    measure.insert(0, (Figure::CpuPerVisit, used.server.total().as_secs_f64() * 1e6 / games));
    Ok(measure)
}

/// How many come and go at a time in a soak.
const SOAK_LANES: usize = 8;

async fn soak(
    server: &Running,
    table: Table,
    scripts: &Rc<Scripts>,
    window: Window,
    games: usize,
) -> anyhow::Result<Measure> {
    let door = Rc::new(Door::default());
    // What grows once and stays has grown after a tenth of it.
    visits(table, scripts, &door, games / 10).await?;
    sleep(window.warm).await;
    let before = memory(server.pid())?;
    visits(table, scripts, &door, games).await?;
    sleep(window.warm).await;
    let left = memory(server.pid())? as f64 - before as f64;
    Ok(vec![
        (Figure::SoakedGames, games as f64),
        (Figure::BytesBefore, before as f64),
        (Figure::BytesLeft, left),
    ])
}

/// So many games, each of two who connect, are paired, play and leave.
async fn visits(table: Table, scripts: &Rc<Scripts>, door: &Rc<Door>, games: usize) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    for lane in 0..SOAK_LANES {
        let (scripts, door) = (Rc::clone(scripts), Rc::clone(door));
        tasks.spawn_local(async move {
            for number in 0..games.div_ceil(SOAK_LANES) {
                let mut pair = Pair::meet(table, &door).await?;
                pair.game(scripts.game(lane, number), &mut AtOnce, |_, _| true).await?;
                pair.leave().await?;
            }
            Ok(())
        });
    }
    all(tasks).await
}

async fn idle(server: &Running, table: Table, window: Window, connections: usize) -> anyhow::Result<Measure> {
    let mut idlers = vec![Player::idle(table).await?];
    sleep(window.warm).await;
    let before = memory(server.pid())?;
    while idlers.len() <= connections {
        idlers.push(Player::idle(table).await?);
    }
    sleep(window.warm).await;
    let each = (memory(server.pid())?.saturating_sub(before)) as f64 / connections as f64;
    Ok(vec![(Figure::BytesPerConnection, each)])
}

async fn idle_rooms(server: &Running, table: Table, window: Window, rooms: usize) -> anyhow::Result<Measure> {
    let door = Door::default();
    let mut met = meet(table, &door, 1).await?;
    sleep(window.warm).await;
    let before = memory(server.pid())?;
    met.extend(meet(table, &door, rooms).await?);
    sleep(window.warm).await;
    let each = (memory(server.pid())?.saturating_sub(before)) as f64 / rooms as f64;
    Ok(vec![(Figure::BytesPerRoomAndTwo, each)])
}

async fn matched(table: Table, times: usize) -> anyhow::Result<Measure> {
    let door = Door::default();
    let mut took = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3)?;
    for _ in 0..times {
        let began = Instant::now();
        let pair = Pair::meet(table, &door).await?;
        took.saturating_record(u64::try_from(began.elapsed().as_nanos())?);
        pair.leave().await?;
    }
    Ok(vec![(Figure::MatchedUs, took.value_at_quantile(0.5) as f64 / 1e3)])
}
