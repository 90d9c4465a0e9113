//! The time that a restart takes, which the server announces to its clients. Pure.

use std::time::Duration;

/// Time that a stop is assumed to take if no restart was measured. Rather short: a client that comes too early tries again
/// soon, one that comes late has waited in vain.
const ASSUMED_STOP: Duration = Duration::from_millis(250);

/// Pause of a service manager between the end of a server and the start of the next. A longer one is an operator's.
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// Maximum announced time.
const MAX_RESTART: Duration = Duration::from_secs(60);

/// Time in which one connection is accepted again, with TLS. Clients return spread over the time of all connections.
const ACCEPT_TIME: Duration = Duration::from_micros(250);

/// Returns the time that the next restart is expected to take, from the stop signal until a server accepts connections.
///
/// It is the time that the last restart took. `start`: time that this server took to accept connections. `outage`: time
/// from the stop signal of the previous server until then, if that server completed its stop. An outage that is longer
/// than a restart can be, with a stop of at most `longest_stop`, does not count: the server was off for another reason.
pub(crate) fn expected_restart(
    start: Duration,
    outage: Option<Duration>,
    longest_stop: Duration,
) -> Duration {
    let longest = longest_stop.saturating_add(start).saturating_add(MAX_PAUSE);
    let measured = outage.filter(|outage| (start..=longest).contains(outage));
    measured
        .unwrap_or(start.saturating_add(ASSUMED_STOP))
        .min(MAX_RESTART)
}

/// The restart that a draining server announces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestartSchedule {
    /// Server time at which the next server is expected to accept connections.
    back_at: u64,
    /// Time over which clients return, in milliseconds.
    spread_ms: u64,
}

impl RestartSchedule {
    /// Returns the schedule of a server that begins to stop at `now`, with that number of connections.
    pub(crate) fn new(now: u64, expected: Duration, connection_count: u64) -> RestartSchedule {
        let spread =
            ACCEPT_TIME.saturating_mul(u32::try_from(connection_count).unwrap_or(u32::MAX));
        RestartSchedule {
            back_at: now.saturating_add(millis(expected)),
            spread_ms: millis(spread.min(MAX_RESTART)),
        }
    }

    /// Returns the milliseconds after which a client should return, at least 1. `random_unit`: from 0 to 1.
    pub(crate) fn back_in_ms(&self, now: u64, random_unit: f64) -> u64 {
        let spread = Duration::from_millis(self.spread_ms).mul_f64(random_unit.clamp(0.0, 1.0));
        self.back_at
            .saturating_add(millis(spread))
            .saturating_sub(now)
            .max(1)
    }
}

fn millis(duration: Duration) -> u64 {
    super::server_clock::millis(duration)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_last_restart_is_expected_again() {
        let longest_stop = 10_000 * MS;
        for (start, outage, expected, case) in [
            (300, Some(450), 450, "a quick restart"),
            (300, Some(12_300), 12_300, "the longest restart"),
            (300, Some(12_301), 550, "an operator waited"),
            (300, Some(299), 550, "the system clock was set back"),
            (
                300,
                None,
                550,
                "the first start, or the previous server was killed",
            ),
            (90_000, Some(95_000), 60_000, "more than clients wait"),
        ] {
            let found = expected_restart(
                start * MS,
                outage.map(|outage: u32| outage * MS),
                longest_stop,
            );
            assert_eq!(found.as_millis(), expected, "{case}");
        }
        assert_eq!(
            expected_restart(MS, Some(Duration::MAX), Duration::MAX),
            60_000 * MS
        );
    }

    #[test]
    fn clients_return_when_the_server_is_back_spread_by_their_number() {
        let schedule = RestartSchedule::new(1_000, 500 * MS, 4_000);
        assert_eq!(schedule.back_in_ms(1_000, 0.0), 500);
        assert_eq!(schedule.back_in_ms(1_000, 1.0), 1_500);
        assert_eq!(
            schedule.back_in_ms(1_400, 0.0),
            100,
            "a notice that was sent late"
        );
        assert_eq!(schedule.back_in_ms(9_000, 0.0), 1);
        assert_eq!(
            RestartSchedule::new(0, MS, u64::MAX).back_in_ms(0, 1.0),
            60_001
        );
    }
}
