//! A rate whose clients wait for their turn, first come first served.
//!
//! The users of one address share its rate. If events over the rate failed immediately, a user that tries again as fast as
//! possible would take every turn, and keep the other users out. A waiter that gives up leaves the queue, and is not charged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};

use crate::limits::client_prefix::ClientPrefix;
use crate::limits::network_rate::NetworkRate;
use crate::limits::quota::QuotaError;
use crate::runtime::sync::lock::lock;
use crate::runtime::time::server_clock::ServerClock;

/// A [`NetworkRate`] with a queue for each client. The caller limits the number of waiters.
#[derive(Debug)]
pub(crate) struct RateQueue {
    time: ServerClock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    rate: NetworkRate,
    /// The clients with waiters. The mutex is fair: the first waiter holds it until the rate allows its event.
    queues: HashMap<ClientPrefix, Arc<tokio::sync::Mutex<()>>>,
}

impl RateQueue {
    pub(crate) fn new(rate: NetworkRate, time: ServerClock) -> RateQueue {
        let state = Mutex::new(State {
            rate,
            queues: HashMap::new(),
        });
        RateQueue { time, state }
    }

    /// Charges one event of a client, as soon as the rate allows it and the earlier waiters have had their turn.
    ///
    /// # Errors
    /// If the turn of this event does not come before `deadline`.
    pub(crate) async fn take(
        &self,
        client: ClientPrefix,
        deadline: Instant,
    ) -> Result<(), QuotaError> {
        let waiter = {
            let mut state = lock(&self.state);
            if !state.queues.contains_key(&client)
                && state.rate.try_take(client, self.time.now()).is_ok()
            {
                return Ok(());
            }
            let queue = Arc::clone(state.queues.entry(client).or_default());
            Waiter {
                owner: self,
                client,
                queue: Some(queue),
            }
        };
        timeout_at(deadline, waiter.take())
            .await
            .map_err(|_| QuotaError::PerClient)
    }
}

/// An event that waits for its turn.
struct Waiter<'a> {
    owner: &'a RateQueue,
    client: ClientPrefix,
    /// `None` once the waiter has left the queue.
    queue: Option<Arc<tokio::sync::Mutex<()>>>,
}

impl Waiter<'_> {
    async fn take(&self) {
        let queue = self
            .queue
            .as_ref()
            .expect("a waiter leaves when it is dropped");
        let _turn = queue.lock().await;
        loop {
            let now = self.owner.time.now();
            let taken = lock(&self.owner.state).rate.try_take(self.client, now);
            match taken {
                Ok(()) => return,
                Err(wait_ms) => sleep(Duration::from_millis(wait_ms)).await,
            }
        }
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.owner.state);
        self.queue = None;
        if state
            .queues
            .get(&self.client)
            .is_some_and(|queue| Arc::strong_count(queue) == 1)
        {
            state.queues.remove(&self.client);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use futures::stream::{FuturesUnordered, StreamExt};

    use super::*;

    fn queue() -> RateQueue {
        // Two at once, one per second.
        RateQueue::new(NetworkRate::new(2, 60), ServerClock::from_unix_ms(1))
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
        assert!(lock(&queue.state).queues.is_empty());
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(queue.take(client(1), start).await, Ok(()));
        assert_eq!(queue.take(client(1), start).await, Ok(()));
        assert_eq!(
            queue.take(client(1), start).await,
            Err(QuotaError::PerClient)
        );
        assert!(lock(&queue.state).queues.is_empty());
    }
}
