use std::net::{IpAddr, Ipv4Addr};

use super::*;

#[test]
fn flooding_after_rejects_disconnects() {
    let mut limit = RateLimit::new(2, 1, 0);
    let decisions: Vec<_> = (0..5).map(|_| limit.try_take(0)).collect();
    let reject = RateLimitDecision::Reject { wait_ms: 1000 };
    assert_eq!(
        decisions,
        [
            RateLimitDecision::Allow,
            RateLimitDecision::Allow,
            reject,
            reject,
            RateLimitDecision::Flood
        ]
    );
}

/// Returns the number of messages that pass at `now`, and the wait that the first reject states.
fn take_all(limit: &mut RateLimit, now: u64) -> (u32, u64) {
    let mut passed = 0;
    loop {
        match limit.try_take(now) {
            RateLimitDecision::Allow => passed += 1,
            RateLimitDecision::Reject { wait_ms } => return (passed, wait_ms),
            RateLimitDecision::Flood => panic!("one reject is no flood"),
        }
    }
}

#[test]
fn a_rate_that_does_not_divide_a_second_is_exact() {
    // Three messages per second are one message in 333.3 ms.
    let mut limit = RateLimit::new(2, 3, 10_000);
    assert_eq!(take_all(&mut limit, 10_000), (2, 334));
    assert_eq!(take_all(&mut limit, 10_333), (0, 1));
    assert_eq!(take_all(&mut limit, 10_334), (1, 333));
    assert_eq!(take_all(&mut limit, 10_667), (1, 333));
    assert_eq!(take_all(&mut limit, 11_000), (1, 334));
}

#[test]
fn an_idle_bucket_holds_one_burst() {
    let mut limit = RateLimit::new(3, 10, 0);
    assert_eq!(take_all(&mut limit, 0), (3, 100));
    assert_eq!(take_all(&mut limit, 299), (2, 1));
    assert_eq!(
        take_all(&mut limit, 499),
        (2, 1),
        "200 ms refill two messages; 99 ms were left over"
    );
    assert_eq!(take_all(&mut limit, 1_000_000), (3, 100));
}

#[test]
fn a_time_before_the_creation_counts_as_the_creation() {
    let mut limit = RateLimit::new(2, 1, 5000);
    assert_eq!(take_all(&mut limit, 1000), (2, 1000));
    assert_eq!(take_all(&mut limit, 5999), (0, 1));
    assert_eq!(take_all(&mut limit, 6000), (1, 1000));
}

#[test]
fn extreme_limits_do_not_overflow() {
    let mut limit = RateLimit::new(u32::MAX, u32::MAX, 0);
    for now in [0, 1, u64::MAX] {
        assert_eq!(
            [limit.try_take(now), limit.try_take(now)],
            [RateLimitDecision::Allow; 2]
        );
    }
    assert_eq!(
        take_all(&mut RateLimit::new(0, 0, 0), 0),
        (1, 1000),
        "zero counts as one"
    );
}

fn client_prefix(number: u32) -> ClientPrefix {
    ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into())
}

#[test]
fn events_of_a_client_are_limited_and_recover() {
    let mut rate = NetworkRate::new(60, 60);
    let [eve, ann] = [1, 2].map(client_prefix);
    for _ in 0..60 {
        assert_eq!(rate.try_take(eve, 5), Ok(()));
    }
    assert_eq!(rate.try_take(eve, 5), Err(1000));
    assert_eq!(rate.try_take(ann, 5), Ok(()), "another client");
    assert_eq!(rate.try_take(eve, 1004), Err(1));
    assert_eq!(rate.try_take(eve, 1005), Ok(()));
    assert_eq!(
        rate.try_take(eve, 1005),
        Err(1000),
        "a refused event costs nothing"
    );
}

#[test]
fn the_clients_of_a_network_share_its_limit() {
    for (one_network, others, share) in [
        ("192.0.2.", "192.0.3.1", 16),
        ("2001:db8:1:20::", "2001:db8:1:100::1", 1),
        ("2001:db8:1:", "2001:db8:2::1", 16),
    ] {
        let mut rate = NetworkRate::new(3, 1);
        let address = |host: u32| -> IpAddr {
            let text = match one_network {
                "2001:db8:1:" => format!("{one_network}{host:x}00::1"),
                _ => format!("{one_network}{host}"),
            };
            text.parse().unwrap()
        };
        let clients = (0..200).map(|host| ClientPrefix::from_ip(address(host)));
        let allowed = clients
            .filter(|client| rate.try_take(*client, 0).is_ok())
            .count();
        assert_eq!(allowed, 3 * share, "{one_network}");
        assert_eq!(
            rate.try_take(ClientPrefix::from_ip(others.parse().unwrap()), 0),
            Ok(())
        );
    }
}

#[test]
fn a_discarded_client_starts_with_a_full_burst() {
    let mut rate = NetworkRate::new(1, 1);
    // Each client has a /24 of its own, so it is in two networks.
    for number in 0..5 * GENERATION_CAPACITY as u32 {
        assert_eq!(rate.try_take(client_prefix(number << 8), 0), Ok(()));
        let earlier = number.saturating_sub(GENERATION_CAPACITY as u32 / 2 - 1);
        assert!(
            rate.try_take(client_prefix(earlier << 8), 0).is_err(),
            "{earlier} after {number}"
        );
    }
    assert_eq!(
        rate.try_take(client_prefix(0), 0),
        Ok(()),
        "discarded with its generation"
    );
}

#[test]
fn one_network_displaces_few_others() {
    let mut rate = NetworkRate::new(2, 1);
    let ann = client_prefix(7);
    rate.try_take(ann, 0).unwrap();
    rate.try_take(ann, 0).unwrap();
    for number in 0..10 * GENERATION_CAPACITY as u128 {
        let address = (0x2001_0db8_u128 << 96) | (number << 64);
        let (Ok(()) | Err(_)) = rate.try_take(ClientPrefix::from_ip(IpAddr::V6(address.into())), 0);
    }
    assert!(rate.try_take(ann, 0).is_err());
}

const RATE: u32 = 3072;

#[test]
fn a_budget_allows_a_burst_and_then_its_rate() {
    let mut budget = ReplyBudget::new(RATE, true, 1_000);
    let (mut now, mut drawn) = (1_000, 0);
    while now < 61_000 {
        match budget.try_reserve(4096, now) {
            Ok(()) => {
                budget.charge(9_000, now);
                drawn += 9_000;
                now += RESERVATION_MS;
            }
            Err(wait) => {
                assert!(budget.try_reserve(4096, now + wait - 1).is_err());
                now += wait;
            }
        }
    }
    let expected = CAPACITY_MIN_BYTES + 60 * u64::from(RATE);
    assert!(
        (expected - 10_000..=expected + 10_000).contains(&drawn),
        "{drawn} of {expected}"
    );
}

#[test]
fn a_reduced_budget_allows_one_view_and_then_its_rate() {
    let mut budget = ReplyBudget::new(RATE, false, 5);
    assert_eq!(budget.try_reserve(4096, 5), Ok(()));
    budget.charge(REDUCED_BYTES, 5);
    let now = 5 + RESERVATION_MS;
    let wait = (4096_u64 * 1000).div_ceil(RATE.into()) - RESERVATION_MS;
    assert_eq!(budget.try_reserve(4096, now), Err(wait));
    assert_eq!(budget.try_reserve(4096, now + wait), Ok(()));
}

#[test]
fn requests_sent_at_once_share_the_budget() {
    let mut budget = ReplyBudget::new(RATE, true, 0);
    let allowed = (0..100)
        .filter(|_| budget.try_reserve(4096, 5).is_ok())
        .count();
    assert_eq!(allowed, 16);
    // Short responses release the rest of what was reserved for them.
    budget.charge(1_600, 5);
    assert!(budget.try_reserve(4096, 5).is_err());
    assert_eq!(budget.try_reserve(4096, 5 + RESERVATION_MS), Ok(()));
}

#[test]
fn an_estimate_above_the_capacity_needs_the_whole_budget() {
    let mut budget = ReplyBudget::new(RATE, true, 0);
    assert_eq!(budget.try_reserve(1 << 20, 0), Ok(()));
    budget.charge(4096, 0);
    assert_eq!(
        budget.try_reserve(1 << 20, RESERVATION_MS - 1),
        Err(1),
        "the first may not have been charged"
    );
    assert_eq!(budget.try_reserve(1 << 20, RESERVATION_MS), Err(334));
    assert_eq!(budget.try_reserve(1 << 20, RESERVATION_MS + 334), Ok(()));
}

const NETWORK_BYTE_RATE: u64 = 1000;
const START: u64 = 1_800_000_000_000;

fn client(address: &str) -> ClientPrefix {
    ClientPrefix::from_ip(address.parse().unwrap())
}

/// Returns the bytes sent in messages of 100 bytes, offered every millisecond until `end`.
fn send_until(budgets: &[ByteBudget], start: u64, end: u64) -> u64 {
    let sent = (start..end).flat_map(|now| {
        budgets
            .iter()
            .map(move |budget| budget.try_charge(100, now))
    });
    sent.filter(|is_sent| *is_sent).count() as u64 * 100
}

/// Bytes of a full budget.
const CAPACITY: u64 = REFILL_TIME.as_secs() * NETWORK_BYTE_RATE;

#[test]
fn the_spectators_of_a_client_share_a_burst_and_then_a_rate() {
    let budgets = ByteBudgets::new(NETWORK_BYTE_RATE);
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
    let budgets = ByteBudgets::new(NETWORK_BYTE_RATE);
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
    let budgets = ByteBudgets::new(NETWORK_BYTE_RATE);
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

fn contributor(number: u32) -> ArchiveContributor {
    ArchiveContributor::Client(ClientPrefix::from_ip(Ipv4Addr::from_bits(number).into()))
}

#[test]
fn games_beyond_the_budget_are_charged_to_the_other_player_or_not_kept() {
    let mut budget = ArchiveBudget::new(60);
    let [eve, ann] = [contributor(1), contributor(2)];
    let start = 50 * HOUR_MS;
    assert!((0..60).all(|_| budget.try_charge(&[eve], start)));
    assert!(!budget.try_charge(&[eve], start));
    assert!(
        (0..60).all(|_| budget.try_charge(&[eve, ann], start)),
        "the opponent has a budget of its own"
    );
    assert!(!budget.try_charge(&[ann, eve], start));
    assert!(budget.try_charge(&[ArchiveContributor::Room(RoomId::from_bits(1))], start));
    assert!(budget.try_charge(&[], start));
    // A minute later, each contributor has the budget for one game.
    assert!(budget.try_charge(&[eve, eve], start + 60_000));
    assert!(!budget.try_charge(&[eve, eve], start + 60_000));
    assert!((0..60).all(|_| budget.try_charge(&[eve], start + 2 * HOUR_MS)));
}

#[test]
fn keys_written_last_are_kept_in_bounded_memory() {
    let mut map = GenerationMap::<u32, u32, 100>::new();
    for key in 0..1000 {
        map.insert(key, key + 1);
        map.insert(0, key);
        let kept = (0..=key).filter(|other| map.get(other).is_some()).count();
        assert!(kept <= 200, "{kept}");
        for recent in key.saturating_sub(98).max(1)..=key {
            assert_eq!(map.get(&recent), Some(recent + 1), "after {key}");
        }
        assert_eq!(map.get(&0), Some(key), "a key written again stays");
    }
    assert_eq!(map.get(&1), None, "discarded with its generation");
}
