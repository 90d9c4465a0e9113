//! Moves at a fixed rate, to the microsecond. The runtime's timers know milliseconds only, so the
//! generator's core spins while it waits: that is what it is there for.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::pair::Pace;

/// Wakes those who wait for their time.
#[derive(Clone, Debug)]
pub(crate) struct Metronome {
    /// By the time they wait for; none once it has stopped.
    waiting: Rc<RefCell<Option<Waiting>>>,
}

type Waiting = BTreeMap<(Instant, usize), oneshot::Sender<()>>;

impl Metronome {
    /// One that beats until [`Metronome::stop`].
    pub(crate) fn start() -> Metronome {
        Metronome { waiting: Rc::new(RefCell::new(Some(Waiting::new()))) }
    }

    /// Wakes everyone in time until it is stopped.
    pub(crate) async fn beat(self) {
        while self.wake(Instant::now()) {
            yield_now().await;
        }
    }

    /// Wakes everyone who still waits, to see that the run is over.
    pub(crate) fn stop(&self) {
        // Dropping the senders does.
        self.waiting.take();
    }

    fn wake(&self, now: Instant) -> bool {
        let mut waiting = self.waiting.borrow_mut();
        let Some(waiting) = waiting.as_mut() else { return false };
        while let Some(first) = waiting.first_entry().filter(|entry| entry.key().0 <= now) {
            // Whoever waited may have given up with its run.
            let (Ok(()) | Err(())) = first.remove().send(());
        }
        true
    }

    /// The pace of one of `count` who together make `rate` moves a second, evenly spread.
    pub(crate) fn pace(&self, index: usize, count: usize, rate: f64, start: Instant) -> Beat {
        let every = Duration::from_secs_f64(count as f64 / rate);
        let due = start + every.mul_f64(index as f64 / count as f64);
        Beat { metronome: self.clone(), index, every, due }
    }
}

/// The times at which one pair moves. They do not wait for a slow server: a move that could not be made
/// in time has been due since then, and its latency counts from there.
#[derive(Debug)]
pub(crate) struct Beat {
    metronome: Metronome,
    index: usize,
    every: Duration,
    due: Instant,
}

impl Pace for Beat {
    async fn next(&mut self) -> Instant {
        let due = self.due;
        self.due += self.every;
        let (sender, woken) = oneshot::channel();
        match self.metronome.waiting.borrow_mut().as_mut() {
            Some(waiting) => drop(waiting.insert((due, self.index), sender)),
            None => drop(sender),
        }
        // An error says that the metronome has stopped.
        let (Ok(()) | Err(_)) = woken.await;
        due
    }
}
