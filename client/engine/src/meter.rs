//! What a search has used of its limits, and whether it has to end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Limits;

/// Positions between two looks at the clock: up to ten milliseconds on the slowest boards, as where a proof makes many
/// children of each; a fraction of one on most.
const LOOK_UP_EVERY: u64 = 256;

/// Counts positions, and looks at the clock now and then.
pub(super) struct Meter<'a> {
    pub(super) nodes: u64,
    pub(super) limits: Limits,
    elapsed: &'a dyn Fn() -> Duration,
    stop: &'a AtomicBool,
    /// The search is to end now: values that come back are worth nothing.
    pub(super) halted: bool,
}

impl<'a> Meter<'a> {
    pub(super) fn new(limits: Limits, elapsed: &'a dyn Fn() -> Duration, stop: &'a AtomicBool) -> Meter<'a> {
        Meter { nodes: 0, limits, elapsed, stop, halted: false }
    }

    /// Time used so far, by the caller's clock.
    pub(super) fn elapsed(&self) -> Duration {
        (self.elapsed)()
    }

    /// Counts a position, and now and then looks whether the search is to end.
    #[inline]
    pub(super) fn count(&mut self) {
        self.nodes += 1;
        if self.limits.nodes.is_some_and(|most| self.nodes >= most) {
            self.halted = true;
        }
        if self.nodes.is_multiple_of(LOOK_UP_EVERY) {
            self.look_up();
        }
    }

    /// Counts several positions at once.
    pub(super) fn count_more(&mut self, nodes: u32) {
        let before = self.nodes;
        self.nodes += u64::from(nodes);
        self.halted |= self.limits.nodes.is_some_and(|most| self.nodes >= most);
        if before / LOOK_UP_EVERY != self.nodes / LOOK_UP_EVERY {
            self.look_up();
        }
    }

    /// Lets a first attempt use so many `n`ths of what is left, so that there is enough for a second: gives the limits
    /// that [`Meter::end_part`] puts back.
    pub(super) fn begin_part(&mut self, parts: u32, n: u32) -> Limits {
        let limits = self.limits;
        let used = self.elapsed();
        self.halted |= limits.time.is_some_and(|most| used >= most);
        let nodes = |most: u64| most.saturating_sub(self.nodes) / u64::from(n) * u64::from(parts);
        self.limits.nodes = limits.nodes.map(|most| self.nodes + nodes(most));
        self.limits.time = limits.time.map(|most| used + most.saturating_sub(used) / n * parts);
        limits
    }

    /// Lets it use so many positions at most.
    pub(super) fn begin_nodes(&mut self, nodes: u64) -> Limits {
        let limits = self.limits;
        let most = self.nodes + nodes;
        self.limits.nodes = Some(limits.nodes.map_or(most, |limit| limit.min(most)));
        limits
    }

    pub(super) fn end_part(&mut self, limits: Limits) {
        self.limits = limits;
        if self.halted {
            self.halted = self.limits.nodes.is_some_and(|most| self.nodes >= most);
            self.look_up();
        }
    }

    #[cold]
    fn look_up(&mut self) {
        let late = self.limits.time.is_some_and(|most| self.elapsed() >= most);
        self.halted |= late || self.stop.load(Ordering::Relaxed);
    }
}
