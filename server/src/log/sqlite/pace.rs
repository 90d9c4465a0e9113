//! How soon one commit follows another. A commit of many costs little more than a commit of one, in instructions and
//! even more in system calls: where many ask, the writer lets them gather, and does not even hear of each. Where few
//! ask who wait for nothing but it, it gives those whom it has answered the time to come back, so that they stay
//! together. Where asking is seldom, nobody waits.

use std::time::Duration;

use tokio::time::Instant;

use super::ledger::Ledger;
use super::work::Work;

/// For how long more are let gather. No person notices.
const GATHER: Duration = Duration::from_millis(2);

/// Where fewer ask than one in this time, beside that of the commits, nobody waits for another.
const SELDOM: Duration = Duration::from_millis(1);

/// In what time each of a few comes back who was answered, and all of them at most.
const BACK: Duration = Duration::from_micros(20);
const ALL_BACK: Duration = Duration::from_micros(500);

/// So many wait for no more.
pub(super) const ENOUGH: u32 = 128;

#[derive(Clone, Copy, Debug)]
struct Commit {
    began: Instant,
    took: Duration,
    /// With how many.
    many: u32,
    /// Its row, if it has one.
    row: i64,
}

/// What the next commit waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    Nobody,
    /// Those whom this one answers, so long after it.
    Back(Duration),
    /// Others, until so long after it began: they come also while it is made.
    More(Duration),
}

#[derive(Debug)]
pub(super) struct Pace {
    /// The last two.
    last: [Commit; 2],
    /// The rows of two, of which the later one began at `seen`: what was written since the earlier one is recent.
    rows: [i64; 2],
    seen: Instant,
    wait: Wait,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Pace {
        let none = Commit { began: now, took: Duration::ZERO, many: 0, row: i64::MAX };
        Pace { last: [none; 2], rows: [none.row; 2], seen: now, wait: Wait::Nobody }
    }

    /// A commit of these begins, of which the ledger does not know yet.
    pub(super) fn begins(&mut self, now: Instant, group: &[Work], ledger: &Ledger) {
        let many = u32::try_from(group.len()).unwrap_or(u32::MAX);
        let commit = Commit { began: now, took: Duration::ZERO, many, row: ledger.stock.next };
        if now - self.seen >= GATHER {
            (self.rows, self.seen) = ([self.rows[1], commit.row], now);
        }
        let [before, last] = self.last;
        let since = self.rows[0].min(before.row);
        let is_back = |work: &&Work| work.room().is_some_and(|room| ledger.was_written_since(room, since));
        let back = 2 * group.iter().filter(is_back).count() >= group.len();
        self.wait = wait(now - before.began, before.took + last.took, [last.many, many], back);
        self.last = [last, commit];
    }

    /// For how long nothing was committed.
    pub(super) fn idle(&self) -> Duration {
        self.last[1].began.elapsed().saturating_sub(self.last[1].took)
    }

    /// That commit is made. Says for how long the writer looks at nothing.
    pub(super) fn ends(&mut self, now: Instant) -> Duration {
        let commit = &mut self.last[1];
        commit.took = now - commit.began;
        match self.wait {
            Wait::Nobody => Duration::ZERO,
            Wait::Back(time) => time,
            Wait::More(time) => time.saturating_sub(commit.took),
        }
    }
}

/// What is waited for after a commit, where so many were in it and in the one before, within this time, so much of
/// which went by in commits, and these are mostly those who were in the last ones, or others.
fn wait(time: Duration, commits: Duration, many: [u32; 2], back: bool) -> Wait {
    let all = many[0].saturating_add(many[1]).max(1);
    let others = many[0].max(many[1]).saturating_sub(1);
    if time.saturating_sub(commits) > SELDOM.saturating_mul(all) || (back && others == 0) {
        Wait::Nobody
    } else if back {
        Wait::Back(BACK.saturating_mul(others).min(ALL_BACK))
    } else {
        Wait::More(GATHER.min(time * ENOUGH / all))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Arc;

    use noughts_protocol::RoomId;

    use super::super::answer::answer;
    use super::super::ledger::{Open, Stock};
    use super::*;

    const MILLI: Duration = Duration::from_millis(1);

    #[test]
    fn where_few_ask_nobody_waits() {
        for (time, many) in [(3 * MILLI, [1, 1]), (9 * MILLI, [4, 4]), (Duration::MAX, [1, 0])] {
            for back in [false, true] {
                assert_eq!(wait(time, Duration::ZERO, many, back), Wait::Nobody, "{many:?} in {time:?}");
            }
        }
        // One who asks again and again, as fast as answered.
        assert_eq!(wait(MILLI / 10, Duration::ZERO, [1, 1], true), Wait::Nobody);
    }

    #[test]
    fn a_few_are_waited_for_until_they_are_back() {
        // Also where one of them was faster than the others.
        for many in [[10, 10], [10, 1], [1, 10]] {
            assert_eq!(wait(MILLI, Duration::ZERO, many, true), Wait::Back(9 * BACK));
        }
        assert_eq!(wait(MILLI, Duration::ZERO, [500, 1], true), Wait::Back(ALL_BACK));
        assert_eq!(wait(Duration::ZERO, Duration::ZERO, [u32::MAX; 2], true), Wait::Back(ALL_BACK));
    }

    #[test]
    fn of_many_enough_gather() {
        assert_eq!(wait(4 * MILLI, Duration::ZERO, [4, 4], false), Wait::More(GATHER));
        assert_eq!(wait(2 * MILLI, MILLI, [ENOUGH, ENOUGH], false), Wait::More(MILLI));
        assert_eq!(wait(Duration::ZERO, Duration::ZERO, [u32::MAX; 2], false), Wait::More(Duration::ZERO));
    }

    /// A log, and a time.
    struct Log {
        ledger: Ledger,
        pace: Pace,
        now: Instant,
    }

    impl Log {
        fn new() -> Log {
            let stock = Stock { first: 1, next: 1, stored: 0, needed: 0 };
            let now = Instant::now();
            Log { ledger: Ledger::new(HashMap::new(), stock, 1), pace: Pace::new(now), now }
        }

        /// Commits appends of these rooms, which takes this time, and says how long it rests after that.
        fn commit(&mut self, rooms: impl IntoIterator<Item = u64>, takes: Duration) -> Duration {
            let rooms: Vec<RoomId> = rooms.into_iter().map(RoomId::from_bits).collect();
            let append = |room: &RoomId| Work::Append(*room, vec![], None, answer(&Arc::default()).0);
            let group: Vec<Work> = rooms.iter().map(append).collect();
            self.pace.begins(self.now, &group, &self.ledger);
            let row = self.ledger.stock.next;
            for room in rooms {
                let (last, imaged) = (Default::default(), Default::default());
                self.ledger.set(room, Some(Open { last, imaged, founded: 1, recent: row, bytes: 0 }));
            }
            self.ledger.stock.next += 1;
            self.now += takes;
            let rest = self.pace.ends(self.now);
            self.now += rest;
            rest
        }
    }

    #[test]
    fn a_circle_stays_together_however_long_a_commit_takes() {
        for takes in [MILLI / 10, 8 * MILLI] {
            let mut log = Log::new();
            for round in 0..5 {
                let rest = log.commit(0..10, takes);
                assert!(round < 2 || rest == 9 * BACK, "{rest:?}");
            }
            // Where one was too fast for it, the others are waited for all the same.
            assert_eq!(log.commit([3], takes), 9 * BACK);
        }
    }

    #[test]
    fn a_circle_that_takes_its_time_is_hardly_held_up() {
        for many in [1, 2, 8] {
            let (mut log, think) = (Log::new(), MILLI);
            let mut asks: Vec<_> = (0..many as u32).map(|at| log.now + at * think / 7).collect();
            let (began, mut answers) = (log.now, 0);
            while answers < 400 {
                log.now = log.now.max(*asks.iter().min().unwrap());
                let here: Vec<u64> =
                    (0..many as u64).filter(|room| asks[*room as usize] <= log.now).collect();
                let rest = log.commit(here.iter().copied(), MILLI / 10);
                for room in &here {
                    asks[*room as usize] = log.now - rest + think;
                }
                answers += here.len() as u32;
            }
            let round = (log.now - began) * many as u32 / answers;
            assert!(round < think * 5 / 4, "{many}: {round:?}");
        }
    }

    #[test]
    fn others_are_let_gather_from_when_a_commit_begins() {
        let mut log = Log::new();
        let mut rests = (0..10).map(|at| log.commit(4 * at..4 * at + 4, MILLI / 2)).skip(1);
        assert!(rests.all(|rest| rest == GATHER - MILLI / 2));
        let mut slow = Log::new();
        let mut rests = (0..10).map(|at| slow.commit(20 * at..20 * at + 20, 8 * MILLI));
        assert!(rests.all(|rest| rest.is_zero()), "they have gathered meanwhile");
    }
}
