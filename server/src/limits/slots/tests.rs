use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::task::{JoinSet, unconstrained};

use super::*;
use crate::config::ServerLimits;
use crate::limits::meters::NetworkRate;
use crate::runtime::clock::ServerClock;

#[test]
fn permits_are_limited_and_released() {
    let quota = Quota::new(3, 2);
    let [one, two] =
        [1, 2].map(|last| ClientPrefix::from_ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last))));
    let first = quota.try_acquire(one).unwrap();
    let second = quota.try_acquire(one).unwrap();
    assert_eq!(quota.try_acquire(one).unwrap_err(), QuotaError::PerClient);
    let third = quota.try_acquire(two).unwrap();
    assert_eq!(quota.try_acquire(two).unwrap_err(), QuotaError::Total);
    drop(first);
    drop(quota.try_acquire(one).unwrap());
    drop((second, third));
    let counts = quota.counts();
    assert_eq!((counts.total, counts.by_network.len()), (0, 0));
}
#[test]
fn a_larger_network_has_a_greater_limit() {
    for (first, share) in [
        ("2001:db8::", 16),
        ("2001:db8:0:aa00::", 4),
        ("2001:db8:0:aa01::", 1),
    ] {
        let quota = Quota::new(usize::MAX, 2);
        let IpAddr::V6(first) = first.parse().unwrap() else {
            panic!("IPv6")
        };
        // Requests more permits from every /64 of the network than a /64 may have.
        let step = 1_u128 << 64;
        let count = match share {
            16 => 1 << 16,
            4 => 1 << 8,
            _ => 1,
        };
        let clients = (0..count).flat_map(|number| {
            [ClientPrefix::from_ip(IpAddr::V6((first.to_bits() + number * step).into())); 3]
        });
        let permits: Vec<_> = clients
            .filter_map(|client| quota.try_acquire(client).ok())
            .collect();
        assert_eq!(permits.len(), 2 * share, "{first}");
        drop(permits);
        assert!(quota.counts().by_network.is_empty());
    }
}

fn client_prefix(address: &str) -> ClientPrefix {
    ClientPrefix::from_ip(address.parse::<IpAddr>().unwrap())
}

/// Acquires a slot; returns it with the handle that ends the handshake.
fn acquire(slots: &Arc<HandshakeSlots>, address: &str) -> (HandshakeSlot, AbortHandle) {
    let (abort, _) = AbortHandle::new_pair();
    let acquired = slots
        .acquire(client_prefix(address), false, abort.clone())
        .unwrap();
    (acquired.slot, abort)
}

fn is_empty(slots: &HandshakeSlots) -> bool {
    let state = lock(&slots.state);
    state.count == 0 && state.networks.is_empty()
}

#[test]
fn the_oldest_of_the_largest_network_gives_way() {
    let slots = HandshakeSlots::new(5, 10);
    let ann = acquire(&slots, "192.0.2.1");
    // Two addresses of one /48.
    let eve: Vec<_> = ["2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:ffff::1"]
        .map(|address| acquire(&slots, address))
        .into();
    let bob = acquire(&slots, "192.0.2.2");
    let given_way = || -> Vec<bool> { eve.iter().map(|(_, abort)| abort.is_aborted()).collect() };
    let carl = acquire(&slots, "192.0.2.3");
    assert_eq!(given_way(), [true, false, false]);
    let dan = acquire(&slots, "192.0.2.4");
    assert_eq!(given_way(), [true, true, false]);
    // All networks have one handshake, so the oldest handshake is ended.
    let fay = acquire(&slots, "192.0.2.5");
    assert!(ann.1.is_aborted());
    assert_eq!(given_way(), [true, true, false]);
    assert_eq!(lock(&slots.state).count, 5);
    drop((ann, eve, bob, carl, dan, fay));
    assert!(is_empty(&slots));
}

#[test]
fn clients_of_a_proxy_are_limited_once_they_are_known() {
    let slots = HandshakeSlots::new(3, 1);
    let proxy = client_prefix("10.0.0.1");
    let mut acquired: Vec<_> = (0..3)
        .map(|_| {
            slots
                .acquire(proxy, true, AbortHandle::new_pair().0)
                .unwrap()
                .slot
        })
        .collect();
    assert_eq!(acquired[0].set_client(client_prefix("192.0.2.1")), Ok(()));
    assert_eq!(
        acquired[1].set_client(client_prefix("192.0.2.1")),
        Err(QuotaError::PerClient)
    );
    assert_eq!(acquired[1].set_client(client_prefix("192.0.2.2")), Ok(()));
    let more = slots
        .acquire(proxy, true, AbortHandle::new_pair().0)
        .unwrap();
    assert!(more.evicted);
    assert_eq!(
        acquired[0].set_client(client_prefix("192.0.2.3")),
        Ok(()),
        "it has given way"
    );
    assert_eq!(lock(&slots.state).count, 3);
    drop((acquired, more));
    assert!(is_empty(&slots));
}

/// A rate with its queues.
struct QueuedRate {
    queues: TurnQueues,
    rate: Mutex<NetworkRate>,
    time: ServerClock,
    /// Number of times that a waiter looked at the rate.
    looks: AtomicUsize,
}

impl QueuedRate {
    async fn take(&self, client: ClientPrefix, deadline: Instant) -> Result<(), QuotaError> {
        let wait_ms = |network| {
            self.looks.fetch_add(1, Ordering::Relaxed);
            lock(&self.rate).wait_ms(network, self.time.now())
        };
        let charge = || lock(&self.rate).charge(client, self.time.now());
        self.queues.take(client, deadline, wait_ms, charge).await
    }
}

fn queue() -> QueuedRate {
    QueuedRate {
        queues: TurnQueues::default(),
        // Bursts of two, one per second.
        rate: Mutex::new(NetworkRate::new(2, 60)),
        time: ServerClock::from_unix_ms(1),
        looks: AtomicUsize::new(0),
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
    // Waiters that leave the queue are not charged.
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

/// If all first waiters watched the rate of their /48, each turn would wake all of them.
#[tokio::test(start_paused = true)]
async fn the_clients_of_a_network_have_their_turns_in_order_and_wake_once() {
    // All in one /48, each in a /56 of its own: bursts of 32, 16 per second.
    let (queue, start) = (queue(), Instant::now());
    let clients = (0..=255).map(|number| client_prefix(&format!("2001:db8:0:{number:x}00::1")));
    let mut turns: FuturesUnordered<_> = clients
        .enumerate()
        .map(|(number, client)| {
            let turn = queue.take(client, start + Duration::from_secs(60));
            turn.map(move |taken| (number, taken, start.elapsed().as_millis()))
        })
        .collect();
    for number in 0..=255_usize {
        // Without `unconstrained`, the runtime would let the later half begin first.
        let (taken_by, taken, ms) = unconstrained(turns.next()).await.unwrap();
        assert_eq!((taken_by, taken), (number, Ok(())));
        let expected = 1000 * (number as u128 + 1).saturating_sub(32) / 16;
        assert!(ms.abs_diff(expected) <= 2, "{number}: {ms} ms");
    }
    let looks = queue.looks.load(Ordering::Relaxed);
    assert!(looks < 6 * 256, "{looks} looks");
    assert!(lock(&queue.queues.queues).is_empty());
}

/// Waiters that come back after each turn take all but one of the places of an address, or all places of the other
/// addresses of its network. A newcomer still gets a turn.
#[tokio::test(start_paused = true)]
async fn waiters_in_all_other_places_keep_no_newcomer_out() {
    let limits = ServerLimits::default();
    keep_no_newcomer_out(limits.handshakes_per_address(), |_| client(1)).await;
    let others = |number: usize| client(2 + (number % 254) as u8);
    keep_no_newcomer_out(limits.max_handshakes, others).await;
}

/// Ten newcomers with the address `client(1)` have a turn among `places - 1` waiters.
async fn keep_no_newcomer_out(places: usize, waiter: fn(usize) -> ClientPrefix) {
    let limits = ServerLimits::default();
    let per_minute = limits.new_connections_per_second() * 60;
    let queue = Arc::new(QueuedRate {
        rate: Mutex::new(NetworkRate::new(1, per_minute)),
        ..queue()
    });
    let take = move |client| {
        let queue = Arc::clone(&queue);
        async move {
            let deadline = Instant::now() + limits.handshake_timeout;
            queue.take(client, deadline).await
        }
    };
    let mut waiters = JoinSet::new();
    for number in 1..places {
        let take = take.clone();
        waiters.spawn(async move {
            // The newcomers do not come at the same time.
            sleep(Duration::from_millis(13 * number as u64)).await;
            loop {
                assert_eq!(take(waiter(number)).await, Ok(()));
            }
        });
    }
    sleep(Duration::from_secs(10)).await;
    for _ in 0..10 {
        assert_eq!(take(client(1)).await, Ok(()));
    }
    assert!(waiters.try_join_next().is_none(), "a waiter had no turn");
}
