//! Limits the bytes that the server sends to one network. Pure: the time is an argument.
//!
//! Most bytes have no request: a move reaches all spectators of its room, and a seek all subscribers of the lobby. Without
//! a limit, a client with many idle connections of its own would receive hundreds of bytes for each byte that it sends. A
//! spectator or subscriber whose network has exhausted its budget is sent the whole state at a pace instead of each change.
//!
//! Files of the page wait until the budget allows them. For long responses, an exhausted budget only means that a new
//! connection starts with fewer bytes: no client of a shared address is kept out.
//!
//! A message may be sent while the budget is not exhausted, and is charged in full: it may leave a debt, which delays the
//! next message.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use noughts_protocol::rate_limit::Gcra;

use crate::limits::client_prefix::{ClientPrefix, Network};
use crate::limits::generation_map::GenerationMap;
use crate::runtime::sync::lock::lock;

/// Number of networks per generation. A network that is discarded starts with a full budget; those whose receivers come and
/// go are not discarded.
const GENERATION_CAPACITY: usize = 8192;

const NANOS_PER_SECOND: u64 = 1_000_000_000;
const NANOS_PER_MS: u64 = 1_000_000;

/// Time in which an exhausted budget is full again, unless it is given.
const REFILL: Duration = Duration::from_secs(240);

/// The budgets of all networks that had receivers recently.
#[derive(Debug)]
pub(crate) struct ByteBudgets {
    by_network: Mutex<GenerationMap<Network, Arc<NetworkBudget>, GENERATION_CAPACITY>>,
    bytes_per_second: u64,
    refill: Duration,
}

/// The budgets that pay for the messages to one receiver: that of its client, and those of larger networks.
#[derive(Debug)]
pub(crate) struct ByteBudget(Box<[Arc<NetworkBudget>]>);

#[derive(Debug)]
struct NetworkBudget {
    limit: Gcra,
    /// Time at which the whole budget is available again, in nanoseconds; see [`Gcra`].
    full_at: AtomicU64,
}

impl ByteBudgets {
    /// Allows the receivers of each client `bytes_per_second`, and for each larger network that times
    /// [`Network::share`]; at once, the bytes of four minutes.
    pub(crate) fn new(bytes_per_second: u64) -> ByteBudgets {
        ByteBudgets::with_refill(bytes_per_second, REFILL)
    }

    /// Like [`ByteBudgets::new`], and at once the bytes of `refill`.
    pub(crate) fn with_refill(bytes_per_second: u64, refill: Duration) -> ByteBudgets {
        ByteBudgets {
            by_network: Mutex::new(GenerationMap::new()),
            bytes_per_second: bytes_per_second.max(1),
            refill,
        }
    }

    /// Returns the budgets that pay for a receiver of a client.
    pub(crate) fn of_client(&self, client_prefix: ClientPrefix) -> ByteBudget {
        let mut by_network = lock(&self.by_network);
        let budgets = client_prefix.networks().map(|network| {
            let budget = by_network.get(&network).unwrap_or_else(|| {
                let rate = self.bytes_per_second.saturating_mul(network.share().into());
                let refill = self.refill.as_nanos() as u64;
                let limit = Gcra::new((NANOS_PER_SECOND / rate).max(1), refill);
                Arc::new(NetworkBudget {
                    limit,
                    full_at: AtomicU64::new(0),
                })
            });
            // Also a known network: the one written last is kept.
            by_network.insert(network, Arc::clone(&budget));
            budget
        });
        ByteBudget(budgets.collect())
    }
}

impl ByteBudget {
    /// Returns the time until a message may be sent, in milliseconds.
    pub(crate) fn wait_ms(&self, now: u64) -> u64 {
        let now = now.saturating_mul(NANOS_PER_MS);
        let wait = |budget: &Arc<NetworkBudget>| {
            budget
                .limit
                .wait(budget.full_at.load(Ordering::Relaxed), 0, now)
                .div_ceil(NANOS_PER_MS)
        };
        self.0.iter().map(wait).max().unwrap_or(0)
    }

    /// Charges a message of `bytes`, unless the budget is exhausted. Returns whether the message may be sent.
    pub(crate) fn try_charge(&self, bytes: usize, now: u64) -> bool {
        let is_allowed = self.wait_ms(now) == 0;
        if is_allowed {
            self.charge(bytes, now);
        }
        is_allowed
    }

    /// Charges a message of `bytes` that is sent, or will be sent when the earlier messages are paid.
    pub(crate) fn charge(&self, bytes: usize, now: u64) {
        let now = now.saturating_mul(NANOS_PER_MS);
        for NetworkBudget { limit, full_at } in self.0.iter().map(|budget| &**budget) {
            let charge = |full_at| Some(limit.charge(full_at, bytes as u64, now));
            let (Ok(_) | Err(_)) =
                full_at.fetch_update(Ordering::Relaxed, Ordering::Relaxed, charge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: u64 = 1000;
    const START: u64 = 1_800_000_000_000;

    fn client(address: &str) -> ClientPrefix {
        ClientPrefix::from_ip(address.parse().unwrap())
    }

    /// Bytes that are sent in messages of 100 bytes, offered every millisecond until `end`.
    fn send_until(budgets: &[ByteBudget], start: u64, end: u64) -> u64 {
        let sent = (start..end).flat_map(|now| {
            budgets
                .iter()
                .map(move |budget| budget.try_charge(100, now))
        });
        sent.filter(|is_sent| *is_sent).count() as u64 * 100
    }

    /// Bytes of a full budget.
    const CAPACITY: u64 = REFILL.as_secs() * RATE;

    #[test]
    fn the_spectators_of_a_client_share_a_burst_and_then_a_rate() {
        let budgets = ByteBudgets::new(RATE);
        let spectators = ["192.0.2.1"; 30].map(|address| budgets.of_client(client(address)));
        assert_eq!(
            send_until(&spectators, START, START + 1),
            3000,
            "each of them once"
        );
        let first_minute = 3000 + send_until(&spectators, START + 1, START + 60_000);
        let expected = CAPACITY + 60_000;
        assert!(
            (expected - 100..=expected + 100).contains(&first_minute),
            "{first_minute}"
        );
        let second_minute = send_until(&spectators, START + 60_000, START + 120_000);
        assert!(
            (59_900..=60_100).contains(&second_minute),
            "{second_minute}"
        );
        let other = budgets.of_client(client("192.0.2.2"));
        assert!(other.try_charge(100, START + 120_000));
    }

    #[test]
    fn a_debt_delays_the_next_message() {
        let budgets = ByteBudgets::new(RATE);
        let budget = budgets.of_client(client("192.0.2.1"));
        assert!(budget.try_charge(CAPACITY as usize + 500, START));
        assert_eq!(budget.wait_ms(START), 500);
        assert!(!budget.try_charge(1, START + 499));
        assert!(budget.try_charge(1, START + 500));
        drop(budget);
        let again = budgets.of_client(client("192.0.2.1"));
        assert_eq!(
            again.wait_ms(START + 500),
            1,
            "a spectator that returns continues the budget"
        );
    }

    #[test]
    fn a_larger_network_has_a_multiple_of_the_budget() {
        let budgets = ByteBudgets::new(RATE);
        let spectators: Vec<_> = (0..64)
            .map(|host| budgets.of_client(client(&format!("192.0.2.{host}"))))
            .collect();
        let burst: u64 = (0..4000)
            .map(|_| send_until(&spectators, START, START + 1))
            .sum();
        assert!(
            (16 * CAPACITY..=16 * CAPACITY + 100).contains(&burst),
            "{burst}"
        );
    }
}
