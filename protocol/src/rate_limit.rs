//! Rate limiting by the generic cell rate algorithm. Pure: the time is an argument.

/// A leaky bucket by the generic cell rate algorithm (GCRA, ITU-T Recommendation I.371).
///
/// The state of a bucket is one number, which the caller keeps: `full_at`, the time when the bucket has recovered
/// completely (the *theoretical arrival time* of the recommendation). A new bucket has `full_at` 0, or any time in the
/// past. A `Gcra` holds only the parameters, so that one value serves any number of buckets.
///
/// The caller chooses the unit of time. A rate that does not divide the unit stays exact if the caller multiplies all
/// times by the rate: with 3 ticks per millisecond, 3 messages per second are 1000 ticks per message.
///
/// ```
/// use noughts_protocol::rate_limit::Gcra;
/// // One message in 100 ms, at most three at once.
/// let limit = Gcra::new(100, 300);
/// let mut full_at = 0;
/// for _ in 0..3 {
///     assert_eq!(limit.wait(full_at, 1, 5_000), 0);
///     full_at = limit.charge(full_at, 1, 5_000);
/// }
/// assert_eq!(limit.wait(full_at, 1, 5_000), 100);
/// assert_eq!(limit.wait(full_at, 2, 5_000), 200);
/// assert_eq!(limit.wait(full_at, 1, 5_100), 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gcra {
    interval: u64,
    capacity: u64,
}

impl Gcra {
    /// Creates a limit of one unit per `interval`, in bursts of up to `capacity / interval` units.
    pub const fn new(interval: u64, capacity: u64) -> Gcra {
        Gcra { interval, capacity }
    }

    /// Returns the earliest time when `units` conform to the limit. Units that cost more than the capacity never
    /// conform; the caller must not ask for this.
    pub const fn conforms_at(self, full_at: u64, units: u64) -> u64 {
        self.cost(units)
            .saturating_add(full_at)
            .saturating_sub(self.capacity)
    }

    /// Returns the time from `now` until `units` conform to the limit: 0 if they conform now. Changes nothing.
    pub const fn wait(self, full_at: u64, units: u64, now: u64) -> u64 {
        self.conforms_at(full_at, units).saturating_sub(now)
    }

    /// Returns the new `full_at` after `units` are taken at `now`, whether or not they conform.
    ///
    /// If `now` is before the latest charge, the bucket is not refilled.
    pub const fn charge(self, full_at: u64, units: u64, now: u64) -> u64 {
        let begin = if full_at > now { full_at } else { now };
        begin.saturating_add(self.cost(units))
    }

    const fn cost(self, units: u64) -> u64 {
        self.interval.saturating_mul(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times when `count` messages pass, each as early as it conforms.
    fn times(limit: Gcra, count: usize) -> Vec<u64> {
        let (mut full_at, mut now) = (0, 1_000);
        let mut times = Vec::new();
        for _ in 0..count {
            now += limit.wait(full_at, 1, now);
            times.push(now - 1_000);
            full_at = limit.charge(full_at, 1, now);
        }
        times
    }

    #[test]
    fn a_burst_passes_and_then_the_rate_holds() {
        assert_eq!(times(Gcra::new(100, 300), 6), [0, 0, 0, 100, 200, 300]);
        assert_eq!(times(Gcra::new(100, 100), 4), [0, 100, 200, 300]);
        assert_eq!(times(Gcra::new(7, 20), 5), [0, 0, 1, 8, 15]);
    }

    #[test]
    fn several_units_cost_as_much_as_single_ones() {
        let limit = Gcra::new(100, 500);
        let single = (0..4).fold(0, |full_at, _| limit.charge(full_at, 1, 50));
        assert_eq!(limit.charge(0, 4, 50), single);
        assert_eq!(
            [1, 2, 5].map(|units| limit.wait(single, units, 50)),
            [0, 100, 400]
        );
    }

    #[test]
    fn charges_beyond_the_limit_are_paid_for() {
        let limit = Gcra::new(100, 300);
        let full_at = limit.charge(0, 10, 0);
        assert_eq!(limit.wait(full_at, 1, 0), 800);
        assert_eq!(limit.wait(full_at, 1, 800), 0);
    }

    #[test]
    fn a_clock_that_goes_back_refills_nothing() {
        let limit = Gcra::new(1_000, 1_000);
        let full_at = limit.charge(0, 1, 5_000);
        assert_eq!(limit.conforms_at(full_at, 1), 6_000);
        assert_eq!(limit.wait(full_at, 1, 0), 6_000);
        assert_eq!(limit.charge(full_at, 1, 0), 7_000);
    }

    #[test]
    fn extreme_times_do_not_overflow() {
        let limit = Gcra::new(u64::MAX, u64::MAX);
        let full_at = limit.charge(u64::MAX, u64::MAX, u64::MAX);
        assert_eq!(
            (full_at, limit.wait(full_at, u64::MAX, u64::MAX)),
            (u64::MAX, 0)
        );
    }
}
