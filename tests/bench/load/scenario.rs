//! Load scenarios and their measurements.

use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use futures::FutureExt;
use hdrhistogram::Histogram;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::counters::LoadCounters;
use crate::pacer::Pacer;
use crate::pair::{MoveSchedule, PairingGate, PlayerPair, Unpaced};
use crate::player::{GameEndpoint, LoadPlayer};
use crate::proc_stats::anonymous_memory_bytes;
use crate::recorded_games::RecordedGames;
use crate::report::Metric;
use crate::target::{LoadTarget, ServerPrograms, TargetProcess};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Scenario {
    /// Pairs that play as fast as the server responds.
    Saturated { pairs: usize },
    /// Pairs that play at a total rate.
    Paced { pairs: usize, rate: f64 },
    /// Concurrent lanes. In each, a pair connects, is paired, plays one game, leaves, and the next pair starts.
    Churn { lanes: usize },
    /// Connections without activity.
    Idle { connections: usize },
    /// Rooms with two inactive players.
    Rooms { rooms: usize },
    /// Time from connecting until both players have their game.
    Matchmaking { repetitions: usize },
    /// Games of pairs that connect, play and leave. Measures the memory that the server retains after them.
    Soak { games: usize },
}

impl std::fmt::Display for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Scenario::Saturated { pairs } => write!(f, "{pairs} pairs, as fast as answered"),
            Scenario::Paced { pairs, rate } => write!(f, "{pairs} pairs, {rate} moves/s"),
            Scenario::Churn { lanes } => {
                write!(f, "connect, match, play, leave; {lanes} at a time")
            }
            Scenario::Idle { connections } => write!(f, "{connections} idle connections"),
            Scenario::Rooms { rooms } => write!(f, "{rooms} idle rooms"),
            Scenario::Matchmaking { repetitions: times } => {
                write!(f, "connect until matched, {times} times")
            }
            Scenario::Soak { games } => write!(f, "soak of {games} games"),
        }
    }
}

/// Timing of a measurement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeasureWindow {
    /// Time before the measurement. During it, the server can also release memory.
    pub(crate) warm_up: Duration,
    /// Length of the measurement.
    pub(crate) measured_time: Duration,
    /// The measurement continues until this many games are counted.
    pub(crate) min_games: u64,
}

pub(crate) type Measurements = Vec<(Metric, f64)>;

impl Scenario {
    /// Returns the timeout for everything outside the window.
    fn time_limit(self) -> Duration {
        match self {
            Scenario::Saturated { .. }
            | Scenario::Paced { .. }
            | Scenario::Churn { .. }
            | Scenario::Idle { .. }
            | Scenario::Rooms { .. }
            | Scenario::Matchmaking { .. } => Duration::from_secs(60),
            // Far longer than a game takes from connecting to leaving.
            Scenario::Soak { games } => {
                Duration::from_secs(60) + Duration::from_millis(20) * games as u32
            }
        }
    }

    /// Runs the scenario on a fresh server.
    pub(crate) async fn run(
        self,
        target: LoadTarget,
        programs: &ServerPrograms,
        recorded_games: &Rc<RecordedGames>,
        window: MeasureWindow,
    ) -> anyhow::Result<Measurements> {
        let server = TargetProcess::start(target, programs)?;
        let endpoint = GameEndpoint {
            address: server.address,
            protocol: target.protocol(),
            rules: recorded_games.rules,
        };
        let startup = (Metric::StartupMs, server.startup_time.as_secs_f64() * 1e3);
        let load = async {
            match self {
                Scenario::Saturated { pairs } => {
                    run_saturated(&server, endpoint, recorded_games, window, pairs).await
                }
                Scenario::Paced { pairs, rate } => {
                    run_paced(&server, endpoint, recorded_games, window, pairs, rate).await
                }
                Scenario::Churn { lanes } => {
                    run_churn(&server, endpoint, recorded_games, window, lanes).await
                }
                Scenario::Idle { connections } => {
                    run_idle(&server, endpoint, window, connections).await
                }
                Scenario::Rooms { rooms } => run_idle_rooms(&server, endpoint, window, rooms).await,
                Scenario::Matchmaking { repetitions: times } => {
                    run_matchmaking(endpoint, times).await
                }
                Scenario::Soak { games } => {
                    run_soak(&server, endpoint, recorded_games, window, games).await
                }
            }
        };
        let result = timeout(
            window.warm_up + window.measured_time + self.time_limit(),
            load,
        )
        .await;
        let mut measurements = result
            .context("the server does not respond")
            .flatten()
            .with_context(|| format!("{self}, {}", target.name()))?;
        measurements.push(startup);
        Ok(measurements)
    }
}

/// Waits for all tasks; returns the first error.
pub(crate) async fn join_all(mut tasks: JoinSet<anyhow::Result<()>>) -> anyhow::Result<()> {
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    Ok(())
}

async fn connect_pairs(
    endpoint: GameEndpoint,
    gate: &PairingGate,
    pairs: usize,
) -> anyhow::Result<Vec<PlayerPair>> {
    let mut connected_pairs = Vec::with_capacity(pairs);
    for _ in 0..pairs {
        connected_pairs.push(PlayerPair::connect(endpoint, gate).await?);
    }
    Ok(connected_pairs)
}

/// Plays games until the run ends.
pub(crate) async fn play_games(
    mut pair: PlayerPair,
    index: usize,
    mut schedule: impl MoveSchedule,
    recorded_games: Rc<RecordedGames>,
    counters: Rc<LoadCounters>,
) -> anyhow::Result<()> {
    for number in 0.. {
        let recorded_game = recorded_games.game(index, number);
        if !pair
            .play_game(recorded_game, &mut schedule, |due, received_at| {
                counters.record_move(due, received_at)
            })
            .await?
        {
            break;
        }
        counters.record_game();
        pair.rematch().await?;
    }
    Ok(())
}

async fn run_saturated(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    recorded_games: &Rc<RecordedGames>,
    window: MeasureWindow,
    pairs: usize,
) -> anyhow::Result<Measurements> {
    let counters = LoadCounters::new()?;
    let mut tasks = JoinSet::new();
    for (index, pair) in connect_pairs(endpoint, &PairingGate::default(), pairs)
        .await?
        .into_iter()
        .enumerate()
    {
        tasks.spawn_local(play_games(
            pair,
            index,
            Unpaced,
            Rc::clone(recorded_games),
            Rc::clone(&counters),
        ));
    }
    let usage = counters.measure_window(server, window).await?;
    join_all(tasks).await?;
    Ok(counters.metrics(usage))
}

async fn run_paced(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    recorded_games: &Rc<RecordedGames>,
    window: MeasureWindow,
    pairs: usize,
    rate: f64,
) -> anyhow::Result<Measurements> {
    let counters = LoadCounters::new()?;
    let pacer = Pacer::start();
    let mut tasks = JoinSet::new();
    let connected_pairs = connect_pairs(endpoint, &PairingGate::default(), pairs).await?;
    let start = Instant::now();
    for (index, pair) in connected_pairs.into_iter().enumerate() {
        let schedule = pacer.schedule(index, pairs, rate, start);
        tasks.spawn_local(play_games(
            pair,
            index,
            schedule,
            Rc::clone(recorded_games),
            Rc::clone(&counters),
        ));
    }
    tasks.spawn_local(pacer.clone().run().map(Ok));
    let usage = counters.measure_window(server, window).await?;
    pacer.stop();
    join_all(tasks).await?;
    Ok(counters.metrics(usage))
}

async fn run_churn(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    recorded_games: &Rc<RecordedGames>,
    window: MeasureWindow,
    lanes: usize,
) -> anyhow::Result<Measurements> {
    let counters = LoadCounters::new()?;
    let gate = Rc::new(PairingGate::default());
    let mut tasks = JoinSet::new();
    for lane in 0..lanes {
        let (recorded_games, counters, gate) = (
            Rc::clone(recorded_games),
            Rc::clone(&counters),
            Rc::clone(&gate),
        );
        tasks.spawn_local(async move {
            for number in 0.. {
                let mut pair = PlayerPair::connect(endpoint, &gate).await?;
                let recorded_game = recorded_games.game(lane, number);
                let keep_going = pair
                    .play_game(recorded_game, &mut Unpaced, |due, received_at| {
                        counters.record_move(due, received_at)
                    })
                    .await?;
                counters.record_game();
                pair.leave().await?;
                if !keep_going {
                    break;
                }
            }
            Ok(())
        });
    }
    let usage = counters.measure_window(server, window).await?;
    join_all(tasks).await?;
    let games = counters.games.get().max(1) as f64;
    let mut measurements = counters.metrics(usage);
    measurements.insert(
        0,
        (
            Metric::CpuPerShortGame,
            usage.server.total().as_secs_f64() * 1e6 / games,
        ),
    );
    Ok(measurements)
}

/// Number of concurrent pairs in a soak.
const SOAK_LANES: usize = 8;

async fn run_soak(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    recorded_games: &Rc<RecordedGames>,
    window: MeasureWindow,
    games: usize,
) -> anyhow::Result<Measurements> {
    let gate = Rc::new(PairingGate::default());
    // Plays a tenth of the games first, so that buffers and caches have grown before the measurement.
    play_visits(endpoint, recorded_games, &gate, games / 10).await?;
    sleep(window.warm_up).await;
    let bytes_before = anonymous_memory_bytes(server.pid())?;
    play_visits(endpoint, recorded_games, &gate, games).await?;
    sleep(window.warm_up).await;
    let bytes_retained = anonymous_memory_bytes(server.pid())? as f64 - bytes_before as f64;
    Ok(vec![
        (Metric::SoakGames, games as f64),
        (Metric::WarmBytes, bytes_before as f64),
        (Metric::RetainedBytes, bytes_retained),
    ])
}

/// Plays games, each of two players who connect, are paired, play and leave.
async fn play_visits(
    endpoint: GameEndpoint,
    recorded_games: &Rc<RecordedGames>,
    gate: &Rc<PairingGate>,
    games: usize,
) -> anyhow::Result<()> {
    let mut tasks = JoinSet::new();
    for lane in 0..SOAK_LANES {
        let (recorded_games, gate) = (Rc::clone(recorded_games), Rc::clone(gate));
        tasks.spawn_local(async move {
            for number in 0..games.div_ceil(SOAK_LANES) {
                let mut pair = PlayerPair::connect(endpoint, &gate).await?;
                pair.play_game(recorded_games.game(lane, number), &mut Unpaced, |_, _| true)
                    .await?;
                pair.leave().await?;
            }
            Ok(())
        });
    }
    join_all(tasks).await
}

async fn run_idle(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    window: MeasureWindow,
    connections: usize,
) -> anyhow::Result<Measurements> {
    let mut idlers = vec![LoadPlayer::connect_idle(endpoint).await?];
    sleep(window.warm_up).await;
    let bytes_before = anonymous_memory_bytes(server.pid())?;
    while idlers.len() <= connections {
        idlers.push(LoadPlayer::connect_idle(endpoint).await?);
    }
    sleep(window.warm_up).await;
    let bytes_each = (anonymous_memory_bytes(server.pid())?.saturating_sub(bytes_before)) as f64
        / connections as f64;
    Ok(vec![(Metric::BytesPerConnection, bytes_each)])
}

async fn run_idle_rooms(
    server: &TargetProcess,
    endpoint: GameEndpoint,
    window: MeasureWindow,
    rooms: usize,
) -> anyhow::Result<Measurements> {
    let gate = PairingGate::default();
    let mut connected_pairs = connect_pairs(endpoint, &gate, 1).await?;
    sleep(window.warm_up).await;
    let bytes_before = anonymous_memory_bytes(server.pid())?;
    connected_pairs.extend(connect_pairs(endpoint, &gate, rooms).await?);
    sleep(window.warm_up).await;
    let bytes_each =
        (anonymous_memory_bytes(server.pid())?.saturating_sub(bytes_before)) as f64 / rooms as f64;
    Ok(vec![(Metric::BytesPerRoom, bytes_each)])
}

async fn run_matchmaking(
    endpoint: GameEndpoint,
    repetitions: usize,
) -> anyhow::Result<Measurements> {
    let gate = PairingGate::default();
    let mut latency = Histogram::<u64>::new_with_bounds(1, 60_000_000_000, 3)?;
    for _ in 0..repetitions {
        let began = Instant::now();
        let pair = PlayerPair::connect(endpoint, &gate).await?;
        latency.saturating_record(u64::try_from(began.elapsed().as_nanos())?);
        pair.leave().await?;
    }
    Ok(vec![(
        Metric::MatchmakingUs,
        latency.value_at_quantile(0.5) as f64 / 1e3,
    )])
}
