//! Limits failed look-ups of room ids, codes and tokens per client. Pure: the time is an argument.
//!
//! Memory is bounded by two generations of [`GENERATION_CAPACITY`] clients. When a generation is full, the older one is
//! discarded and its clients start with a full quota. A client can force that only with as many failing clients.

use std::collections::HashMap;

use noughts_protocol::rate_limit::Gcra;

use crate::limits::client_prefix::ClientPrefix;

/// Number of clients per generation.
const GENERATION_CAPACITY: usize = 4096;

const WINDOW_MS: u64 = 60_000;

/// Stores for each client the time at which its quota is full again, in milliseconds; see [`Gcra`].
#[derive(Debug)]
pub(crate) struct GuessLimiter {
    current: HashMap<ClientPrefix, u64>,
    previous: HashMap<ClientPrefix, u64>,
    limit: Gcra,
}

impl GuessLimiter {
    /// Allows `per_minute` failures per minute and client, also in one burst.
    pub(crate) fn new(per_minute: u32) -> GuessLimiter {
        let cost_ms = (WINDOW_MS / u64::from(per_minute.max(1))).max(1);
        let limit = Gcra::new(cost_ms, WINDOW_MS);
        GuessLimiter { current: HashMap::new(), previous: HashMap::new(), limit }
    }

    fn full_at(&self, client_prefix: ClientPrefix) -> u64 {
        self.current.get(&client_prefix).or_else(|| self.previous.get(&client_prefix)).copied().unwrap_or(0)
    }

    /// Returns the time until the next look-up is allowed, in milliseconds; none if it is allowed at `now`.
    pub(crate) fn retry_after_ms(&self, client_prefix: ClientPrefix, now: u64) -> Option<u64> {
        let wait_ms = self.limit.wait(self.full_at(client_prefix), 1, now);
        (wait_ms > 0).then_some(wait_ms)
    }

    /// Records a failed look-up.
    pub(crate) fn record_failure(&mut self, client_prefix: ClientPrefix, now: u64) {
        let full_at = self.limit.charge(self.full_at(client_prefix), 1, now);
        if self.current.len() >= GENERATION_CAPACITY && !self.current.contains_key(&client_prefix) {
            self.previous = std::mem::take(&mut self.current);
        }
        self.previous.remove(&client_prefix);
        self.current.insert(client_prefix, full_at);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn client_prefix(number: u32) -> ClientPrefix {
        ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn failures_are_limited_per_minute_and_recover() {
        let mut limiter = GuessLimiter::new(60);
        let [eve, ann] = [1, 2].map(client_prefix);
        for _ in 0..60 {
            assert_eq!(limiter.retry_after_ms(eve, 5), None);
            limiter.record_failure(eve, 5);
        }
        assert_eq!(limiter.retry_after_ms(eve, 5), Some(1000));
        assert_eq!(limiter.retry_after_ms(ann, 5), None, "another client");
        assert_eq!(limiter.retry_after_ms(eve, 1004), Some(1));
        assert_eq!(limiter.retry_after_ms(eve, 1005), None);
        limiter.record_failure(eve, 1005);
        assert_eq!(limiter.retry_after_ms(eve, 1005), Some(1000));
        // Failures of look-ups that were allowed concurrently are all charged.
        for _ in 0..60 {
            limiter.record_failure(eve, 1005);
        }
        assert_eq!(limiter.retry_after_ms(eve, 1005), Some(61_000));
        assert_eq!(limiter.retry_after_ms(eve, 62_005), None);
    }

    #[test]
    fn memory_is_bounded_and_keeps_the_latest() {
        let mut limiter = GuessLimiter::new(1);
        for number in 0..10 * GENERATION_CAPACITY as u32 {
            limiter.record_failure(client_prefix(number), 0);
            assert!(limiter.current.len() + limiter.previous.len() <= 2 * GENERATION_CAPACITY);
            assert!(limiter.retry_after_ms(client_prefix(number), 0).is_some());
            let earlier = number.saturating_sub(GENERATION_CAPACITY as u32 - 1);
            assert!(limiter.retry_after_ms(client_prefix(earlier), 0).is_some(), "{earlier} after {number}");
        }
        assert_eq!(limiter.retry_after_ms(client_prefix(0), 0), None, "discarded with its generation");
    }

    #[test]
    fn repeated_failures_are_not_evicted() {
        let mut limiter = GuessLimiter::new(1);
        for number in 0..4 * GENERATION_CAPACITY as u32 {
            limiter.record_failure(client_prefix(number), 0);
            if number % 1000 == 0 {
                limiter.record_failure(client_prefix(7), 0);
            }
        }
        assert!(limiter.retry_after_ms(client_prefix(7), 0).is_some());
    }
}
