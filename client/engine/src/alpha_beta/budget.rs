//! What a search has used of its limits, and whether it has to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::SearchLimits;

/// Positions between two looks at the clock: up to ten milliseconds on the slowest boards, as where a proof makes many
/// children of each; a fraction of one on most.
const CHECK_INTERVAL_NODES: u64 = 256;

/// Counts positions, and looks at the clock now and then.
pub(crate) struct SearchBudget<'a> {
    pub(crate) nodes: u64,
    pub(crate) limits: SearchLimits,
    elapsed: &'a dyn Fn() -> Duration,
    stop: &'a AtomicBool,
    /// The search is to end now: values that come back are worth nothing.
    pub(crate) halted: bool,
}

impl<'a> SearchBudget<'a> {
    pub(crate) fn new(
        limits: SearchLimits,
        elapsed: &'a dyn Fn() -> Duration,
        stop: &'a AtomicBool,
    ) -> SearchBudget<'a> {
        SearchBudget { nodes: 0, limits, elapsed, stop, halted: false }
    }

    /// Time used so far, by the caller's clock.
    pub(crate) fn elapsed(&self) -> Duration {
        (self.elapsed)()
    }

    /// Counts a position, and now and then looks whether the search is to end.
    #[inline]
    pub(crate) fn count_node(&mut self) {
        self.nodes += 1;
        if self.limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.halted = true;
        }
        if self.nodes.is_multiple_of(CHECK_INTERVAL_NODES) {
            self.check_clock();
        }
    }

    /// Counts several positions at once.
    pub(crate) fn count_nodes(&mut self, nodes: u32) {
        let previous = self.nodes;
        self.nodes += u64::from(nodes);
        self.halted |= self.limits.nodes.is_some_and(|most| self.nodes >= most);
        if previous / CHECK_INTERVAL_NODES != self.nodes / CHECK_INTERVAL_NODES {
            self.check_clock();
        }
    }

    /// Lets a first attempt use so many `n`ths of what is left, so that there is enough for a second: gives the limits
    /// that [`SearchBudget::pop`] puts back.
    pub(crate) fn push_share(&mut self, parts: u32, n: u32) -> SearchLimits {
        let limits = self.limits;
        let used = self.elapsed();
        self.halted |= limits.time.is_some_and(|most| used >= most);
        let nodes = |most: u64| most.saturating_sub(self.nodes) / u64::from(n) * u64::from(parts);
        self.limits.nodes = limits.nodes.map(|most| self.nodes + nodes(most));
        self.limits.time = limits.time.map(|most| used + most.saturating_sub(used) / n * parts);
        limits
    }

    /// Lets it use so many positions at most.
    pub(crate) fn push_nodes(&mut self, nodes: u64) -> SearchLimits {
        let limits = self.limits;
        let most = self.nodes + nodes;
        self.limits.nodes = Some(limits.nodes.map_or(most, |limit| limit.min(most)));
        limits
    }

    pub(crate) fn pop(&mut self, limits: SearchLimits) {
        self.limits = limits;
        if self.halted {
            self.halted = self.limits.nodes.is_some_and(|most| self.nodes >= most);
            self.check_clock();
        }
    }

    #[cold]
    fn check_clock(&mut self) {
        let is_late = self.limits.time.is_some_and(|most| self.elapsed() >= most);
        self.halted |= is_late || self.stop.load(Ordering::Relaxed);
    }
}
