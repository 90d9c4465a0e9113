//! Queues of clients that wait until a limit allows their next event, first come first served.
//!
//! The users of one address share its limits. If events over a limit failed immediately, a user that tries again as fast as
//! possible would take every turn, and keep the other users out. A waiter that gives up leaves the queue, and is not charged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::quota::QuotaError;
use crate::runtime::sync::lock::lock;

/// The clients with waiters. A mutex is fair: the first waiter of a client holds it until the limit allows its event.
type Queues = HashMap<ClientPrefix, Arc<tokio::sync::Mutex<()>>>;

/// A queue for each client. The caller limits the number of waiters.
#[derive(Debug, Default)]
pub(crate) struct TurnQueues {
    queues: Mutex<Queues>,
}

impl TurnQueues {
    /// Charges one event of a client by `try_charge`, as soon as the earlier waiters have had their turn. `try_charge` returns
    /// the time until it may succeed, in milliseconds.
    ///
    /// # Errors
    /// If the turn of this event does not come before `deadline`.
    pub(crate) async fn take(
        &self,
        client: ClientPrefix,
        deadline: Instant,
        try_charge: impl Fn() -> Result<(), u64>,
    ) -> Result<(), QuotaError> {
        let waiter = {
            let mut queues = lock(&self.queues);
            if !queues.contains_key(&client) && try_charge().is_ok() {
                return Ok(());
            }
            let queue = Arc::clone(queues.entry(client).or_default());
            Waiter {
                owner: self,
                client,
                queue: Some(queue),
            }
        };
        timeout_at(deadline, waiter.take(try_charge))
            .await
            .map_err(|_| QuotaError::PerClient)
    }
}

/// An event that waits for its turn.
struct Waiter<'a> {
    owner: &'a TurnQueues,
    client: ClientPrefix,
    /// `None` once the waiter has left the queue.
    queue: Option<Arc<tokio::sync::Mutex<()>>>,
}

impl Waiter<'_> {
    async fn take(&self, try_charge: impl Fn() -> Result<(), u64>) {
        let queue = self
            .queue
            .as_ref()
            .expect("a waiter leaves when it is dropped");
        let _turn = queue.lock().await;
        while let Err(wait_ms) = try_charge() {
            sleep(Duration::from_millis(wait_ms)).await;
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut queues = lock(&self.owner.queues);
        self.queue = None;
        if queues
            .get(&self.client)
            .is_some_and(|queue| Arc::strong_count(queue) == 1)
        {
            queues.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::stream::{FuturesUnordered, StreamExt};

    use tokio::task::JoinSet;

    use super::*;
    use crate::config::ServerLimits;
    use crate::limits::network_rate::NetworkRate;
    use crate::runtime::time::server_clock::ServerClock;

    /// A rate with its queues.
    struct QueuedRate {
        queues: TurnQueues,
        rate: Mutex<NetworkRate>,
        time: ServerClock,
    }

    impl QueuedRate {
        async fn take(&self, client: ClientPrefix, deadline: Instant) -> Result<(), QuotaError> {
            let try_charge = || lock(&self.rate).try_take(client, self.time.now());
            self.queues.take(client, deadline, try_charge).await
        }
    }

    fn queue() -> QueuedRate {
        QueuedRate {
            queues: TurnQueues::default(),
            // Two at once, one per second.
            rate: Mutex::new(NetworkRate::new(2, 60)),
            time: ServerClock::from_unix_ms(1),
        }
    }

    fn client(host: u8) -> ClientPrefix {
        ClientPrefix::from_ip([192, 0, 2, host].into())
    }

    #[tokio::test(start_paused = true)]
    async fn waiters_have_their_turn_before_a_newcomer() {
        let (queue, start) = (queue(), Instant::now());
        let deadline = start + Duration::from_secs(60);
        let mut events: FuturesUnordered<_> = (0..6)
            .map(|number| {
                let take = queue.take(client(1), deadline);
                take.map(move |taken| (number, taken, start.elapsed().as_secs()))
            })
            .collect();
        for (number, second) in [(0, 0), (1, 0), (2, 1), (3, 2)] {
            // A newcomer has no turn before the waiters.
            let newcomer = queue.take(client(1), Instant::now());
            if number > 1 {
                assert_eq!(newcomer.await, Err(QuotaError::PerClient));
            }
            assert_eq!(events.next().await, Some((number, Ok(()), second)));
        }
        assert_eq!(queue.take(client(2), start).await, Ok(()), "another client");
        // Waiters that leave are not charged.
        drop(events);
        assert!(lock(&queue.queues.queues).is_empty());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(queue.take(client(1), start).await, Ok(()));
        assert_eq!(queue.take(client(1), start).await, Ok(()));
        assert_eq!(
            queue.take(client(1), start).await,
            Err(QuotaError::PerClient)
        );
        assert!(lock(&queue.queues.queues).is_empty());
    }

    /// All places of an address but one are taken by waiters that come back after each turn.
    #[tokio::test(start_paused = true)]
    async fn waiters_in_all_other_places_keep_no_newcomer_out() {
        let limits = ServerLimits::default();
        let per_minute = limits.new_connections_per_second() * 60;
        let queue = Arc::new(QueuedRate {
            rate: Mutex::new(NetworkRate::new(1, per_minute)),
            ..queue()
        });
        let take = move || {
            let queue = Arc::clone(&queue);
            async move {
                let deadline = Instant::now() + limits.handshake_timeout;
                queue.take(client(1), deadline).await
            }
        };
        let mut waiters = JoinSet::new();
        for number in 1..limits.handshakes_per_address() {
            let take = take.clone();
            waiters.spawn(async move {
                // They do not come at the same time.
                sleep(Duration::from_millis(13 * number as u64)).await;
                loop {
                    assert_eq!(take().await, Ok(()));
                }
            });
        }
        sleep(Duration::from_secs(10)).await;
        for _ in 0..10 {
            assert_eq!(take().await, Ok(()));
        }
        assert!(waiters.try_join_next().is_none(), "a waiter had no turn");
    }
}
