//! How soon one commit follows another. A commit of many costs little more than a commit of one, in instructions and
//! even more in system calls: where many ask, the writer lets them gather, and does not even hear of each. Where few
//! ask who wait for nothing but it, it keeps them waiting for as long as they take to come back.

use std::time::Duration;

use tokio::time::Instant;

use super::ledger::Ledger;
use super::work::Work;

/// For how long more are let gather. Nobody sees it.
const GATHER: Duration = Duration::from_millis(2);

/// Where fewer ask than one in this time, nobody waits for another.
const SELDOM: Duration = Duration::from_millis(1);

/// In what time each of a few comes back who was answered, and all of them.
const BACK: Duration = Duration::from_micros(25);
const ALL_BACK: Duration = Duration::from_micros(500);

/// So many wait for no more.
pub(super) const ENOUGH: u32 = 128;

/// A commit that has begun: when, and with how many.
#[derive(Clone, Copy, Debug)]
struct Begun {
    at: Instant,
    many: u32,
}

#[derive(Debug)]
pub(super) struct Pace {
    /// The last two.
    last: [Begun; 2],
    /// When the next may begin.
    next: Instant,
}

impl Pace {
    pub(super) fn new() -> Pace {
        let now = Instant::now();
        Pace { last: [Begun { at: now, many: 0 }; 2], next: now }
    }

    /// A commit of these begins, of which the ledger does not know yet.
    pub(super) fn begins(&mut self, group: &[Work], ledger: &Ledger) {
        let begun = Begun { at: Instant::now(), many: u32::try_from(group.len()).unwrap_or(u32::MAX) };
        let is_back = |work: &&Work| work.room().is_some_and(|room| ledger.is_recent(room));
        let back = 2 * group.iter().filter(is_back).count() >= group.len();
        let [before, last] = self.last;
        let apart = apart(begun.at - before.at, [last.many, begun.many], back);
        *self = Pace { last: [last, begun], next: begun.at + apart };
    }

    /// How long ago the last commit began.
    pub(super) fn idle(&self) -> Duration {
        self.last[1].at.elapsed()
    }

    /// For how long the writer looks at nothing.
    pub(super) fn rest(&self) -> Duration {
        self.next - Instant::now()
    }
}

/// How far the next commit is from one, where so many were in it and in the one before, within this time, and these are
/// mostly those who were in the last two, or others.
fn apart(time: Duration, many: [u32; 2], back: bool) -> Duration {
    let all = many[0].saturating_add(many[1]).max(1);
    if time > SELDOM.saturating_mul(all) {
        Duration::ZERO
    } else if back {
        let others = many[0].max(many[1]).saturating_sub(1);
        BACK.saturating_mul(others).min(ALL_BACK)
    } else {
        GATHER.min(time * ENOUGH / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    #[test]
    fn where_few_ask_nobody_waits() {
        for (time, many) in [(3 * MILLI, [1, 1]), (9 * MILLI, [4, 4]), (Duration::MAX, [1, 0])] {
            for back in [false, true] {
                assert_eq!(apart(time, many, back), Duration::ZERO, "{many:?} in {time:?}");
            }
        }
        // One who asks again and again, as fast as answered.
        assert_eq!(apart(MILLI / 10, [1, 1], true), Duration::ZERO);
    }

    #[test]
    fn a_few_are_waited_for_until_they_are_back() {
        assert_eq!(apart(MILLI, [10, 10], true), 9 * BACK);
        // Also where one of them was faster than the others.
        assert_eq!(apart(MILLI, [10, 1], true), 9 * BACK);
        assert_eq!(apart(MILLI, [1, 10], true), 9 * BACK);
        assert_eq!(apart(MILLI, [500, 1], true), ALL_BACK);
        assert_eq!(apart(Duration::ZERO, [u32::MAX; 2], true), ALL_BACK);
    }

    #[test]
    fn of_many_enough_gather() {
        assert_eq!(apart(4 * MILLI, [4, 4], false), GATHER);
        assert_eq!(apart(2 * MILLI, [ENOUGH, ENOUGH], false), MILLI);
        assert_eq!(apart(Duration::ZERO, [u32::MAX; 2], false), Duration::ZERO);
    }
}
