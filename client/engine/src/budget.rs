//! Search budget: counts positions, checks the clock and the stop flag, and nests limits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::SearchLimits;

/// Positions between two checks of the clock. They take a fraction of a millisecond on most boards, and up to ten
/// milliseconds when df-pn expands many children.
const CHECK_INTERVAL_NODES: u64 = 256;

/// The budget of one search.
pub struct SearchBudget<'a> {
    pub nodes: u64,
    pub(crate) limits: SearchLimits,
    elapsed: &'a dyn Fn() -> Duration,
    stop: &'a AtomicBool,
    /// Number of positions before the clock may end the search.
    unclocked_nodes: u64,
    /// Whether the search must end. Values from a halted search are meaningless.
    pub halted: bool,
}

impl<'a> SearchBudget<'a> {
    pub fn new(
        limits: SearchLimits,
        elapsed: &'a dyn Fn() -> Duration,
        stop: &'a AtomicBool,
    ) -> SearchBudget<'a> {
        SearchBudget {
            nodes: 0,
            limits,
            elapsed,
            stop,
            unclocked_nodes: 0,
            halted: false,
        }
    }

    /// Returns the time used so far, on the caller's clock.
    pub(crate) fn elapsed(&self) -> Duration {
        (self.elapsed)()
    }

    /// Counts a position, and checks the clock every [`CHECK_INTERVAL_NODES`].
    #[inline]
    pub fn count_node(&mut self) {
        self.nodes += 1;
        if self.limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.halted = true;
        }
        if self.nodes.is_multiple_of(CHECK_INTERVAL_NODES) {
            self.check_clock();
        }
    }

    /// Counts several positions in one call.
    pub(crate) fn count_nodes(&mut self, nodes: u32) {
        let previous = self.nodes;
        self.nodes += u64::from(nodes);
        self.halted |= self.limits.nodes.is_some_and(|most| self.nodes >= most);
        if previous / CHECK_INTERVAL_NODES != self.nodes / CHECK_INTERVAL_NODES {
            self.check_clock();
        }
    }

    /// Limits the search to `parts` / `n` of the remaining budget. Returns the limits for [`SearchBudget::pop`].
    pub(crate) fn push_share(&mut self, parts: u32, n: u32) -> SearchLimits {
        let limits = self.limits;
        let used = self.elapsed();
        self.halted |= self.is_late(|| used);
        let nodes = |most: u64| most.saturating_sub(self.nodes) / u64::from(n) * u64::from(parts);
        self.limits.nodes = limits.nodes.map(|most| self.nodes + nodes(most));
        self.limits.time = limits
            .time
            .map(|most| used + most.saturating_sub(used) / n * parts);
        limits
    }

    /// Limits the search to this number of further positions. Returns the limits for [`SearchBudget::pop`].
    pub fn push_nodes(&mut self, nodes: u64) -> SearchLimits {
        let limits = self.limits;
        let most = self.nodes + nodes;
        self.limits.nodes = Some(limits.nodes.map_or(most, |limit| limit.min(most)));
        limits
    }

    /// Restores limits, and recomputes whether the search must end.
    pub fn pop(&mut self, limits: SearchLimits) {
        self.limits = limits;
        if self.halted {
            self.halted = self.limits.nodes.is_some_and(|most| self.nodes >= most);
            self.check_clock();
        }
    }

    /// Keeps the clock from ending the search within this number of further positions, because on a busy machine time
    /// passes while the search does not run.
    pub(crate) fn guarantee_nodes(&mut self, nodes: u64) {
        self.unclocked_nodes = self.nodes + nodes;
        self.halted = self.stop.load(Ordering::Relaxed)
            || self.limits.nodes.is_some_and(|most| self.nodes >= most);
    }

    /// Ends the effect of [`SearchBudget::guarantee_nodes`].
    pub(crate) fn end_guarantee(&mut self) {
        self.unclocked_nodes = 0;
    }

    fn is_late(&self, elapsed: impl Fn() -> Duration) -> bool {
        match self.limits.time {
            Some(most) => self.nodes >= self.unclocked_nodes && elapsed() >= most,
            None => {
                // Reading the clock may raise the stop flag.
                elapsed();
                false
            }
        }
    }

    #[cold]
    fn check_clock(&mut self) {
        self.halted |= self.is_late(|| self.elapsed()) || self.stop.load(Ordering::Relaxed);
    }
}
