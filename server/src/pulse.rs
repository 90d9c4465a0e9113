//! The heartbeat: tells the log from time to time that the server is there, so that the next run knows which
//! time clocks ran. What a kill then gives back is less than one beat.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;

use crate::lived::Lived;
use crate::log::EventLog;
use crate::time::Time;

/// How often.
const BEAT: Duration = Duration::from_secs(1);

/// When this server and those before it on the same log were there.
#[derive(Debug)]
pub struct Pulse {
    state: Mutex<State>,
    time: Time,
}

#[derive(Debug)]
struct State {
    lived: Lived,
    /// Between the beginning and the end.
    counts: bool,
    /// For how many nothing counts at present.
    paused: usize,
}

impl State {
    /// Time counts from then on, unless somebody says otherwise.
    fn go_on(&mut self, from: u64) {
        if self.counts && self.paused == 0 {
            self.lived.begin(from);
        }
    }
}

impl Pulse {
    /// Of a run that is about to begin, after those that `lived`.
    pub fn new(lived: Lived, time: Time) -> Arc<Pulse> {
        Arc::new(Pulse { state: Mutex::new(State { lived, counts: false, paused: 0 }), time })
    }

    /// The run begins. What comes in its first `back` milliseconds counts for nobody.
    pub fn begin(&self, back: u64) {
        let now = self.time.now();
        let mut state = self.state();
        state.counts = true;
        state.lived.begin(now);
        state.lived.begin(now.saturating_add(back));
    }

    /// Nothing panics while the lock is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that counted up to now; none while nothing does.
    pub fn beat(&self) -> Option<Lived> {
        let mut state = self.state();
        if state.paused > 0 || !state.counts {
            return None;
        }
        state.lived.reach(self.time.now());
        Some(state.lived.clone())
    }

    /// All that counted before this run, and in it so far.
    pub fn lived(&self) -> Lived {
        self.beat().unwrap_or_else(|| self.state().lived.clone())
    }

    /// The last so many milliseconds counted for nobody, and the next so many will not.
    pub fn leave_out(&self, last: u64, next: u64) {
        let now = self.time.now();
        let mut state = self.state();
        if state.counts {
            if state.paused == 0 {
                state.lived.reach(now);
            }
            state.lived.cut(now.saturating_sub(last));
            state.go_on(now.saturating_add(next));
        }
    }

    /// The last so many milliseconds counted for nobody, nor does any time until what comes back is dropped.
    pub fn pause(self: &Arc<Self>, last: u64) -> Pause {
        self.leave_out(last, 0);
        self.state().paused += 1;
        Pause(Arc::clone(self))
    }

    /// From now on nothing counts any more. The last beat.
    pub fn end(&self) -> Option<Lived> {
        let last = self.beat();
        self.state().counts = false;
        last
    }

    /// Beats as long as it is polled, while somebody is there whose clock may run.
    pub async fn run(&self, log: &dyn EventLog, needed: impl Fn() -> bool) {
        loop {
            sleep(BEAT).await;
            if needed()
                && let Some(lived) = self.beat()
            {
                log.beat(lived);
            }
        }
    }
}

/// While it is there, no time counts.
#[derive(Debug)]
#[must_use = "time counts again as soon as it is dropped"]
pub struct Pause(Arc<Pulse>);

impl Drop for Pause {
    fn drop(&mut self) {
        let now = self.0.time.now();
        let mut state = self.0.state();
        state.paused -= 1;
        state.go_on(now);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn said(pulse: &Pulse) -> Option<String> {
        pulse.beat().map(|lived| lived.to_string())
    }

    async fn pass(ms: u64) {
        advance(Duration::from_millis(ms)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_goes_on_from_those_before_it() {
        let pulse = Pulse::new("100-200".parse().unwrap(), Time::at(1_000));
        assert_eq!((said(&pulse), pulse.lived().to_string()), (None, "100-200".into()), "not yet");
        pulse.begin(50);
        assert_eq!(said(&pulse).unwrap(), "100-200 1050-1050");
        pass(150).await;
        assert_eq!(said(&pulse).unwrap(), "100-200 1050-1150");
        pass(10).await;
        assert_eq!(pulse.end().unwrap().to_string(), "100-200 1050-1160");
        pass(10).await;
        assert_eq!(said(&pulse), None, "it is over");
        pulse.leave_out(5, 5);
        assert_eq!(pulse.lived().to_string(), "100-200 1050-1160");
        let set_back = Pulse::new("900-2000".parse().unwrap(), Time::at(1_000));
        assert_eq!(set_back.lived().after(950), 1_050, "behind it all the same");
        set_back.begin(50);
        assert_eq!(said(&set_back).unwrap(), "1050-1050");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_left_out_was_never_there() {
        let pulse = Pulse::new(Lived::default(), Time::at(0));
        pulse.begin(0);
        pass(100).await;
        pulse.leave_out(30, 20);
        assert_eq!(said(&pulse).unwrap(), "0-70 120-120");
        pass(50).await;
        assert_eq!(said(&pulse).unwrap(), "0-70 120-150");
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_counts_while_anybody_pauses() {
        let pulse = Pulse::new(Lived::default(), Time::at(0));
        pulse.begin(0);
        pass(100).await;
        let one = pulse.pause(10);
        let two = pulse.pause(0);
        assert_eq!(said(&pulse), None);
        pass(100).await;
        drop(one);
        pulse.leave_out(5, 0);
        assert_eq!((said(&pulse), pulse.lived().to_string()), (None, "0-90".into()));
        pass(100).await;
        drop(two);
        pass(7).await;
        assert_eq!(said(&pulse).unwrap(), "0-90 300-307");
    }
}
