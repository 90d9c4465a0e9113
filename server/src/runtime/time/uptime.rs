//! Uptime history: the intervals in which clocks ran, so that a restart excludes only the outage.
//!
//! Pure. Times are milliseconds of the server clock.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;

/// Time that storing one event is assumed to have taken at most, in milliseconds. It is credited for each event after
/// a restart, since the history does not contain it.
pub(crate) const ASSUMED_APPEND_MS: u64 = 500;

/// Maximum number of intervals; the time of older ones is credited.
const MAX_INTERVALS: usize = 32;

/// An interval without a break, in which a server ran and could store events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct UptimeInterval {
    from: u64,
    until: u64,
}

/// Intervals of this run and of earlier ones, oldest first, without overlaps.
///
/// After the system clock was set back, the order of intervals is unknown and the earlier ones are discarded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UptimeHistory {
    intervals: VecDeque<UptimeInterval>,
}

impl UptimeHistory {
    /// Counts time from `from` on.
    pub fn start_interval(&mut self, from: u64) {
        if self.intervals.back().is_some_and(|last| last.until > from) {
            self.intervals.clear();
        }
        self.intervals.retain(|span| span.from < span.until);
        if self.intervals.len() == MAX_INTERVALS {
            self.intervals.pop_front();
        }
        self.intervals
            .push_back(UptimeInterval { from, until: from });
    }

    /// Extends the last interval to `now`.
    pub fn extend_to(&mut self, now: u64) {
        if let Some(last) = self.intervals.back_mut() {
            last.until = last.until.max(now);
        }
    }

    /// Excludes the time after `at`.
    pub fn truncate_at(&mut self, at: u64) {
        self.intervals.retain(|span| span.from < at);
        if let Some(last) = self.intervals.back_mut() {
            last.until = last.until.min(at);
        }
    }

    /// Returns whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Returns the end of the last interval.
    pub fn last_seen(&self) -> u64 {
        self.intervals.back().map_or(0, |last| last.until)
    }

    /// Returns whether this is `earlier` with a later end of the last interval.
    #[cfg(feature = "cluster")]
    pub(crate) fn continues(&self, earlier: &UptimeHistory) -> bool {
        let last = |history: &UptimeHistory| history.intervals.back().copied();
        let (Some(now), Some(before)) = (last(self), last(earlier)) else {
            return false;
        };
        let complete = self.intervals.len() - 1;
        now.from == before.from
            && now.until >= before.until
            && self.intervals.len() == earlier.intervals.len()
            && self
                .intervals
                .iter()
                .take(complete)
                .eq(earlier.intervals.iter().take(complete))
    }

    /// Returns the time that any of the histories counts.
    #[cfg(feature = "cluster")]
    pub(crate) fn union(histories: impl IntoIterator<Item = UptimeHistory>) -> UptimeHistory {
        let mut all: Vec<UptimeInterval> = histories
            .into_iter()
            .flat_map(|history| history.intervals)
            .collect();
        all.sort_by_key(|span| span.from);
        let mut intervals: VecDeque<UptimeInterval> = VecDeque::new();
        for span in all {
            match intervals.back_mut().filter(|last| last.until >= span.from) {
                Some(last) => last.until = last.until.max(span.until),
                None => intervals.push_back(span),
            }
        }
        let oldest = intervals.len().saturating_sub(MAX_INTERVALS);
        intervals.drain(..oldest);
        UptimeHistory { intervals }
    }

    /// Returns this history up to `from`, and from then on what `later` counts.
    #[cfg(feature = "cluster")]
    pub(crate) fn followed_by(&self, later: &UptimeHistory, from: u64) -> UptimeHistory {
        let mut earlier = self.clone();
        earlier.truncate_at(from);
        let rest = later.intervals.iter().filter(|span| span.until > from);
        let rest = rest.map(|span| UptimeInterval {
            from: span.from.max(from),
            until: span.until,
        });
        UptimeHistory::union([
            earlier,
            UptimeHistory {
                intervals: rest.collect(),
            },
        ])
    }

    /// Returns the uptime after `at`, in milliseconds.
    pub fn uptime_after(&self, at: u64) -> u64 {
        let durations = self
            .intervals
            .iter()
            .map(|span| span.until.saturating_sub(span.from.max(at)));
        durations.fold(0, u64::saturating_add)
    }
}

/// Writes the intervals as `from-until`, separated by spaces.
impl fmt::Display for UptimeHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, UptimeInterval { from, until }) in self.intervals.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{from}-{until}")?;
        }
        Ok(())
    }
}

/// The text is not an [`UptimeHistory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseUptimeError;

impl FromStr for UptimeHistory {
    type Err = ParseUptimeError;

    fn from_str(text: &str) -> Result<UptimeHistory, ParseUptimeError> {
        let mut intervals = VecDeque::new();
        let mut before = 0;
        for span in text.split(' ').filter(|_| !text.is_empty()) {
            let (from, until) = span.split_once('-').ok_or(ParseUptimeError)?;
            let span = UptimeInterval {
                from: from.parse().map_err(|_| ParseUptimeError)?,
                until: until.parse().map_err(|_| ParseUptimeError)?,
            };
            if span.from < before || span.until < span.from || intervals.len() == MAX_INTERVALS {
                return Err(ParseUptimeError);
            }
            before = span.until;
            intervals.push_back(span);
        }
        Ok(UptimeHistory { intervals })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "cluster")]
    #[test]
    fn a_history_continues_one_that_ends_earlier() {
        let history = |text: &str| text.parse::<UptimeHistory>().unwrap();
        assert!(history("1-5 8-20").continues(&history("1-5 8-10")));
        for earlier in [
            "",
            "1-5",
            "1-5 8-21",
            "1-5 9-10",
            "1-4 8-10",
            "8-10",
            "0-1 1-5 8-10",
        ] {
            assert!(
                !history("1-5 8-20").continues(&history(earlier)),
                "{earlier}"
            );
        }
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_union_counts_the_time_of_all_histories_once() {
        let histories =
            ["1-5 8-10", "", "4-6 8-9 20-30", "30-31"].map(|text| text.parse().unwrap());
        assert_eq!(
            UptimeHistory::union(histories).to_string(),
            "1-6 8-10 20-31"
        );
        let many = (0..100).map(|at| format!("{}-{}", 10 * at, 10 * at + 1).parse().unwrap());
        let union = UptimeHistory::union(many);
        assert_eq!(union.to_string().parse(), Ok(union.clone()));
        assert_eq!(union.uptime_after(0), MAX_INTERVALS as u64);
    }

    #[cfg(feature = "cluster")]
    #[test]
    fn a_shard_counts_the_time_of_each_owner_while_it_owned_the_shard() {
        let followed = |before: &str, node: &str, from| {
            let [before, node] = [before, node].map(|text| text.parse::<UptimeHistory>().unwrap());
            before.followed_by(&node, from).to_string()
        };
        assert_eq!(followed("1-5 8-10", "0-20", 13), "1-5 8-10 13-20");
        assert_eq!(
            followed("1-5 8-30", "0-20 25-40", 13),
            "1-5 8-20 25-40",
            "its clock was ahead"
        );
        assert_eq!(followed("1-5", "0-3", 13), "1-5");
        assert_eq!(followed("", "0-20", 13), "13-20");
    }

    fn parse(text: &str) -> UptimeHistory {
        text.parse().unwrap()
    }

    #[test]
    fn uptime_after_an_instant_is_counted_once() {
        let history = parse("10-20 30-35 50-90");
        for (at, after) in [
            (0, 55),
            (10, 55),
            (15, 50),
            (25, 45),
            (34, 41),
            (60, 30),
            (90, 0),
            (100, 0),
        ] {
            assert_eq!(history.uptime_after(at), after, "behind {at}");
        }
        assert_eq!(UptimeHistory::default().uptime_after(0), 0);
    }

    #[test]
    fn interval_is_extended_and_truncated() {
        let mut history = parse("10-20");
        history.start_interval(30);
        history.extend_to(25);
        assert_eq!(history.to_string(), "10-20 30-30", "it has not begun");
        history.extend_to(40);
        history.extend_to(38);
        assert_eq!(history.to_string(), "10-20 30-40");
        assert_eq!(history.last_seen(), 40);
        history.truncate_at(35);
        history.start_interval(60);
        history.start_interval(70);
        assert_eq!(
            history.to_string(),
            "10-20 30-35 70-70",
            "nothing was in between"
        );
        history.truncate_at(15);
        assert_eq!(history.to_string(), "10-15");
        history.truncate_at(5);
        history.extend_to(90);
        assert_eq!(history, UptimeHistory::default(), "no interval is open");
    }

    #[test]
    fn clock_set_back_discards_earlier_intervals() {
        let mut history = parse("10-20 30-40");
        history.start_interval(39);
        assert_eq!(history.to_string(), "39-39");
    }

    #[test]
    fn history_is_bounded_and_keeps_the_newest() {
        let mut history = UptimeHistory::default();
        for at in 0..100 {
            history.start_interval(10 * at);
            history.extend_to(10 * at + 5);
        }
        assert_eq!(
            (history.intervals.len(), history.uptime_after(0)),
            (MAX_INTERVALS, 5 * MAX_INTERVALS as u64)
        );
        assert_eq!(history.uptime_after(990), 5);
    }

    #[test]
    fn text_round_trips_and_malformed_text_is_rejected() {
        for text in ["", "0-0", "5-9", "5-9 9-12 13-13"] {
            assert_eq!(parse(text).to_string(), text);
        }
        let long = vec!["1-1"; MAX_INTERVALS + 1].join(" ");
        for text in [
            " ",
            "5",
            "9-5",
            "5-9 8-12",
            "a-b",
            "5-9  10-12",
            "5-9 ",
            &long,
        ] {
            assert_eq!(
                text.parse::<UptimeHistory>(),
                Err(ParseUptimeError),
                "{text:?}"
            );
        }
    }
}
