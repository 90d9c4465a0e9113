//! What is counted while a run is in its window, and what the server used meanwhile.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::time::{Instant, sleep};

use crate::figure::Figure;
use crate::scenario::{Measure, Window};
use crate::subject::Running;
use crate::usage::Cpu;

/// What is counted while a run is in its window.
#[derive(Debug)]
pub(crate) struct Tally {
    phase: Cell<Phase>,
    moves: Cell<u64>,
    pub(crate) games: Cell<u64>,
    /// From when a move was due until the opponent had it, in nanoseconds.
    latency: RefCell<Histogram<u64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Warm,
    Measured,
    Over,
}

impl Tally {
    pub(crate) fn new() -> anyhow::Result<Rc<Tally>> {
        let latency = RefCell::new(Histogram::new_with_bounds(1, 60_000_000_000, 3)?);
        Ok(Rc::new(Tally {
            phase: Cell::new(Phase::Warm),
            moves: Cell::new(0),
            games: Cell::new(0),
            latency,
        }))
    }

    /// Takes note of a move, and says whether to go on.
    pub(crate) fn moved(&self, due: Instant, there: Instant) -> bool {
        if self.phase.get() == Phase::Measured {
            self.moves.set(self.moves.get() + 1);
            let took = u64::try_from(there.saturating_duration_since(due).as_nanos()).unwrap_or(u64::MAX);
            self.latency.borrow_mut().saturating_record(took);
        }
        self.on()
    }

    pub(crate) fn finished(&self) {
        if self.phase.get() == Phase::Measured {
            self.games.set(self.games.get() + 1);
        }
    }

    fn on(&self) -> bool {
        self.phase.get() != Phase::Over
    }

    /// Lets the window pass, and says what was used in it.
    pub(crate) async fn window(&self, server: &Running, window: Window) -> anyhow::Result<Used> {
        sleep(window.warm).await;
        let (before, mine, began) = (Cpu::of(server.pid())?, Cpu::of(std::process::id())?, Instant::now());
        self.phase.set(Phase::Measured);
        sleep(window.measured).await;
        while self.games.get() < window.games {
            sleep(Duration::from_millis(10)).await;
        }
        self.phase.set(Phase::Over);
        let wall = began.elapsed();
        let server = Cpu::of(server.pid())?.since(before);
        Ok(Used { wall, server, generator: Cpu::of(std::process::id())?.since(mine) })
    }

    pub(crate) fn measure(&self, used: Used) -> Measure {
        let moves = self.moves.get().max(1) as f64;
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let latency = self.latency.borrow();
        let quantile = |q| latency.value_at_quantile(q) as f64 / 1e3;
        let share = |time: Duration| time.as_secs_f64() / used.wall.as_secs_f64();
        vec![
            (Figure::CpuPerMove, micros(used.server.total()) / moves),
            (Figure::UserPerMove, micros(used.server.user) / moves),
            (Figure::SystemPerMove, micros(used.server.system) / moves),
            (Figure::MovesPerSecond, self.moves.get() as f64 / used.wall.as_secs_f64()),
            (Figure::GamesPerSecond, self.games.get() as f64 / used.wall.as_secs_f64()),
            (Figure::P50, quantile(0.5)),
            (Figure::P99, quantile(0.99)),
            (Figure::P999, quantile(0.999)),
            (Figure::ServerBusy, share(used.server.total())),
            (Figure::GeneratorBusy, share(used.generator.total())),
        ]
    }
}

/// What was used in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    wall: Duration,
    pub(crate) server: Cpu,
    generator: Cpu,
}
