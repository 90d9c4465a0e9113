//! Counters of a measurement window, and the server's usage in it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::{Instant, sleep};

use crate::proc_stats::CpuTime;
use crate::report::Metric;
use crate::scenario::{MeasureWindow, Measurements};
use crate::target::TargetProcess;

/// Counters of a measurement window.
#[derive(Debug)]
pub(crate) struct LoadCounters {
    phase: Cell<WindowPhase>,
    moves: Cell<u64>,
    pub(crate) games: Cell<u64>,
    /// Time from when a move was due until the opponent received it, in nanoseconds.
    latency: RefCell<Histogram<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WindowPhase {
    WarmUp,
    Measured,
    Finished,
}

impl LoadCounters {
    pub(crate) fn new() -> anyhow::Result<Rc<LoadCounters>> {
        let latency = RefCell::new(Histogram::new_with_bounds(1, 60_000_000_000, 3)?);
        Ok(Rc::new(LoadCounters {
            phase: Cell::new(WindowPhase::WarmUp),
            moves: Cell::new(0),
            games: Cell::new(0),
            latency,
        }))
    }

    /// Records a move. Returns whether the pair continues to play.
    pub(crate) fn record_move(&self, due: Instant, received_at: Instant) -> bool {
        if self.phase.get() == WindowPhase::Measured {
            self.moves.set(self.moves.get() + 1);
            let latency_ns = u64::try_from(received_at.saturating_duration_since(due).as_nanos())
                .unwrap_or(u64::MAX);
            self.latency.borrow_mut().saturating_record(latency_ns);
        }
        self.is_running()
    }

    pub(crate) fn record_game(&self) {
        if self.phase.get() == WindowPhase::Measured {
            self.games.set(self.games.get() + 1);
        }
    }

    /// Starts the measurement window.
    pub(crate) fn start_window(&self) {
        self.phase.set(WindowPhase::Measured);
    }

    /// Ends the window and the run.
    pub(crate) fn finish_window(&self) {
        self.phase.set(WindowPhase::Finished);
    }

    /// Returns the number of counted moves.
    pub(crate) fn moves(&self) -> u64 {
        self.moves.get()
    }

    /// Returns quantiles of the time from when a move was due until the opponent received it, in microseconds.
    pub(crate) fn latency_us<const N: usize>(&self, quantiles: [f64; N]) -> [f64; N] {
        let latency = self.latency.borrow();
        quantiles.map(|quantile| latency.value_at_quantile(quantile) as f64 / 1e3)
    }

    fn is_running(&self) -> bool {
        self.phase.get() != WindowPhase::Finished
    }

    /// Waits for the window to pass; returns the usage in it.
    pub(crate) async fn measure_window(
        &self,
        server: &TargetProcess,
        window: MeasureWindow,
    ) -> anyhow::Result<WindowUsage> {
        sleep(window.warm_up).await;
        let (before, generator_before, began) = (
            CpuTime::for_pid(server.pid())?,
            CpuTime::for_pid(std::process::id())?,
            Instant::now(),
        );
        self.start_window();
        sleep(window.measured_time).await;
        while self.games.get() < window.min_games {
            sleep(Duration::from_millis(10)).await;
        }
        self.finish_window();
        let wall = began.elapsed();
        let server = CpuTime::for_pid(server.pid())?.since(before);
        Ok(WindowUsage {
            wall,
            server,
            generator: CpuTime::for_pid(std::process::id())?.since(generator_before),
        })
    }

    pub(crate) fn metrics(&self, usage: WindowUsage) -> Measurements {
        let moves = self.moves.get().max(1) as f64;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let [p50, p99, p999] = self.latency_us([0.5, 0.99, 0.999]);
        let share = |time: Duration| time.as_secs_f64() / usage.wall.as_secs_f64();
        vec![
            (Metric::CpuPerMove, micros(usage.server.total()) / moves),
            (Metric::UserPerMove, micros(usage.server.user) / moves),
            (Metric::SystemPerMove, micros(usage.server.system) / moves),
            (
                Metric::MovesPerSecond,
                self.moves.get() as f64 / usage.wall.as_secs_f64(),
            ),
            (
                Metric::GamesPerSecond,
                self.games.get() as f64 / usage.wall.as_secs_f64(),
            ),
            (Metric::P50, p50),
            (Metric::P99, p99),
            (Metric::P999, p999),
            (Metric::ServerUtilization, share(usage.server.total())),
            (Metric::GeneratorUtilization, share(usage.generator.total())),
        ]
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct WindowUsage {
    wall: Duration,
    pub(crate) server: CpuTime,
    generator: CpuTime,
}
