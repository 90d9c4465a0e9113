//! Moves at a fixed rate, to the microsecond. The runtime's timers know milliseconds only, so the
//! generator's core spins while it waits: that is what it is there for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::pair::MoveSchedule;

/// Wakes those who wait for their time.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    /// By the time they wait for; none once it has stopped.
    waiting_ticks: Rc<RefCell<Option<WaitingTicks>>>,
}

type WaitingTicks = BTreeMap<(Instant, usize), oneshot::Sender<()>>;

impl Pacer {
    /// One that beats until [`Pacer::stop`].
    pub(crate) fn start() -> Pacer {
        Pacer { waiting_ticks: Rc::new(RefCell::new(Some(WaitingTicks::new()))) }
    }

    /// Wakes everyone in time until it is stopped.
    pub(crate) async fn run(self) {
        while self.wake(Instant::now()) {
            yield_now().await;
        }
    }

    /// Wakes everyone who still waits, to see that the run is over.
    pub(crate) fn stop(&self) {
        // Dropping the senders does.
        self.waiting_ticks.take();
    }

    fn wake(&self, now: Instant) -> bool {
        let mut waiting_ticks = self.waiting_ticks.borrow_mut();
        let Some(waiting_ticks) = waiting_ticks.as_mut() else { return false };
        while let Some(earliest) = waiting_ticks.first_entry().filter(|entry| entry.key().0 <= now) {
            // Whoever waited may have given up with its run.
            let (Ok(()) | Err(())) = earliest.remove().send(());
        }
        true
    }

    /// The pace of one of `count` who together make `rate` moves a second, evenly spread.
    pub(crate) fn schedule(&self, index: usize, count: usize, rate: f64, start: Instant) -> Tick {
        let interval = Duration::from_secs_f64(count as f64 / rate);
        let due = start + interval.mul_f64(index as f64 / count as f64);
        Tick { pacer: self.clone(), index, interval, due }
    }
}

/// The times at which one pair moves. They do not wait for a slow server: a move that could not be made
/// in time has been due since then, and its latency counts from there.
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
        // An error says that the metronome has stopped.
        let (Ok(()) | Err(_)) = woken.await;
        due
    }
}
