//! Moves at a fixed rate with microsecond precision. The runtime's timers have millisecond precision, so the
//! generator's core spins while it waits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::pair::MoveSchedule;

/// Wakes tasks at exact times.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    /// Waiting tasks by time; `None` after the stop.
    waiting_ticks: Rc<RefCell<Option<WaitingTicks>>>,
}

type WaitingTicks = BTreeMap<(Instant, usize), oneshot::Sender<()>>;

impl Pacer {
    /// Starts a pacer that runs until [`Pacer::stop`].
    pub(crate) fn start() -> Pacer {
        Pacer {
            waiting_ticks: Rc::new(RefCell::new(Some(WaitingTicks::new()))),
        }
    }

    /// Wakes tasks at their times until it is stopped.
    pub(crate) async fn run(self) {
        while self.wake(Instant::now()) {
            yield_now().await;
        }
    }

    /// Stops the pacer and wakes all waiting tasks.
    pub(crate) fn stop(&self) {
        self.waiting_ticks.take();
    }

    fn wake(&self, now: Instant) -> bool {
        let mut waiting_ticks = self.waiting_ticks.borrow_mut();
        let Some(waiting_ticks) = waiting_ticks.as_mut() else {
            return false;
        };
        while let Some(earliest) = waiting_ticks
            .first_entry()
            .filter(|entry| entry.key().0 <= now)
        {
            // The waiting task may have ended with its run.
            let (Ok(()) | Err(())) = earliest.remove().send(());
        }
        true
    }

    /// Returns the schedule of one of `count` pairs that together make `rate` moves a second, evenly spread.
    pub(crate) fn schedule(&self, index: usize, count: usize, rate: f64, start: Instant) -> Tick {
        let interval = Duration::from_secs_f64(count as f64 / rate);
        let due = start + interval.mul_f64(index as f64 / count as f64);
        Tick {
            pacer: self.clone(),
            index,
            interval,
            due,
        }
    }
}

/// Due times of one pair's moves, which do not depend on the server. The latency of a late move counts from its due
/// time.
#[derive(Debug)]
pub(crate) struct Tick {
    pacer: Pacer,
    index: usize,
    interval: Duration,
    due: Instant,
}

impl MoveSchedule for Tick {
    async fn next_due(&mut self) -> Instant {
        let due = self.due;
        self.due += self.interval;
        let (sender, woken) = oneshot::channel();
        match self.pacer.waiting_ticks.borrow_mut().as_mut() {
            Some(waiting_ticks) => drop(waiting_ticks.insert((due, self.index), sender)),
            None => drop(sender),
        }
        // The pacer was stopped.
        let (Ok(()) | Err(_)) = woken.await;
        due
    }
}
