//! Limit of the rate of messages that one node appends, over all its shards. The load of the log depends on the number
//! of messages, not on the number of moves.

use std::sync::Mutex;
use std::time::Duration;

use noughts_protocol::rate_limit::Gcra;
use tokio::time::{Instant, sleep};

use crate::runtime::sync::lock;

/// Sustained number of messages per second.
const MESSAGES_PER_SECOND: u64 = 2000;

/// Maximum number of messages in one burst.
const BURST: u64 = 200;

/// Maximum delay of a message. The moves that wait meanwhile share the next message of their shard.
const MAX_DELAY: Duration = Duration::from_millis(20);

/// Limits the messages of a node.
#[derive(Debug)]
pub(crate) struct AppendBudget {
    began: Instant,
    full_at: Mutex<u64>,
}

impl AppendBudget {
    pub(crate) fn new() -> AppendBudget {
        AppendBudget {
            began: Instant::now(),
            full_at: Mutex::default(),
        }
    }

    /// Takes one message at `now`, and returns the delay before it.
    fn take(&self, now: Instant) -> Duration {
        const INTERVAL_US: u64 = 1_000_000 / MESSAGES_PER_SECOND;
        let limit = Gcra::new(INTERVAL_US, INTERVAL_US * BURST);
        let now = u64::try_from((now - self.began).as_micros()).unwrap_or(u64::MAX);
        let mut full_at = lock(&self.full_at);
        let delay = Duration::from_micros(limit.wait(*full_at, 1, now)).min(MAX_DELAY);
        *full_at = limit.charge(*full_at, 1, now);
        delay
    }

    /// Waits until a message may be sent.
    pub(crate) async fn wait(&self) {
        let delay = self.take(Instant::now());
        if !delay.is_zero() {
            sleep(delay).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_messages_beyond_the_rate_are_delayed() {
        let budget = AppendBudget::new();
        let now = Instant::now();
        for _ in 0..BURST {
            assert_eq!(budget.take(now), Duration::ZERO);
        }
        assert_eq!(budget.take(now), Duration::from_micros(500));
        assert_eq!(budget.take(now), Duration::from_micros(1000));
        for _ in 0..1000 {
            assert!(budget.take(now) <= MAX_DELAY);
        }
        assert_eq!(budget.take(now + Duration::from_secs(60)), Duration::ZERO);
    }
}
